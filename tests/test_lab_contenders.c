/* Tests of all filters that the lab compares, models and kinds, by one suite: against an exact set, and the rate against
 * the formula. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contenders.h"
#include "models/adaptive.h"
#include "models/bloom.h"
#include "models/quotient.h"

static uint64_t member(uint64_t base, uint64_t i) { return mix(base + i) | 1; }
static uint64_t stranger(uint64_t base, uint64_t i) { return mix(base + i) & ~UINT64_C(1); }

static void fill(const struct contender *c, void *f, uint64_t base, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++)
        if (!c->insert(f, member(base, i))) fail_msg("%s: insertion %u failed", c->name, (unsigned)i);
}

static void check_members(const struct contender *c, const void *f, uint64_t base, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++)
        if (!c->contains(f, member(base, i), NULL)) fail_msg("%s: false negative %u", c->name, (unsigned)i);
}

static double positives(const struct contender *c, const void *f, uint64_t base, uint64_t probes) {
    uint64_t hits = 0;
    for (uint64_t i = 0; i < probes; i++) hits += c->contains(f, stranger(base, i), NULL);
    return (double)hits / (double)probes;
}

static void test_members_are_found_while_others_come_and_go(void **state) {
    (void)state;
    struct rng r = rng_for("contenders");
    uint64_t n = quick_run() ? 600 : 3000;
    for (int k = 0; k < CONTENDERS; k++) {
        const struct contender *c = &contenders[k];
        uint64_t base = rng_next(&r) >> 8, from = 0, to = n;
        void *f = c->make((struct plan){.items = n, .growth = 1, .rate = 0.01, .seed = rng_next(&r)});
        fill(c, f, base, 0, n);
        check_members(c, f, base, 0, n);
        for (int wave = 0; wave < 4 && c->remove != NULL; wave++) {
            uint64_t half = n / 2;
            for (uint64_t i = from; i < from + half; i++) { /* DBF does not remove what several filters match */
                bool removed = c->remove(f, member(base, i));
                if (!removed && strncmp(c->name, "DBF", 3) != 0) fail_msg("%s: a member was not removed", c->name);
            }
            from += half;
            check_members(c, f, base, from, to);
            fill(c, f, base, to, to + half);
            to += half;
            check_members(c, f, base, from, to);
        }
        c->destroy(f);
    }
}

/* Six standard deviations of the binomial distribution (14 filters fail once in 10^7 runs), and 5 % for the formula:
 * those of Bloom filters and of DCF, ECF and CCF are approximations, 3 % off at most at these sizes. The load of a
 * bucket varies little; the rates of Bloom filters of 3,000 items vary by about 1 %. */
static void test_rates_agree_with_the_formulas(void **state) {
    (void)state;
    struct rng r = rng_for("rates");
    uint64_t n = 3000, probes = quick_run() ? 20000 : 200000;
    for (int k = 0; k < CONTENDERS; k++) {
        const struct contender *c = &contenders[k];
        uint64_t base = rng_next(&r) >> 8;
        void *f = c->make((struct plan){.items = n, .growth = 1, .rate = 0.01, .seed = rng_next(&r)});
        fill(c, f, base, 0, n);
        double expected = c->rate(f), measured = positives(c, f, base, probes);
        double error = 6 * sqrt(expected / (double)probes) + 0.05 * expected;
        if (fabs(measured - expected) > error) fail_msg("%s: rate %g, formula %g", c->name, measured, expected);
        if (expected > 0.0101) fail_msg("%s: rate %g where 0.01 was planned", c->name, expected);
        c->destroy(f);
    }
}

static void test_filters_that_grow_keep_members_and_rate(void **state) {
    (void)state;
    struct rng r = rng_for("growth");
    uint64_t n = quick_run() ? 200 : 500, probes = quick_run() ? 20000 : 100000;
    for (int k = 0; k < CONTENDERS; k++) {
        const struct contender *c = &contenders[k];
        if (!c->grows) continue;
        uint64_t base = rng_next(&r) >> 8;
        void *f = c->make((struct plan){.items = n, .growth = 16, .rate = 0.01, .seed = rng_next(&r)});
        fill(c, f, base, 0, 16 * n);
        check_members(c, f, base, 0, 16 * n);
        double measured = positives(c, f, base, probes), most = 0.01 * 1.05 + 6 * sqrt(0.01 / (double)probes);
        if (measured > most) fail_msg("%s: rate %g where 0.01 was planned", c->name, measured);
        c->destroy(f);
    }
}

/* As for traces with one flow at a time, and for long ones whose flows a Bloom filter keeps. */
static void test_any_plan_can_be_made_and_outgrown(void **state) {
    (void)state;
    struct rng r = rng_for("any plan");
    for (int k = 0; k < CONTENDERS; k++) {
        const struct contender *c = &contenders[k];
        for (uint64_t items = 1; items < 40; items += items < 4 ? 1 : 9) {
            uint64_t base = rng_next(&r) >> 8, n = c->grows ? 400 * items : items;
            void *f = c->make(
                (struct plan){.items = items, .growth = c->grows ? 16 : 1, .rate = 0.001, .seed = rng_next(&r)});
            bool *in = calloc(n, sizeof *in);
            assert_non_null(in);
            for (uint64_t i = 0; i < n; i++) in[i] = c->insert(f, mix(base + i));
            for (uint64_t i = 0; i < n; i++) assert_true(!in[i] || c->contains(f, mix(base + i), NULL));
            assert_true(in[0]);
            free(in);
            c->destroy(f);
        }
    }
}

