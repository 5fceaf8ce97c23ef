/* guira_plan: it agrees with the formulas, chooses the smallest row, and accepts or refuses any argument. And the functions
 * that return texts. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { TIDAL, CUCKOO, DYNAMIC, ELASTIC, CONSISTENT, BLOOM };

typedef struct {
    guira_plan_row rows[GUIRA_PLAN_ROWS];
    size_t smallest;
} plan;

static plan plan_for(uint64_t items, double fpr, double growth) {
    plan p = {.rows = {{.size = sizeof *p.rows}}};
    assert_int_equal(guira_plan(items, fpr, growth, p.rows, &p.smallest), GUIRA_OK);
    return p;
}

static void assert_close(double got, double expected, double relative) {
    if (fabs(got - expected) > relative * fabs(expected)) fail_msg("%.12g is not %.12g", got, expected);
}

static const uint64_t some_items[] = {1, 2, 7, 8, 9, 1000, 123457, 100000000, UINT64_C(1) << 33, UINT64_C(1) << 48};
static const double some_rates[] = {0.999, 0.5,   0.37, 0.36, 0.35, 0.1,  0.03,  0.0100001,
                                    0.005, 0.001, 3e-4, 1e-5, 1e-8, 5e-9, 1e-20, 1e-300};
static const double some_growths[] = {0, 1, 1.5, 1000, 1e12, 1e18};

/* Calls f with a plan for each combination of the above. */
static void for_some_plans(void (*f)(const plan *p, uint64_t items, double fpr)) {
    for (size_t i = 0; i < sizeof some_items / sizeof *some_items; i++)
        for (size_t j = 0; j < sizeof some_rates / sizeof *some_rates; j++)
            for (size_t k = 0; k < sizeof some_growths / sizeof *some_growths; k++) {
                plan p = plan_for(some_items[i], some_rates[j], some_growths[k]);
                f(&p, some_items[i], some_rates[j]);
            }
}

/* --------------------------------------------------------------------------------------------------- known numbers */

static void test_rows_come_in_order_and_say_what_they_can_do(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool grows, removes;
    } expected[GUIRA_PLAN_ROWS] = {{"tidal", true, true},   {"cuckoo", false, true},    {"dynamic", true, true},
                                   {"elastic", true, true}, {"consistent", true, true}, {"bloom", false, false}};
    plan p = plan_for(1000000, 0.01, 1);
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
        assert_string_equal(p.rows[i].name, expected[i].name);
        assert_int_equal(p.rows[i].grows, expected[i].grows);
        assert_int_equal(p.rows[i].removes, expected[i].removes);
        assert_int_equal(p.rows[i].available, i != BLOOM);
        if (i != BLOOM) assert_int_equal(p.rows[i].kind, i);
    }
}

static void test_tidal_and_cuckoo_follow_their_formulas(void **state) {
    (void)state;
    plan p = plan_for(744000, 0.001, 1);
    assert_int_equal(p.rows[TIDAL].bits, 15);
    assert_int_equal(p.rows[TIDAL].buckets, 100000);
    assert_int_equal(p.rows[TIDAL].bytes, 1500000);
    assert_close(p.rows[TIDAL].fpr, 1 - exp(-(1.08 + 1 / sqrt(744000)) * 16 * 0.93 / 16384), 1e-9);
    p = plan_for(760000, 0.001, 1);
    assert_int_equal(p.rows[CUCKOO].bits, 13);
    assert_int_equal(p.rows[CUCKOO].buckets, 200000);
    assert_int_equal(p.rows[CUCKOO].bytes, 1300000);
    assert_close(p.rows[CUCKOO].fpr, 1 - pow(1 - 1 / 8191.0, 8 * 0.95), 1e-9);
}

