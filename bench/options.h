/* The options of the command line. */
#ifndef GUIRA_BENCH_OPTIONS_H
#define GUIRA_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_SIZES = 16, MAX_NAMES = 32 };

enum workload { W_FIXED = 1, W_GROW = 2, W_SHRINK = 4, W_CHURN = 8, W_THREADS = 16, W_ALL = 31 };

struct options {
    bool help, quick;
    unsigned workloads; /* enum workload, or-ed */
    unsigned rounds;
    unsigned size[MAX_SIZES]; /* log2 of the slots, for fixed */
    size_t sizes;
    unsigned churn[MAX_SIZES]; /* log2 of the slots, for churn */
    size_t churns;
    uint64_t grow;    /* items, for grow and shrink */
    uint64_t steps;   /* of churn, per measurement */
    uint64_t lookups; /* minimum number of lookups per measurement */
    double lookup_s;  /* minimum duration of a measurement of lookups, in seconds */
    uint64_t seed;
    const char *peer[MAX_NAMES]; /* shared objects */
    size_t peers;
    const char *filter[MAX_NAMES + 1];    /* names of the filters to run; none: all */
    const char *reference[MAX_NAMES + 1]; /* names; ends with NULL */
    size_t filters, references;
    bool reference_given;
    const char *csv, *json;
};

/* False: the arguments are invalid; a message was printed to stderr. Keeps pointers into argv and replaces commas in
 * lists there. */
bool options_parse(int argc, char **argv, struct options *o);
void options_help(void);

#endif