static void test_merging_keeps_the_members_of_both(void **state) {
    (void)state;
    struct rng r = rng_for("merging");
    uint64_t n = 1000;
    for (int k = 0; k < CONTENDERS; k++) {
        const struct contender *c = &contenders[k];
        if (c->merge == NULL) continue;
        uint64_t base = rng_next(&r) >> 8;
        struct plan plan = {.items = 2 * n, .growth = 1, .rate = 0.01, .seed = rng_next(&r)};
        void *a = c->make(plan), *b = c->make(plan);
        fill(c, a, base, 0, n);
        fill(c, b, base, n, 2 * n);
        if (c->merge(a, b)) check_members(c, a, base, 0, 2 * n);
        else if (c->model) fail_msg("%s: merging failed", c->name); /* not every kind of the library can */
        c->destroy(a);
        c->destroy(b);
    }
}

/* ------------------------------------------------------------------------------------------------- what is special */

static void test_adapting_removes_a_false_positive_and_no_member(void **state) {
    (void)state;
    struct rng r = rng_for("adaptive");
    struct adaptive f = adaptive_make(1024, 4, 8, rng_next(&r));
    uint64_t base = rng_next(&r) >> 8, n = 3800, reported = 0, again = 0;
    for (uint64_t i = 0; i < n; i++) assert_true(adaptive_insert(&f, member(base, i)));
    for (uint64_t i = 0; i < 20000; i++) {
        if (!adaptive_contains(&f, stranger(base, i), NULL)) continue;
        adaptive_report(&f, stranger(base, i));
        reported++;
        again += adaptive_contains(&f, stranger(base, i), NULL); /* another fingerprint matches: about 8 in 256 */
    }
    for (uint64_t i = 0; i < n; i++) assert_true(adaptive_contains(&f, member(base, i), NULL));
    assert_true(reported > 300); /* 20,000 * 7.4 / 256 = 580, standard deviation 24 */
    assert_true(again < reported / 8);
    adaptive_free(&f);
}

/* A small table, so that clusters are long and wrap around; copies of keys, so that runs have equal remainders. */
static void test_quotient_equals_a_multiset_of_hashes(void **state) {
    (void)state;
    struct rng r = rng_for("quotient");
    enum { KEYS = 60 };
    for (int round = 0; round < (quick_run() ? 20 : 100); round++) {
        struct quotient f = quotient_make(5, 3);
        unsigned copies[KEYS] = {0}, of_hash[256] = {0};
        uint64_t key[KEYS];
        for (unsigned i = 0; i < KEYS; i++) key[i] = rng_next(&r);
        for (int step = 0; step < 300; step++) {
            uint64_t i = rng_below(&r, KEYS), hash = mix(key[i]) >> 56;
            if (rng_below(&r, 2) == 0) {
                bool full = f.items + 1 >= f.slots;
                assert_true(quotient_insert(&f, key[i]) == !full);
                if (!full) copies[i]++, of_hash[hash]++;
            } else if (copies[i] > 0) {
                assert_true(quotient_remove(&f, key[i]));
                copies[i]--, of_hash[hash]--;
            }
            for (unsigned j = 0; j < KEYS; j++)
                assert_true(quotient_contains(&f, key[j], NULL) == (of_hash[mix(key[j]) >> 56] > 0));
        }
        quotient_free(&f);
    }
}

static void test_counters_that_are_full_lose_no_member(void **state) {
    (void)state;
    struct bloom f = bloom_make(100, 0.01, 4);
    for (int i = 0; i < 40; i++) bloom_insert(&f, 1);
    bloom_insert(&f, 2);
    for (int i = 0; i < 39; i++) assert_true(bloom_remove(&f, 1));
    assert_true(bloom_contains(&f, 1, 0, NULL) && bloom_contains(&f, 2, 0, NULL));
    bloom_free(&f);
}

static void test_lines_counts_each_line_once(void **state) {
    (void)state;
    struct lines l = {.n = 0};
    lines_touch(&l, 0, 0, 512);
    lines_touch(&l, 0, 500, 12);
    assert_int_equal(l.n, 1);
    lines_touch(&l, 0, 500, 13); /* the last bit is on the next line */
    assert_int_equal(l.n, 2);
    lines_touch(&l, 1, 0, 1);
    assert_int_equal(l.n, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_are_found_while_others_come_and_go),
        cmocka_unit_test(test_rates_agree_with_the_formulas),
        cmocka_unit_test(test_filters_that_grow_keep_members_and_rate),
        cmocka_unit_test(test_any_plan_can_be_made_and_outgrown),
        cmocka_unit_test(test_merging_keeps_the_members_of_both),
        cmocka_unit_test(test_adapting_removes_a_false_positive_and_no_member),
        cmocka_unit_test(test_quotient_equals_a_multiset_of_hashes),
        cmocka_unit_test(test_counters_that_are_full_lose_no_member),
        cmocka_unit_test(test_lines_counts_each_line_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
