/* Shared by the tests of the tidal filter. */
#ifndef GUIRA_TEST_TIDAL_SUPPORT_H
#define GUIRA_TEST_TIDAL_SUPPORT_H

#include "support.h"
#include "tidal/elders.h"
#include "tidal/stamp.h"
#include "tidal/table.h"

static const unsigned widths[] = {12, 16, 32};

static inline guira *make(guira_config c, struct rng *r) {
    struct variant v = {.config = c};
    return variant_make(&v, r, 0);
}

static inline struct tidal *tidal(guira *f) { return tidal_of(f); }

static inline uint64_t buckets_of(guira *f) { return bucket_count(tidal(f)); }

static inline void insert_new(guira *f, struct model *m, struct rng *r) {
    uint64_t hash = rng_next(r);
    assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
    model_add(m, hash);
}

static inline void remove_at(guira *f, struct model *m, size_t i) {
    assert_int_equal(guira_remove_hash(f, model_take(m, i)), GUIRA_OK);
}

static inline void remove_some(guira *f, struct model *m, struct rng *r) {
    remove_at(f, m, (size_t)rng_below(r, m->n));
}

static inline void grow_to(guira *f, uint64_t buckets) {
    while (buckets_of(f) < buckets) assert_int_equal(tidal_ops(tidal(f))->grow(tidal(f)), GUIRA_OK);
}

static inline void finish(guira *f, struct model *m) {
    model_free(m);
    guira_destroy(f);
}

#endif
