/* Replays a flow trace on a filter: every arrival is an insertion, every departure a removal. Statistics of the filter
 * are sampled at regular intervals. */
#ifndef GUIRA_LAB_REPLAY_H
#define GUIRA_LAB_REPLAY_H

#include "lab.h"
#include "models/dcf.h"
#include "models/i2cf.h"
#include "trace.h"

/* The user's trace if one was given, otherwise a generated one with the paper's totals (quick: an eighth of them). If
 * the trace is invalid, exits with a message that names the line. */
struct trace replay_trace(const struct lab *lab);

struct sample {
    double time;
    uint64_t items, slots, buckets, bytes;
    double fpr, fpr_error; /* measured false-positive rate; 0 if probes is 0 */
};

struct replay {
    struct sample *sample;
    size_t samples;
    uint64_t failed;          /* insertions that failed; these flows are not removed */
    uint64_t false_negatives; /* removals that failed, and members not found at the samples */
};

/* What a replay needs to know of a filter: one of the library's, or a model. */
struct subject {
    void *filter;
    bool (*insert)(void *filter, const void *key, size_t length);
    bool (*remove)(void *filter, const void *key, size_t length);
    bool (*contains)(const void *filter, const void *key, size_t length);
    void (*sample)(const void *filter, struct sample *out); /* items, slots, buckets, bytes */
};
struct subject replay_guira(guira *f);
struct subject replay_i2cf(struct i2cf *f);
struct subject replay_dcf(struct dcf *f);

/* Replays t and takes samples evenly spread over the events; each measures the false-positive rate with probes
 * lookups. */
struct replay replay_run(const struct trace *t, struct subject f, size_t samples, uint64_t probes);
void replay_free(struct replay *r);

/* Checks that none of n replays had a false negative, and on the generated trace that no insertion failed. In other
 * traces a key may occur more often than a filter can hold copies of it. */
void replay_check(struct lab *lab, const struct replay *r, int n, unsigned round);

double replay_mean_load(const struct replay *r);

/* Compares a mean utilisation that CCF prints: all of them with the same tolerance. */
void replay_compare_mean(struct lab *lab, const char *filter, const char *printed, struct spread measured);

/* The paper's parameters m = 64, b = 3, k = 2, f = 30, v = 10, max = 1200, as far as the kind has them. */
guira_config replay_config(guira_kind kind);

#endif
