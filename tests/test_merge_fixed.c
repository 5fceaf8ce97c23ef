/* guira_merge of cuckoo and dynamic filters, which must be of the same size, and guira_cuckoo_halve. Both move entries without
 * their keys. */
#include <math.h>

#include "cuckoo/cuckoo.h"
#include "file_support.h"

/* Every form of a bucket, and lists. */
static const guira_config shapes[] = {
    {.kind = GUIRA_CUCKOO, .slot_bits = 12, .buckets = 256},
    {.kind = GUIRA_CUCKOO, .slot_bits = 16, .buckets = 250},
    {.kind = GUIRA_CUCKOO, .slot_bits = 32, .buckets = 300},
    {.kind = GUIRA_CUCKOO, .slot_bits = 14, .buckets = 252},
    {.kind = GUIRA_CUCKOO, .slot_bits = 26, .buckets = 254},
    {.kind = GUIRA_CUCKOO, .slot_bits = 15, .bucket_slots = 4, .buckets = 512},
    {.kind = GUIRA_CUCKOO, .slot_bits = 17, .bucket_slots = 4, .buckets = 506},
    {.kind = GUIRA_DYNAMIC, .slot_bits = 16, .buckets = 64},
    {.kind = GUIRA_DYNAMIC, .slot_bits = 30, .bucket_slots = 3, .buckets = 333},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, CUCKOOS = 7 };

static guira *make(guira_config c, const uint8_t *seed) {
    guira *f;
    memcpy(c.seed, seed, sizeof c.seed);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static uint8_t *seed_from(struct rng *r, uint8_t seed[16]) {
    for (size_t i = 0; i < 16; i++) seed[i] = (uint8_t)rng_next(r);
    return seed;
}

/* n new members for both models, one of twenty a second copy. A key whose two buckets are the same has as few as three slots,
 * so a third copy, and one of another key with the same fingerprint there, might be refused: once in 100 runs. */
static void fill(guira *f, struct model *m, struct model *all, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = m->n > 0 && rng_below(r, 20) == 0 ? m->hash[rng_below(r, m->n)] : rng_next(r);
        if (guira_count_hash(f, hash) > 1) hash = rng_next(r);
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        model_add(m, hash);
        model_add(all, hash);
    }
}

static void assert_sound(const guira *f, const struct model *m) {
    bool *found = malloc(m->n);
    assert_same(f, m);
    assert_int_equal(guira_contains_hash_many(f, m->hash, m->n, found), m->n);
    free(found);
    assert_valid(f);
    struct bytes b = saved(f);
    guira *again = loaded(b);
    assert_true(digest(again) == digest(f));
    guira_destroy(again);
    free(b.at);
}

/* -------------------------------------------------------------------------------------------------------------- merging */

static void test_the_result_has_the_members_of_both(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < SHAPES; i++) {
        uint8_t seed[16];
        struct model a = {0}, b = {0}, all = {0};
        guira *into = make(shapes[i], seed_from(&r, seed)), *from = make(shapes[i], seed);
        fill(into, &a, &all, 900, &r);
        fill(from, &b, &all, 900, &r);
        uint64_t before = digest(from);
        assert_int_equal(guira_merge(into, from), GUIRA_OK);
        assert_true(digest(from) == before && into->items == 1800);
        assert_sound(into, &all);
        members_out(into, &all, all.n, &r); /* every copy is there */
        assert_int_equal(into->items, 0);
        guira_destroy(into);
        guira_destroy(from);
        model_free(&a);
        model_free(&b);
        model_free(&all);
    }
}

/* Two filters that are two thirds full do not fit into one of the same size. All or nothing. */
static void test_a_merge_without_room_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < SHAPES; i++) {
        uint8_t seed[16];
        struct model a = {0}, b = {0}, all = {0};
        guira_config c = shapes[i];
        c.max_filters = 1;
        guira *into = make(c, seed_from(&r, seed)), *from = make(c, seed);
        size_t n = (size_t)(0.66 * (double)stats_of(into).slots);
        fill(into, &a, &all, n, &r);
        fill(from, &b, &all, n, &r);
        uint64_t before = digest(into);
        guira_status s = guira_merge(into, from);
        assert_true(s == GUIRA_EFULL || s == GUIRA_EDUPLICATE); /* a copy may be the first that finds no room */
        assert_true(digest(into) == before);
        assert_same(into, &a);
        guira_destroy(into);
        guira_destroy(from);
        model_free(&a);
        model_free(&b);
        model_free(&all);
    }
}

