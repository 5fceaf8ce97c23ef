/* The workloads. Each is explained at the top of its file, measures every filter that supports it, and prints its
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

void fixed_run(struct bench *b);       /* fixed.c */
void grown_run(struct bench *b);       /* fixed.c */
void grow_run(struct bench *b);        /* grow.c: grow, shrink or both */
void churn_run(struct bench *b);       /* churn.c */
void threads_run(struct bench *b);     /* threads.c */
void zipf_run(struct bench *b);        /* zipf.c */
void scale_run(struct bench *b);       /* scale.c */
void interleaved_run(struct bench *b); /* interleaved.c */

/* The i-th filter of a round. Each round begins with another filter, so that a filter does not always run after the
 * same one. */
static inline const struct bench_peer *workload_turn(const struct bench *b, unsigned round, size_t i) {
    return b->p->peer[(i + round) % b->p->count];
}

/* Index of the first non-member of a round. Each round has its own, so that the false positives of all rounds can be
 * summed. The ranges are 2^34 apart, more than the number of lookups. */
static inline uint64_t workload_first_non_member(unsigned round) { return KEYS_NON_MEMBERS + ((uint64_t)round << 34); }

#endif
