/* Merging and uniting filters whose keys have copies. */
#include "bag_support.h"

#include "slots/stash.h"
#include "tidal/tidal.h"

static void test_fifty_merges_of_equal_sets_count_all(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 32};
    for (size_t w = 0; w < 3; w++) {
        struct bag b = bag_make(pick(300, 3000, 30000), &r);
        guira *f = make(widths[w], &r), *sum;
        for (size_t i = 0; i < b.n; i++) put(f, &b, i);
        assert_int_equal(guira_clone(f, &sum), GUIRA_OK);
        uint64_t before = digest(f);
        for (unsigned i = 0; i < 50; i++) assert_int_equal(guira_merge(sum, f), GUIRA_OK);
        assert_int_equal(digest(f), before);
        for (size_t i = 0; i < b.n; i++) b.count[i] = 51;
        b.total *= 51;
        assert_counts(sum, &b);
        assert_int_equal(guira_merge(sum, sum), GUIRA_OK); /* counts are merged with counts */
        for (size_t i = 0; i < b.n; i++) b.count[i] = 102;
        b.total *= 2;
        assert_counts(sum, &b);
        assert_int_equal(guira_merge(f, sum), GUIRA_OK);
        for (size_t i = 0; i < b.n; i++) b.count[i]++;
        b.total += b.n;
        assert_counts(f, &b);
        remove_all(f, &b, &r);
        guira_destroy(f);
        guira_destroy(sum);
        bag_free(&b);
    }
}

/* The union has every key, and none twice, except for elders. Two keys that look alike are one. */
static void unite(unsigned w, size_t n, struct rng *r) {
    struct bag b = bag_make(n, r);
    guira *f = make(w, r), *g = NULL;
    assert_int_equal(guira_clone(f, &g), GUIRA_OK);
    for (size_t i = 0; i < n; i++) {
        if (i % 4 != 0) put(f, &b, i);
        if (i % 4 != 1) assert_int_equal(guira_insert_hash(g, b.hash[i]), GUIRA_OK);
        if (i % 8 == 3)
            for (unsigned k = 0; k < 40; k++) assert_int_equal(guira_insert_hash(g, b.hash[i]), GUIRA_OK);
    }
    uint64_t items = f->items, before = digest(g);
    assert_int_equal(guira_union(f, g), GUIRA_OK);
    assert_int_equal(digest(g), before);
    assert_true(f->items >= items && f->items - items <= g->items);
    if (w == 32) assert_true(f->items >= n - 4);             /* two keys that look alike are one: 1e-5 of these */
    if (w >= 20) assert_true(f->items <= items + n / 4 + 1); /* only every fourth key is new */
    for (size_t i = 0; i < n; i++) assert_true(guira_contains_hash(f, b.hash[i]));
    assert_valid(f);
    uint64_t once = f->items;
    for (unsigned i = 0; i < 50; i++) assert_int_equal(guira_union(f, g), GUIRA_OK);
    assert_int_equal(f->items, once);
    assert_int_equal(guira_union(f, f), GUIRA_OK);
    assert_int_equal(f->items, once);
    guira_destroy(f);
    guira_destroy(g);
    bag_free(&b);
}

static void test_fifty_unions_add_what_is_new_once(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 20, 32};
    for (size_t w = 0; w < 4; w++)
        for (size_t n = 4; n <= pick(600, 6000, 100000); n *= 5) unite(widths[w], n, &r);
}

/* Filters of one size know as much of each key if that size is a power of two (1024 buckets here). Then the union is exact:
 * what guira_insert_unique would have done. */