static void test_other_sizes_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint8_t seed[16];
    seed_from(&r, seed);
    for (size_t i = 0; i < SHAPES; i++) {
        guira_config larger = shapes[i];
        larger.buckets *= 2;
        guira *a = make(shapes[i], seed), *b = make(larger, seed);
        assert_int_equal(guira_merge(a, b), GUIRA_EINVAL);
        if (i < CUCKOOS) { /* as many buckets, but not the same ones */
            assert_int_equal(guira_cuckoo_halve(b), GUIRA_OK);
            assert_int_equal(stats_of(a).buckets, stats_of(b).buckets);
            assert_int_equal(guira_merge(a, b), GUIRA_EINVAL);
        }
        guira_destroy(a);
        guira_destroy(b);
    }
}

static void test_without_memory_nothing_changes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (size_t i = 0; i < SHAPES; i++) {
        uint8_t seed[16];
        struct model a = {0}, b = {0}, all = {0};
        guira *into = make(shapes[i], seed_from(&r, seed)), *from = make(shapes[i], seed);
        fill(into, &a, &all, 200, &r);
        fill(from, &b, &all, 200, &r);
        for (unsigned step = 0; step < 2; step++) {
            uint64_t before = digest(into);
            guira_status s = GUIRA_ENOMEM;
            for (uint64_t k = 1; s == GUIRA_ENOMEM; k++) {
                memory.failed = false;
                memory.fail_at = memory.calls + k;
                s = step == 0 ? guira_merge(into, from) : i < CUCKOOS ? guira_cuckoo_halve(into) : GUIRA_OK;
                memory.fail_at = 0;
                assert_true(s == GUIRA_OK || (s == GUIRA_ENOMEM && memory.failed && digest(into) == before));
            }
        }
        assert_same(into, &all);
        guira_destroy(into);
        guira_destroy(from);
        model_free(&a);
        model_free(&b);
        model_free(&all);
    }
    memory_unhook();
}

static void test_a_view_can_only_be_merged_from(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < SHAPES; i++) {
        uint8_t seed[16];
        struct model a = {0};
        guira *f = make(shapes[i], seed_from(&r, seed)), *view;
        members_in(f, &a, 100, &r); /* without copies, because all are doubled */
        struct bytes b = saved(f);
        assert_int_equal(guira_view(b.at, b.n, &view), GUIRA_OK);
        assert_int_equal(guira_merge(view, f), GUIRA_EUNSUPPORTED);
        assert_int_equal(guira_cuckoo_halve(view), GUIRA_EUNSUPPORTED);
        assert_int_equal(guira_merge(f, view), GUIRA_OK);
        assert_int_equal(f->items, 200);
        guira_destroy(view);
        guira_destroy(f);
        free(b.at);
        model_free(&a);
    }
}

/* -------------------------------------------------------------------------------------------------------------- halving */

/* As often as the number of buckets is even and everything fits; then the filter is used as any other. */
static void test_halving_keeps_every_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < CUCKOOS; i++)
        for (unsigned round = 0; round < 10; round++) {
            uint8_t seed[16];
            struct model m = {0}, all = {0};
            guira_config c = shapes[i], now = {.size = sizeof now};
            c.buckets = (1 + rng_below(&r, 9)) << 5;
            guira *f = make(c, seed_from(&r, seed)), *like;
            fill(f, &m, &all, 1 + rng_below(&r, c.buckets), &r);
            for (uint64_t n = c.buckets; n % 2 == 0; n /= 2) {
                uint64_t before = digest(f);
                guira_status s = guira_cuckoo_halve(f);
                assert_true(s == GUIRA_OK || (s == GUIRA_EFULL && digest(f) == before));
                if (s != GUIRA_OK) break;
                assert_int_equal(stats_of(f).buckets, n / 2);
                assert_sound(f, &m);
            }
            assert_int_equal(guira_config_get(f, &now), GUIRA_OK);
            assert_int_equal(guira_create(&now, &like), GUIRA_OK); /* a filter of the same kind of halves */
            assert_int_equal(guira_merge(like, f), GUIRA_OK);
            assert_same(like, &m);
            members_out(f, &m, m.n, &r);
            assert_int_equal(f->items, 0);
            guira_destroy(like);
            guira_destroy(f);
            model_free(&m);
            model_free(&all);
        }
}

