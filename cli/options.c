/* See options.h. This file has three parts: reading one value, going through argv, and printing --help. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "units.h"

/* ----------------------------------------------------------------------------------------------------------- values */

static bool read_byte(const char *text, int *out) {
    if (strcmp(text, "\\t") == 0) *out = '\t';
    else if (strlen(text) == 1) *out = (unsigned char)*text;
    else return false;
    return true;
}

/* The index of the text in the list of choices. */
static bool read_choice(const char *text, const char *const *choices, unsigned *out) {
    for (unsigned i = 0; choices[i] != NULL; i++)
        if (strcmp(text, choices[i]) == 0) {
            *out = i;
            return true;
        }
    return false;
}

/* Reads the value into the variable of the option. False: it does not have the form of its type. */
static bool read_value(const struct opt *o, const char *text) {
    switch (o->type) {
    case OPT_FLAG: *(bool *)o->to = true; return true;
    case OPT_TEXT: *(const char **)o->to = text; return *text != '\0';
    case OPT_COUNT:
    case OPT_FIELD: return read_count(text, o->to) && *(uint64_t *)o->to > 0;
    case OPT_SIZE: return read_size(text, o->to) && *(uint64_t *)o->to > 0;
    case OPT_DURATION: return read_duration(text, o->to);
    case OPT_RATE: return read_rate(text, o->to);
    case OPT_FACTOR: return read_factor(text, o->to);
    case OPT_BYTE: return read_byte(text, o->to);
    case OPT_CHOICE: return read_choice(text, o->choices, o->to);
    }
    return false;
}

/* After read_value has failed. */
static bool is_too_large(const struct opt *o) {
    bool integer = o->type == OPT_COUNT || o->type == OPT_FIELD || o->type == OPT_SIZE || o->type == OPT_DURATION;
    return integer && *(const uint64_t *)o->to == TOO_LARGE;
}

/* The end of the error message for a value that cannot be read: what is wrong, with examples of what is accepted. */
static const char *value_error(const struct opt *o, char *to, size_t n) {
    static const char *const by_type[] = {
        [OPT_TEXT] = "must not be empty",
        [OPT_COUNT] = "is not a number above 0 (try 1000, 50k, 100M, 2.5G)",
        [OPT_FIELD] = "is not a field number (1, 2, ...)",
        [OPT_SIZE] = "is not a size (try 500M, 1.5GiB, 64KiB)",
        [OPT_DURATION] = "is not a duration (try 30s, 10m, 1h30m, 250ms, 7d)",
        [OPT_RATE] = "is not a rate between 0 and 1 (try 0.1%, 1e-6, 1/1000)",
        [OPT_FACTOR] = "is not a factor of 1 or more (try 10x, 1000x)",
        [OPT_BYTE] = "is not one character (for a tab: \\t)",
    };
    if (is_too_large(o)) return "is too large";
    if (o->type != OPT_CHOICE) return by_type[o->type];
    size_t used = (size_t)snprintf(to, n, "is not one of");
    for (unsigned i = 0; o->choices[i] != NULL && used < n; i++)
        used += (size_t)snprintf(to + used, n - used, "%s %s", i == 0 ? "" : ",", o->choices[i]);
    return to;
}

/* Stores the value, or exits with an error. */
static void set_value(const struct opt *o, const char *text) {
    char list[200];
    if (!read_value(o, text)) trouble("--%s: '%s' %s", o->name, text, value_error(o, list, sizeof list));
}

/* ---------------------------------------------------------------------------------------------------------- parsing */

static const struct opt *find_by_name(const struct opt *table, const char *name, size_t n) {
    for (; table->name != NULL; table++)
        if (strlen(table->name) == n && memcmp(table->name, name, n) == 0) return table;
    return NULL;
}

static const struct opt *find_by_letter(const struct opt *table, char letter) {
    for (; table->name != NULL; table++)
        if (table->letter == letter) return table;
    return NULL;
}

