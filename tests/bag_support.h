/* What the tests of copies share: multisets, exact and in a filter.
 *
 * A count is exact unless an entry of another key matches too. With 32-bit slots and n keys that share is at most the
 * false-positive rate, so that about n * rate of n counts are too high: assert_counts allows for that. */
#ifndef GUIRA_TESTS_BAG_SUPPORT_H
#define GUIRA_TESTS_BAG_SUPPORT_H

#include <math.h>
#include <stdlib.h>

#include "support.h"

static inline size_t pick(size_t quick, size_t normal, size_t longer) {
    return quick_run() ? quick : long_run() ? longer : normal;
}

/* An exact multiset of n different keys. */
struct bag {
    uint64_t *hash, *count, total;
    size_t n;
};

static inline struct bag bag_make(size_t n, struct rng *r) {
    struct bag b = {malloc(n * sizeof *b.hash), calloc(n, sizeof *b.count), 0, n};
    assert_true(b.hash != NULL && b.count != NULL);
    for (size_t i = 0; i < n; i++) b.hash[i] = rng_next(r);
    return b;
}

static inline void bag_free(struct bag *b) {
    free(b->hash);
    free(b->count);
}

static inline void put(guira *f, struct bag *b, size_t i) {
    assert_int_equal(guira_insert_hash(f, b->hash[i]), GUIRA_OK);
    b->count[i]++;
    b->total++;
}

static inline void take(guira *f, struct bag *b, size_t i) {
    assert_int_equal(guira_remove_hash(f, b->hash[i]), GUIRA_OK);
    b->count[i]--;
    b->total--;
}

/* Every key has at least its copies; few have more. The number of keys with a false positive is about Poisson with the
 * mean below, and 8 standard deviations and 8 above it are less likely than 1e-9. While entries of copies know different
 * numbers of bits, one false positive can be there once for each key, not more often. */
static inline void assert_counts(const guira *f, const struct bag *b) {
    double mean = (double)b->n * stats_of(f).fpr, inexact = 0;
    assert_int_equal(f->items, b->total);
    for (size_t i = 0; i < b->n; i++) {
        uint64_t n = guira_count_hash(f, b->hash[i]);
        assert_true(n >= b->count[i]);
        assert_true(b->count[i] == 0 || guira_contains_hash(f, b->hash[i]));
        inexact += n > b->count[i];
    }
    assert_true(inexact <= mean + 8 * sqrt(mean) + 8);
    assert_valid(f);
}

static inline guira *make(unsigned w, struct rng *r) {
    guira_config c = {.slot_bits = w};
    guira *f = NULL;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static inline void remove_all(guira *f, struct bag *b, struct rng *r) {
    for (size_t i = rng_below(r, b->n); b->total > 0; i = (i + 1) % b->n)
        for (uint64_t n = b->count[i] > 3 ? b->count[i] / 2 : b->count[i]; n > 0; n--) take(f, b, i);
    assert_int_equal(f->items, 0);
    assert_int_equal(stats_of(f).elders, 0);
    assert_valid(f);
}

#endif
