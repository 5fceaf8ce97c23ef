/* Command-line options: one table per command lists its options, where the values go and their help texts.
 *
 *     struct opt table[] = {{'d', "repeated", OPT_FLAG, &repeated, NULL, "print only ...", NULL}, ..., OPT_END};
 *     options_read(&command_uniq, table, &argc, argv, 0, 1);      argv is left with the positional arguments
 *
 * Accepted forms are those of getopt_long: -d, -dz, -k2, -k 2, --key-field 2, --key-field=2, abbreviations of long
 * options (--key), options behind arguments, and -- to end the options. -h and --help print the help and exit. */
#ifndef GUIRA_CLI_OPTIONS_H
#define GUIRA_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of the variable that `to` points to is given behind each. */
typedef enum {
    OPT_FLAG,     /* bool */
    OPT_TEXT,     /* const char *, not empty */
    OPT_COUNT,    /* uint64_t, above 0 */
    OPT_FIELDS,   /* struct field_list: numbers of fields; can be given more than once */
    OPT_SIZE,     /* uint64_t, bytes, above 0 */
    OPT_DURATION, /* uint64_t, milliseconds, above 0 */
    OPT_RATE,     /* double, between 0 and 1 */
    OPT_FACTOR,   /* double, 1 or more */
    OPT_TEXTS,    /* struct text_list: not empty; can be given more than once */
    OPT_CHOICE    /* unsigned: an index into `choices`; 0 is the default */
} opt_type;

/* The values of an option that was given several times. */
enum { MAX_TEXTS = 16 };
struct text_list {
    const char *text[MAX_TEXTS];
    size_t n;
};

struct opt {
    char letter; /* 0: no short form */
    const char *name;
    opt_type type;
    void *to;
    const char *arg; /* name of the value in --help; NULL for a flag */
    const char *help;
    const char *const *choices; /* OPT_CHOICE: ends with NULL; --help lists them behind `help` */
};

enum { MAX_OPERANDS = 1 << 20 }; /* most arguments of a command that takes any number */

#define OPT_END \
    { 0, NULL, OPT_FLAG, NULL, NULL, NULL, NULL }

struct command {
    const char *name;
    const char *usage;                 /* what follows the name: "[options] FILE" */
    const char *summary;               /* for the list of commands */
    const char *more;                  /* the part of --help below the options, with examples */
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
};

/* Reads the options into the variables of the table and moves the positional arguments to argv[1] ... argv[*argc - 1].
 * There must be at least `min_args` and at most `max_args` of them. Exits after --help (status 0) or an error (status
 * 2). A variable whose option is not given is not changed, so it holds the default. */
void options_read(const struct command *c, const struct opt *table, int *argc, char **argv, int min_args, int max_args);

/* Exits with "missing argument NAME" and the usage. NAME is positional argument number `index`, from 0. */
_Noreturn void missing_argument(const struct command *c, int index);

/* Exits with "unexpected argument 'x'" and the usage. */
_Noreturn void unexpected_argument(const struct command *c, const char *argument);

/* Prints the help of a command to stdout. */
void help_print(const struct command *c, const struct opt *table);

#endif
