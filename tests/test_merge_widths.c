/* guira_merge and guira_union of tidal filters whose slots have different widths: no member is lost, every copy is counted,
 * and a merge that fails changes nothing. */
#include "file_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tidal/tidal.h"

static const unsigned widths[] = {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 32};
enum { WIDTHS = sizeof widths / sizeof *widths, HOT = 3 };

typedef guira_status combine_fn(guira *into, const guira *from);

static guira_config config_from(unsigned w, struct rng *r) {
    guira_config c = {.slot_bits = w};
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    return c;
}

static guira *make_from(guira_config c, unsigned w) {
    guira *f = NULL;
    c.slot_bits = w;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static void insert(guira *f, struct model *m, uint64_t hash) {
    assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
    model_add(m, hash);
}

/* n members; the first HOT of them have many copies, so many that they are counted. */
static void fill(guira *f, struct model *all, size_t n, const uint64_t hot[HOT], struct rng *r) {
    for (size_t i = 0; i < n; i++) insert(f, all, i % 7 == 3 ? hot[i % HOT] : rng_next(r));
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* No member has fewer copies than it should, and few have more: the number of false positives is about Poisson, and 8
 * standard deviations and 8 above the mean are less likely than 1e-9. */
static void assert_counts(const guira *f, struct model *all) {
    double keys = 0, inexact = 0;
    if (all->n > 0) qsort(all->hash, all->n, sizeof *all->hash, by_value);
    for (size_t i = 0, n; i < all->n; i += n, keys++) {
        for (n = 1; i + n < all->n && all->hash[i + n] == all->hash[i]; n++) continue;
        uint64_t counted = guira_count_hash(f, all->hash[i]);
        assert_true(counted >= n);
        inexact += counted > n;
    }
    double mean = keys * stats_of(f).fpr;
    assert_true(inexact <= mean + 8 * sqrt(mean) + 8);
}

/* It is what a filter with all members is; it grows and shrinks like one, down to nothing. */
static void assert_combined(guira *f, struct model *all, struct rng *r) {
    assert_same(f, all);
    assert_counts(f, all);
    assert_valid(f);
    members_in(f, all, 1 + rng_below(r, 2 * all->n + 1), r);
    assert_same(f, all);
    members_out(f, all, all->n, r);
    assert_int_equal(stats_of(f).elders, 0);
    assert_valid(f);
}

static void merge_two(unsigned w, unsigned v, size_t a, size_t b, struct rng *r) {
    guira_config c = config_from(w, r);
    guira *into = make_from(c, w), *from = make_from(c, v);
    uint64_t hot[HOT] = {rng_next(r), rng_next(r), rng_next(r)};
    struct model all = {0};
    fill(into, &all, a, hot, r);
    fill(from, &all, b, hot, r);
    uint64_t before = digest(from);
    assert_int_equal(guira_merge(into, from), GUIRA_OK);
    assert_int_equal(digest(from), before);
    assert_int_equal(tidal_layout(tidal_of(into)).bits, w);
    assert_combined(into, &all, r);
    guira_destroy(into);
    guira_destroy(from);
    model_free(&all);
}

static void test_filters_of_any_two_widths_can_be_merged(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const size_t sizes[] = {0, 14, 200, 3000};
    for (size_t i = 1; i < WIDTHS; i++)
        for (size_t j = 1; j < WIDTHS; j++) {
            size_t a = sizes[rng_below(&r, quick_run() ? 3 : 4)], b = sizes[rng_below(&r, quick_run() ? 3 : 4)];
            merge_two(widths[i], widths[j], a, b, &r);
        }
}

/* Into much larger ones, where the members become elders, and from much larger ones, which have elders themselves. */
static void test_elders_and_their_copies_survive_another_width(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned pairs[][2] = {{13, 32}, {32, 13}, {13, 16}, {16, 13}, {14, 24}, {24, 14}};
    size_t large = quick_run() ? 6000 : 40000;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        merge_two(pairs[i][0], pairs[i][1], large, 10, &r);
        merge_two(pairs[i][0], pairs[i][1], 10, large, &r);
        merge_two(pairs[i][0], pairs[i][1], large, large / 2, &r);
    }
}

/* Their cores have five bits instead of six, so that partners differ: see tidal/merge.c. */
static void test_filters_of_12_bits_merge_with_12_bits_only(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    combine_fn *const how[] = {guira_merge, guira_union};
    guira_config c = config_from(12, &r);
    uint64_t hot[HOT] = {1, 2, 3};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 1; j < WIDTHS; j++) {
            guira *a = make_from(c, 12), *b = make_from(c, widths[j]), *d = make_from(c, 12);
            struct model m = {0};
            fill(a, &m, 100, hot, &r);
            fill(b, &m, 100, hot, &r);
            uint64_t before = digest(a) ^ digest(b);
            assert_int_equal(how[i](a, b), GUIRA_EINVAL);
            assert_int_equal(how[i](b, a), GUIRA_EINVAL);
            assert_int_equal(digest(a) ^ digest(b), before);
            assert_int_equal(how[i](d, a), GUIRA_OK);
            guira_destroy(a);
            guira_destroy(b);
            guira_destroy(d);
            model_free(&m);
        }
}

