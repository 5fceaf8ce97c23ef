/* Time measurement for all workloads.
 *
 * Throughput is measured over millions of calls between two readings of the monotonic clock and of the thread's processor
 * time. Single calls are timed in a separate pass, because reading a clock around each call costs as much as a fast lookup. On x86-64 the clock is the
 * time stamp counter between fences, elsewhere the monotonic clock. Either adds about 20 ns to each call; this overhead
 * is printed as timer_ns and not subtracted.
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct span span_start(void) {
    return (struct span){seconds(), processor_seconds()};
}

struct span span_since(struct span start) {
    struct span now = span_start();
    return (struct span){now.wall - start.wall, now.cpu - start.cpu};
}

struct speed speed_of(uint64_t operations, struct span spent) {
    double millions = (double)operations * 1e-6;
    return (struct speed){millions / spent.wall, millions / spent.cpu};
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *value, size_t n) {
    qsort(value, n, sizeof *value, compare);
    return n % 2 != 0 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

struct lookups measure_lookups(lookup_fn *look, void *f, const uint64_t *key, size_t n, uint64_t min_lookups,
                               double min_seconds) {
    struct lookups r = {.trials = n};
    uint64_t done = 0;
    struct span start = span_start();
    struct span spent = {0, 0};
    do {
        r.hits = look(f, key, n);
        done += n;
        spent = span_since(start);
    } while (n > 0 && (done < min_lookups || spent.wall < min_seconds));
    r.speed = speed_of(done, spent);
    return r;
}

/* Below 128 each value has its own bin; above, the six bits after the leading one select one of 64 bins per
 * doubling. */
static size_t bin_of(uint64_t t) {
    if (t < 64) return (size_t)t;
    unsigned exponent = 63 - (unsigned)__builtin_clzll(t);
    return (size_t)(exponent - 5) * 64 + (size_t)((t >> (exponent - 6)) & 63);
}

/* The largest duration that falls into bin i. */
static uint64_t bin_end(size_t i) {
    if (i < 64) return i;
    size_t exponent = i / 64 + 5;
    return (((uint64_t)(64 + i % 64) + 1) << (exponent - 6)) - 1;
}

void histogram_add(struct histogram *h, uint64_t t) {
    h->bin[bin_of(t)]++;
    h->count++;
    if (t > h->longest) h->longest = t;
}

uint64_t histogram_quantile(const struct histogram *h, double q) {
    uint64_t wanted = (uint64_t)ceil(q * (double)h->count);
    uint64_t seen = 0;
    for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
        seen += h->bin[i];
        if (seen >= wanted && seen > 0) return bin_end(i) < h->longest ? bin_end(i) : h->longest;
    }
    return h->longest;
}

uint64_t ticks(void) {
#ifdef __x86_64__
    _mm_lfence();
    uint64_t t = __rdtsc();
    _mm_lfence();
    return t;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

double tick_ns(void) {
    static double known;
    if (known > 0) return known;
    double start = seconds();
    uint64_t first = ticks();
    double now = start;
    while (now - start < 0.05) now = seconds();
    uint64_t last = ticks();
    known = (seconds() - start) * 1e9 / (double)(last - first);
    return known;
}

double timer_overhead_ns(void) {
    enum { TRIES = 1001 };
    double took[TRIES];
    for (int i = 0; i < TRIES; i++) {
        uint64_t start = ticks();
        took[i] = (double)(ticks() - start);
    }
    return median(took, TRIES) * tick_ns();
}
