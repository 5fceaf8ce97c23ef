/* The command line. An option that is not given is filled in at the end, so `--quick` may stand anywhere and what is
 * given beside it still counts. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_help(void) {
    puts("usage: guira-bench [options]\n"
         "Measures guira's filters, and others beside them, on the same keys.\n"
         "\n"
         "what\n"
         "  --only LIST        of fixed, grow, shrink, churn, threads; all of them unless given\n"
         "  --sizes LIST       fixed: log2 of the slots, 8 to 34; 20,24,26 unless given\n"
         "  --grow N           grow, shrink, threads: items; 16777216 unless given\n"
         "  --churn LIST       churn: log2 of the slots, 8 to 34; 20,24 unless given\n"
         "  --steps N          churn: steps in one measure; 4194304 unless given\n"
         "  --rounds N         1 to 64, reported is the median; 5 unless given\n"
         "  --seed N           of the keys; 1 unless given\n"
         "  --quick            a few seconds: small sizes, one round; the figures mean little\n"
         "whom\n"
         "  --peer FILE.so     filters from elsewhere (see bench/peer.h); may be repeated\n"
         "  --filters LIST     only these, by name; all of them unless given\n"
         "  --reference LIST   compare to the first of these that takes part;\n"
         "                     cuckoofilter-16, taffy, tidal-16 unless given\n"
         "output\n"
         "  --csv FILE         one line per figure\n"
         "  --json FILE        the same with every round\n"
         "  --help             this");
}

enum {
    O_ONLY = 1,
    O_SIZES,
    O_GROW,
    O_CHURN,
    O_STEPS,
    O_ROUNDS,
    O_SEED,
    O_QUICK,
    O_PEER,
    O_FILTERS,
    O_REF,
    O_CSV,
    O_JSON,
    O_HELP
};

static const struct option known[] = {
    {"only", required_argument, NULL, O_ONLY},
    {"sizes", required_argument, NULL, O_SIZES},
    {"grow", required_argument, NULL, O_GROW},
    {"churn", required_argument, NULL, O_CHURN},
    {"steps", required_argument, NULL, O_STEPS},
    {"rounds", required_argument, NULL, O_ROUNDS},
    {"seed", required_argument, NULL, O_SEED},
    {"quick", no_argument, NULL, O_QUICK},
    {"peer", required_argument, NULL, O_PEER},
    {"filters", required_argument, NULL, O_FILTERS},
    {"reference", required_argument, NULL, O_REF},
    {"csv", required_argument, NULL, O_CSV},
    {"json", required_argument, NULL, O_JSON},
    {"help", no_argument, NULL, O_HELP},
    {NULL, 0, NULL, 0},
};

static bool bad(const char *option, const char *value, const char *wanted) {
    fprintf(stderr, "guira-bench: --%s %s: %s\n", option, value, wanted);
    return false;
}

/* A whole number in [least, most] and nothing else. */
static bool number(const char *text, uint64_t least, uint64_t most, uint64_t *out) {
    char *end = NULL;
    errno = 0;
    if (text[0] < '0' || text[0] > '9') return false; /* strtoull takes blanks and signs */
    unsigned long long n = strtoull(text, &end, 0);
    if (errno != 0 || *end != '\0' || n < least || n > most) return false;
    *out = n;
    return true;
}

/* The next name of a list like a,b,c, ended in place; NULL at the end. An empty name is a name. */
static char *next(char **list) {
    char *name = *list;
    if (name == NULL) return NULL;
    char *comma = strchr(name, ',');
    if (comma != NULL) *comma = '\0';
    *list = comma != NULL ? comma + 1 : NULL;
    return name;
}

static bool parse_sizes(char *list, unsigned *size, size_t *sizes) {
    *sizes = 0;
    for (char *name = next(&list); name != NULL; name = next(&list)) {
        uint64_t n = 0;
        if (*sizes == MAX_SIZES || !number(name, 8, 34, &n)) return false;
        for (size_t i = 0; i < *sizes; i++)
            if (size[i] == n) return false; /* twice the same would be one series of mixed rounds */
        size[(*sizes)++] = (unsigned)n;
    }
    return true;
}

