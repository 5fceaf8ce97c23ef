/* The results: a series of values, one per round, for each workload, size, filter and metric. */
#ifndef GUIRA_BENCH_RESULTS_H
#define GUIRA_BENCH_RESULTS_H

#include "measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_ROUNDS = 64 };

enum metric {
    M_CREATE,
    M_INSERT,
    M_INSERT_LAST,
    M_POSITIVE,
    M_NEGATIVE,
    M_POSITIVE_BATCH,
    M_NEGATIVE_BATCH,
    M_REMOVE,
    M_CHURN,
    M_READ_1,
    M_READ_2,
    M_READ_PAUSED,
    M_READ_GROWING,
    M_P50,
    M_P9999,
    M_WORST,
    M_WORST_CPU,
    M_ABSENT,
    M_ABSENT_BATCH,
    M_REFUSED,
    M_OVERCOUNTED,
    M_FPR,
    M_BYTES,
    M_BYTES_LEFT,
    M_HUGE,
    M_BITS_PER_ITEM,
    M_BITS_PER_KEY,
    M_BYTES_PER_ITEM,
    METRICS
};

/* Identifies a value, together with its metric. */
struct result_key {
    const char *workload;
    uint64_t size; /* slots (fixed) or items (the others) */
    const char *filter;
    unsigned round;
};

/* A speed has two values in each round; everything else has its value under BY_WALL. */
enum clock { BY_WALL, BY_CPU, CLOCKS };

struct series {
    const char *workload;
    uint64_t size;
    const char *filter;
    enum metric metric;
    double value[CLOCKS][MAX_ROUNDS]; /* NAN: no value in that round */
    uint64_t hits;                    /* M_FPR: false positives in all rounds */
    uint64_t trials;                  /* M_FPR: lookups of non-members in all rounds */
};

struct results {
    struct series *series;
    size_t count, room;
    char **note; /* messages about failures */
    size_t notes;
    bool lost; /* a filter lost a member */
    unsigned rounds;
    const char *const *reference; /* ends with NULL; the first that takes part is the reference */
};

const char *metric_name(enum metric m);
const char *metric_unit(enum metric m);

void results_free(struct results *r);
void results_add(struct results *r, struct result_key at, enum metric m, double value);
void results_speed(struct results *r, struct result_key at, enum metric m, struct speed speed);

/* Adds a false-positive rate; the rounds are summed up to one rate. */
void results_rate(struct results *r, struct result_key at, uint64_t hits, uint64_t trials);

/* Add a message; repetitions are ignored. results_lost also makes the run fail. */
__attribute__((format(printf, 2, 3))) void results_note(struct results *r, const char *format, ...);
void results_lost(struct results *r, struct result_key at, const char *when, uint64_t members, uint64_t found);

/* NULL: no such series. */
const struct series *results_find(const struct results *r, const char *workload, uint64_t size, const char *filter,
                                  enum metric m);

/* -------------------------------------------------------------------------------------------- summary of one series */

struct summary {
    unsigned rounds;
    double median; /* over the rounds; for a rate: of all rounds together */
    double min, max;
    double error; /* one standard error of a rate; 0 for other metrics */
};

struct summary summarise(const struct series *s, enum clock by);

/* The reference filter of this workload and size; NULL: none takes part. */
const char *results_reference(const struct results *r, const char *workload, uint64_t size);

/* Median over the rounds of s / reference, round by round (for rates: the ratio of the two rates). NAN: unknown. */
double results_ratio(const struct results *r, const struct series *s, enum clock by);

#endif
