/* How long lookups take: every so many-th is timed, into a histogram.
 *
 *     off     guira_contains -> f->contains: the kind's function
 *     on      guira_contains -> f->contains: guira__latency_contains -> f->plain: the kind's function
 *
 * So it costs nothing when it is off. While it is on, contains_many of a tidal filter does not know its arrays to be in
 * one piece (tidal.c) and takes the way that is right for any.
 *
 * Readers are many and the filter is const to them: what they count, they count with relaxed atomics. The histogram
 * decides nothing, so it is neither saved nor cloned. */
#ifndef GUIRA_LATENCY_H
#define GUIRA_LATENCY_H

#include "kind.h"

enum { LATENCY_BOUNDS = 16 };

/* The bounds in nanoseconds, and in seconds as Prometheus writes them. */
struct latency_bound {
    uint64_t ns;
    const char *seconds;
};
extern const struct latency_bound guira__latency_bound[LATENCY_BOUNDS];

struct latency {
    uint64_t every;                     /* 1: all; what was counted remains when it is turned off */
    uint64_t asked;                     /* lookups while it was on */
    uint64_t sum;                       /* of nanoseconds */
    uint64_t timed[LATENCY_BOUNDS + 1]; /* lookups up to each bound and above the one before; the last: above all */
};

bool guira__latency_contains(const guira *f, uint64_t hash);

/* Into the histogram. */
void guira__latency_record(struct latency *l, uint64_t ns);

/* What it takes of memory. */
uint64_t guira__latency_bytes(const guira *f);

/* For a copy of the bytes of a filter: the histogram is not its own. */
void guira__latency_forget(guira *f);

void guira__latency_free(guira *f);

/* For kinds that change their way to look things up after creation. */
static inline void latency_choose(guira *f, bool (*contains)(const guira *f, uint64_t hash)) {
    if (f->contains == guira__latency_contains) f->plain = contains;
    else f->contains = contains;
}

#endif
