/* A flow trace played to a filter: every arrival is an insertion, every departure a removal; now and then somebody looks
 * at the filter. */
#ifndef GUIRA_LAB_REPLAY_H
#define GUIRA_LAB_REPLAY_H

#include "lab.h"
#include "trace.h"

/* The user's trace if one was given, else the generated one with the paper's totals (quick: an eighth of them). Dies with
 * the line of the mistake if the trace is wrong. */
struct trace replay_trace(const struct lab *lab);

struct sample {
    double time;
    uint64_t items, slots, buckets, bytes;
    double fpr, fpr_error; /* measured; only if probes > 0 */
};

struct replay {
    struct sample *sample;
    size_t samples;
    uint64_t refused; /* insertions that failed; these flows are not removed */
    uint64_t denied;  /* members that were not found, of those asked for at the samples */
};

/* Plays t to f, with so many samples evenly spread over the events, probing each for strangers. */
struct replay replay_run(const struct trace *t, guira *f, size_t samples, uint64_t probes);
void replay_free(struct replay *r);

/* Finds: none of n filters denied a member. On our trace none refuses one either; on another, keys may repeat more often
 * than a filter can hold copies. */
void replay_hold(struct lab *lab, const struct replay *r, int n);

double replay_mean_load(const struct replay *r);

/* One of the paper's filters: m = 64, b = 3, k = 2, f = 30, v = 10, max = 1200, as far as the kind has them. */
guira_config replay_config(guira_kind kind);

#endif
