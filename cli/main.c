/* guira: have I seen this line? The command-line tool, a user of guira.h, and of hiredis for --redis.
 *
 *     guira COMMAND [options] ...          lines on stdin, lines on stdout, talk on stderr
 *
 * Here is the list of commands and who gets the call. */
#include <fcntl.h>
#include <guira.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "report.h"

static const struct command *const commands[] = {
    &command_uniq,  &command_build,  &command_add,     &command_remove, &command_test,   &command_info, &command_verify,
    &command_merge, &command_shrink, &command_metrics, &command_plan,   &command_doctor, &command_demo, NULL,
};

static const struct command *find(const char *name) {
    for (const struct command *const *c = commands; *c != NULL; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    return NULL;
}

static void print_help(FILE *to) {
    fputs("guira: have I seen this line? Filters that grow and shrink with what is in them.\n\n"
          "usage: guira COMMAND [options] [FILE]       lines come on stdin and go to stdout\n\ncommands:\n",
          to);
    for (const struct command *const *c = commands; *c != NULL; c++)
        fprintf(to, "  %-9s %s\n", (*c)->name, (*c)->summary);
    fputs("\n'guira COMMAND --help' tells more, 'guira --version' which guira this is.\n\n"
          "examples:\n"
          "  guira uniq <events.log                                 each line once, in order\n"
          "  tail -f app.log | guira uniq --window 10m -k 3          alerts not more than every ten minutes\n"
          "  guira build known.gf <known.txt && guira test -v known.gf <new.txt\n"
          "  guira plan --items 100M --fpr 0.1%                      what it will cost\n"
          "\nexit status: 0 yes or done, 1 no (a line is absent), 2 trouble\n",
          to);
}

static int run(const struct command *c, int argc, char **argv) {
    report_begin(c->name);
    return c->run(argc, argv);
}

/* "guira help uniq" is "guira uniq --help". */
static int help(int argc, char **argv) {
    char flag[] = "--help", *arguments[] = {argv[0], flag, NULL};
    const struct command *c = argc > 1 ? find(argv[1]) : NULL;
    if (argc > 1 && c == NULL) trouble("no command '%s'; 'guira --help' has them all", argv[1]);
    if (c != NULL) return run(c, 2, arguments);
    print_help(stdout);
    return EXIT_YES;
}

/* Without this, a file opened later would get the number of a stream that was closed, and be read or written for it. In
 * its place comes something that cannot be read (or written), so that who needs the stream is told. */
static void plug_closed_streams(void) {
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
    if (c == NULL) trouble("no command '%s'; 'guira --help' has them all", name);
    return run(c, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    plug_closed_streams();
    if (argc < 2) {
        print_help(stderr);
        return EXIT_TROUBLE;
    }
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) trouble("stdout: %s", system_error());
    return status;
}
