/* See options.h. This file has three parts: reading one value, going through argv with
 * getopt_long, and printing --help. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key_fields.h"
#include "report.h"
#include "units.h"

/* ----------------------------------------------------------------------------------------------------------- values */

/* Appends to the list. */
static bool read_text(const char *text, struct text_list *list) {
    if (*text == '\0' || list->n == MAX_TEXTS) return false;
    list->text[list->n++] = text;
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
    case OPT_COUNT: return read_count(text, o->to) && *(uint64_t *)o->to > 0;
    case OPT_SIZE: return read_size(text, o->to);
    case OPT_DURATION: return read_duration(text, o->to);
    case OPT_RATE: return read_rate(text, o->to);
    case OPT_FACTOR: return read_factor(text, o->to);
    case OPT_FIELDS: return field_list_read(text, o->to);
    case OPT_TEXTS: return read_text(text, o->to);
    case OPT_CHOICE: return read_choice(text, o->choices, o->to);
    }
    return false;
}

/* After read_value has failed. */
static bool is_too_large(const struct opt *o) {
    bool integer = o->type == OPT_COUNT || o->type == OPT_SIZE || o->type == OPT_DURATION;
    return integer && *(const uint64_t *)o->to == TOO_LARGE;
}

/* The end of the error message for a value that cannot be read: what is wrong, with examples of what is accepted. */
static const char *value_error(const struct opt *o, char *to, size_t n) {
    static const char *const by_type[] = {
        [OPT_TEXT] = "must not be empty",
        [OPT_COUNT] = "is not a whole number above 0 (try 8, 1000, 50k, 2.5M)",
        [OPT_FIELDS] = "is not a list of fields (try 2, 1,3-5, 4-)",
        [OPT_SIZE] = "is not a size above 0 (try 500M, 1.5GiB, 64KiB)",
        [OPT_DURATION] = "is not a duration above 0 (try 30s, 10m, 1h30m, 250ms, 7d)",
        [OPT_RATE] = "is not a rate between 0 and 1 (try 0.1%, 1e-6, 1/1000)",
        [OPT_FACTOR] = "is not a factor of 1 or more (try 10x, 1000x)",
        [OPT_TEXTS] = "must not be empty",
    };
    if (is_too_large(o)) return "is too large";
    if (o->type == OPT_TEXTS && ((const struct text_list *)o->to)->n == MAX_TEXTS)
        return "is one too many (at most 16)";
    if (o->type == OPT_FIELDS && ((const struct field_list *)o->to)->n == MAX_RANGES)
        return "has too many ranges (at most 32)";
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

enum {
    MAX_OPTIONS = 64,
    FIRST_LONG = 256, /* getopt_long returns FIRST_LONG + i for the long form of option i, and for -h HELP */
    HELP = FIRST_LONG + MAX_OPTIONS
};

/* The table in the form that getopt_long needs. */
struct parser {
    const struct command *command;
    const struct opt *table;
    struct option longs[MAX_OPTIONS + 2];
    char shorts[2 * MAX_OPTIONS + 4];
};

static void parser_open(struct parser *p, const struct command *c, const struct opt *table) {
    char *s = p->shorts;
    int n = 0;
    *p = (struct parser){.command = c, .table = table};
    *s++ = ':'; /* a missing value is reported as ':', not as '?' */
    *s++ = 'h';
    for (; n < MAX_OPTIONS && table[n].name != NULL; n++) {
        int has_value = table[n].arg != NULL ? required_argument : no_argument;
        p->longs[n] = (struct option){table[n].name, has_value, NULL, FIRST_LONG + n};
        if (table[n].letter == 0) continue;
        *s++ = table[n].letter;
        if (has_value == required_argument) *s++ = ':';
    }
    p->longs[n] = (struct option){"help", no_argument, NULL, HELP};
}

static const struct opt *find_by_letter(const struct opt *table, int letter) {
    for (; table->name != NULL; table++)
        if (table->letter == letter) return table;
    return NULL;
}

/* Exits after an unknown option, an abbreviation of several options, or a value for an option that takes none. */
static _Noreturn void invalid_option(const struct parser *p, const char *word) {
    if (optopt == HELP) trouble("--help takes no value");
    if (optopt >= FIRST_LONG) trouble("--%s takes no value", p->table[optopt - FIRST_LONG].name);
    if (optopt != 0) trouble("unknown option '-%c'; 'guira %s --help' lists all options", optopt, p->command->name);
    size_t n = strcspn(word, "="), used = 0;
    char list[200] = "";
    unsigned matches = 0;
    for (const struct option *o = p->longs; o->name != NULL && used < sizeof list; o++)
        if (strncmp(o->name, word + 2, n - 2) == 0)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s --%s", matches++ == 0 ? "" : ",", o->name);
    if (matches > 1) trouble("'%.*s' is an abbreviation of several options:%s", (int)n, word, list);
    trouble("unknown option '%s'; 'guira %s --help' lists all options", word, p->command->name);
}

static _Noreturn void missing_value(const struct parser *p) {
    if (optopt >= FIRST_LONG) {
        const struct opt *o = &p->table[optopt - FIRST_LONG];
        trouble("--%s requires a value: %s", o->name, o->arg);
    }
    trouble("-%c requires a value: %s", optopt, find_by_letter(p->table, optopt)->arg);
}

static _Noreturn void help_and_exit(const struct command *c, const struct opt *table) {
    help_print(c, table);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) trouble("stdout: %s", system_error());
    exit(EXIT_YES);
}

void options_read(const struct command *c, const struct opt *table, int *argc, char **argv, int min_args,
                  int max_args) {
    struct parser p;
    int found;
    parser_open(&p, c, table);
    while ((found = getopt_long(*argc, argv, p.shorts, p.longs, NULL)) != -1) {
        if (found == '?') invalid_option(&p, argv[optind - 1]);
        if (found == ':') missing_value(&p);
        if (found == 'h' || found == HELP) help_and_exit(c, table);
        set_value(found >= FIRST_LONG ? &table[found - FIRST_LONG] : find_by_letter(table, found),
                  optarg == NULL ? "" : optarg);
    }
    int kept = *argc - optind;
    memmove(argv + 1, argv + optind, (size_t)kept * sizeof *argv);
    for (int i = 1; i <= kept; i++)
        if (*argv[i] == '\0') trouble("argument %d is empty; usage: guira %s %s", i, c->name, c->usage);
    if (kept < min_args) missing_argument(c, kept);
    if (kept > max_args) unexpected_argument(c, argv[max_args + 1]);
    *argc = kept + 1;
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
    printf("  %-28s %s\n\n%s", "-h, --help", "print this help", c->more);
}