/* ---------------------------------------------------------------------------------------------------------------- union */

/* Both got the same calls, so nothing is new: an entry of one is the beginning of an entry of the other. Only what is an elder
 * in one of them and not in the other may get a copy; slots of 17 bits and more have none at these sizes. */
static void unite(unsigned w, unsigned v, size_t n, struct rng *r) {
    guira_config c = config_from(w, r);
    guira *into = make_from(c, w), *from = make_from(c, v);
    struct model in = {0};
    for (size_t i = 0; i < n; i++) {
        insert(into, &in, rng_next(r));
        assert_int_equal(guira_insert_hash(from, in.hash[i]), GUIRA_OK);
    }
    uint64_t items = into->items, buckets = stats_of(into).buckets;
    assert_int_equal(guira_union(into, from), GUIRA_OK);
    if (n >= 300) /* no room is kept for what was not added */
        assert_true(stats_of(into).buckets == buckets || stats_of(into).load > 0.8);
    assert_true(into->items >= items && into->items <= 2 * items);
    if (v > w + 2 || (v >= 17 && w >= 17)) assert_int_equal(into->items, items);
    for (size_t i = 0; i < n; i++) assert_true(guira_contains_hash(into, in.hash[i]));
    assert_valid(into);
    items = into->items;
    assert_int_equal(guira_union(into, from), GUIRA_OK);
    assert_int_equal(into->items, items);
    guira_destroy(into);
    guira_destroy(from);
    model_free(&in);
}

static void test_the_union_of_two_widths_has_every_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 1; i < WIDTHS; i++)
        for (size_t j = 1; j < WIDTHS; j++)
            unite(widths[i], widths[j], quick_run() ? 300 : rng_below(&r, 2) ? 15 : 2500, &r);
}

/* -------------------------------------------------------------------------------------------------- failures and views */

static void fail_every_allocation(combine_fn *how, unsigned w, unsigned v, struct rng *r) {
    guira_config c = config_from(w, r);
    memory_hook();
    guira *into = make_from(c, w), *from = make_from(c, v);
    uint64_t hot[HOT] = {rng_next(r), rng_next(r), rng_next(r)}, failures = 0;
    struct model all = {0};
    fill(into, &all, 2500, hot, r);
    fill(from, &all, 120, hot, r);
    uint64_t before = digest(into);
    for (uint64_t k = 1; k == 1 || memory.failed; k++, failures += memory.failed) {
        guira *copy;
        assert_int_equal(guira_clone(into, &copy), GUIRA_OK);
        memory.calls = 0;
        memory.fail_at = k;
        memory.failed = false;
        size_t bytes = memory.bytes;
        guira_status s = how(copy, from);
        memory.fail_at = 0;
        for (size_t i = 0; s == GUIRA_OK && i < all.n; i++) assert_true(guira_contains_hash(copy, all.hash[i]));
        if (s == GUIRA_OK) assert_valid(copy); /* what failed was to save memory */
        else assert_true(s == GUIRA_ENOMEM && memory.failed && memory.bytes == bytes && digest(copy) == before);
        guira_destroy(copy);
    }
    print_message("  %u bits and %u: %u allocations failed\n", w, v, (unsigned)failures);
    assert_true(failures > 5);
    guira_destroy(into);
    guira_destroy(from);
    memory_unhook();
    model_free(&all);
}