/* Their rates are proportional to the items: 100 times as many take 7 bits more. */
static void test_the_papers_kinds_follow_their_formulas(void **state) {
    (void)state;
    plan p = plan_for(760000, 0.001, 1), q = plan_for(760000, 0.001, 100);
    for (size_t i = DYNAMIC; i <= ELASTIC; i++) {
        assert_int_equal(p.rows[i].buckets, 200000);
        assert_int_equal(p.rows[i].bucket_slots, 4);
        assert_int_equal(p.rows[i].bytes, 200000 * 4 * p.rows[i].bits / 8 + 7);
    }
    assert_int_equal(p.rows[DYNAMIC].bits, 13);
    assert_int_equal(q.rows[DYNAMIC].bits, 20);
    assert_close(p.rows[DYNAMIC].fpr, 1 - exp(-2 * 3.8 / 8191), 1e-9);
    assert_close(q.rows[DYNAMIC].fpr, 1 - exp(-100 * 2 * 3.8 / 1048575), 1e-9);
    assert_int_equal(p.rows[ELASTIC].bits, 14); /* 200,000 buckets, of which 131,072 are in a range */
    assert_close(p.rows[ELASTIC].fpr, 760000 / (16383.0 * 65536), 1e-3);
    /* Every entry counts: 760,000 / 2^30 is 7e-4. A bucket has ten points of 12 bytes, and there is up to 1/8 of room. */
    assert_int_equal(p.rows[CONSISTENT].bits, 30);
    assert_close(p.rows[CONSISTENT].fpr, 760000 / 0x1p30, 1e-3);
    double bucket_bytes = (double)p.rows[CONSISTENT].bytes / (double)p.rows[CONSISTENT].buckets;
    assert_true(bucket_bytes >= 120 + 15 && bucket_bytes <= 1.126 * (120 + 15));
}

/* Half a hash tells no more than 2^32 buckets apart, and a ring of 5 * 10^10 has room for fewer. */
static void test_kinds_that_cannot_hold_so_many_say_so(void **state) {
    (void)state;
    plan p = plan_for(UINT64_C(1) << 36, 0.001, 1);
    for (size_t i = CUCKOO; i <= CONSISTENT; i++) {
        assert_false(p.rows[i].available || p.rows[i].meets);
        assert_int_equal(p.rows[i].bytes, 0);
    }
    assert_true(p.rows[TIDAL].available && p.rows[TIDAL].meets);
    guira *f;
    for (size_t i = CUCKOO; i <= CONSISTENT; i++) {
        guira_config c = {.kind = p.rows[i].kind, .capacity = UINT64_C(1) << 36, .fpr = 0.001};
        assert_int_equal(guira_create(&c, &f), GUIRA_ELIMIT);
    }
}

static void test_bloom_follows_the_standard_formula(void **state) {
    (void)state;
    guira_plan_row r = plan_for(100000000, 0.001, 1).rows[BLOOM];
    assert_int_equal(r.bits, 10);
    assert_close((double)r.buckets, 1.442695 * 100e6 * log2(1000), 1e-4);
    assert_int_equal(r.bytes, (r.buckets + 7) / 8);
    assert_close(r.fpr, pow(1 - exp(-10 * 100e6 / (double)r.buckets), 10), 1e-9);
    assert_int_equal(plan_for(1000, 0.9, 1).rows[BLOOM].bits, 1);
}

static void test_slots_are_as_narrow_as_the_rate_allows(void **state) {
    (void)state;
    /* tidal reaches 9.77e-3 with 12 bits, 3.92e-3 with 13, and half with each bit more; cuckoo about a quarter of that */
    static const struct {
        double fpr;
        unsigned tidal, cuckoo;
    } expected[] = {{9.8e-3, 12, 10}, {9.7e-3, 13, 10}, {4.7e-3, 13, 11}, {3.6e-3, 14, 12},
                    {1e-3, 15, 13},   {4.6e-4, 17, 15}, {2.3e-4, 18, 16}, {1e-5, 22, 20}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        plan p = plan_for(1000000, expected[i].fpr, 1);
        assert_int_equal(p.rows[TIDAL].bits, expected[i].tidal);
        assert_int_equal(p.rows[CUCKOO].bits, expected[i].cuckoo);
    }
}

