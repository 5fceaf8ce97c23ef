/* The promised false-positive rate where filters are part of something else: windows, shared filters, and filters that
 * others were merged into. test_rate.c has the same for plain filters, and the reasons.
 *
 * Every filter has the tightest rate that its slots can keep for its capacity and growth, so that there is nothing to spare.
 * Its members are replaced many times. At each check the predicted rate, which is exact, must not be above the promised
 * one, and what is found of random keys must agree with it. The bound on what is found is that of test_rate.c: exceeded by chance
 * less than once in 40 million comparisons, of which there are some 200. */
#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "tidal/config.h"
#include "tidal/table.h"

#ifdef GUIRA_TEST_SHARED
#include "shared/shared.h"
#endif

/* The lowest rate that these slots keep. */
static double tightest(struct layout l, uint64_t capacity, double growth) {
    return guira__tidal_rate(l, 0.93, (double)capacity, growth > 0 ? growth : 1e10 / (double)capacity) * (1 + 1e-12);
}

static void draw_seed(uint8_t seed[16], struct rng *r) {
    for (unsigned i = 0; i < 16; i++) seed[i] = (uint8_t)(1 + rng_below(r, 255));
}

/* How many were found, and how many are expected at most. */
struct tally {
    double found, expected;
};

static void assert_kept(const guira_stats *s, double promised, const char *what) {
    if (s->fpr > promised)
        fail_msg("%s: %.4g predicted with %llu items, %.4g promised", what, s->fpr, (unsigned long long)s->items,
                 promised);
    assert_true(s->fpr_kept == promised);
}

static void assert_agrees(struct tally t, const char *what) {
    if (t.found > t.expected + 5.5 * sqrt(t.expected) + 8)
        fail_msg("%s: %.0f found, %.1f expected at most", what, t.found, t.expected);
}

static const double growths[] = {0, 1, 4};
static const uint64_t capacities[] = {10, 300, 5000, 100000};
enum { PROBES = 5000, CHECKS = 8 };

static size_t capacities_tested(void) { return quick_run() ? 3 : 4; }

/* The sizes through which a filter goes: its capacity, the most that its growth allows, its capacity again. */
static uint64_t size_of_phase(unsigned phase, uint64_t capacity, double growth) {
    return phase == 1 ? (uint64_t)((double)capacity * (growth > 0 ? growth : 8)) : capacity;
}

static unsigned rounds_for(uint64_t capacity) { return capacity < 10000 ? 12 : 2; }

/* ------------------------------------------------------------------------------------------------------------- windows */

/* STEADY: keys come evenly and leave in that order. SLIDING: half of the keys are seen again all the time, and stay.
 * BURSTS: the sizes between are a tenth, so that what stays of a burst is old. */
enum traffic { STEADY, SLIDING, BURSTS, TRAFFICS };

struct window_history {
    guira_window *w;
    double promised, now;
    uint64_t stay, turn;
    uint64_t *old; /* those that stay */
    struct tally t;
};

static void check_window(struct window_history *h, struct rng *r) {
    guira_stats s = GUIRA_STATS_INIT;
    bool seen;
    assert_int_equal(guira_window_stats_get(h->w, &s), GUIRA_OK);
    assert_kept(&s, h->promised, "window");
    for (unsigned i = 0; i < PROBES / CHECKS; i++) {
        assert_int_equal(guira_window_contains_hash(h->w, rng_next(r), (uint64_t)h->now, &seen), GUIRA_OK);
        h->t.found += seen;
    }
    h->t.expected += PROBES / CHECKS * s.fpr;
}

/* n keys in a time in which entries leave. */
static void pass_time(struct window_history *h, uint64_t n, uint64_t length, struct rng *r) {
    double step = (double)length * 17 / 16 / (double)(n > h->stay ? n - h->stay : 1);
    bool seen;
    for (uint64_t i = 0; i < n; i++) {
        h->now += step;
        assert_int_equal(guira_window_seen_hash(h->w, rng_next(r), (uint64_t)h->now, &seen), GUIRA_OK);
        for (unsigned k = 0; k < 2 && h->stay > 0; k++, h->turn++)
            assert_int_equal(guira_window_seen_hash(h->w, h->old[h->turn % h->stay], (uint64_t)h->now, &seen),
                             GUIRA_OK);
        if (i % (n / CHECKS + 1) == 0) check_window(h, r);
    }
}