static void test_every_allocation_failing_in_turn_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned pairs[][2] = {{13, 24}, {24, 13}, {16, 32}, {20, 16}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        fail_every_allocation(guira_merge, pairs[i][0], pairs[i][1], &r);
        fail_every_allocation(guira_union, pairs[i][0], pairs[i][1], &r);
    }
}

static void test_a_view_of_another_width_can_be_merged_from(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_config c = config_from(16, &r);
    guira *into = make_from(c, 16), *from = make_from(c, 22), *view = NULL;
    uint64_t hot[HOT] = {rng_next(&r), rng_next(&r), rng_next(&r)};
    struct model all = {0};
    fill(into, &all, 100, hot, &r);
    fill(from, &all, 3000, hot, &r);
    struct bytes b = saved(from);
    assert_int_equal(guira_view(b.at, b.n, &view), GUIRA_OK);
    assert_int_equal(guira_merge(view, into), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_union(view, into), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_merge(into, view), GUIRA_OK);
    guira_destroy(view);
    free(b.at);
    assert_combined(into, &all, &r);
    guira_destroy(into);
    guira_destroy(from);
    model_free(&all);
}

/* An elder may know more bits than any elder of a filter with wider slots does. */
static void test_elders_of_the_highest_level_are_cut_to_what_fits(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_config c = config_from(13, &r);
    guira *from = make_from(c, 32), *into = make_from(c, 13);
    uint64_t key = rng_next(&r);
    struct model all = {0};
    for (unsigned i = 0; i < 1000; i++) insert(from, &all, key); /* counted, with the bits that 32-bit slots know */
    assert_int_equal(guira_merge(into, from), GUIRA_OK);
    for (unsigned i = 0; i < 1000; i++) insert(into, &all, key); /* one name serves for both */
    assert_int_equal(guira_count_hash(into, key), 2000);
    assert_combined(into, &all, &r);
    guira_destroy(into);
    guira_destroy(from);
    model_free(&all);
}

/* ------------------------------------------------------------------------------------------------------------- the rate */

/* Of n lookups of absent keys so many are false positives as stats.fpr says; 6 standard deviations are 2e-9. */
static void assert_rate(const guira *f, struct rng *r) {
    enum { LOOKUPS = 200000 };
    double expected = LOOKUPS * stats_of(f).fpr, found = 0;
    for (size_t i = 0; i < LOOKUPS; i++) found += guira_contains_hash(f, rng_next(r));
    assert_true(fabs(found - expected) <= 6 * sqrt(expected) + 6);
}

static void test_the_statistics_tell_the_rate_of_both(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_config wide = config_from(0, &r), narrow = wide;
    wide.fpr = 1e-4;
    guira *into, *from, *alone;
    assert_int_equal(guira_create(&wide, &into), GUIRA_OK);
    narrow.slot_bits = 13;
    assert_int_equal(guira_create(&narrow, &from), GUIRA_OK);
    struct model all = {0};
    members_in(into, &all, 3000, &r);
    members_in(from, &all, 3000, &r);
    assert_true(stats_of(into).fpr_kept == 1e-4 && stats_of(from).fpr_kept == 0);
    assert_int_equal(guira_clone(into, &alone), GUIRA_OK);
    double before = stats_of(into).fpr, brought = stats_of(from).fpr;
    assert_int_equal(guira_merge(into, from), GUIRA_OK);
    double after = stats_of(into).fpr;
    assert_true(after > 0.9 * brought && after < 1.01 * (before + brought)); /* equal elders count once */
    assert_true(stats_of(into).fpr_kept == 0); /* what the members of `from` do not know is lost */
    assert_rate(into, &r);
    assert_int_equal(guira_merge(from, alone), GUIRA_OK); /* the other way round */
    assert_rate(from, &r);
    assert_int_equal(guira_clear(into), GUIRA_OK);
    assert_true(stats_of(into).fpr_kept == 1e-4);
    guira_destroy(into);
    guira_destroy(from);
    guira_destroy(alone);
    model_free(&all);
}