static void test_rate_out_of_reach_gets_the_widest_slots_and_does_not_meet_it(void **state) {
    (void)state;
    plan p = plan_for(1000000, 1e-9, 1);
    for (size_t i = TIDAL; i <= CUCKOO; i++) {
        assert_int_equal(p.rows[i].bits, 32);
        assert_false(p.rows[i].meets);
        assert_true(p.rows[i].fpr > 1e-9);
    }
    assert_int_equal(p.smallest, BLOOM);
}

/* ------------------------------------------------------------------------------------------- which is the smallest */

static void test_bloom_is_smallest_at_three_percent(void **state) {
    (void)state;
    plan p = plan_for(100000000, 0.03, 1);
    assert_int_equal(p.smallest, BLOOM);
    assert_true(p.rows[BLOOM].meets);
    for (size_t i = 0; i < BLOOM; i++) assert_true(p.rows[BLOOM].bytes < p.rows[i].bytes);
}

static void test_cuckoo_and_tidal_are_smaller_than_bloom_at_low_rates(void **state) {
    (void)state;
    plan p = plan_for(100000000, 3e-8, 1);
    assert_int_equal(p.smallest, CUCKOO);
    assert_true(p.rows[CUCKOO].meets && p.rows[TIDAL].meets);
    assert_true(p.rows[CUCKOO].bytes < p.rows[BLOOM].bytes);
    assert_true(p.rows[TIDAL].bytes < p.rows[BLOOM].bytes);
    assert_int_equal(plan_for(100000000, 2.5e-4, 1).smallest, CUCKOO);
    assert_int_equal(plan_for(100000000, 5e-3, 1).smallest, BLOOM);
}

static void check_smallest(const plan *p, uint64_t items, double fpr) {
    (void)items, (void)fpr;
    const guira_plan_row *best = &p->rows[p->smallest];
    assert_true(best->meets);
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
        if (!p->rows[i].meets) continue;
        assert_true(best->bytes <= p->rows[i].bytes);
        if (i < p->smallest) assert_true(best->bytes < p->rows[i].bytes); /* of equals the first */
    }
}

static void test_smallest_is_the_first_of_fewest_bytes_among_those_that_meet(void **state) {
    (void)state;
    for_some_plans(check_smallest);
}

/* ----------------------------------------------------------------------------------------------------------- growth */

static void test_growth_raises_the_tidal_rate_and_then_the_width(void **state) {
    (void)state;
    guira_plan_row one = plan_for(1000000, 0.03, 1).rows[TIDAL];
    guira_plan_row four = plan_for(1000000, 0.03, 4).rows[TIDAL];
    guira_plan_row thousand = plan_for(1000000, 0.03, 1000).rows[TIDAL];
    assert_int_equal(one.bits, 12);
    assert_int_equal(four.bits, 12);
    assert_int_equal(four.bytes, one.bytes);
    assert_close(log1p(-four.fpr), log1p(-one.fpr) * (1 + 1.02 / 1.081 * log(4)), 1e-9);
    assert_int_equal(thousand.bits, 13);
    assert_true(thousand.bytes > one.bytes);
    assert_true(one.meets && four.meets && thousand.meets);
}

static void test_growth_0_is_up_to_ten_billion_items(void **state) {
    (void)state;
    plan a = plan_for(1000000, 0.001, 0), b = plan_for(1000000, 0.001, 1e4);
    plan c = plan_for(20000000000, 0.001, 0), d = plan_for(20000000000, 0.001, 1);
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
        assert_true(a.rows[i].bytes == b.rows[i].bytes && a.rows[i].fpr == b.rows[i].fpr);
        assert_true(c.rows[i].bytes == d.rows[i].bytes && c.rows[i].fpr == d.rows[i].fpr);
    }
    assert_true(a.rows[TIDAL].bits > plan_for(1000000, 0.001, 1).rows[TIDAL].bits);
}

static void test_growth_does_not_affect_fixed_filters(void **state) {
    (void)state;
    plan a = plan_for(1000000, 0.001, 1), b = plan_for(1000000, 0.001, 1e6);
    for (size_t i = CUCKOO; i < GUIRA_PLAN_ROWS; i += BLOOM - CUCKOO) {
        assert_int_equal(a.rows[i].bits, b.rows[i].bits);
        assert_int_equal(a.rows[i].bytes, b.rows[i].bytes);
        assert_true(a.rows[i].fpr == b.rows[i].fpr);
    }
}