static bool parse_names(char *list, const char **names, size_t *count) {
    *count = 0;
    for (char *name = next(&list); name != NULL; name = next(&list)) {
        if (*count == MAX_NAMES || *name == '\0') return false;
        names[(*count)++] = name;
    }
    names[*count] = NULL;
    return true;
}

static bool parse_workloads(char *list, unsigned *out) {
    static const char *const names[] = {"fixed", "grow", "shrink", "churn", "threads"};
    *out = 0;
    for (char *name = next(&list); name != NULL; name = next(&list)) {
        unsigned found = 0;
        for (unsigned i = 0; i < 5; i++)
            if (strcmp(name, names[i]) == 0) found = 1u << i;
        if (found == 0) return false;
        *out |= found;
    }
    return true;
}

static bool parse_rounds(const char *text, unsigned *out) {
    uint64_t n = 0;
    if (!number(text, 1, 64, &n)) return false;
    *out = (unsigned)n;
    return true;
}

/* One option that has a value. */
static bool take(struct options *o, int which, char *value) {
    static const char *const sizes = "wants different numbers from 8 to 34, like 20,24";
    static const char *const names = "wants a list of names, like tidal-12,tidal-16";
    const uint64_t most = (uint64_t)1 << 34;
    char given[128];                 /* for the message: parsing a list cuts it up */
    if (value == NULL) return false; /* getopt_long has said what is wrong */
    snprintf(given, sizeof given, "%s", value);
    switch (which) {
    case O_ONLY:
        return parse_workloads(value, &o->workloads) || bad("only", given, "wants fixed,grow,shrink,churn,threads");
    case O_SIZES: return parse_sizes(value, o->size, &o->sizes) || bad("sizes", given, sizes);
    case O_CHURN: return parse_sizes(value, o->churn, &o->churns) || bad("churn", given, sizes);
    case O_GROW: return number(value, 1, most, &o->grow) || bad("grow", given, "wants a number from 1 to 2^34");
    case O_STEPS: return number(value, 1, most, &o->steps) || bad("steps", given, "wants a number from 1 to 2^34");
    case O_ROUNDS: return parse_rounds(value, &o->rounds) || bad("rounds", given, "wants a number from 1 to 64");
    case O_SEED: return number(value, 0, UINT64_MAX, &o->seed) || bad("seed", given, "wants a 64-bit number");
    case O_FILTERS: return parse_names(value, o->filter, &o->filters) || bad("filters", given, names);
    case O_REF: return parse_names(value, o->reference, &o->references) || bad("reference", given, names);
    case O_CSV: o->csv = value; return true;
    case O_JSON: o->json = value; return true;
    case O_PEER:
        if (o->peers == MAX_NAMES) return bad("peer", given, "too many of them");
        o->peer[o->peers++] = value;
        return true;
    default: return false;
    }
}

static void set_sizes(unsigned *size, size_t *sizes, const unsigned *wanted, size_t n) {
    if (*sizes > 0) return;
    memcpy(size, wanted, n * sizeof *size);
    *sizes = n;
}

static void fill_in(struct options *o) {
    static const unsigned slow[] = {20, 24, 26};
    static const unsigned quick[] = {16};
    set_sizes(o->size, &o->sizes, o->quick ? quick : slow, o->quick ? 1 : 3);
    set_sizes(o->churn, &o->churns, o->quick ? quick : slow, o->quick ? 1 : 2);
    o->reference_given = o->references > 0;
    if (o->workloads == 0) o->workloads = W_ALL;
    if (o->rounds == 0) o->rounds = o->quick ? 1 : 5;
    if (o->grow == 0) o->grow = (uint64_t)1 << (o->quick ? 16 : 24);
    if (o->steps == 0) o->steps = (uint64_t)1 << (o->quick ? 16 : 22);
    o->lookups = (uint64_t)1 << (o->quick ? 16 : 22);
    o->lookup_s = o->quick ? 0.005 : 0.2;
    if (!o->reference_given) {
        static const char *const usual[] = {"cuckoofilter-16", "taffy", "tidal-16"};
        memcpy(o->reference, usual, sizeof usual);
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
        } else if (!take(o, which, optarg)) {
            fprintf(stderr, "guira-bench: see --help\n");
            return false;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "guira-bench: what is %s? see --help\n", argv[optind]);
        return false;
    }
    fill_in(o);
    return true;
}
