/* guira_merge: the result contains the members of both filters, as if they had been inserted. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const unsigned widths[] = {12, 16, 32};
enum { WIDTHS = sizeof widths / sizeof *widths };

static guira *make(unsigned w, const uint8_t *seed) {
    guira_config c = {.slot_bits = w};
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = seed[i];
    guira *f = NULL;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static uint8_t *seed_from(struct rng *r, uint8_t seed[16]) {
    for (size_t i = 0; i < 16; i++) seed[i] = (uint8_t)rng_next(r);
    return seed;
}

static uint64_t elders_of(const guira *f) {
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    return s.elders;
}

/* n new members, one of fifty a copy; counted for a second model, too. */
static void fill(guira *f, struct model *m, struct model *all, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) {
        bool copy = m->n > 0 && rng_below(r, 50) == 0;
        uint64_t hash = copy ? m->hash[rng_below(r, m->n)] : rng_next(r);
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        model_add(m, hash);
        model_add(all, hash);
    }
}

static void empty(guira *f, struct model *m, struct rng *r) {
    while (m->n > 0) assert_int_equal(guira_remove_hash(f, model_take(m, rng_below(r, m->n))), GUIRA_OK);
    assert_int_equal(f->items, 0);
    assert_int_equal(elders_of(f), 0);
}

/* Every member is found; all can be removed, and then the filter is empty. */
static void assert_merged(guira *f, struct model *all, struct rng *r) {
    assert_same(f, all);
    assert_valid(f);
    empty(f, all, r);
    assert_valid(f);
}

static void merge_two(unsigned w, size_t a, size_t b, struct rng *r) {
    uint8_t seed[16];
    guira *into = make(w, seed_from(r, seed)), *from = make(w, seed);
    struct model in_into = {0}, in_from = {0}, all = {0};
    fill(into, &in_into, &all, a, r);
    fill(from, &in_from, &all, b, r);
    uint64_t before = digest(from);
    assert_int_equal(guira_merge(into, from), GUIRA_OK);
    assert_int_equal(digest(from), before);
    assert_same(from, &in_from);
    assert_merged(into, &all, r);
    guira_destroy(into);
    guira_destroy(from);
    model_free(&in_into);
    model_free(&in_from);
    model_free(&all);
}

static void test_filters_of_any_two_sizes_can_be_merged(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const size_t sizes[] = {0, 1, 15, 100, 1000, 7777, 40000};
    for (size_t w = 0; w < WIDTHS; w++)
        for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
            for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++)
                if (!quick_run() || sizes[a] + sizes[b] < 10000) merge_two(widths[w], sizes[a], sizes[b], &r);
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* No member has fewer copies than it should. */
static void assert_counts(const guira *f, struct model *all) {
    qsort(all->hash, all->n, sizeof *all->hash, by_value);
    for (size_t i = 0, n; i < all->n; i += n) {
        for (n = 1; i + n < all->n && all->hash[i + n] == all->hash[i]; n++) {
        }
        assert_true(f->ops->count(f, all->hash[i]) >= n);
    }
}

static void test_merging_shards_equals_inserting_all_into_one(void **state) {
    (void)state;
    enum { SHARDS = 9 };
    struct rng r = rng_for(__func__);
    for (size_t w = 0; w < WIDTHS; w++) {
        uint8_t seed[16];
        guira *whole = make(widths[w], seed_from(&r, seed)), *sum = make(widths[w], seed);
        struct model all = {0};
        for (unsigned i = 0; i < SHARDS; i++) {
            guira *shard = make(widths[w], seed);
            struct model m = {0};
            fill(shard, &m, &all, rng_below(&r, 3000), &r);
            for (size_t k = 0; k < m.n; k++) assert_int_equal(guira_insert_hash(whole, m.hash[k]), GUIRA_OK);
            assert_int_equal(guira_merge(sum, shard), GUIRA_OK);
            guira_destroy(shard);
            model_free(&m);
        }
        assert_int_equal(sum->items, whole->items);
        assert_counts(sum, &all);
        assert_merged(sum, &all, &r);
        guira_destroy(whole);
        guira_destroy(sum);
        model_free(&all);
    }
}

/* Grown from the smallest 2000-fold at w=12, both have elders, the same ones even where members are the same. */
static void test_elders_of_both_are_kept_and_counted(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint8_t seed[16];
    guira *into = make(12, seed_from(&r, seed)), *from = make(12, seed);
    struct model all = {0};
    for (size_t i = 0; i < 30000; i++) {
        uint64_t hash = rng_next(&r);
        bool both = i < 200 || i % 10 == 0; /* the first ones become elders */
        assert_int_equal(guira_insert_hash(into, hash), GUIRA_OK);
        model_add(&all, hash);
        if (!both) continue;
        assert_int_equal(guira_insert_hash(from, hash), GUIRA_OK);
        model_add(&all, hash);
    }
    uint64_t elders = elders_of(into);
    assert_true(elders > 0 && elders_of(from) > 0);
    assert_int_equal(guira_merge(into, from), GUIRA_OK);
    assert_true(elders_of(into) > elders);
    assert_int_equal(guira_merge(from, into), GUIRA_OK); /* and the other way round */
    assert_merged(into, &all, &r);
    assert_valid(from);
    guira_destroy(into);
    guira_destroy(from);
    model_free(&all);
}

static void test_merging_a_filter_with_itself_doubles_every_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint8_t seed[16];
    guira *f = make(16, seed_from(&r, seed));
    struct model once = {0}, twice = {0};
    fill(f, &once, &twice, 500, &r);
    assert_int_equal(guira_merge(f, f), GUIRA_OK);
    for (size_t i = 0; i < once.n; i++) model_add(&twice, once.hash[i]);
    assert_merged(f, &twice, &r);
    guira_destroy(f);
    model_free(&once);
    model_free(&twice);
}

