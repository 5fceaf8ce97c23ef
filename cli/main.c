/* guira, the command-line tool: approximate membership filters for lines of text.
 *
 *     guira COMMAND [options] ...          lines on stdin, lines on stdout, messages on stderr
 *
 * This file has the list of commands and calls the one that is named. The tool uses only guira.h, and hiredis for
 * --redis. */
#include <fcntl.h>
#include <guira.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "report.h"

static const struct command *const commands[] = {
    &command_uniq,    &command_build,  &command_add,    &command_remove, &command_test, &command_count,
    &command_info,    &command_verify, &command_merge,  &command_shrink, &command_pull, &command_push,
    &command_metrics, &command_plan,   &command_doctor, &command_demo,   NULL,
};

static const struct command *find(const char *name) {
    for (const struct command *const *c = commands; *c != NULL; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    return NULL;
}

static void print_help(FILE *to) {
    fputs("guira: drop duplicate lines and test membership with filters that grow and shrink\n\n"
          "usage: guira COMMAND [options] [FILE] [INPUT...]      reads lines from INPUT or stdin\n\ncommands:\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, "  %-9s %s\n", (*c)->name, (*c)->summary);
    fputs("\n'guira COMMAND --help' describes a command, 'guira --version' prints the version.\n\n"
          "examples:\n"
          "  guira uniq events.log                                   drop duplicate lines\n"
          "  tail -f app.log | guira uniq --window 10m -k 3          each alert at most once in 10 minutes\n"
          "  guira build known.gf known.txt && guira test -v known.gf new.txt\n"
          "  guira plan --items 100M --fpr 0.1%                      memory that a filter needs\n"
          "\nexit status: 0 success, 1 negative result (for example, no line is present), 2 error\n",
          to);
}

static int run(const struct command *c, int argc, char **argv) {
    report_begin(c->name);
    return c->run(argc, argv);
}

/* "guira help uniq" is the same as "guira uniq --help". */
static int help(int argc, char **argv) {
    char flag[] = "--help", *arguments[] = {argv[0], flag, NULL};
    const struct command *c = argc > 1 ? find(argv[1]) : NULL;
    if (argc > 1 && c == NULL) trouble("unknown command '%s'; 'guira --help' lists all commands", argv[1]);
    if (c != NULL) return run(c, 2, arguments);
    print_help(stdout);
    return EXIT_YES;
}

/* If stdin, stdout or stderr is closed, the next file that is opened would get its number and would be read or written
 * in its place. So a closed stream is opened on /dev/null in the wrong mode: its use then fails with an error. */
static void replace_closed_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int dispatch(int argc, char **argv) {
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("guira %s\n", guira_version());
        return EXIT_YES;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return help(argc - 1, argv + 1);
    const struct command *c = find(name);
    if (c == NULL && *name == '-') trouble("unknown option '%s'; 'guira --help' lists the commands", name);
    if (c == NULL) trouble("unknown command '%s'; 'guira --help' lists all commands", name);
    return run(c, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    replace_closed_streams();
    if (argc < 2) {
        print_help(stderr);
        return EXIT_TROUBLE;
    }
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) trouble("stdout: %s", system_error());
    return status;
}
