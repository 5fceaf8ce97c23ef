/* The promised false-positive rate holds in every history: tides, in which the number of items goes from 10 to 10^5 and back,
 * with half of the members replaced on the way, again and again.
 *
 *     items   10^5        /\          /\            at each power of ten, on the way up and down:
 *                        /  \        /  \              replace half of the members
 *             10     ___/    \______/    \___          look up keys that are not members
 *
 * WHAT IS THE BOUND? A random key is found with a probability p that depends on the filter. If the promise e holds, p is at
 * most e at each measurement, and the number of keys found among n in all of them is at most what a binomial distribution
 * with n and e gives. That exceeds n e + 5.5 sqrt(n e) + 8 with a probability below 1 in 40 million: the normal distribution
 * says so for large n e, and for small ones the 8 at the end makes up for the longer tail (n e = 1: 15 found, n e = 20: 53
 * found, both rarer still). With some 63 such comparisons this file fails by chance less than once in 600,000 runs, even if
 * every rate is exactly the promised one, which it is not. */
#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "tidal/elders.h"
#include "tidal/rate.h"

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
    if ((double)found > expected + 5.5 * sqrt(expected) + 8)
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

/* The lowest rate that slots of this width keep, from so many items to `growth` times as many: docs/tidal.md. */
static double tightest(unsigned bits, double least, double growth) {
    double fresh = 2 * (bits == 12 ? 10 : 8) * 0.93 / ldexp(1, (int)bits - 1);
    return (1 + 1e-12) * -expm1(-fresh * (1.08 + 1 / sqrt(least) + 1.02 * log(growth)));
}

/* From the smallest filter to 10^10 items. */
static double rate_of_width(unsigned bits) {
    double least = 2 * (bits == 12 ? 10 : 8) * 0.93;
    return tightest(bits, least, 1e10 / least);
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

/* At one size, where a move over the split pointer takes bits for good. In turn a part of the members is replaced and the
 * others stay: they could only get worse. The split pointer is at 3/8 of the level with 44 * 2^k buckets, 1/2 with 48,
 * 3/4 with 56. */
static void replace_at_one_size(unsigned bits, uint64_t buckets, enum choice which, double part, struct rng *r) {
    uint64_t n = (uint64_t)(0.93 * (bits == 12 ? 10 : 8) * (double)buckets);
    guira_config c = {.slot_bits = bits, .capacity = n, .growth = 1, .fpr = tightest(bits, (double)n, 1)};
    struct history h = {.name = "one size", .which = which, .r = r, .promised = c.fpr};
    memset(c.seed, (int)(1 + rng_below(r, 255)), sizeof c.seed);
    assert_int_equal(guira_create(&c, &h.f), GUIRA_OK);
    h.m = calloc(1, sizeof *h.m);
    assert_non_null(h.m);
    while (h.m->n < n) add(&h);
    for (uint64_t i = 0; i < (quick_run() ? 4 : 16) * n; i++) {
        uint64_t last = h.m->n - 1, other = last - rng_below(r, (uint64_t)(part * (double)n) + 1),
                 t = *member(h.m, last);
        if (which == NEWEST) *member(h.m, last) = *member(h.m, other), *member(h.m, other) = t;
        drop(&h);
        add(&h);
    }
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_stats_get(h.f, &s), GUIRA_OK);
    if (s.load < 0.93 * 0.80) fail_msg("%u bits, %llu buckets: load %.3f", bits, (unsigned long long)buckets, s.load);
    for (uint64_t i = 0; i < h.m->n; i++) assert_true(guira_contains_hash(h.f, *member(h.m, i)));
    free(h.m);
    guira_destroy(h.f);
}

static void test_replacement_at_one_size_does_not_raise_the_rate(void **state) {
    (void)state;
    struct rng r = rng_for("one size");
    static const unsigned width[] = {12, 13, 15, 16, 19, 22, 26};
    static const uint64_t buckets[] = {11, 44, 48, 56, 352, 384, 448};
    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        for (size_t j = 0; j < sizeof buckets / sizeof *buckets; j++)
            for (unsigned which = 0; which < CHOICES; which++)
                replace_at_one_size(width[i], buckets[j], (enum choice)which, j % 2 == 0 ? 0.25 : 0.1, &r);
}

static guira *filled_with(uint64_t n, const guira_config *c, struct rng *r) {
    guira *f;
    assert_int_equal(guira_create(c, &f), GUIRA_OK);
    for (uint64_t i = 0; i < n; i++) assert_int_equal(guira_insert_hash(f, rng_next(r)), GUIRA_OK);
    return f;
}

/* Merging takes in entries that know less than this filter's own; more items than `growth` allows do the same. What is
 * said to be kept is true in any case. */
static void test_a_rate_that_is_exceeded_is_not_called_kept(void **state) {
    (void)state;
    struct rng r = rng_for("exceeded");
    guira_config c = {.slot_bits = 16, .capacity = 1000, .growth = 1, .fpr = tightest(16, 1000, 1), .seed = {1}};
    guira *f = filled_with(1000, &c, &r), *g = filled_with(1000, &c, &r);
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    assert_true(s.fpr <= s.fpr_kept && s.fpr_kept == c.fpr);
    assert_int_equal(guira_merge(f, g), GUIRA_OK);
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    assert_true(s.fpr > c.fpr && s.fpr_kept == 0);
    assert_int_equal(guira_clear(f), GUIRA_OK);
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    assert_true(s.fpr == 0 && s.fpr_kept == c.fpr);
    guira_destroy(f);
    guira_destroy(g);
}

/* Capacity times growth has more than 64 bits. 0 items would mean that there is no limit. */
static void test_the_largest_growth_has_a_limit(void **state) {
    (void)state;
    guira_config c = {.capacity = 1000, .growth = 1e18, .fpr = 0.01};
    guira *f;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    assert_true(guira__rate_limit(const_tidal_of(f)).items > UINT64_C(1) << 62);
    guira_destroy(f);
}

/* With the tightest rate that 16 bits keep, one item after the other is replaced, so that the weight moves about the limit. */
static void test_nearness_is_one_at_the_limit(void **state) {
    (void)state;
    enum { ITEMS = 20000 };
    struct rng r = rng_for(__func__);
    struct model m = {0};
    unsigned below = 0;
    guira *f;
    guira_config c = {.slot_bits = 16, .capacity = ITEMS, .growth = 1, .fpr = tightest(16, ITEMS, 1)};
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    members_in(f, &m, ITEMS, &r);
    for (unsigned i = 0; i < 2 * ITEMS; i++) {
        members_out(f, &m, 1, &r);
        members_in(f, &m, 1, &r);
        const struct tidal *t = const_tidal_of(f);
        double nearness = guira__rate_nearness(t), weight = (double)t->head.weight + guira__elders_weight(t);
        if (nearness == 0) continue;
        assert_int_equal(nearness > 1, weight > (double)guira__rate_limit(t).weight);
        below += nearness <= 1;
    }
    print_message("  near and not above the limit in %u of %u steps\n", below, 2 * ITEMS);
    assert_true(below > 0);
    guira_destroy(f);
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_width_keeps_its_rate),
        cmocka_unit_test(test_a_rate_is_kept_at_every_size),
        cmocka_unit_test(test_a_rate_is_kept_up_to_the_growth_limit),
        cmocka_unit_test(test_replacement_at_one_size_does_not_raise_the_rate),
        cmocka_unit_test(test_a_rate_that_is_exceeded_is_not_called_kept),
        cmocka_unit_test(test_the_largest_growth_has_a_limit),
        cmocka_unit_test(test_nearness_is_one_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