static void test_filters_of_another_seed_kind_or_width_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint8_t seed[16], other[16];
    seed_from(&r, other);
    guira *a = make(16, seed_from(&r, seed)), *b = make(16, other), *c = make(12, seed);
    guira_config elastic = {.kind = GUIRA_ELASTIC, .capacity = 100, .slot_bits = 16, .seed = {1}};
    guira *d = NULL, *e = NULL;
    assert_int_equal(guira_create(&elastic, &d), GUIRA_OK);
    assert_int_equal(guira_create(&elastic, &e), GUIRA_OK);
    uint64_t before = digest(a);
    assert_int_equal(guira_merge(a, b), GUIRA_EINVAL);
    assert_int_equal(guira_merge(a, c), GUIRA_EINVAL);
    assert_int_equal(guira_merge(a, d), GUIRA_EINVAL);
    assert_int_equal(guira_merge(a, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_merge(NULL, a), GUIRA_EINVAL);
    assert_int_equal(guira_merge(d, e), GUIRA_EUNSUPPORTED);
    assert_int_equal(digest(a), before);
    guira *all[] = {a, b, c, d, e};
    for (size_t i = 0; i < 5; i++) guira_destroy(all[i]);
}

/* 2000 copies and 3000 more, some of them in slots, most of them counted. */
static void test_copies_of_both_are_counted(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint8_t seed[16];
    guira *into = make(16, seed_from(&r, seed)), *from = make(16, seed);
    struct model m = {0}, all = {0};
    fill(into, &m, &all, 3000, &r);
    uint64_t key = rng_next(&r);
    for (unsigned i = 0; i < 5000; i++) {
        assert_int_equal(guira_insert_hash(i < 2000 ? into : from, key), GUIRA_OK);
        model_add(&all, key);
    }
    assert_int_equal(guira_merge(into, from), GUIRA_OK);
    assert_true(guira_count_hash(into, key) >= 5000);
    assert_merged(into, &all, &r);
    guira_destroy(into);
    guira_destroy(from);
    model_free(&m);
    model_free(&all);
}

static void test_every_allocation_failing_in_turn_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    uint8_t seed[16];
    guira *into = make(12, seed_from(&r, seed)), *from = make(12, seed);
    struct model a = {0}, b = {0}, all = {0};
    fill(into, &a, &all, 2500, &r);
    fill(from, &b, &all, 40, &r);
    uint64_t before = digest(into), failures = 0;
    for (uint64_t k = 1; k == 1 || memory.failed; k++, failures += memory.failed) {
        guira *copy;
        assert_int_equal(guira_clone(into, &copy), GUIRA_OK);
        memory.calls = 0;
        memory.fail_at = k;
        memory.failed = false;
        size_t bytes = memory.bytes;
        guira_status s = guira_merge(copy, from);
        memory.fail_at = 0;
        if (s == GUIRA_OK) assert_same(copy, &all); /* what failed was to save memory */
        else assert_true(s == GUIRA_ENOMEM && memory.failed && memory.bytes == bytes && digest(copy) == before);
        guira_destroy(copy);
    }
    assert_int_equal(guira_merge(into, from), GUIRA_OK);
    print_message("  %u allocations failed\n", (unsigned)failures);
    assert_true(failures > 10 && elders_of(into) > 0);
    assert_merged(into, &all, &r);
    guira_destroy(into);
    guira_destroy(from);
    memory_unhook();
    model_free(&a);
    model_free(&b);
    model_free(&all);
}

static void test_entries_in_the_stash_are_merged(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        if (!is_tidal(v)) continue;
        struct model all = {0};
        guira *from = variant_make_with_stash(v, &r, 300, &all), *into = NULL;
        guira_config c = {.size = sizeof c};
        assert_true(stats_of(from).stash > 0);
        assert_int_equal(guira_config_get(from, &c), GUIRA_OK);
        assert_int_equal(guira_create(&c, &into), GUIRA_OK);
        assert_int_equal(guira_merge(into, from), GUIRA_OK);
        assert_merged(into, &all, &r);
        guira_destroy(into);
        guira_destroy(from);
        model_free(&all);
    }
}

static void test_a_mapped_filter_can_only_be_merged_from(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint8_t seed[16];
    guira *into = make(16, seed_from(&r, seed)), *from = make(16, seed), *mapped = NULL;
    struct model m = {0}, all = {0};
    fill(into, &m, &all, 100, &r);
    fill(from, &m, &all, 5000, &r);
    char path[] = "merge-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    assert_int_equal(guira_save(from, path), GUIRA_OK);
    assert_int_equal(guira_map(path, &mapped), GUIRA_OK);
    assert_int_equal(guira_merge(mapped, into), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_merge(into, mapped), GUIRA_OK);
    guira_destroy(mapped);
    unlink(path);
    assert_merged(into, &all, &r);
    guira_destroy(into);
    guira_destroy(from);
    model_free(&m);
    model_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_of_any_two_sizes_can_be_merged),
        cmocka_unit_test(test_merging_shards_equals_inserting_all_into_one),
        cmocka_unit_test(test_elders_of_both_are_kept_and_counted),
        cmocka_unit_test(test_merging_a_filter_with_itself_doubles_every_member),
        cmocka_unit_test(test_filters_of_another_seed_kind_or_width_are_refused),
        cmocka_unit_test(test_copies_of_both_are_counted),
        cmocka_unit_test(test_every_allocation_failing_in_turn_changes_nothing),
        cmocka_unit_test(test_entries_in_the_stash_are_merged),
        cmocka_unit_test(test_a_mapped_filter_can_only_be_merged_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
