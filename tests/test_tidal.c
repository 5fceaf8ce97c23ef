/* What the tidal filter promises beyond being a filter: it follows its members bucket by bucket, wastes little on the
 * way, knows its own rate of false positives, and loses nobody to growing old. */
#include <math.h>
#include <stdlib.h>

#include "support.h"

/* The source itself, for what is static in it. The filters under test come from the library all the same. */
#define GUIRA__PORTABLE
#define GUIRA__ISA test
#include "tidal.c" /* NOLINT(bugprone-suspicious-include) */

static const unsigned widths[] = {12, 16, 32};

static guira *make(guira_config c, struct rng *r) {
    struct variant v = {.config = c};
    return variant_make(&v, r, 0);
}

static struct tidal *tidal(guira *f) { return (struct tidal *)f; }

static guira_stats stats_of(const guira *f) {
    guira_stats s;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    return s;
}

static void insert_new(guira *f, struct model *m, struct rng *r) {
    uint64_t hash = rng_next(r);
    assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
    model_add(m, hash);
}

static void remove_at(guira *f, struct model *m, size_t i) {
    assert_int_equal(guira_remove_hash(f, model_take(m, i)), GUIRA_OK);
}

static void finish(guira *f, struct model *m) {
    model_free(m);
    guira_destroy(f);
}

/* -------------------------------------------------------------------------------------------------- slots and addresses */

static uint64_t core_mask(unsigned w) { return (1U << core_bits(w)) - 1; }

static unsigned between(struct rng *r, unsigned low, unsigned high) { return low + (unsigned)rng_below(r, high - low + 1); }

/* Random, but as far as e knows it the same. */
static uint64_t namesake(struct entry e, unsigned w, struct rng *r) {
    uint64_t mask = leading((unsigned)e.what) | core_mask(w);
    return (e.where & mask) | (rng_next(r) & ~mask);
}

static void assert_same_entry(struct entry a, struct entry b) { assert_true(a.where == b.where && a.what == b.what); }

static void check_slot(unsigned w, unsigned level, struct rng *r) {
    uint64_t address = rng_next(r), bucket = address >> (64 - level);
    unsigned told = between(r, level, ALL_KNOWN), known = told < known_at(level, w) ? told : known_at(level, w);
    uint64_t s = slot_encode((struct entry){address, told}, level, w);
    struct entry e = slot_decode(s, bucket, level, w);
    assert_true(s != 0 && (w == 64 || s >> w == 0));
    assert_same_entry(e, (struct entry){address & (leading(known) | core_mask(w)), known});
    if (known > level) assert_true(slot_up(s, w) == slot_encode(e, level + 1, w));
    if (level > 1) assert_true(slot_down(s, bucket & 1, w) == slot_encode(e, level - 1, w));
    assert_true(slot_matches(s, slot_encode((struct entry){namesake(e, w, r), ALL_KNOWN}, level, w), PREFIX));
    for (unsigned i = level; i < 64; i++) {
        if (i >= known && i < 64 - core_bits(w)) continue; /* not known */
        struct entry other = {namesake(e, w, r) ^ UINT64_C(1) << (63 - i), ALL_KNOWN};
        assert_false(slot_matches(s, slot_encode(other, level, w), PREFIX));
    }
}

static void test_slots_say_what_is_known_at_every_level(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned w = 12; w <= 64; w = w == 12 ? 16 : 2 * w)
        for (unsigned level = 1; level < max_level(w); level++)
            for (unsigned i = 0; i < 500; i++) check_slot(w, level, &r);
}

/* From a slot to the partner's bucket and back, across the tide line or not. */
static void check_crossing(unsigned w, struct rng *r) {
    struct tidal f = {.level = between(r, 1, max_level(w) - 1)};
    f.tide = rng_below(r, UINT64_C(1) << f.level) << (64 - f.level);
    struct spot at = {NULL, 0, 0};
    uint64_t address = rng_next(r), known = between(r, level_of(&f, side_of(&f, address)), ALL_KNOWN);
    struct entry e = {address, known};
    for (unsigned turn = 0; turn < 4; turn++) {
        at.level = level_of(&f, side_of(&f, e.where));
        at.number = e.where >> (64 - at.level);
        e = spot_read(&f, at, slot_encode(e, at.level, w), w);
        assert_true(e.what <= known && e.what >= at.level);
        struct entry here = e, twice = e;
        bool fits = entry_cross(&f, &e, w);
        assert_true(e.what == here.what && (e.where ^ here.where) >> 63 == 1 && entry_is(e, address, w));
        entry_cross(&f, &twice, w);
        entry_cross(&f, &twice, w);
        assert_same_entry(twice, here);
        assert_int_equal(fits, e.what >= level_of(&f, side_of(&f, e.where)));
        if (!fits) return;
        known = e.what;
    }
}

static void test_crossing_to_the_partner_never_adds_knowledge(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < 200000; i++) check_crossing(widths[i % 3], &r);
}

static void test_partners_sit_in_opposite_halves(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t address = rng_next(&r), partner = partner_of(address, widths[i % 3]);
        assert_true((address ^ partner) >> 63 == 1);
        assert_true((address & 63) == (partner & 63));
        assert_true(partner_of(partner, widths[i % 3]) == address);
    }
}

/* ------------------------------------------------------------------------------------------------------ one at a time */

