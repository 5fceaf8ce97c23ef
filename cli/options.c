/* See options.h. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "units.h"

/* ------------------------------------------------------------------------------------------------------------- values */

static bool read_byte(const char *text, int *out) {
    if (strcmp(text, "\\t") == 0) *out = '\t';
    else if (strlen(text) == 1) *out = (unsigned char)*text;
    else return false;
    return true;
}

static bool read_choice(const char *text, const char *const *choices, unsigned *out) {
    for (unsigned i = 0; choices[i] != NULL; i++)
        if (strcmp(text, choices[i]) == 0) {
            *out = i;
            return true;
        }
    return false;
}

static bool read_value(const struct opt *o, const char *text) {
    switch (o->type) {
    case OPT_FLAG: *(bool *)o->to = true; return true;
    case OPT_TEXT: *(const char **)o->to = text; return *text != '\0';
    case OPT_COUNT: return read_count(text, o->to) && *(uint64_t *)o->to > 0;
    case OPT_SIZE: return read_size(text, o->to) && *(uint64_t *)o->to > 0;
    case OPT_DURATION: return read_duration(text, o->to);
    case OPT_RATE: return read_rate(text, o->to);
    case OPT_FACTOR: return read_factor(text, o->to);
    case OPT_BYTE: return read_byte(text, o->to);
    case OPT_CHOICE: return read_choice(text, o->choices, o->to);
    }
    return false;
}

/* What the type wants, for those who wrote something else. */
static const char *wanted(const struct opt *o, char *to, size_t n) {
    static const char *const by_type[] = {
        [OPT_TEXT] = "may not be empty",
        [OPT_COUNT] = "is no number above 0 (try 1000, 50k, 100M, 2.5G)",
        [OPT_SIZE] = "is no size (try 500M, 1.5GiB, 64KiB)",
        [OPT_DURATION] = "is no duration (try 30s, 10m, 1h30m, 250ms, 7d)",
        [OPT_RATE] = "is no rate between 0 and 1 (try 0.1%, 1e-6, 1/1000)",
        [OPT_FACTOR] = "is no factor from 1 on (try 10x, 1000x)",
        [OPT_BYTE] = "is not one character (for a tab: \\t)",
    };
    if (o->type != OPT_CHOICE) return by_type[o->type];
    size_t used = (size_t)snprintf(to, n, "is none of");
    for (unsigned i = 0; o->choices[i] != NULL && used < n; i++)
        used += (size_t)snprintf(to + used, n - used, "%s %s", i == 0 ? "" : ",", o->choices[i]);
    return to;
}

static void take(const struct opt *o, const char *text) {
    char list[200];
    if (!read_value(o, text)) trouble("--%s: '%s' %s", o->name, text, wanted(o, list, sizeof list));
}

/* ------------------------------------------------------------------------------------------------------------- parsing */

static const struct opt *by_name(const struct opt *table, const char *name, size_t n) {
    for (; table->name != NULL; table++)
        if (strlen(table->name) == n && memcmp(table->name, name, n) == 0) return table;
    return NULL;
}

static const struct opt *by_letter(const struct opt *table, char letter) {
    for (; table->name != NULL; table++)
        if (table->letter == letter) return table;
    return NULL;
}

/* "--name", "--name value" or "--name=value" in argv[i]. Returns the last index it took. */
static int take_long(const struct command *c, const struct opt *table, int argc, char **argv, int i) {
    const char *name = argv[i] + 2, *equals = strchr(name, '=');
    size_t n = equals == NULL ? strlen(name) : (size_t)(equals - name);
    const struct opt *o = by_name(table, name, n);
    if (o == NULL) trouble("no option '%s'; 'guira %s --help' has them all", argv[i], c->name);
    if (o->arg == NULL && equals != NULL) trouble("--%s takes no value", o->name);
    if (o->arg == NULL || equals != NULL) {
        take(o, equals == NULL ? "" : equals + 1);
        return i;
    }
    if (i + 1 == argc) trouble("--%s needs a value: %s", o->name, o->arg);
    take(o, argv[i + 1]);
    return i + 1;
}

/* "-d", "-dz", "-k2" or "-k 2", in the same way. */
static int take_short(const struct command *c, const struct opt *table, int argc, char **argv, int i) {
    for (const char *p = argv[i] + 1; *p != '\0'; p++) {
        const struct opt *o = by_letter(table, *p);
        if (o == NULL) trouble("no option '-%c'; 'guira %s --help' has them all", *p, c->name);
        if (o->arg == NULL) {
            take(o, "");
            continue;
        }
        if (p[1] != '\0') {
            take(o, p + 1);
            return i;
        }
        if (i + 1 == argc) trouble("-%c needs a value: %s", *p, o->arg);
        take(o, argv[i + 1]);
        return i + 1;
    }
    return i;
}

void options_read(const struct command *c, const struct opt *table, int *argc, char **argv, int least, int most) {
    int kept = 1;
    bool over = false; /* behind -- */
    for (int i = 1; i < *argc; i++) {
        if (!over && strcmp(argv[i], "--help") == 0) {
            help_print(c, table);
            exit(fflush(stdout) == 0 ? EXIT_YES : EXIT_TROUBLE);
        }
        if (!over && strcmp(argv[i], "--") == 0) over = true;
        else if (!over && strncmp(argv[i], "--", 2) == 0) i = take_long(c, table, *argc, argv, i);
        else if (!over && argv[i][0] == '-' && argv[i][1] != '\0') i = take_short(c, table, *argc, argv, i);
        else argv[kept++] = argv[i];
    }
    if (kept - 1 < least) trouble("something is missing; usage: guira %s %s", c->name, c->usage);
    if (kept - 1 > most) trouble("'%s' is too much; usage: guira %s %s", argv[most + 1], c->name, c->usage);
    *argc = kept;
}

/* ---------------------------------------------------------------------------------------------------------------- help */

void help_print(const struct command *c, const struct opt *table) {
    printf("guira %s: %s\n\nusage: guira %s %s\n\noptions:\n", c->name, c->summary, c->name, c->usage);
    for (; table->name != NULL; table++) {
        char left[64];
        int n = table->letter != 0 ? snprintf(left, sizeof left, "-%c, ", table->letter)
                                   : snprintf(left, sizeof left, "    ");
        snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", table->name, table->arg == NULL ? "" : " ",
                 table->arg == NULL ? "" : table->arg);
        printf("  %-28s %s\n", left, table->help);
    }
    printf("  %-28s %s\n\n%s", "    --help", "this", c->more);
}
