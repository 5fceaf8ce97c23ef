/* What was measured: a series of values, one per round, for each workload, size, filter and metric. */
#ifndef GUIRA_BENCH_RESULTS_H
#define GUIRA_BENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_ROUNDS = 64 };

enum metric {
    M_CREATE,
    M_INSERT,
    M_LAST,
    M_POSITIVE,
    M_NEGATIVE,
    M_POSITIVE_BATCH,
    M_NEGATIVE_BATCH,
    M_REMOVE,
    M_STEP,
    M_READ_1,
    M_READ_2,
    M_READ_PAUSED,
    M_READ_GROWING,
    M_P50,
    M_P9999,
    M_WORST,
    M_FPR,
    M_BYTES,
    M_BITS_PER_ITEM,
    M_BYTES_PER_ITEM,
    METRICS
};

/* Where a value belongs. */
struct where {
    const char *workload;
    uint64_t size; /* slots (fixed) or items (the others) */
    const char *filter;
    unsigned round;
};

struct series {
    const char *workload;
    uint64_t size;
    const char *filter;
    enum metric metric;
    double value[MAX_ROUNDS]; /* NAN where that round has none */
    uint64_t hits;            /* M_FPR: false positives of all rounds, */
    uint64_t trials;          /* of so many strangers */
};

struct results {
    struct series *series;
    size_t count, room;
    char **note; /* what went wrong, in words */
    size_t notes;
    bool lost; /* a filter lost a member */
    unsigned rounds;
    const char *const *reference; /* ends with NULL: the first that takes part is what others are compared to */
};

const char *metric_name(enum metric m);
const char *metric_unit(enum metric m);

void results_free(struct results *r);
void results_add(struct results *r, struct where at, enum metric m, double value);

/* A false-positive rate; rounds add up to one. */
void results_rate(struct results *r, struct where at, uint64_t hits, uint64_t trials);

/* Remarks, told once however many rounds repeat them; a member lost also fails the run. */
__attribute__((format(printf, 2, 3))) void results_note(struct results *r, const char *format, ...);
void results_lost(struct results *r, struct where at, const char *when, uint64_t members, uint64_t found);

/* NULL: no such series. */
const struct series *results_find(const struct results *r, const char *workload, uint64_t size, const char *filter,
                                  enum metric m);

/* ------------------------------------------------------------------------------------------------ of one series */

struct summary {
    unsigned rounds;
    double middle; /* median over the rounds; a rate: over all rounds together */
    double least, most;
    double error; /* one standard error of a rate; 0 for other metrics */
};

struct summary summarise(const struct series *s);

/* The filter that the others are compared to in this workload and size; NULL: no reference filter takes part. */
const char *results_reference(const struct results *r, const char *workload, uint64_t size);

/* Median over the rounds of s / reference, round by round (a rate: of the two rates). NAN: cannot be told. */
double results_ratio(const struct results *r, const struct series *s);

#endif
