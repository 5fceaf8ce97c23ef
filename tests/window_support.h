/* Shared by the tests of windows. */
#ifndef GUIRA_TEST_WINDOW_SUPPORT_H
#define GUIRA_TEST_WINDOW_SUPPORT_H

#include "support.h"
#include "tidal/stamp.h"
#include "window/window.h"

static inline guira *filter_in(guira_window *w) { return &w->filter->head; }

static inline guira_window *window_on(const char *isa, guira_window_config c, struct rng *r) {
    guira_window *w = NULL;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira__window_create_isa(isa_named(isa), &c, &w), GUIRA_OK);
    return w;
}

static inline guira_window *window_make(uint64_t length, bool slides, struct rng *r) {
    return window_on(NULL, (guira_window_config){.length = length, .slides = slides}, r);
}

static inline guira_window *window_copy(const guira_window *w) {
    guira_window *copy;
    assert_int_equal(guira_window_clone(w, &copy), GUIRA_OK);
    return copy;
}

/* The hash of a key that is a small number. */
static inline uint64_t spread(uint64_t n) {
    struct rng r = {n << 20};
    return rng_next(&r);
}

static inline bool see(guira_window *w, uint64_t hash, uint64_t now) {
    bool seen = true;
    assert_int_equal(guira_window_seen_hash(w, hash, now, &seen), GUIRA_OK);
    return seen;
}

static inline bool ask(const guira_window *w, uint64_t hash, uint64_t now) {
    bool seen = true;
    assert_int_equal(guira_window_contains_hash(w, hash, now, &seen), GUIRA_OK);
    return seen;
}

static inline void assert_window_valid(const guira_window *w) {
    const char *reason = NULL;
    if (guira_window_validate(w, &reason) != GUIRA_OK) fail_msg("invalid: %s", reason);
}

static inline guira_stats window_stats(const guira_window *w) {
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_window_stats_get(w, &s), GUIRA_OK);
    return s;
}

#endif
