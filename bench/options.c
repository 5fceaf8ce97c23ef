/* The command line. Defaults are filled in after parsing, so that `--quick` may be anywhere and other options still
 * override it. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_help(void) {
    puts("usage: guira-bench [options]\n"
         "Measures guira's filters and others on the same keys.\n"
         "\n"
         "workloads\n"
         "  --only LIST        any of fixed, grown, grow, shrink, churn, threads, zipf, scale,\n"
         "                     interleaved; default: all but scale, which takes minutes per filter,\n"
         "                     and interleaved, which is fixed for busy machines\n"
         "  --sizes LIST       fixed, interleaved: log2 of the slots, 8 to 34; default: 20,24,26\n"
         "  --grown LIST       grown: log2 of the items, 8 to 34; default: 22,24\n"
         "  --grow N           grow, shrink, threads: items; default: 16777216\n"
         "  --churn LIST       churn: log2 of the slots, 8 to 34; default: 20,24\n"
         "  --steps N          churn: steps per measurement; default: 4194304\n"
         "  --zipf LIST        zipf: exponents from 0.1 to 4; default: 0.8,1.1,1.5\n"
         "  --draws N          zipf: insertions, up to 2^31; default: 10000000\n"
         "  --scale N          scale: up to 10^N items, 5 to 10; default: 9\n"
         "  --rounds N         1 to 64, the median is reported; default: 5\n"
         "  --seed N           seed of the keys; default: 1\n"
         "  --quick            small sizes, one round, a few seconds; for testing only\n"
         "filters\n"
         "  --peer FILE.so     more filters (see bench/peer.h); may be repeated\n"
         "  --filters LIST     only these filters; also tidal-W and cuckoo-W of any width W, and\n"
         "                     two-loads, the memory's limit\n"
         "  --widths LIST      short for --filters tidal-W,cuckoo-W,... with each W of the list\n"
         "  --huge-pages       huge pages for every filter, also for those that use malloc\n"
         "  --reference LIST   compare to the first of these that takes part;\n"
         "                     default: cuckoofilter-16,taffy,tidal-16\n"
         "output\n"
         "  --csv FILE         one line per result\n"
         "  --json FILE        the same, with every round\n"
         "  --help             print this text");
}

enum {
    O_ONLY = 1,
    O_SIZES,
    O_GROWN,
    O_GROW,
    O_CHURN,
    O_STEPS,
    O_ZIPF,
    O_DRAWS,
    O_SCALE,
    O_ROUNDS,
    O_SEED,
    O_QUICK,
    O_PEER,
    O_FILTERS,
    O_WIDTHS,
    O_HUGE,
    O_REF,
    O_CSV,
    O_JSON,
    O_HELP
};

static const struct option known[] = {
    {"only", required_argument, NULL, O_ONLY},
    {"sizes", required_argument, NULL, O_SIZES},
    {"grown", required_argument, NULL, O_GROWN},
    {"grow", required_argument, NULL, O_GROW},
    {"churn", required_argument, NULL, O_CHURN},
    {"steps", required_argument, NULL, O_STEPS},
    {"zipf", required_argument, NULL, O_ZIPF},
    {"draws", required_argument, NULL, O_DRAWS},
    {"scale", required_argument, NULL, O_SCALE},
    {"rounds", required_argument, NULL, O_ROUNDS},
    {"seed", required_argument, NULL, O_SEED},
    {"quick", no_argument, NULL, O_QUICK},
    {"peer", required_argument, NULL, O_PEER},
    {"filters", required_argument, NULL, O_FILTERS},
    {"widths", required_argument, NULL, O_WIDTHS},
    {"huge-pages", no_argument, NULL, O_HUGE},
    {"reference", required_argument, NULL, O_REF},
    {"csv", required_argument, NULL, O_CSV},
    {"json", required_argument, NULL, O_JSON},
    {"help", no_argument, NULL, O_HELP},
    {NULL, 0, NULL, 0},
};

static bool invalid(const char *option, const char *value, const char *expected) {
    fprintf(stderr, "guira-bench: --%s %s: %s\n", option, value, expected);
    return false;
}

/* Parses an integer in [min, max]; false for anything else. */
static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *out) {
    char *end = NULL;
    errno = 0;
    if (text[0] < '0' || text[0] > '9') return false; /* strtoull would accept blanks and signs */
    unsigned long long n = strtoull(text, &end, 0);
    if (errno != 0 || *end != '\0' || n < min || n > max) return false;
    *out = n;
    return true;
}

