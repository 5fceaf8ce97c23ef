/* The promised false-positive rate holds in every history: tides, in which the number of items goes from 10 to 10^5 and back,
 * with half of the members replaced on the way, again and again.
 *
 *     items   10^5        /\          /\            at each power of ten, on the way up and down:
 *                        /  \        /  \              replace half of the members
 *             10     ___/    \______/    \___          look up keys that are not members
 *
 * WHAT IS THE BOUND? A random key is found with a probability p that depends on the filter. If the promise e holds, p is at
 * most e at each measurement, and the number of keys found among n in all of them is at most what a binomial distribution
 * with n and e gives. That exceeds n e + 4 sqrt(n e) + 4 with a probability below 1 in 30,000: the normal distribution says
 * so for large n e, and for small ones the 4 at the end makes up for the longer tail (n e = 1: ten found, 1 in 9 million;
 * n e = 20: 42 found, 1 in 60,000). This file makes 63 such comparisons: it fails by chance at most once in 476 runs even if
 * every rate is exactly the promised one, which it is not. */
#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { LOW = 10, RING = 1 << 20 };

/* The members, in the order in which they came; ANY mixes them. */
struct members {
    uint64_t hash[RING];
    uint64_t first, n;
};

static uint64_t *member(struct members *m, uint64_t i) { return &m->hash[(m->first + i) % RING]; }

static uint64_t take(struct members *m, enum choice which, struct rng *r) {
    m->n--;
    if (which == OLDEST) return m->hash[m->first++ % RING];
    uint64_t i = which == ANY ? rng_below(r, m->n + 1) : m->n, hash = *member(m, i);
    *member(m, i) = *member(m, m->n);
    return hash;
}

/* One history, and what was measured in it. */
struct history {
    const char *name;
    guira *f;
    struct members *m;
    struct rng *r;
    enum choice which;
    double promised;
    uint64_t looked_up, found, steps;
    double predicted; /* how many should have been found, by guira_stats.fpr */
    uint64_t at_peak, found_at_peak;
};

static double predicted_rate(const struct history *h) {
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_stats_get(h->f, &s), GUIRA_OK);
    if (s.fpr > h->promised)
        fail_msg("%s: %.4g predicted with %llu items, %.4g promised", h->name, s.fpr, (unsigned long long)s.items,
                 h->promised);
    assert_true(s.fpr_kept == h->promised);
    return s.fpr;
}

static void add(struct history *h) {
    uint64_t hash = rng_next(h->r);
    assert_int_equal(guira_insert_hash(h->f, hash), GUIRA_OK);
    *member(h->m, h->m->n++) = hash;
    if (++h->steps % 64 == 0) predicted_rate(h);
}

static void drop(struct history *h) {
    assert_int_equal(guira_remove_hash(h->f, take(h->m, h->which, h->r)), GUIRA_OK);
    if (++h->steps % 64 == 0) predicted_rate(h);
}

static void replace_half(struct history *h) {
    uint64_t half = h->m->n / 2;
    for (uint64_t i = 0; i < half; i++) {
        drop(h);
        add(h);
    }
}

/* Random keys are members in 1 of 10^14 cases. */
static void measure(struct history *h, bool peak) {
    const uint64_t n = quick_run() ? 4000 : 20000;
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) found += guira_contains_hash(h->f, rng_next(h->r));
    h->looked_up += n;
    h->found += found;
    h->predicted += (double)n * predicted_rate(h);
    if (!peak) return;
    h->at_peak += n;
    h->found_at_peak += found;
}

static void tide(struct history *h, uint64_t high) {
    for (uint64_t next = 10 * LOW; next <= high; next *= 10) {
        while (h->m->n < next) add(h);
        replace_half(h);
        measure(h, next == high);
    }
    for (uint64_t next = high / 10; next >= LOW; next /= 10) {
        while (h->m->n > next) drop(h);
        replace_half(h);
        measure(h, false);
    }
}

static void assert_at_most(const struct history *h, uint64_t found, double expected, const char *what) {
    if ((double)found > expected + 4 * sqrt(expected) + 4)
        fail_msg("%s: %llu found, %.1f %s", h->name, (unsigned long long)found, expected, what);
}

static void live(const char *name, const guira_config *c, enum choice which, uint64_t high, struct rng *r) {
    struct history h = {.name = name, .which = which, .r = r, .promised = c->fpr};
    unsigned tides = long_run() ? 20 : 4;
    assert_int_equal(guira_create(c, &h.f), GUIRA_OK);
    h.m = calloc(1, sizeof *h.m);
    assert_non_null(h.m);
    while (h.m->n < LOW) add(&h);
    for (unsigned i = 0; i < tides; i++) tide(&h, high);
    for (uint64_t i = 0; i < h.m->n; i++) assert_true(guira_contains_hash(h.f, *member(h.m, i)));
    assert_at_most(&h, h.found, h.promised * (double)h.looked_up, "promised");
    assert_at_most(&h, h.found_at_peak, h.promised * (double)h.at_peak, "promised at the peak");
    assert_at_most(&h, h.found, h.predicted, "predicted");
    free(h.m);
    guira_destroy(h.f);
}

/* The highest number of items; growth limits below are those that just allow it. */
static uint64_t high_tide(void) { return long_run() ? 1000000 : quick_run() ? 10000 : 100000; }

static void live_with_each_replacement(const char *name, guira_config c) {
    struct rng r = rng_for(name);
    for (unsigned i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)(1 + rng_below(&r, 255));
    for (unsigned which = 0; which < CHOICES; which++) live(name, &c, (enum choice)which, high_tide(), &r);
}

/* --------------------------------------------------------------------------------------------------------------- tests */

/* The lowest rate that slots of this width keep, from the smallest filter to 10^10 items: docs/tidal.md. */
static double rate_of_width(unsigned bits) {
    double slots = bits == 12 ? 10 : 8, growth = 1e10 / (2 * slots * 0.93);
    double fresh = 2 * slots * 0.93 / ldexp(1, (int)bits - 1);
    return (1 + 1e-12) * -expm1(-1.02 * fresh * (1 + log(growth)));
}

static void test_each_width_keeps_its_rate(void **state) {
    (void)state;
    static const struct {
        unsigned bits;
        const char *name;
    } widths[] = {{12, "12 bits"}, {16, "16 bits"}, {20, "20 bits"}, {24, "24 bits"}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        live_with_each_replacement(widths[i].name,
                                   (guira_config){.slot_bits = widths[i].bits, .fpr = rate_of_width(widths[i].bits)});
}

static void test_a_rate_is_kept_at_every_size(void **state) {
    (void)state;
    live_with_each_replacement("0.5 %", (guira_config){.fpr = 0.005});
}

/* The growth is from the capacity, and no more than what the tide needs. */
static void test_a_rate_is_kept_up_to_the_growth_limit(void **state) {
    (void)state;
    guira_config c = {.fpr = 0.01, .capacity = LOW, .growth = (double)(high_tide() / LOW)};
    live_with_each_replacement("1 %, growth from 10", c);
    c = (guira_config){.fpr = 0.002, .capacity = 1000, .growth = (double)(high_tide() / 1000)};
    live_with_each_replacement("0.2 %, growth from 1000", c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_width_keeps_its_rate),
        cmocka_unit_test(test_a_rate_is_kept_at_every_size),
        cmocka_unit_test(test_a_rate_is_kept_up_to_the_growth_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
