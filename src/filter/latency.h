/* Timing lookups: one in so many is timed, into a histogram.
 *
 *     off     guira_contains -> f->contains: the kind's function
 *     on      guira_contains -> f->contains: guira__latency_contains -> untimed: the kind's function
 *
 * So it costs nothing when it is off.
 *
 * Several threads may look up at once, so the counters are relaxed atomics. The histogram decides nothing, so it is
 * neither saved nor cloned. */
#ifndef GUIRA_LATENCY_H
#define GUIRA_LATENCY_H

#include "filter/filter.h"

enum { LATENCY_BOUNDS = 16 };

/* The bounds in nanoseconds, and in seconds as Prometheus writes them. */
struct latency_bound {
    uint64_t ns;
    const char *seconds;
};
extern const struct latency_bound guira__latency_bound[LATENCY_BOUNDS];

struct latency {
    bool (*untimed)(const guira *f, uint64_t hash); /* while it is on: what `contains` was before */
    uint64_t every;                                 /* 1: all; what was counted remains when it is turned off */
    uint64_t asked;                                 /* lookups while it was on */
    uint64_t sum;                                   /* of nanoseconds */
    uint64_t timed[LATENCY_BOUNDS + 1]; /* lookups up to each bound and above the one before; the last: above all */
};

bool guira__latency_contains(const guira *f, uint64_t hash);

/* The kind's own lookup function; and to change it. */
bool (*guira__latency_untimed(const guira *f))(const guira *f, uint64_t hash);
void guira__latency_set_contains(guira *f, bool (*contains)(const guira *f, uint64_t hash));

/* Adds a duration to the histogram. */
void guira__latency_record(struct latency *l, uint64_t ns);

/* The memory it takes. */
uint64_t guira__latency_bytes(const guira *f);

/* When `to`, a copy of `from`, takes its place. */
void guira__latency_move(guira *from, guira *to);

/* For a copy of a filter, to which the histogram does not belong. */
void guira__latency_forget(guira *f);

void guira__latency_free(guira *f);

#endif