/* 2 * items / buckets entries of 2^w - 1: no more than in a filter that was made that small. */
static void test_the_rate_is_that_of_a_filter_of_this_size(void **state) {
    (void)state;
    enum { PROBES = 1 << 20, N = 3000 };
    struct rng r = rng_for(__func__);
    uint8_t seed[16];
    struct model m = {0}, all = {0};
    guira *f = make((guira_config){.kind = GUIRA_CUCKOO, .slot_bits = 12, .buckets = 2560}, seed_from(&r, seed));
    fill(f, &m, &all, N, &r);
    for (unsigned i = 0; i < 4; i++) {
        double expected = 2.0 * N / (2560 >> i) / 4095, hits = 0;
        assert_true(fabs(stats_of(f).fpr / expected - 1) < 0.01);
        for (unsigned k = 0; k < PROBES; k++) hits += guira_contains_hash(f, rng_next(&r));
        /* By the probes, and by the one in twenty members that are copies, which count once: 4.8 % fewer are different.
         * Of 3000 different entries, the number a probe meets varies by 1 / sqrt(3000). Six sigma. */
        double sigma = sqrt(expected / PROBES + expected * expected / N);
        assert_true(fabs(hits / PROBES - 0.95 * expected) < 6 * sigma + 0.01 * expected);
        if (i < 3) assert_int_equal(guira_cuckoo_halve(f), GUIRA_OK);
    }
    guira_destroy(f);
    model_free(&m);
    model_free(&all);
}

static void test_what_cannot_be_halved(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint8_t seed[16];
    struct model m = {0}, all = {0};
    guira *f = make((guira_config){.kind = GUIRA_CUCKOO, .buckets = 6}, seed_from(&r, seed)), *tidal;
    fill(f, &m, &all, 20, &r);
    assert_int_equal(guira_cuckoo_halve(f), GUIRA_OK);
    uint64_t before = digest(f);
    assert_int_equal(guira_cuckoo_halve(f), GUIRA_ELIMIT); /* 3 buckets */
    assert_int_equal(guira_cuckoo_halve(NULL), GUIRA_EINVAL);
    assert_int_equal(guira_create(NULL, &tidal), GUIRA_OK);
    assert_int_equal(guira_cuckoo_halve(tidal), GUIRA_EUNSUPPORTED);
    assert_true(digest(f) == before);
    const guira_config bad[] = {{.buckets = 4, .factor = 3},
                                {.buckets = 4, .factor = 1},
                                {.capacity = 9, .factor = 2},
                                {.buckets = (UINT64_C(1) << 32) + 1},
                                {.buckets = UINT64_C(1) << 31, .factor = 4}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        guira_config c = bad[i];
        guira *g;
        c.kind = GUIRA_CUCKOO;
        assert_int_equal(guira_create(&c, &g), GUIRA_EINVAL);
    }
    guira_destroy(tidal);
    guira_destroy(f);
    model_free(&m);
    model_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_result_has_the_members_of_both),
        cmocka_unit_test(test_a_merge_without_room_changes_nothing),
        cmocka_unit_test(test_other_sizes_are_refused),
        cmocka_unit_test(test_without_memory_nothing_changes),
        cmocka_unit_test(test_a_view_can_only_be_merged_from),
        cmocka_unit_test(test_halving_keeps_every_member),
        cmocka_unit_test(test_the_rate_is_that_of_a_filter_of_this_size),
        cmocka_unit_test(test_what_cannot_be_halved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