static void test_union_equals_unique_insertion(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    enum { KEYS = 5000 };
    struct bag b = bag_make(KEYS, &r);
    guira_config c = {.slot_bits = 32, .capacity = 7618, .seed = {1}};
    guira *f, *g, *unique;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    assert_int_equal(guira_create(&c, &g), GUIRA_OK);
    assert_int_equal(guira_create(&c, &unique), GUIRA_OK);
    for (size_t i = 0; i < KEYS; i++) {
        guira *in = i % 3 == 0 ? f : g;
        assert_int_equal(guira_insert_hash(in, b.hash[i]), GUIRA_OK);
        if (i % 5 == 0) assert_int_equal(guira_insert_hash(g, b.hash[i]), GUIRA_OK);
        (void)guira_insert_unique_hash(unique, b.hash[i]);
    }
    assert_int_equal(guira_union(f, g), GUIRA_OK);
    assert_int_equal(f->items, unique->items);
    for (size_t i = 0; i < KEYS; i++)
        assert_int_equal(guira_count_hash(f, b.hash[i]), guira_count_hash(unique, b.hash[i]));
    guira *other = make(32, &r);
    assert_int_equal(guira_union(f, other), GUIRA_EINVAL);
    assert_int_equal(guira_union(f, NULL), GUIRA_EINVAL);
    guira_destroy(other);
    guira_destroy(f);
    guira_destroy(g);
    guira_destroy(unique);
    bag_free(&b);
}

/* ------------------------------------------------------------------------------------ an entry that stands for both */

/* A filter with the seed and the slots of f, made for n keys, with those of b from `first` on. */
static guira *make_part(const guira *f, const struct bag *b, size_t first, size_t n) {
    guira_config c = {.size = sizeof c};
    guira *g = NULL;
    assert_int_equal(guira_config_get(f, &c), GUIRA_OK);
    c.capacity = n;
    assert_int_equal(guira_create(&c, &g), GUIRA_OK);
    for (size_t i = first; i < first + n; i++) assert_int_equal(guira_insert_hash(g, b->hash[i]), GUIRA_OK);
    return g;
}

/* Each key has an entry of its own. Few counts are higher: an entry of a small filter with 32-bit slots knows 28 bits and
 * a core of 6, so that among 5,000 keys and 100 of these entries one match is expected in 17,000 runs. */
static void assert_each_key_once(guira *f, const struct bag *b) {
    size_t inexact = 0;
    assert_int_equal(f->items, b->n);
    assert_valid(f);
    for (size_t i = 0; i < b->n; i++) {
        assert_true(guira_contains_hash(f, b->hash[i]));
        inexact += guira_count_hash(f, b->hash[i]) != 1;
    }
    assert_true(inexact <= 2);
    for (size_t i = 0; i < b->n; i++) assert_int_equal(guira_remove_hash(f, b->hash[i]), GUIRA_OK);
    assert_int_equal(f->items, 0);
}

/* `from` is smaller and knows less of the same keys, except of those that `into` got when it was smaller still. No entry is
 * added, from either bucket. */
static void test_union_with_a_smaller_filter_shortens_what_is_there(void **state) {
    (void)state;
    enum { KEYS = 5000, PART = 100 };
    struct rng r = rng_for(__func__);
    struct bag b = bag_make(KEYS, &r);
    guira *f = make(32, &r);
    for (size_t i = 0; i < KEYS; i++) put(f, &b, i);
    for (size_t i = 0; i < KEYS; i += KEYS / 10) {
        guira *g = make_part(f, &b, i, PART);
        double before = stats_of(f).fpr;
        assert_int_equal(guira_union(f, g), GUIRA_OK);
        assert_int_equal(f->items, KEYS);
        assert_true(i == 0 || stats_of(f).fpr > before);
        guira_destroy(g);
    }
    assert_each_key_once(f, &b);
    guira_destroy(f);
    bag_free(&b);
}