/* Reads "--name", "--name value" or "--name=value" at argv[i]. Returns the index of the last element it used. */
static int read_long(const struct command *c, const struct opt *table, int argc, char **argv, int i) {
    const char *name = argv[i] + 2, *equals = strchr(name, '=');
    size_t n = equals == NULL ? strlen(name) : (size_t)(equals - name);
    const struct opt *o = find_by_name(table, name, n);
    if (o == NULL) trouble("unknown option '%s'; 'guira %s --help' lists all options", argv[i], c->name);
    if (o->arg == NULL && equals != NULL) trouble("--%s takes no value", o->name);
    if (o->arg == NULL || equals != NULL) {
        set_value(o, equals == NULL ? "" : equals + 1);
        return i;
    }
    if (i + 1 == argc) trouble("--%s requires a value: %s", o->name, o->arg);
    set_value(o, argv[i + 1]);
    return i + 1;
}

/* The same for "-d", "-dz", "-k2" or "-k 2". */
static int read_short(const struct command *c, const struct opt *table, int argc, char **argv, int i) {
    for (const char *p = argv[i] + 1; *p != '\0'; p++) {
        const struct opt *o = find_by_letter(table, *p);
        if (o == NULL) trouble("unknown option '-%c'; 'guira %s --help' lists all options", *p, c->name);
        if (o->arg == NULL) {
            set_value(o, "");
            continue;
        }
        if (p[1] != '\0') {
            set_value(o, p + 1);
            return i;
        }
        if (i + 1 == argc) trouble("-%c requires a value: %s", *p, o->arg);
        set_value(o, argv[i + 1]);
        return i + 1;
    }
    return i;
}

static _Noreturn void help_and_exit(const struct command *c, const struct opt *table) {
    help_print(c, table);
    exit(fflush(stdout) == 0 ? EXIT_YES : EXIT_TROUBLE);
}

void options_read(const struct command *c, const struct opt *table, int *argc, char **argv, int min_args,
                  int max_args) {
    int kept = 1;
    bool ended = false; /* by "--" */
    for (int i = 1; i < *argc; i++) {
        if (ended || argv[i][0] != '-' || argv[i][1] == '\0') argv[kept++] = argv[i];
        else if (strcmp(argv[i], "--help") == 0) help_and_exit(c, table);
        else if (strcmp(argv[i], "--") == 0) ended = true;
        else if (argv[i][1] == '-') i = read_long(c, table, *argc, argv, i);
        else i = read_short(c, table, *argc, argv, i);
    }
    if (kept - 1 < min_args) missing_argument(c, kept - 1);
    if (kept - 1 > max_args) unexpected_argument(c, argv[max_args + 1]);
    *argc = kept;
}

/* The words of a usage that name arguments: FILE and LINES, but not [options], --items or <lines. */
void missing_argument(const struct command *c, int index) {
    const char *word = c->usage;
    for (size_t n; *word != '\0'; word += n + strspn(word + n, " ")) {
        n = strcspn(word, " ");
        size_t name = strcspn(word, " ."); /* FILE of FILE... */
        if (*word < 'A' || *word > 'Z' || index-- > 0) continue;
        trouble("missing argument %.*s; usage: guira %s %s", (int)name, word, c->name, c->usage);
    }
    trouble("missing argument; usage: guira %s %s", c->name, c->usage);
}

void unexpected_argument(const struct command *c, const char *argument) {
    trouble("unexpected argument '%s'; usage: guira %s %s", argument, c->name, c->usage);
}

/* ------------------------------------------------------------------------------------------------------------- help */

/* ": stop (default), pass" */
static void print_choices(const char *const *choices) {
    for (unsigned i = 0; choices[i] != NULL; i++)
        printf("%s %s%s", i == 0 ? ":" : ",", choices[i], i == 0 ? " (default)" : "");
}

void help_print(const struct command *c, const struct opt *table) {
    printf("guira %s: %s\n\nusage: guira %s %s\n\noptions:\n", c->name, c->summary, c->name, c->usage);
    for (; table->name != NULL; table++) {
        char left[64];
        int n = table->letter != 0 ? snprintf(left, sizeof left, "-%c, ", table->letter)
                                   : snprintf(left, sizeof left, "    ");
        snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", table->name, table->arg == NULL ? "" : " ",
                 table->arg == NULL ? "" : table->arg);
        printf("  %-28s %s", left, table->help);
        if (table->choices != NULL) print_choices(table->choices);
        printf("\n");
    }
    printf("  %-28s %s\n\n%s", "    --help", "print this help", c->more);
}
