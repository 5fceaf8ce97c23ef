/* The workloads. Each explains itself at the top of its file, measures every filter that can do it, and prints its
 * tables. */
#ifndef GUIRA_BENCH_WORKLOAD_H
#define GUIRA_BENCH_WORKLOAD_H

#include "keys.h"
#include "options.h"
#include "peers.h"
#include "results.h"

struct bench {
    const struct options *o;
    const struct peers *p;
    struct results *r;
};

void fixed_run(struct bench *b);   /* fixed.c */
void grow_run(struct bench *b);    /* grow.c: grow and shrink, whichever is asked for */
void churn_run(struct bench *b);   /* churn.c */
void threads_run(struct bench *b); /* threads.c */

/* Rounds are interleaved, and each begins with another filter, so that none always follows the same neighbour. */
static inline const struct bench_peer *workload_turn(const struct bench *b, unsigned round, size_t i) {
    return b->p->peer[(i + round) % b->p->count];
}

/* Strangers for a round: fresh ones each time, so that the rounds' false positives add up. Strangers of two rounds are
 * 2^34 apart, more than anybody looks up. */
static inline uint64_t workload_strangers(unsigned round) { return KEYS_STRANGERS + ((uint64_t)round << 34); }

#endif
