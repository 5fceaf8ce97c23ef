/* Clocks, medians and percentiles. */
#ifndef GUIRA_BENCH_MEASURE_H
#define GUIRA_BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* Monotonic time in seconds, with an arbitrary origin. */
double seconds(void);

/* Time on two clocks, in seconds: the monotonic one, and the processor time of the calling thread. Processor time does
 * not pass while other processes have the core, so it is the one to read on a busy machine. */
struct span {
    double wall, cpu;
};

struct span span_start(void);
struct span span_since(struct span start);

/* Million operations per second of wall time and of processor time. */
struct speed {
    double wall, cpu;
};

struct speed speed_of(uint64_t operations, struct span spent);

/* Sorts value[0..n). n must be > 0. */
double median(double *value, size_t n);

/* ------------------------------------------------------------------------------------------------- many lookups
 * Repeats complete passes over key[0..n) until min_lookups keys were looked up and min_seconds have passed. */

typedef size_t lookup_fn(void *f, const uint64_t *key, size_t n);

struct lookups {
    struct speed speed;
    uint64_t hits;   /* in one pass */
    uint64_t trials; /* lookups in one pass: n */
};

struct lookups measure_lookups(lookup_fn *look, void *f, const uint64_t *key, size_t n, uint64_t min_lookups,
                               double min_seconds);

/* -------------------------------------------------------------------------------------------------- single calls
 * A histogram of durations in clock ticks with 64 bins per doubling: percentiles are accurate to 1.6 %, the maximum and
 * the count are exact. It takes 30 KB, few of which are used often, so it hardly affects the measurement. */

enum { HISTOGRAM_BINS = 59 * 64 };

struct histogram {
    uint64_t bin[HISTOGRAM_BINS];
    uint64_t count;
    uint64_t longest;
};

void histogram_add(struct histogram *h, uint64_t ticks);

/* The duration in ticks that a fraction q in (0,1] of the calls did not exceed. */
uint64_t histogram_quantile(const struct histogram *h, double q);

/* The clock with the highest resolution, in ticks. The processor does not reorder code across it. */
uint64_t ticks(void);

/* Nanoseconds per tick. The first call takes 50 ms to measure it. */
double tick_ns(void);

/* Overhead of timing one call in nanoseconds. It is included in every duration of the histogram. */
double timer_overhead_ns(void);

#endif