/* And the reverse: what the smaller filter has stands for what the larger one brings. */
static void test_union_with_a_larger_filter_adds_only_what_is_new(void **state) {
    (void)state;
    enum { KEYS = 5000, PART = 100 };
    struct rng r = rng_for(__func__);
    struct bag b = bag_make(KEYS, &r);
    guira *f = make(32, &r), *g = make_part(f, &b, 0, KEYS), *into = make_part(f, &b, 300, PART);
    assert_int_equal(guira_union(into, g), GUIRA_OK);
    assert_true(into->items <= KEYS &&
                into->items + 1 >= KEYS); /* one of them looks like one that was there: see above */
    for (size_t i = 0; i < KEYS; i++) assert_true(guira_contains_hash(into, b.hash[i]));
    guira_destroy(f);
    guira_destroy(g);
    guira_destroy(into);
    bag_free(&b);
}

static void put_into_stash(guira *head, struct bag *b, size_t i, unsigned known, bool turned) {
    struct tidal *f = tidal_of(head);
    struct layout l = tidal_layout(f);
    struct entry e = {b->hash[i] & (leading(known) | core_mask(l)), known};
    if (turned) entry_turn(&e, l);
    assert_int_equal(guira__stash_add(f, e, STASH_SIZE), GUIRA_OK);
    head->weight += weight_of(known);
    head->items++;
    update_has_outside(f);
    b->count[i]++;
    b->total++;
}

/* Entries of the stash are shortened, or stand for what comes, as those of the table. The filter has room, so that they
 * stay in the stash. */
static void test_union_sees_the_stash(void **state) {
    (void)state;
    enum { KEYS = 1000, STASHED = 8 };
    struct rng r = rng_for(__func__);
    for (unsigned turned = 0; turned < 2; turned++)
        for (unsigned known = 20; known <= 32; known += 12) { /* less than the 28 bits of the part, and more */
            struct bag b = bag_make(KEYS, &r);
            guira *empty = make(32, &r), *f = make_part(empty, &b, STASHED, KEYS - STASHED), *g;
            assert_int_equal(guira_reserve(f, 2 * KEYS), GUIRA_OK);
            for (size_t i = 0; i < STASHED; i++) put_into_stash(f, &b, i, known, turned);
            g = make_part(f, &b, 0, STASHED);
            assert_int_equal(guira_union(f, g), GUIRA_OK);
            assert_int_equal(tidal_of(f)->stash->n, STASHED);
            assert_each_key_once(f, &b);
            guira_destroy(empty);
            guira_destroy(f);
            guira_destroy(g);
            bag_free(&b);
        }
}

/* The first keys of a filter that grew are elders, and know as much as in a filter that has only these. A move across the
 * split pointer may have taken a bit from one of the two; then both are kept. */
static void test_union_sees_elders(void **state) {
    (void)state;
    enum { KEYS = 20000, PART = 64 };
    struct rng r = rng_for(__func__);
    struct bag b = bag_make(KEYS, &r);
    guira *f = make(16, &r), *g = NULL;
    assert_int_equal(guira_clone(f, &g), GUIRA_OK);
    for (size_t i = 0; i < KEYS; i++) put(f, &b, i);
    for (size_t i = 0; i < PART; i++) assert_int_equal(guira_insert_hash(g, b.hash[i]), GUIRA_OK);
    assert_true(stats_of(f).elders >= 14);
    assert_int_equal(guira_union(f, g), GUIRA_OK);
    print_message("  %llu elders, %llu entries added\n", (unsigned long long)stats_of(f).elders,
                  (unsigned long long)(f->items - KEYS));
    assert_true(f->items <= KEYS + 5);
    assert_valid(f);
    guira_destroy(f);
    guira_destroy(g);
    bag_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fifty_merges_of_equal_sets_count_all),
        cmocka_unit_test(test_fifty_unions_add_what_is_new_once),
        cmocka_unit_test(test_union_equals_unique_insertion),
        cmocka_unit_test(test_union_with_a_smaller_filter_shortens_what_is_there),
        cmocka_unit_test(test_union_with_a_larger_filter_adds_only_what_is_new),
        cmocka_unit_test(test_union_sees_the_stash),
        cmocka_unit_test(test_union_sees_elders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