static void step(guira *f, struct model *m, int by, struct rng *r) {
    uint64_t buckets = bucket_count(tidal(f)) + (uint64_t)by;
    double most = 0.92 * (double)(buckets * bucket_slots(f->ops->slot_bits));
    while ((double)m->n > most) remove_at(f, m, (size_t)rng_below(r, m->n));
    assert_int_equal(by > 0 ? f->ops->grow(f) : f->ops->shrink(f), GUIRA_OK);
    assert_int_equal(bucket_count(tidal(f)), buckets);
    while (by > 0 && (double)m->n + 1 < most) insert_new(f, m, r);
    assert_int_equal(bucket_count(tidal(f)), buckets); /* none of these was a reason to */
    assert_same(f, m);
    assert_valid(f);
}

static void test_growing_and_shrinking_go_bucket_by_bucket(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint64_t most = quick_run() ? 300 : 4096;
    for (size_t i = 0; i < 3; i++) {
        guira *f = make((guira_config){.slot_bits = widths[i], .min_load = -1}, &r);
        struct model m = {0};
        assert_int_equal(bucket_count(tidal(f)), MIN_BUCKETS);
        while (bucket_count(tidal(f)) < most) step(f, &m, +1, &r);
        while (bucket_count(tidal(f)) > MIN_BUCKETS) step(f, &m, -1, &r);
        assert_int_equal(f->ops->shrink(f), GUIRA_ELIMIT);
        finish(f, &m);
    }
}

/* Three steps up, one back, or the reverse, between 10 items and many. */
static double wave(guira *f, struct model *m, uint64_t most, struct rng *r) {
    double sum = 0;
    uint64_t operations = 0, buckets = bucket_count(tidal(f)), slots = bucket_slots(f->ops->slot_bits);
    for (bool rising = true; rising || m->n > 10; operations++) {
        if (m->n < 10 || (rng_below(r, 4) != 0) == rising) insert_new(f, m, r);
        else remove_at(f, m, (size_t)rng_below(r, m->n));
        uint64_t now = bucket_count(tidal(f));
        if (now > buckets + 2 || buckets > now + 2) fail_msg("from %lu to %lu buckets", buckets, now);
        assert_int_equal(f->items, m->n);
        sum += (double)f->items / (double)(now * slots);
        buckets = now;
        if (operations % (most / 4) == 0) assert_same(f, m);
        if (m->n == most) rising = false;
    }
    return sum / (double)operations;
}

static void test_waves_keep_the_table_94_percent_full(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < 3; i++) {
        guira *f = make((guira_config){.slot_bits = widths[i], .max_load = 0.96, .min_load = 0.94}, &r);
        struct model m = {0};
        double mean = wave(f, &m, quick_run() ? 20000 : 1500000, &r);
        print_message("  w=%u: mean utilisation %.4f\n", widths[i], mean);
        assert_true(mean >= 0.94);
        assert_same(f, &m);
        assert_valid(f);
        finish(f, &m);
    }
}

/* ------------------------------------------------------------------------------------------------------- false positives */

/* Members are the numbers of a generator, so that the oldest can be had again without keeping them. */
static void pour(guira *f, struct rng *members, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) assert_int_equal(guira_insert_hash(f, rng_next(members)), GUIRA_OK);
}

static void drain(guira *f, struct rng *members, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) assert_int_equal(guira_remove_hash(f, rng_next(members)), GUIRA_OK);
}

static double rate_as_predicted(const guira *f, uint64_t questions, struct rng *r) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < questions; i++) found += guira_contains_hash(f, rng_next(r)); /* no member: 2^-40 */
    guira_stats s = stats_of(f);
    double rate = (double)found / (double)questions, sigma = sqrt(s.fpr * (1 - s.fpr) / (double)questions);
    print_message("  %lu items, %lu elders: %.4f %% predicted, %.4f %% found, %+.1f sigma\n", s.items, s.elders,
                  100 * s.fpr, 100 * rate, (rate - s.fpr) / sigma);
    assert_true(fabs(rate - s.fpr) <= 4 * sigma);
    return rate;
}

static void test_false_positives_grow_with_the_logarithm_and_fall_back(void **state) {
    (void)state;
    struct rng r = rng_for(__func__), in = r, out = r, asked = {~r.state};
    guira *f = make((guira_config){.slot_bits = 16}, &r);
    uint64_t most = quick_run() ? 1 << 18 : 16000000, questions = quick_run() ? 200000 : 4000000;
    pour(f, &in, 64);
    pour(f, &in, most - 64);
    assert_true(rate_as_predicted(f, questions, &asked) <= 0.008);
    drain(f, &out, most - 64);
    guira_stats s = stats_of(f);
    assert_true(s.items == 64 && s.fpr >= 0.999 * 16 * s.load / 32768 && s.fpr < 1.25 * 16 * s.load / 32768);
    assert_true(rate_as_predicted(f, questions, &asked) < 0.001);
    drain(f, &out, 64); /* nobody was lost on the way */
    assert_true(stats_of(f).items == 0 && stats_of(f).fpr == 0);
    guira_destroy(f);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_say_what_is_known_at_every_level),
        cmocka_unit_test(test_crossing_to_the_partner_never_adds_knowledge),
        cmocka_unit_test(test_partners_sit_in_opposite_halves),
        cmocka_unit_test(test_growing_and_shrinking_go_bucket_by_bucket),
        cmocka_unit_test(test_waves_keep_the_table_94_percent_full),
        cmocka_unit_test(test_false_positives_grow_with_the_logarithm_and_fall_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