/* -------------------------------------------------------------------------------------------------------------- shared */

#ifdef GUIRA_TEST_SHARED
static guira_shared *shared_from(guira_config c, unsigned w, unsigned shards) {
    guira_shared *g = NULL;
    c.slot_bits = w;
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    return g;
}

static void test_shared_filters_of_two_widths_can_be_merged(void **state) {
    (void)state;
    enum { MEMBERS = 3000 };
    struct rng r = rng_for(__func__);
    guira_config c = config_from(0, &r);
    const unsigned pairs[][2] = {{14, 20}, {20, 14}, {16, 32}, {32, 16}};
    uint64_t *hash = malloc(2 * MEMBERS * sizeof *hash);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        guira_shared *into = shared_from(c, pairs[p][0], 2), *from = shared_from(c, pairs[p][1], 2),
                     *narrow = shared_from(c, 12, 2), *other = shared_from(c, pairs[p][1], 4);
        for (size_t i = 0; i < 2 * MEMBERS; i++) hash[i] = i % 5 == 0 ? p : rng_next(&r);
        assert_int_equal(guira_shared_insert_hash_many(into, hash, MEMBERS, NULL), MEMBERS);
        assert_int_equal(guira_shared_insert_hash_many(from, hash + MEMBERS, MEMBERS, NULL), MEMBERS);
        assert_int_equal(guira_shared_merge(into, narrow), GUIRA_EINVAL);
        assert_int_equal(guira_shared_merge(into, other), GUIRA_EINVAL);
        assert_int_equal(guira_shared_union(narrow, into), GUIRA_EINVAL);
        assert_int_equal(guira_shared_merge(into, from), GUIRA_OK);
        guira_stats s = GUIRA_STATS_INIT;
        assert_true(guira_shared_stats_get(into, &s) == GUIRA_OK && s.items == 2 * MEMBERS);
        for (size_t i = 0; i < 2 * MEMBERS; i++) assert_true(guira_shared_contains_hash(into, hash[i]));
        assert_true(guira_shared_count_hash(into, p) >= 2 * MEMBERS / 5);
        assert_int_equal(guira_shared_union(from, into), GUIRA_OK);
        for (size_t i = 0; i < 2 * MEMBERS; i++) assert_true(guira_shared_contains_hash(from, hash[i]));
        assert_true(guira_shared_validate(into, NULL) == GUIRA_OK && guira_shared_validate(from, NULL) == GUIRA_OK);
        assert_int_equal(guira_shared_remove_hash_many(into, hash, 2 * MEMBERS, NULL), 2 * MEMBERS);
        guira_shared *all[] = {into, from, narrow, other};
        for (size_t i = 0; i < 4; i++) guira_shared_destroy(all[i]);
    }
    free(hash);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_of_any_two_widths_can_be_merged),
        cmocka_unit_test(test_elders_and_their_copies_survive_another_width),
        cmocka_unit_test(test_filters_of_12_bits_merge_with_12_bits_only),
        cmocka_unit_test(test_the_union_of_two_widths_has_every_member),
        cmocka_unit_test(test_every_allocation_failing_in_turn_changes_nothing),
        cmocka_unit_test(test_a_view_of_another_width_can_be_merged_from),
        cmocka_unit_test(test_elders_of_the_highest_level_are_cut_to_what_fits),
        cmocka_unit_test(test_the_statistics_tell_the_rate_of_both),
#ifdef GUIRA_TEST_SHARED
        cmocka_unit_test(test_shared_filters_of_two_widths_can_be_merged),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
