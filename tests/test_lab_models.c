/* Tests of the lab's models of other filters against an exact set: no false negatives, and rates as their formulas say. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "models/dcf.h"
#include "models/guide_program.h"
#include "models/i2cf.h"
#include "models/tutorial_program.h"
#include "replay.h"

/* ----------------------------------------------------------------------------------------------- hashes of programs */

/* Computed with Go's hash/fnv, with Java, and with CPython 3.11 and PYTHONHASHSEED=0. */
static void test_hash_functions_agree_with_the_languages(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint64_t go, java, python, tuple;
    } known[] = {
        {"", UINT64_C(14695981039346656037), UINT64_C(13965663833394400371), 0, UINT64_C(6372347014879801336)},
        {"k0", UINT64_C(629956424149115662), UINT64_C(17540329769088285710), UINT64_C(1404173243433500590),
         UINT64_C(14094574143993956508)},
        {"k13999", UINT64_C(16563157355438967439), UINT64_C(1410628187318495698), UINT64_C(11358149452383269151),
         UINT64_C(7545191847197733321)},
        {"fp4095", UINT64_C(5124359248773966173), UINT64_C(17718110537609453926), UINT64_C(12595032354232668489),
         UINT64_C(7350515752883698016)},
    };
    const struct python_key zero = {0, 0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].key);
        assert_true(fnv1a_64(known[i].key, n) == known[i].go);
        assert_true(guide_java_hash(known[i].key, n) == known[i].java);
        assert_true(python_str_hash(zero, known[i].key, n) == known[i].python);
        assert_true(guide_python_hash(zero, known[i].key, n) == known[i].tuple);
    }
    assert_true(python_str_hash(zero, "eight888", 8) == UINT64_C(16010317327358203183)); /* a whole word */
    assert_true(python_str_hash(zero, "nine99999", 9) == UINT64_C(14012669128055380709));
}

/* All find their keys, as printed and corrected; only Go's hash overflows. */
static void test_guide_programs_find_every_key(void **state) {
    (void)state;
    static struct guide_program p;
    char key[16];
    for (int which = 0; which < 6; which++) {
        guide_program_start(&p, (enum language)(which % 3), which >= 3, 7);
        for (unsigned i = 0; i < GUIDE_KEYS; i++) {
            snprintf(key, sizeof key, "k%u", i);
            guide_program_insert(&p, key);
        }
        for (unsigned i = 0; i < GUIDE_KEYS; i++) {
            snprintf(key, sizeof key, "k%u", i);
            assert_true(guide_program_lookup(&p, key));
        }
        assert_int_equal(p.count, GUIDE_KEYS);
        if (which == GO) assert_in_range(p.failures, 8400, 8600);
        else assert_int_equal(p.failures, 0);
    }
}

/* ----------------------------------------------------------------------------------------------------- against a set */

/* Inserts and removes at random, in waves between `few` and `many` members, and compares with the set of members after
 * every wave. Keys are never inserted twice. */
struct members {
    uint64_t *key;
    size_t n, next;
};

static struct members no_members(struct rng *r, size_t most) {
    struct members m = {.key = calloc(most, sizeof(uint64_t)), .next = rng_next(r)};
    assert_non_null(m.key);
    return m;
}

static uint64_t new_member(struct members *m) { return m->key[m->n++] = mix(++m->next); }

static uint64_t drop_member(struct members *m, struct rng *r) {
    size_t i = rng_below(r, m->n);
    uint64_t key = m->key[i];
    m->key[i] = m->key[--m->n];
    return key;
}

