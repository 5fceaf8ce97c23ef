/* Options: one table per command says what it takes, where it goes and what --help has to say about it.
 *
 *     struct opt table[] = {{'d', "repeated", OPT_FLAG, &repeated, NULL, "only ...", NULL}, ..., OPT_END};
 *     options_read(&command_uniq, table, &argc, argv);      argv is left with the other arguments
 *
 * -d, -dz, -k2, -k 2, --key-field 2, --key-field=2 and -- are understood; --help prints and ends. */
#ifndef GUIRA_CLI_OPTIONS_H
#define GUIRA_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    OPT_FLAG,     /* bool */
    OPT_TEXT,     /* const char * */
    OPT_COUNT,    /* uint64_t, and so for the next two */
    OPT_SIZE,     /* in bytes */
    OPT_DURATION, /* in milliseconds */
    OPT_RATE,     /* double, and so for the next */
    OPT_FACTOR,
    OPT_BYTE,  /* int: one character, \t for a tab */
    OPT_CHOICE /* unsigned: the index in choices */
} opt_type;

struct opt {
    char letter; /* 0: none */
    const char *name;
    opt_type type;
    void *to;
    const char *arg; /* what --help calls the value; NULL: a flag */
    const char *help;
    const char *const *choices; /* ends with NULL */
};

#define OPT_END \
    { 0, NULL, OPT_FLAG, NULL, NULL, NULL, NULL }

struct command {
    const char *name;
    const char *usage;                 /* behind the name: "[options] FILE" */
    const char *summary;               /* for the list of commands */
    const char *more;                  /* what --help says below the options, with examples */
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
};

/* Reads the options, ends the process for --help or a mistake, and leaves arguments in argv[1] to argv[*argc - 1], at
 * least `least` and at most `most` of them. */
void options_read(const struct command *c, const struct opt *table, int *argc, char **argv, int least, int most);

/* To stdout, for --help; `options` may be NULL. */
void help_print(const struct command *c, const struct opt *table);

#endif