static void churn_window(unsigned bits, uint64_t capacity, double growth, enum traffic traffic, struct rng *r) {
    struct window_history h = {.promised = tightest(layout_stamped(bits), capacity, growth)};
    guira_window_config c = {.size = sizeof c,
                             .length = UINT64_C(1) << 32,
                             .fpr = h.promised,
                             .capacity = capacity,
                             .growth = growth,
                             .slides = traffic == SLIDING};
    draw_seed(c.seed, r);
    assert_int_equal(guira_window_create(&c, &h.w), GUIRA_OK);
    h.stay = traffic == SLIDING ? capacity / 2 : 0;
    h.old = calloc(h.stay + 1, sizeof *h.old);
    assert_non_null(h.old);
    for (uint64_t i = 0; i < h.stay; i++) h.old[i] = rng_next(r);
    for (unsigned phase = 0; phase < 3; phase++) {
        uint64_t n = size_of_phase(phase, capacity, growth);
        if (traffic == BURSTS && phase != 1) n = n / 10 + 1;
        for (unsigned i = 0; i < rounds_for(capacity); i++) pass_time(&h, n, c.length, r);
    }
    assert_agrees(h.t, "window");
    free(h.old);
    guira_window_destroy(h.w);
}

static void test_windows_keep_their_rate_in_every_traffic(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned bits[] = {12, 16, 20, 23};
    for (size_t c = 0; c < capacities_tested(); c++)
        for (size_t g = 0; g < 3; g++)
            for (unsigned i = 0; i < (c < 3 ? 4 : 2); i++)
                churn_window(bits[i], capacities[c], growths[g], (enum traffic)((i + g) % TRAFFICS), &r);
}

/* ------------------------------------------------------------------------------------------------------ shared filters */

#ifdef GUIRA_TEST_SHARED
/* Each shard keeps the rate; its capacity has four standard deviations to spare. */
static void check_shared(const guira_shared *g, double promised, struct tally *t, struct rng *r) {
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_shared_stats_get(g, &s), GUIRA_OK);
    assert_kept(&s, promised, "shared filter");
    for (unsigned i = 0; i < PROBES / CHECKS; i++) t->found += guira_shared_contains_hash(g, rng_next(r));
    t->expected += PROBES / CHECKS * s.fpr;
}

/* One member more or less, or another one. */
static void replace_in_shared(guira_shared *g, struct ordered_set *m, uint64_t n, enum choice which, struct rng *r) {
    while (m->live >= n) assert_int_equal(guira_shared_remove_hash(g, ordered_take(m, which, r)), GUIRA_OK);
    while (m->live < n) {
        uint64_t hash = rng_next(r);
        assert_int_equal(guira_shared_insert_hash(g, hash), GUIRA_OK);
        ordered_add(m, hash);
    }
}

static void churn_shared(unsigned bits, uint64_t capacity, double growth, enum choice which, unsigned shards,
                         struct rng *r) {
    double promised = tightest(layout_of_width(bits), guira__shard_share(capacity, shards), growth);
    guira_config c = {.slot_bits = bits, .capacity = capacity, .growth = growth, .fpr = promised};
    struct ordered_set m = {0};
    struct tally t = {0, 0};
    guira_shared *g;
    draw_seed(c.seed, r);
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    for (unsigned phase = 0; phase < 3; phase++) {
        uint64_t n = size_of_phase(phase, capacity, growth);
        for (uint64_t i = 0; i < rounds_for(capacity) * n; i++) {
            replace_in_shared(g, &m, n, which, r);
            if (i % (n / CHECKS + 1) == 0) check_shared(g, promised, &t, r);
        }
    }
    assert_agrees(t, "shared filter");
    free(m.hash);
    guira_shared_destroy(g);
}