/* The next name of a list such as a,b,c, terminated in place; NULL at the end. Names may be empty. */
static char *next_name(char **list) {
    char *name = *list;
    if (name == NULL) return NULL;
    char *comma = strchr(name, ',');
    if (comma != NULL) *comma = '\0';
    *list = comma != NULL ? comma + 1 : NULL;
    return name;
}

static bool parse_sizes(char *list, unsigned *size, size_t *sizes) {
    *sizes = 0;
    for (char *name = next_name(&list); name != NULL; name = next_name(&list)) {
        uint64_t n = 0;
        if (*sizes == MAX_SIZES || !parse_number(name, 8, 34, &n)) return false;
        for (size_t i = 0; i < *sizes; i++)
            if (size[i] == n) return false; /* the results of equal sizes would be mixed up */
        size[(*sizes)++] = (unsigned)n;
    }
    return true;
}

static bool parse_names(char *list, const char **names, size_t *count) {
    for (char *name = next_name(&list); name != NULL; name = next_name(&list)) {
        if (*count == MAX_NAMES || *name == '\0') return false;
        names[(*count)++] = name;
    }
    names[*count] = NULL;
    return true;
}

/* Room in o->text; NULL: there is not enough. */
static char *keep_text(struct options *o, const char *text) {
    size_t size = strlen(text) + 1;
    if (size > sizeof o->text - o->text_used) return NULL;
    char *copy = memcpy(o->text + o->text_used, text, size);
    o->text_used += size;
    return copy;
}

static bool add_filter(struct options *o, const char *kind, uint64_t width) {
    char name[32];
    snprintf(name, sizeof name, "%s-%u", kind, (unsigned)width);
    char *kept = keep_text(o, name);
    return kept != NULL && parse_names(kept, o->filter, &o->filters);
}

static bool parse_widths(char *list, struct options *o) {
    for (char *name = next_name(&list); name != NULL; name = next_name(&list)) {
        uint64_t w = 0;
        if (!parse_number(name, 6, 32, &w) || w == 27 || (w > 28 && w < 32)) return false;
        if (w >= 12 && !add_filter(o, "tidal", w)) return false;
        if (!add_filter(o, "cuckoo", w)) return false;
    }
    return true;
}

/* The name of the workload is made of the exponent as it was typed, so that equal ones are the same text. */
static bool parse_zipf(char *list, struct options *o) {
    o->zipfs = 0;
    for (char *name = next_name(&list); name != NULL; name = next_name(&list)) {
        char *end = NULL;
        if (o->zipfs == MAX_SIZES || name[0] < '0' || name[0] > '9' || strlen(name) > 8) return false;
        double s = strtod(name, &end);
        if (*end != '\0' || !(s >= 0.1 && s <= 4)) return false;
        for (size_t i = 0; i < o->zipfs; i++)
            if (o->zipf[i] == s) return false;
        snprintf(o->zipf_name[o->zipfs], sizeof o->zipf_name[0], "zipf-%s", name);
        o->zipf[o->zipfs++] = s;
    }
    return true;
}

static bool parse_workloads(char *list, unsigned *out) {
    static const char *const names[] = {"fixed",   "grown", "grow",  "shrink",     "churn",
                                        "threads", "zipf",  "scale", "interleaved"};
    *out = 0;
    for (char *name = next_name(&list); name != NULL; name = next_name(&list)) {
        unsigned found = 0;
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(name, names[i]) == 0) found = 1u << i;
        if (found == 0) return false;
        *out |= found;
    }
    return true;
}

static bool parse_small(const char *text, unsigned min, unsigned max, unsigned *out) {
    uint64_t n = 0;
    if (!parse_number(text, min, max, &n)) return false;
    *out = (unsigned)n;
    return true;
}

