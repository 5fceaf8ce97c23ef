/* Random ranks 1 .. n with probabilities proportional to rank^-s: a few keys occur very often, most hardly ever. */
#ifndef GUIRA_BENCH_ZIPF_H
#define GUIRA_BENCH_ZIPF_H

#include <stdint.h>

struct zipf {
    double s;         /* > 0 */
    uint64_t n;       /* ranks */
    double low, high; /* range of the integral that draws are made in */
    uint64_t seed, next;
};

struct zipf zipf_make(double s, uint64_t n, uint64_t seed);

/* The next draw, in 1 .. n. */
uint64_t zipf_draw(struct zipf *z);

#endif