static void test_shared_filters_keep_their_rate_under_replacement(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned bits[] = {12, 13, 16, 21};
    for (size_t c = 0; c < capacities_tested(); c++)
        for (size_t g = 0; g < 3; g++)
            for (unsigned i = 0; i < (c < 3 ? 4 : 2); i++)
                churn_shared(bits[i], capacities[c], growths[g], (enum choice)((i + g) % CHOICES), i % 2 ? 16 : 2, &r);
}
#endif

/* -------------------------------------------------------------------------------------------------- merges and unions */

/* Merging may exceed the rate, and then says so. What it says is true at every moment, and when the members have been
 * replaced, oldest first, the rate is kept again. */
static void check_merged(guira *f, double promised, struct tally *t, struct rng *r) {
    guira_stats s = stats_of(f);
    assert_true(s.fpr_kept == (s.fpr <= promised ? promised : 0));
    for (unsigned i = 0; i < PROBES; i++) t->found += guira_contains_hash(f, rng_next(r));
    t->expected += PROBES * s.fpr;
}

static guira *make_full(const guira_config *c, uint64_t n, struct model *m, struct rng *r) {
    guira *f;
    assert_int_equal(guira_create(c, &f), GUIRA_OK);
    while (n-- > 0) {
        model_add(m, rng_next(r));
        assert_int_equal(guira_insert_hash(f, m->hash[m->n - 1]), GUIRA_OK);
    }
    return f;
}

/* The members stand in the order in which they came, and are replaced in that order. A union may have left out a few
 * of them, which look like others. */
static void replace_all(guira *f, struct model *m, bool unite, struct rng *r) {
    for (size_t i = 0; i < m->n; i++) {
        guira_status s = guira_remove_hash(f, m->hash[i]);
        assert_true(s == GUIRA_OK || (unite && s == GUIRA_ENOTFOUND));
        m->hash[i] = rng_next(r);
        assert_int_equal(guira_insert_hash(f, m->hash[i]), GUIRA_OK);
    }
}

static void churn_merged(unsigned bits, uint64_t capacity, unsigned parts, bool unite, struct rng *r) {
    double promised = tightest(layout_of_width(bits), capacity, 4);
    guira_config c = {.slot_bits = bits, .capacity = capacity, .growth = 4, .fpr = promised};
    struct model m = {0};
    struct tally t = {0, 0};
    draw_seed(c.seed, r);
    guira *f = make_full(&c, 0, &m, r);
    for (unsigned i = 0; i < parts; i++) {
        guira *g = make_full(&c, 4 * capacity / parts, &m, r);
        assert_int_equal(unite ? guira_union(f, g) : guira_merge(f, g), GUIRA_OK);
        check_merged(f, promised, &t, r);
        guira_destroy(g);
    }
    for (unsigned i = 0; i < 2; i++) {
        replace_all(f, &m, unite, r);
        check_merged(f, promised, &t, r);
        guira_stats s = stats_of(f);
        assert_kept(&s, promised, unite ? "union" : "merge");
    }
    assert_agrees(t, unite ? "union" : "merge");
    model_free(&m);
    guira_destroy(f);
}

static void test_what_merged_filters_say_of_their_rate_is_true(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned bits[] = {12, 16, 20};
    for (size_t c = 1; c < 3; c++)
        for (unsigned i = 0; i < 3; i++)
            for (unsigned parts = 1; parts <= 16; parts *= 4)
                for (unsigned unite = 0; unite < 2; unite++) churn_merged(bits[i], capacities[c], parts, unite, &r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_keep_their_rate_in_every_traffic),
#ifdef GUIRA_TEST_SHARED
        cmocka_unit_test(test_shared_filters_keep_their_rate_under_replacement),
#endif
        cmocka_unit_test(test_what_merged_filters_say_of_their_rate_is_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
