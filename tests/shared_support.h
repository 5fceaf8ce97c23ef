/* What the tests of shared filters have in common. */
#ifndef GUIRA_TEST_SHARED_SUPPORT_H
#define GUIRA_TEST_SHARED_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "support.h"

static const unsigned widths[] = {12, 16, 32};
enum { WIDTHS = sizeof widths / sizeof *widths };

static inline guira_shared *make(unsigned w, unsigned shards, struct rng *r) {
    guira_config c = {.slot_bits = w};
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    guira_shared *g = NULL;
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    return g;
}

static inline guira_stats shared_stats(const guira_shared *g) {
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_shared_stats_get(g, &s), GUIRA_OK);
    return s;
}

static inline void assert_sound(const guira_shared *g) {
    const char *reason = NULL;
    guira_status s = guira_shared_validate(g, &reason);
    if (s != GUIRA_OK) print_error("invalid: %s\n", reason);
    assert_int_equal(s, GUIRA_OK);
}

/* A file in memory. */
struct bytes {
    uint8_t *at;
    size_t n, most;
};

static inline bool append(void *to, const void *bytes, size_t n) {
    struct bytes *b = to;
    if (b->most > 0 && b->n + n > b->most) return false;
    b->at = realloc(b->at, b->n + n);
    if (b->at == NULL) abort();
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return true;
}

#endif