/* Handles one option that has a value. */
static bool set_option(struct options *o, int which, const char *given) {
    static const char *const sizes = "expected different numbers from 8 to 34, e.g. 20,24";
    static const char *const names = "expected a list of names, e.g. tidal-12,tidal-16";
    const uint64_t max = (uint64_t)1 << 34;
    if (given == NULL) return false;   /* getopt_long has printed a message */
    char *value = keep_text(o, given); /* parsing a list modifies it */
    if (value == NULL) {
        fprintf(stderr, "guira-bench: the arguments are too long\n");
        return false;
    }
    switch (which) {
    case O_ONLY:
        return parse_workloads(value, &o->workloads) ||
               invalid("only", given,
                       "expected a list of fixed,grown,grow,shrink,churn,threads,zipf,scale,interleaved");
    case O_SIZES: return parse_sizes(value, o->size, &o->sizes) || invalid("sizes", given, sizes);
    case O_GROWN: return parse_sizes(value, o->grown, &o->growns) || invalid("grown", given, sizes);
    case O_CHURN: return parse_sizes(value, o->churn, &o->churns) || invalid("churn", given, sizes);
    case O_GROW:
        return parse_number(value, 1, max, &o->grow) || invalid("grow", given, "expected a number from 1 to 2^34");
    case O_STEPS:
        return parse_number(value, 1, max, &o->steps) || invalid("steps", given, "expected a number from 1 to 2^34");
    case O_ZIPF:
        return parse_zipf(value, o) || invalid("zipf", given, "expected different numbers from 0.1 to 4, e.g. 0.8,1.1");
    case O_DRAWS:
        return parse_number(value, 1, (uint64_t)1 << 31, &o->draws) ||
               invalid("draws", given, "expected a number from 1 to 2^31");
    case O_SCALE:
        return parse_small(value, 5, 10, &o->scale) || invalid("scale", given, "expected a number from 5 to 10");
    case O_ROUNDS:
        return parse_small(value, 1, 64, &o->rounds) || invalid("rounds", given, "expected a number from 1 to 64");
    case O_SEED:
        return parse_number(value, 0, UINT64_MAX, &o->seed) || invalid("seed", given, "expected a 64-bit number");
    case O_FILTERS: return parse_names(value, o->filter, &o->filters) || invalid("filters", given, names);
    case O_REF: return parse_names(value, o->reference, &o->references) || invalid("reference", given, names);
    case O_WIDTHS: return parse_widths(value, o) || invalid("widths", given, "expected slot widths: 6 to 26, 28 or 32");
    case O_CSV: o->csv = value; return true;
    case O_JSON: o->json = value; return true;
    case O_PEER:
        if (o->peers == MAX_NAMES) return invalid("peer", given, "too many files");
        o->peer[o->peers++] = value;
        return true;
    default: return false;
    }
}

static void set_default_sizes(unsigned *size, size_t *sizes, const unsigned *defaults, size_t n) {
    if (*sizes > 0) return;
    memcpy(size, defaults, n * sizeof *size);
    *sizes = n;
}

enum { EVERY_WORKLOAD = 2 * W_INTERLEAVED - 1 };

static void set_defaults(struct options *o) {
    static const unsigned full[] = {20, 24, 26};
    static const unsigned quick[] = {16};
    set_default_sizes(o->size, &o->sizes, o->quick ? quick : full, o->quick ? 1 : 3);
    static const unsigned grown[] = {22, 24};
    set_default_sizes(o->grown, &o->growns, o->quick ? quick : grown, o->quick ? 1 : 2);
    set_default_sizes(o->churn, &o->churns, o->quick ? quick : full, o->quick ? 1 : 2);
    o->reference_given = o->references > 0;
    if (o->workloads == 0)
        o->workloads = o->quick ? EVERY_WORKLOAD : EVERY_WORKLOAD & ~(unsigned)(W_SCALE | W_INTERLEAVED);
    if (o->rounds == 0) o->rounds = o->quick ? 1 : 5;
    if (o->grow == 0) o->grow = (uint64_t)1 << (o->quick ? 16 : 24);
    if (o->steps == 0) o->steps = (uint64_t)1 << (o->quick ? 16 : 22);
    if (o->draws == 0) o->draws = o->quick ? 100000 : 10000000;
    if (o->scale == 0) o->scale = o->quick ? 5 : 9;
    if (o->zipfs == 0) {
        char list[] = "0.8,1.1,1.5";
        parse_zipf(list, o);
    }
    o->lookups = (uint64_t)1 << (o->quick ? 16 : 22);
    o->lookup_s = o->quick ? 0.005 : 0.2;
    if (!o->reference_given) {
        static const char *const names[] = {"cuckoofilter-16", "taffy", "tidal-16"};
        memcpy(o->reference, names, sizeof names);
        o->references = 3;
    }
}

bool options_parse(int argc, char **argv, struct options *o) {
    *o = (struct options){.seed = 1};
    int which = 0;
    while ((which = getopt_long(argc, argv, "h", known, NULL)) != -1) {
        if (which == O_HELP || which == 'h') {
            o->help = true;
        } else if (which == O_QUICK) {
            o->quick = true;
        } else if (which == O_HUGE) {
            o->huge_pages = true;
        } else if (!set_option(o, which, optarg)) {
            fprintf(stderr, "guira-bench: see --help\n");
            return false;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "guira-bench: unexpected argument '%s'; see --help\n", argv[optind]);
        return false;
    }
    set_defaults(o);
    return true;
}
