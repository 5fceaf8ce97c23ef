/* Shared by the tests of the consistent cuckoo filter. */
#ifndef GUIRA_TEST_CONSISTENT_SUPPORT_H
#define GUIRA_TEST_CONSISTENT_SUPPORT_H

#include "support.h"

static inline guira *make(guira_config c, struct rng *r) {
    guira *f;
    c.kind = GUIRA_CONSISTENT;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static inline void end(guira *f, struct model *m) {
    guira_destroy(f);
    model_free(m);
}

static inline void members_down_to(guira *f, struct model *m, size_t n, struct rng *r) {
    if (m->n > n) members_out(f, m, m->n - n, r);
}

/* The paper's parameters, but for the load: it grows only when it must. */
static inline guira_config paper(guira_policy policy) {
    return (guira_config){
        .slot_bits = 30, .bucket_slots = 3, .buckets = 64, .max_kicks = 1200, .max_load = 0.999, .policy = policy};
}

#endif
