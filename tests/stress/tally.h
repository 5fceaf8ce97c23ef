/* The exact multiset that a filter is compared with. Keys are the numbers 1 to `keys`; a key's hash is a bijection of it, so
 * no two have the same one. Members are kept in the order of their insertion as well, so that the oldest, the newest or any
 * can be removed: a tidal filter's elders are its oldest. */
#ifndef GUIRA_STRESS_TALLY_H
#define GUIRA_STRESS_TALLY_H

#include "stress.h"

struct tally {
    uint64_t keys;
    uint64_t salt;
    uint32_t *count; /* copies of each key, from 1 on */
    struct ordered_set members;
};

static inline uint64_t tally_hash(const struct tally *t, uint64_t key) { return mix(key ^ t->salt); }

struct tally tally_make(uint64_t keys, uint64_t salt);
void tally_free(struct tally *t);
void tally_add(struct tally *t, uint64_t key);
void tally_clear(struct tally *t);

static inline uint64_t tally_take(struct tally *t, enum choice how, struct rng *r) {
    uint64_t key = ordered_take(&t->members, how, r);
    t->count[key]--;
    return key;
}

static inline uint64_t tally_member(const struct tally *t, struct rng *r) { return ordered_pick(&t->members, ANY, r); }

#endif