/* ---------------------------------------------------------------------------------------- what holds for every plan */

/* A small tidal filter may need one bit more, because chance counts there. */
static bool is_one_bit_less(const guira_plan_row *now, const guira_plan_row *before) {
    return now->kind == GUIRA_TIDAL && now->bits + 1 == before->bits;
}

/* An elastic filter's rate is up to twice a plain one's, and lowest when its buckets are a power of two: it is left out. */
static void test_more_items_never_take_fewer_bytes(void **state) {
    (void)state;
    for (int step = 0; step < 12; step++) {
        double fpr = 0.5 * pow(7, -step); /* down to 3e-10 */
        plan before = plan_for(1, fpr, 1);
        for (uint64_t items = 2; items < UINT64_C(1) << 48; items += items / 5 + 1) {
            plan now = plan_for(items, fpr, 1);
            for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++)
                if (i != ELASTIC && (i == BLOOM || now.rows[i].available))
                    assert_true(now.rows[i].bytes >= before.rows[i].bytes ||
                                is_one_bit_less(&now.rows[i], &before.rows[i]));
            before = now;
        }
    }
}

static void test_stricter_rates_never_take_fewer_bytes(void **state) {
    (void)state;
    plan before = plan_for(1000000, 0.9999, 10);
    for (int step = 0; step < 20000; step++) {
        plan now = plan_for(1000000, 0.999 * pow(0.997, step), 10); /* down to 1e-26 */
        for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) assert_true(now.rows[i].bytes >= before.rows[i].bytes);
        before = now;
    }
}

static void check_meets(const plan *p, uint64_t items, double fpr) {
    (void)items;
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
        assert_true(p->rows[i].fpr >= 0 && p->rows[i].fpr <= 1);
        assert_int_equal(p->rows[i].meets, p->rows[i].fpr <= fpr);
    }
    assert_true(p->rows[BLOOM].meets); /* any number of bits: it always can */
}

static void test_rows_meet_the_rate_exactly_when_they_say_so(void **state) {
    (void)state;
    for_some_plans(check_meets);
}

static void check_sums(const plan *p, uint64_t items, double fpr) {
    (void)fpr;
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++)
        assert_close(p->rows[i].bits_per_item, 8.0 * (double)p->rows[i].bytes / (double)items, 1e-12);
    for (size_t i = TIDAL; i < BLOOM; i++) {
        const guira_plan_row *r = &p->rows[i];
        if (!r->available) continue;
        uint64_t slots = r->buckets * (i == TIDAL ? (r->bits == 12 ? 10 : 8) : r->bucket_slots);
        double load = i == TIDAL ? 0.93 : i == CONSISTENT ? 0.90 : 0.95;
        assert_true((double)items <= (double)slots * load * (1 + 1e-12));
        assert_true(8 * r->bytes >= slots * r->bits);
        if (i == TIDAL) assert_int_equal(r->bytes, r->buckets * (r->bits == 12 ? 16 : r->bits));
    }
}

static void test_buckets_bytes_and_bits_per_item_agree_and_hold_the_items(void **state) {
    (void)state;
    for_some_plans(check_sums);
}

/* -------------------------------------------------------------------------------------------------------- arguments */

static void assert_refused(uint64_t items, double fpr, double growth, guira_status expected) {
    plan p, before;
    memset(&p, 0x5a, sizeof p);
    memcpy(&before, &p, sizeof p);
    assert_int_equal(guira_plan(items, fpr, growth, p.rows, &p.smallest), expected);
    assert_memory_equal(&p, &before, sizeof p);
}

