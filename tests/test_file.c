/* A filter as a file: what comes back is what went in, byte for byte, and goes on as the saved one would have. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_support.h"

/* Filters of all sizes and in all states: empty, small, at any place of the tide line, with a stash, with elders, with a
 * reservation, after refusals. */
static void insert_some(guira *f, struct model *m, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = rng_next(r);
        if (guira_insert_hash(f, hash) == GUIRA_OK) model_add(m, hash);
    }
}

static void remove_some(guira *f, struct model *m, size_t n, struct rng *r) {
    for (size_t i = 0; i < n && m->n > 0; i++)
        assert_int_equal(guira_remove_hash(f, model_take(m, rng_below(r, m->n))), GUIRA_OK);
}

/* Both go the same way, and stay the same. */
static void continue_alike(guira *f, guira *g, struct model *m, struct rng *r) {
    size_t n = 200 + m->n / 4;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = rng_next(r);
        guira_status s = guira_insert_hash(f, hash);
        assert_int_equal(guira_insert_hash(g, hash), s);
        if (s == GUIRA_OK) model_add(m, hash);
        if (i % 3 != 0) continue;
        hash = model_take(m, rng_below(r, m->n));
        assert_int_equal(guira_remove_hash(f, hash), GUIRA_OK);
        assert_int_equal(guira_remove_hash(g, hash), GUIRA_OK);
    }
    assert_int_equal(digest(f), digest(g));
    assert_int_equal(guira_clear(f), guira_clear(g));
    assert_int_equal(digest(f), digest(g));
    assert_valid(g);
}

static void assert_round_trip(const guira *f, const struct model *members, struct rng *r) {
    struct bytes b = saved(f);
    struct model m = {0};
    guira *g = loaded(b), *twin;
    for (size_t i = 0; i < members->n; i++) model_add(&m, members->hash[i]);
    assert_int_equal(digest(g), digest(f));
    assert_int_equal(g->failures, f->failures);
    assert_valid(g);
    assert_same(g, &m);
    struct bytes again = saved(g);
    assert_true(again.n == b.n && memcmp(again.at, b.at, b.n) == 0);
    assert_int_equal(guira_clone(f, &twin), GUIRA_OK);
    continue_alike(twin, g, &m, r);
    guira_destroy(twin);
    guira_destroy(g);
    model_free(&m);
    free(again.at);
    free(b.at);
}

static void test_a_loaded_filter_is_the_saved_one_and_goes_on_as_it_would(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const size_t sizes[] = {0, 1, 7, 8, 30, 100, 500, 3000, 20000};
    for (const struct variant *v = variants(); v->name != NULL; v++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            if (quick_run() && sizes[i] > 3000) continue;
            struct model m = {0};
            guira *f = variant_make(v, &r, sizes[i] + 1);
            insert_some(f, &m, sizes[i] + rng_below(&r, sizes[i] + 1), &r);
            assert_round_trip(f, &m, &r);
            remove_some(f, &m, rng_below(&r, m.n + 1), &r);
            guira_reserve(f, m.n + rng_below(&r, 1000));
            assert_round_trip(f, &m, &r);
            guira_destroy(f);
            model_free(&m);
        }
}

static guira_stats stats_of(const guira *f) {
    guira_stats s;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    return s;
}

static void test_stash_and_elders_come_back(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct model m = {0};
        guira *f = variant_make(v, &r, 3000);
        bool ages = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        insert_some(f, &m, ages ? 100000 : 2500, &r);
        for (uint64_t hash = rng_next(&r); guira_insert_hash(f, hash) == GUIRA_OK;) model_add(&m, hash);
        assert_true(stats_of(f).stash > 0 && f->failures > 0);
        assert_true(!ages || stats_of(f).elders > 100);
        assert_round_trip(f, &m, &r);
        guira_destroy(f);
        model_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_loaded_filter_is_the_saved_one_and_goes_on_as_it_would),
        cmocka_unit_test(test_stash_and_elders_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
