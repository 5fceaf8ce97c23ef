/* A filter under stress, with what it should contain. */
#ifndef GUIRA_STRESS_SUBJECT_H
#define GUIRA_STRESS_SUBJECT_H

#include "tally.h"

struct subject {
    guira *f;
    guira_config config; /* how it was made */
    struct tally t;
    struct rng *r;
    bool by_key;        /* uses the functions that hash keys themselves */
    bool faulty;        /* memory and disk fail from time to time */
    bool faults_are_on; /* right now */
    unsigned hot;       /* one insertion of so many is of one of three keys; 0: none */
    enum choice removed;
    uint64_t most; /* members */
    unsigned may;  /* what the operation may return without a fault: a set of MAY(status) */
};

#define MAY(status) (1U << -(int)(status))

static inline uint64_t hash_of(const struct subject *s, uint64_t key) {
    return s->by_key ? guira_hash(s->f, &key, sizeof key) : tally_hash(&s->t, key);
}

static inline bool is_subject(const struct subject *s, guira_kind kind) { return s->config.kind == kind; }

/* A new key, most often. */
static inline uint64_t draw_key(struct subject *s) {
    bool hot = s->hot > 0 && chance(s->r, s->hot);
    return 1 + rng_below(s->r, hot && s->t.keys > 3 ? 3 : s->t.keys);
}

/* What one insertion may return without a fault. */
static inline unsigned insertion_may(const struct subject *s) {
    return is_subject(s, GUIRA_TIDAL) ? 0 : MAY(GUIRA_EFULL) | MAY(GUIRA_EDUPLICATE);
}

/* Every member is contained and counted, and every invariant holds. */
void subject_check(const struct subject *s);

/* An operation on the filter as a whole. If it fails, nothing has changed. */
guira_status whole_filter(struct subject *s);

#endif