static void test_i2cf_follows_the_set_without_false_negatives(void **state) {
    (void)state;
    struct rng r = rng_for("i2cf");
    static const struct i2cf_config shapes[] = {
        {16, 3, 2, 500, 10, 2}, {4, 6, 4, 100, 1, 2}, {64, 1, 3, 50, 5, 1}, {8, 4, 2, 200, 3, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct i2cf f = i2cf_make(shapes[s], rng_next(&r));
        struct members m = no_members(&r, 3000);
        for (int wave = 0; wave < 4; wave++) {
            while (m.n < 1500) assert_true(i2cf_insert(&f, new_member(&m)));
            for (size_t i = 0; i < m.n; i++) assert_true(i2cf_contains(&f, m.key[i]));
            while (m.n > 100) assert_true(i2cf_remove(&f, drop_member(&m, &r)));
            for (size_t i = 0; i < m.n; i++) assert_true(i2cf_contains(&f, m.key[i]));
            assert_int_equal(f.items, m.n);
        }
        if (shapes[s].merge_below > 0) assert_true(f.scaled_down > 0);
        assert_true(f.scaled_up > 0 && f.points == f.buckets * shapes[s].virtual_nodes);
        free(m.key);
        i2cf_free(&f);
    }
}

static void test_dcf_follows_the_set_without_false_negatives(void **state) {
    (void)state;
    struct rng r = rng_for("dcf");
    for (int refill = 0; refill < 2; refill++) {
        struct dcf f = dcf_make(64, 3, 500, rng_next(&r));
        f.refill = refill;
        struct members m = no_members(&r, 3000);
        unsigned most = 0;
        for (int wave = 0; wave < 4; wave++) {
            while (m.n < 2000) dcf_insert(&f, new_member(&m));
            for (size_t i = 0; i < m.n; i++) assert_true(dcf_contains(&f, m.key[i]));
            if (f.filters > most) most = f.filters;
            while (m.n > 50) assert_true(dcf_remove(&f, drop_member(&m, &r)));
            for (size_t i = 0; i < m.n; i++) assert_true(dcf_contains(&f, m.key[i]));
            assert_int_equal(f.total, m.n);
        }
        assert_true(f.filters < most); /* it has merged */
        free(m.key);
        dcf_free(&f);
    }
}

static void test_a_replay_takes_the_samples_there_are_events_for(void **state) {
    (void)state;
    for (size_t flows = 1; flows < 40; flows++) {
        struct trace t = trace_generate(flows, flows, (flows + 1) / 2, 100);
        struct dcf f = dcf_make(64, 3, 20, 1);
        struct replay r = replay_run(&t, replay_dcf(&f), 30, 0);
        assert_int_equal(r.samples, t.events < 30 ? t.events : 30);
        assert_int_equal(r.false_negatives + r.failed + f.total, 0);
        for (size_t i = 1; i < r.samples; i++) assert_true(r.sample[i].time >= r.sample[i - 1].time);
        replay_free(&r);
        dcf_free(&f);
        trace_free(&t);
    }
}

/* A key has 6 slots in each filter, so that copies of it need as many filters as a trace asks for. */
static void test_dcf_takes_any_number_of_filters(void **state) {
    (void)state;
    struct dcf f = dcf_make(64, 3, 20, 1);
    for (unsigned i = 0; i < 6 * 700; i++) dcf_insert(&f, 42);
    assert_int_equal(f.filters, 700);
    assert_true(dcf_contains(&f, 42) && !dcf_contains(&f, 43));
    for (unsigned i = 0; i < 6 * 700; i++) assert_true(dcf_remove(&f, 42));
    assert_false(dcf_contains(&f, 42));
    assert_int_equal(f.total, 0);
    dcf_free(&f);
}

/* ------------------------------------------------------------------------------------------------ the tutorial's programs */

/* 1029 has first bucket 5 and second bucket 0; `contains` adds where `insert` has XOR and looks into bucket 10. */
static void test_the_tutorials_insert_contains_and_delete_disagree_as_printed(void **state) {
    (void)state;
    static struct tutorial_program p;
    struct rng r = rng_for(__func__);
    tutorial_start_python(&p, false, 1);
    for (unsigned i = 0; i < 1000; i++) assert_int_equal(tutorial_second_bucket(&p, rng_next(&r)), 0);
    for (unsigned i = 0; i < 4; i++) assert_true(tutorial_insert(&p, 5));
    assert_true(tutorial_insert(&p, 1029) && p.n[5] == 4 && p.n[0] == 1 && p.slot[0][0] == 1029);
    assert_false(tutorial_contains(&p, 1029));
    assert_true(tutorial_contains(&p, 5));
    assert_true(tutorial_delete(&p, 5) && p.n[5] == 3);
    assert_true(tutorial_insert(&p, 300) && tutorial_contains(&p, 300));
    assert_false(tutorial_delete(&p, 300)); /* 300 & 0xff is another fingerprint */
}

/* 8 bits for index and fingerprint: 0 and 1 have the same fingerprint, and 256 more has the same as everything. */
static void test_the_tutorials_java_program_says_yes_to_everything(void **state) {
    (void)state;
    static struct tutorial_program p;
    tutorial_start_java(&p, 256, 1);
    assert_int_equal(p.buckets, 64);
    for (unsigned key = 0; key < 256; key++) tutorial_insert(&p, key);
    unsigned found = 0;
    for (unsigned key = 256; key < 10256; key++) found += tutorial_contains(&p, key);
    assert_true(found > 9900);
}

static void test_the_corrected_tutorial_program_agrees_with_an_exact_set(void **state) {
    (void)state;
    static struct tutorial_program p;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    tutorial_start_python(&p, true, rng_next(&r));
    for (unsigned step = 0; step < 20000; step++) {
        bool out = m.n > 0 && rng_below(&r, TUTORIAL_BUCKETS * TUTORIAL_SLOTS * 9 / 10) < m.n;
        if (out) assert_true(tutorial_delete(&p, model_take(&m, rng_below(&r, m.n))));
        else {
            uint64_t hash = rng_below(&r, 2) ? rng_next(&r) : step; /* small integers too */
            assert_true(tutorial_insert(&p, hash));
            model_add(&m, hash);
        }
        if (step % 100 == 0)
            for (size_t i = 0; i < m.n; i++) assert_true(tutorial_contains(&p, m.hash[i]));
    }
    while (m.n > 0) assert_true(tutorial_delete(&p, model_take(&m, m.n - 1)));
    for (unsigned i = 0; i < TUTORIAL_BUCKETS; i++) assert_int_equal(p.n[i], 0);
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_functions_agree_with_the_languages),
        cmocka_unit_test(test_guide_programs_find_every_key),
        cmocka_unit_test(test_the_tutorials_insert_contains_and_delete_disagree_as_printed),
        cmocka_unit_test(test_the_tutorials_java_program_says_yes_to_everything),
        cmocka_unit_test(test_the_corrected_tutorial_program_agrees_with_an_exact_set),
        cmocka_unit_test(test_i2cf_follows_the_set_without_false_negatives),
        cmocka_unit_test(test_dcf_follows_the_set_without_false_negatives),
        cmocka_unit_test(test_a_replay_takes_the_samples_there_are_events_for),
        cmocka_unit_test(test_dcf_takes_any_number_of_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