static void test_bad_arguments_are_refused_and_nothing_is_written(void **state) {
    (void)state;
    static const double bad_rates[] = {0, -0.0, 1, -0.5, 2, NAN, INFINITY, -INFINITY};
    static const double bad_growths[] = {0.999, -1, 1.1e18, NAN, INFINITY, -INFINITY};
    assert_refused(0, 0.01, 1, GUIRA_EINVAL);
    for (size_t i = 0; i < sizeof bad_rates / sizeof *bad_rates; i++)
        assert_refused(1000, bad_rates[i], 1, GUIRA_EINVAL);
    for (size_t i = 0; i < sizeof bad_growths / sizeof *bad_growths; i++)
        assert_refused(1000, 0.01, bad_growths[i], GUIRA_EINVAL);

    plan p;
    guira_plan_row *no_rows = NULL;
    assert_int_equal(guira_plan(1000, 0.01, 1, no_rows, &p.smallest), GUIRA_EINVAL);
    assert_int_equal(guira_plan(1000, 0.01, 1, p.rows, NULL), GUIRA_EINVAL);
}

static void test_too_many_items_are_a_limit_and_not_an_overflow(void **state) {
    (void)state;
    assert_refused((UINT64_C(1) << 48) + 1, 0.01, 1, GUIRA_ELIMIT);
    assert_refused(UINT64_MAX, 1e-300, 1e18, GUIRA_ELIMIT);
    assert_refused(UINT64_MAX, 0, 1, GUIRA_EINVAL);
    plan p = plan_for(UINT64_C(1) << 48, DBL_TRUE_MIN, 1e18);
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++)
        assert_true(p.rows[i].bytes > UINT64_C(1) << 48 || (i != BLOOM && !p.rows[i].available));
}

static void test_rates_next_to_zero_and_one_are_planned(void **state) {
    (void)state;
    static const uint64_t items[] = {1, 1000, UINT64_C(1) << 48};
    static const double rates[] = {DBL_TRUE_MIN, DBL_MIN, 1 - DBL_EPSILON / 2};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            plan p = plan_for(items[i], rates[j], 1);
            check_meets(&p, items[i], rates[j]);
            check_smallest(&p, items[i], rates[j]);
            check_sums(&p, items[i], rates[j]);
        }
}

/* -------------------------------------------------------------------------------------------- plans that are carried out */

static guira *made(const guira_plan_row *r, uint64_t items, double fpr, double growth, struct rng *rng) {
    guira_config c = {.kind = r->kind,
                      .slot_bits = r->bits,
                      .bucket_slots = r->bucket_slots,
                      .capacity = items,
                      .fpr = fpr,
                      .growth = growth,
                      .seed = {1}};
    guira *f;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    for (uint64_t i = 0; i < items; i++) assert_int_equal(guira_insert_hash(f, rng_next(rng)), GUIRA_OK);
    return f;
}

/* How many of n random keys are found. They are not members, but for 1 in 10^13. */
static double found_among(const guira *f, uint64_t n, struct rng *rng) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) found += guira_contains_hash(f, rng_next(rng));
    return (double)found;
}

/* What is not in the plan: at most 4 % (segments of a tidal filter, 128 in a level, of which two are not full; a consistent
 * filter gets a few buckets more for entries that find no place), and the struct and the directory, 8 KB.
 *
 * The keys that are found have a binomial distribution with the filter's own rate, which is at most the one that was asked
 * for, p. Of n keys at most n p + 6 sqrt(n p) + 6 are found, but for a case in 10^8 (the 6 at the end is for n p near 0, where the
 * tail is longer). */
static void carry_out(uint64_t items, double fpr, double growth, struct rng *rng) {
    const uint64_t tries = 200000;
    plan p = plan_for(items, fpr, growth);
    for (size_t i = 0; i < BLOOM; i++) {
        const guira_plan_row *r = &p.rows[i];
        guira *f = made(r, items, fpr, growth, rng);
        guira_stats s = GUIRA_STATS_INIT;
        assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
        double more = (double)s.bytes / (double)r->bytes - 1, found = found_among(f, tries, rng);
        double expected = (double)tries * fpr;
        guira_destroy(f);
        if (more < -0.02 || (double)s.bytes > 1.04 * (double)r->bytes + 8192)
            fail_msg("%s: %llu bytes planned, %llu taken", r->name, (unsigned long long)r->bytes,
                     (unsigned long long)s.bytes);
        assert_true(r->meets || i == CONSISTENT); /* which has no fingerprints for 10^10 items */
        if (s.fpr > fpr) fail_msg("%s: %.6g asked for, %.6g predicted", r->name, fpr, s.fpr);
        if (found > expected + 6 * sqrt(expected) + 6)
            fail_msg("%s: %g of %llu found, expected %g", r->name, found, (unsigned long long)tries, expected);
    }
}

