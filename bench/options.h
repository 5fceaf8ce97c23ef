/* The options of the command line. */
#ifndef GUIRA_BENCH_OPTIONS_H
#define GUIRA_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_SIZES = 16, MAX_NAMES = 64, MAX_TEXT = 8192 };

enum workload {
    W_FIXED = 1,
    W_GROWN = 2,
    W_GROW = 4,
    W_SHRINK = 8,
    W_CHURN = 16,
    W_THREADS = 32,
    W_ZIPF = 64,
    W_SCALE = 128,
    W_INTERLEAVED = 256
};

struct options {
    bool help, quick, huge_pages;
    unsigned workloads; /* enum workload, or-ed */
    unsigned rounds;
    unsigned size[MAX_SIZES]; /* log2 of the slots, for fixed and interleaved */
    size_t sizes;
    unsigned grown[MAX_SIZES]; /* log2 of the items, for grown */
    size_t growns;
    unsigned churn[MAX_SIZES]; /* log2 of the slots, for churn */
    size_t churns;
    double zipf[MAX_SIZES]; /* exponents */
    char zipf_name[MAX_SIZES][16];
    size_t zipfs;
    unsigned scale;   /* log10 of the items */
    uint64_t grow;    /* items, for grow and shrink */
    uint64_t steps;   /* of churn, per measurement */
    uint64_t draws;   /* of zipf */
    uint64_t lookups; /* minimum number of lookups per measurement */
    double lookup_s;  /* minimum duration of a measurement of lookups, in seconds */
    uint64_t seed;
    const char *peer[MAX_NAMES]; /* shared objects */
    size_t peers;
    const char *filter[MAX_NAMES + 1];    /* names of the filters to run; none: the default ones */
    const char *reference[MAX_NAMES + 1]; /* names; ends with NULL */
    size_t filters, references;
    bool reference_given;
    const char *csv, *json;
    char text[MAX_TEXT]; /* copies of the lists, cut at their commas */
    size_t text_used;
};

/* False: the arguments are invalid; a message was printed to stderr. Keeps pointers into argv and into *o, which must not
 * be copied. */
bool options_parse(int argc, char **argv, struct options *o);
void options_help(void);

#endif
