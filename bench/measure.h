/* Time, medians and percentiles. */
#ifndef GUIRA_BENCH_MEASURE_H
#define GUIRA_BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* Seconds since some moment; never goes backwards. */
double seconds(void);

/* Sorts value. n > 0. */
double median(double *value, size_t n);

/* ------------------------------------------------------------------------------------------------- many lookups
 * One measure is whole passes over key[0..n), until `least` keys were looked up and `least_s` seconds went by. */

typedef size_t lookup_fn(void *f, const uint64_t *key, size_t n);

struct lookups {
    double mops;     /* million lookups a second */
    uint64_t hits;   /* of one pass */
    uint64_t trials; /* of one pass: n */
};

struct lookups measure_lookups(lookup_fn *look, void *f, const uint64_t *key, size_t n, uint64_t least, double least_s);

/* -------------------------------------------------------------------------------------------------- single calls
 * A histogram of durations in clock ticks, 64 bins for each doubling: percentiles are right to 1.6 %, the longest and
 * the count exactly. Small (30 KB, of which a few lines are hot), so that keeping it disturbs little. */

enum { HISTOGRAM_BINS = 59 * 64 };

struct histogram {
    uint64_t bin[HISTOGRAM_BINS];
    uint64_t count;
    uint64_t longest;
};

void histogram_add(struct histogram *h, uint64_t ticks);

/* In ticks, the duration that a share q in (0,1] of the calls did not exceed. */
uint64_t histogram_quantile(const struct histogram *h, double q);

/* The finest clock there is, in ticks; it does not let the code before it run past it. */
uint64_t ticks(void);

/* Nanoseconds in one tick; the first call takes 50 ms to find out. */
double tick_ns(void);

/* What timing nothing shows, in nanoseconds: it is part of every duration in the histogram. */
double timer_overhead_ns(void);

#endif