static void test_filters_take_the_planned_bytes_and_keep_the_rate(void **state) {
    (void)state;
    uint64_t items = quick_run() ? 50000 : 200000;
    struct rng rng = rng_for("planned");
    carry_out(items, 0.01, 1, &rng);
    carry_out(items, 0.001, 0, &rng);
    carry_out(items, 0.0001, 1, &rng);
    if (long_run()) carry_out(1000000, 0.001, 1, &rng);
}

/* ------------------------------------------------------------------------------------------------------------ texts */

static void test_every_status_has_its_own_text(void **state) {
    (void)state;
    for (int a = GUIRA_EUNSUPPORTED; a <= GUIRA_OK; a++) {
        const char *text = guira_strerror((guira_status)a);
        assert_true(text && *text);
        assert_string_not_equal(text, "unknown status");
        for (int b = GUIRA_ENOSPC; b < a; b++) assert_string_not_equal(text, guira_strerror((guira_status)b));
    }
}

static void test_unknown_status_is_called_unknown(void **state) {
    (void)state;
    static const int unknown[] = {1, GUIRA_ENOSPC - 1, -128, 127};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_string_equal(guira_strerror((guira_status)unknown[i]), "unknown status");
}

static void test_version_is_three_numbers(void **state) {
    (void)state;
    unsigned a, b, c;
    char rest;
    assert_int_equal(sscanf(guira_version(), "%u.%u.%u%c", &a, &b, &c, &rest), 3);
    assert_int_equal(a * 10000 + b * 100 + c, GUIRA_VERSION_NUMBER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_in_order_and_say_what_they_can_do),
        cmocka_unit_test(test_tidal_and_cuckoo_follow_their_formulas),
        cmocka_unit_test(test_the_papers_kinds_follow_their_formulas),
        cmocka_unit_test(test_kinds_that_cannot_hold_so_many_say_so),
        cmocka_unit_test(test_bloom_follows_the_standard_formula),
        cmocka_unit_test(test_slots_are_as_narrow_as_the_rate_allows),
        cmocka_unit_test(test_rate_out_of_reach_gets_the_widest_slots_and_does_not_meet_it),
        cmocka_unit_test(test_bloom_is_smallest_at_three_percent),
        cmocka_unit_test(test_cuckoo_and_tidal_are_smaller_than_bloom_at_low_rates),
        cmocka_unit_test(test_smallest_is_the_first_of_fewest_bytes_among_those_that_meet),
        cmocka_unit_test(test_growth_raises_the_tidal_rate_and_then_the_width),
        cmocka_unit_test(test_growth_0_is_up_to_ten_billion_items),
        cmocka_unit_test(test_growth_does_not_affect_fixed_filters),
        cmocka_unit_test(test_more_items_never_take_fewer_bytes),
        cmocka_unit_test(test_stricter_rates_never_take_fewer_bytes),
        cmocka_unit_test(test_rows_meet_the_rate_exactly_when_they_say_so),
        cmocka_unit_test(test_buckets_bytes_and_bits_per_item_agree_and_hold_the_items),
        cmocka_unit_test(test_bad_arguments_are_refused_and_nothing_is_written),
        cmocka_unit_test(test_too_many_items_are_a_limit_and_not_an_overflow),
        cmocka_unit_test(test_rates_next_to_zero_and_one_are_planned),
        cmocka_unit_test(test_filters_take_the_planned_bytes_and_keep_the_rate),
        cmocka_unit_test(test_every_status_has_its_own_text),
        cmocka_unit_test(test_unknown_status_is_called_unknown),
        cmocka_unit_test(test_version_is_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
