/* What the command line asked for. */
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
    uint64_t steps;   /* of churn, in one measure */
    uint64_t lookups; /* least number in one measure */
    double lookup_s;  /* least seconds of one measure of lookups */
    uint64_t seed;
    const char *peer[MAX_NAMES]; /* shared objects */
    size_t peers;
    const char *filter[MAX_NAMES + 1];    /* names to run; none: all */
    const char *reference[MAX_NAMES + 1]; /* names; ends with NULL */
    size_t filters, references;
    bool reference_given;
    const char *csv, *json;
};

/* False: the arguments make no sense, and a message saying why is on stderr. Keeps pointers into argv, and cuts lists
 * there at their commas. */
bool options_parse(int argc, char **argv, struct options *o);
void options_help(void);

#endif
