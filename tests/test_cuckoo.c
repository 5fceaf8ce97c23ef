/* The cuckoo filter of fixed size: any number of buckets works, a full filter refuses and changes nothing, and the
 * false-positive rate is as predicted. */
#include <math.h>
#include <stdlib.h>

#include "support.h"

#include "cuckoo/cuckoo.h"

/* One of each kind of layout, and the narrowest. */
static const struct shape {
    unsigned bits, slots;
} shapes[] = {{12, 10}, {16, 8}, {32, 8}, {13, 8}, {18, 8}, {6, 8}, {6, 4}, {7, 4}, {13, 4}, {16, 4}, {17, 4}, {32, 4}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static guira *make(struct shape s, uint64_t capacity, struct rng *r) {
    struct variant v = {.config = {.kind = GUIRA_CUCKOO, .slot_bits = s.bits, .bucket_slots = s.slots}};
    return variant_make(&v, r, capacity);
}

static void insert_new(guira *f, struct model *m, struct rng *r) {
    uint64_t hash = rng_next(r);
    assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
    model_add(m, hash);
}

static void remove_some(guira *f, struct model *m, struct rng *r) {
    assert_int_equal(guira_remove_hash(f, model_take(m, (size_t)rng_below(r, m->n))), GUIRA_OK);
}

/* ------------------------------------------------------------------------------------------------------------- buckets */

static void test_partner_of_partner_is_the_bucket_itself(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const uint64_t large[] = {1000003, UINT32_MAX, CUCKOO_MAX_BUCKETS, CUCKOO_MAX_BUCKETS - 5};
    for (uint64_t i = 1; i < 504; i++) {
        struct cuckoo f = {.buckets = i < 500 ? i : large[i - 500]};
        for (unsigned n = 0; n < 300; n++) {
            struct shape s = shapes[n % SHAPES];
            struct entry e = cuckoo_entry(&f, rng_next(&r), layout_of(s.bits, s.slots)), there = e;
            assert_true(e.where < f.buckets && e.what >= 1 && e.what >> s.bits == 0);
            there.where = cuckoo_partner(&f, there.where, there.what);
            assert_true(there.where < f.buckets);
            assert_true(cuckoo_partner(&f, there.where, there.what) == e.where);
        }
    }
}

/* Every fingerprint but 0 occurs, all equally often. */
static void test_fingerprints_are_spread_evenly(void **state) {
    (void)state;
    static unsigned seen[4096];
    const uint64_t step = 1 << 12; /* 2^20 of the 2^32 lower halves */
    for (uint64_t half = 0; half <= UINT32_MAX; half += step) seen[cuckoo_fingerprint(half, LAYOUT_12)]++;
    assert_int_equal(seen[0], 0);
    for (unsigned i = 1; i < 4096; i++) assert_in_range(seen[i], 256, 257);
    assert_true(cuckoo_fingerprint(UINT32_MAX, LAYOUT_12) == 4095 &&
                cuckoo_fingerprint(UINT32_MAX, LAYOUT_16) == UINT16_MAX);
    assert_true(cuckoo_fingerprint(0, LAYOUT_32) == 1 && cuckoo_fingerprint(UINT32_MAX, LAYOUT_32) == UINT32_MAX);
}

static void fill_to_capacity(struct shape w, uint64_t capacity, struct rng *r) {
    guira *f = make(w, capacity, r);
    struct model m = {0};
    while (m.n < capacity) insert_new(f, &m, r);
    guira_stats s = stats_of(f);
    assert_true((double)s.slots * 0.95 >= (double)capacity - 1e-6 && s.grows == 0 && s.elders == 0);
    assert_true((double)(s.slots - w.slots) * 0.95 < (double)capacity); /* not one bucket more than needed */
    assert_same(f, &m);
    assert_valid(f);
    while (m.n > 0) remove_some(f, &m, r);
    assert_int_equal(stats_of(f).items, 0);
    assert_valid(f);
    model_free(&m);
    guira_destroy(f);
}

static void test_every_capacity_can_be_filled(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const uint64_t large[] = {9999, 65537, 123457, 262143};
    unsigned step = quick_run() ? 7 : 1;
    for (size_t i = 0; i < SHAPES; i++) {
        for (uint64_t capacity = 1; capacity <= 500; capacity += step) fill_to_capacity(shapes[i], capacity, &r);
        for (size_t j = 0; j < (quick_run() ? 1 : 4); j++) fill_to_capacity(shapes[i], large[j], &r);
    }
}

/* --------------------------------------------------------------------------------------------------------- full filters */

/* Inserts until that many were refused, and asserts that a refusal changes nothing. */
static void fill_until_refused(guira *f, struct model *m, unsigned refusals, struct rng *r) {
    for (uint64_t refused = 0, failures = stats_of(f).failures; refused < refusals;) {
        uint64_t hash = rng_next(r), before = m->n % 64 == 0 || stats_of(f).stash == STASH_SIZE ? digest(f) : 0;
        guira_status s = guira_insert_hash(f, hash);
        if (s == GUIRA_OK) {
            model_add(m, hash);
            continue;
        }
        assert_int_equal(s, GUIRA_EFULL);
        assert_true(before == digest(f)); /* refusing starts when the stash is full */
        assert_int_equal(stats_of(f).failures, failures + ++refused);
    }
}

static void check_full(struct shape w, uint64_t capacity, struct rng *r) {
    guira *f = make(w, capacity, r);
    struct model m = {0};
    fill_until_refused(f, &m, 20, r);
    guira_stats s = stats_of(f);
    assert_true(m.n >= capacity && s.stash == STASH_SIZE);
    if (capacity >= 10000) {
        print_message("  %u x %u bits, %lu slots: full at load %.4f\n", w.slots, w.bits, (unsigned long)s.slots,
                      s.load);
        assert_true((double)(s.items - s.stash) >= 0.95 * (double)s.slots);
    }
    assert_same(f, &m);
    assert_valid(f);
    model_free(&m);
    guira_destroy(f);
}

static void test_a_full_filter_refuses_and_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const uint64_t capacity[] = {1, 2, 9, 77, 1000, 10001, 50021};
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < (quick_run() ? 6 : 7); j++) check_full(shapes[i], capacity[j], &r);
}

static void test_room_of_removed_members_is_used_again(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < SHAPES; i++) {
        guira *f = make(shapes[i], 5000, &r);
        struct model m = {0};
        for (unsigned round = 0; round < 5; round++) {
            fill_until_refused(f, &m, 3, &r);
            while (m.n > 1000) remove_some(f, &m, &r);
            assert_int_equal(stats_of(f).stash, 0); /* entries of the stash moved back into the table */
            assert_same(f, &m);
            assert_valid(f);
            while (m.n < 5000) insert_new(f, &m, &r);
        }
        assert_same(f, &m);
        model_free(&m);
        guira_destroy(f);
    }
}

/* ----------------------------------------------------------------------------------------------------------- fixed size */

static void test_a_fixed_filter_neither_grows_nor_shrinks(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (size_t i = 0; i < SHAPES; i++) {
        guira *f = make(shapes[i], 1001, &r);
        struct model m = {0};
        uint64_t calls = memory.calls, buckets = stats_of(f).buckets;
        while (m.n < 1001) insert_new(f, &m, &r);
        uint64_t before = digest(f);
        assert_int_equal(guira_reserve(f, 0), GUIRA_OK);
        assert_int_equal(guira_reserve(f, 1001), GUIRA_OK);
        assert_int_equal(guira_reserve(f, 2000), GUIRA_EUNSUPPORTED);
        assert_int_equal(guira_reserve(f, UINT64_MAX), GUIRA_EUNSUPPORTED);
        assert_int_equal(guira_shrink_to_fit(f), GUIRA_EUNSUPPORTED);
        assert_true(digest(f) == before);
        while (m.n > 3) remove_some(f, &m, &r);
        assert_int_equal(stats_of(f).buckets, buckets);
        assert_int_equal(memory.calls, calls);
        assert_int_equal(stats_of(f).bytes, memory.bytes);
        model_free(&m);
        guira_destroy(f);
    }
    memory_unhook();
}

static void test_clear_leaves_an_empty_filter(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(shapes[1], 500, &r), *clone;
    struct model m = {0};
    fill_until_refused(f, &m, 5, &r);
    assert_int_equal(guira_clone(f, &clone), GUIRA_OK);
    assert_int_equal(guira_clear(f), GUIRA_OK);
    assert_int_equal(stats_of(f).items, 0);
    assert_int_equal(stats_of(f).stash, 0);
    for (size_t i = 0; i < m.n; i++) assert_false(guira_contains_hash(f, m.hash[i]));
    assert_valid(f);
    assert_same(clone, &m);
    model_free(&m);
    guira_destroy(f);
    guira_destroy(clone);
}

/* ---------------------------------------------------------------------------------------------------------- predictions */

/* 35 keys or more are expected to be found. 6 sigma more has a probability of 1e-7 then, and less if more are expected; there
 * are some 20 shapes. */
static void check_rate(struct shape w, uint64_t items, uint64_t lookups, struct rng *r) {
    guira *f = make(w, items, r);
    struct model m = {0};
    while (m.n < items) insert_new(f, &m, r);
    guira_stats s = stats_of(f);
    double formula = 2.0 * w.slots * s.load / (ldexp(1, (int)w.bits) - 1);
    assert_true(s.load > 0.949 && fabs(-log1p(-s.fpr) / formula - 1) < 1e-9);
    uint64_t found = 0;
    for (uint64_t i = 0; i < lookups; i++) found += guira_contains_hash(f, rng_next(r)); /* no member: 2^-44 */
    double rate = (double)found / (double)lookups, sigma = sqrt(s.fpr * (1 - s.fpr) / (double)lookups);
    print_message("  %u x %u bits: %.4f %% predicted, %.4f %% found, %+.1f sigma\n", w.slots, w.bits, 100 * s.fpr,
                  100 * rate, (rate - s.fpr) / sigma);
    assert_true(fabs(rate - s.fpr) <= 6 * sigma);
    model_free(&m);
    guira_destroy(f);
}

static void test_the_false_positive_rate_is_as_predicted(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint64_t items = quick_run() ? 20011 : 300007, lookups = quick_run() ? 300000 : 2000000;
    for (size_t i = 0; i < SHAPES; i++)
        if (shapes[i].bits <= 17) check_rate(shapes[i], items, lookups, &r);
}

/* -------------------------------------------------------------------------------------------------------------- validate */

static void assert_broken(const guira *f, const char *expected) {
    const char *reason = NULL;
    assert_int_equal(guira_validate(f, &reason), GUIRA_ECORRUPT);
    assert_non_null(reason);
    assert_string_equal(reason, expected);
}

static void test_validate_names_the_broken_invariant(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(shapes[0], 300, &r);
    struct model m = {0};
    fill_until_refused(f, &m, 1, &r);
    struct cuckoo *c = (struct cuckoo *)f;
    struct cuckoo whole = *c;
    f->items++;
    assert_broken(f, "counters: items");
    *c = whole;
    c->stash.n = STASH_SIZE + 1;
    assert_broken(f, "stash: more than it can hold");
    *c = whole;
    c->stash.entry[3].where = c->buckets;
    assert_broken(f, "stash: an entry of a bucket that is not there");
    *c = whole;
    c->stash.entry[3].what = 0;
    assert_broken(f, "stash: an impossible fingerprint");
    *c = whole;
    c->table[31] = 1;
    assert_broken(f, "table: the byte between two buckets is not 0");
    c->table[31] = 0;
    assert_valid(f);
    model_free(&m);
    guira_destroy(f);
}

/* An odd number of buckets of four slots leaves half of a row unused. */
static void test_validate_finds_entries_after_the_last_bucket(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make((struct shape){13, 4}, 40, &r); /* 11 buckets */
    struct cuckoo *c = (struct cuckoo *)f;
    assert_int_equal(c->buckets, 11);
    assert_int_equal(cuckoo_table_bytes(c), 6 * 13);
    assert_valid(f);
    slot_set(c->table + 5 * 13, 4, 1, c->layout);
    assert_broken(f, "table: the half row after the last bucket is not 0");
    guira_destroy(f);
}

/* ------------------------------------------------------------------------------------------------------ configuration */

static guira_config resolved(guira_config c, guira_status expected) {
    guira *f;
    guira_config out = {.size = sizeof out};
    c.kind = GUIRA_CUCKOO;
    if (c.capacity == 0) c.capacity = 1000;
    assert_int_equal(guira_create(&c, &f), expected);
    if (expected == GUIRA_OK) assert_int_equal(guira_config_get(f, &out), GUIRA_OK);
    guira_destroy(f);
    return out;
}

static void assert_chosen(guira_config c, unsigned bits, unsigned slots) {
    guira_config out = resolved(c, GUIRA_OK);
    assert_int_equal(out.slot_bits, bits);
    assert_int_equal(out.bucket_slots, slots);
}

static void test_four_slots_are_chosen_where_they_are_smaller(void **state) {
    (void)state;
    assert_chosen((guira_config){.fpr = 1e-3}, 13, 4);
    assert_chosen((guira_config){.fpr = 1e-4}, 17, 4);
    assert_chosen((guira_config){.fpr = 0.2}, 6, 4);
    assert_chosen((guira_config){.fpr = 5e-8}, 28, 4);                    /* eight slots would need 29 bits */
    assert_chosen((guira_config){.fpr = 8e-8}, 28, 8);                    /* there are no 27 bits */
    assert_chosen((guira_config){.fpr = 1e-3, .bucket_slots = 8}, 14, 8); /* if it is asked for */
    assert_chosen((guira_config){.fpr = 5e-3, .bucket_slots = 10}, 12, 10);
    assert_chosen((guira_config){.fpr = 1e-3, .max_load = 0.97}, 14, 8); /* four slots would not reach that load */
    resolved((guira_config){.fpr = 1e-12}, GUIRA_ELIMIT);
    resolved((guira_config){.fpr = 1e-3, .bucket_slots = 10}, GUIRA_ELIMIT);
}

static void test_a_width_alone_means_eight_slots(void **state) {
    (void)state;
    assert_chosen((guira_config){0}, 16, 8);
    assert_chosen((guira_config){.slot_bits = 12}, 12, 10);
    assert_chosen((guira_config){.slot_bits = 13}, 13, 8);
    assert_chosen((guira_config){.slot_bits = 13, .bucket_slots = 4}, 13, 4);
    assert_chosen((guira_config){.slot_bits = 12, .bucket_slots = 8}, 12, 8);
    assert_chosen((guira_config){.bucket_slots = 4}, 16, 4);
    const guira_config bad[] = {{.bucket_slots = 1},
                                {.bucket_slots = 5},
                                {.bucket_slots = 16},
                                {.slot_bits = 13, .bucket_slots = 10},
                                {.slot_bits = 27, .bucket_slots = 4},
                                {.slot_bits = 5, .bucket_slots = 4}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) resolved(bad[i], GUIRA_EINVAL);
}

/* 100 million items at 0.1 % with a headroom of 0.90, as guides to cuckoo filters compute it: 13 bits, four slots,
 * 111,111,112 slots. The number of buckets is what it takes, not the next power of two, which would be 218,103,808 bytes. */
static void test_a_textbook_example_can_be_made(void **state) {
    (void)state;
    guira_config c = {.capacity = 100000000, .slot_bits = 13, .bucket_slots = 4, .max_load = 0.90};
    c.kind = GUIRA_CUCKOO;
    guira *f;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    guira_stats s = stats_of(f);
    assert_int_equal(s.slots, 111111112);
    assert_in_range(s.bytes, 180555557, 180555557 + 4096);
    assert_int_equal(guira_insert(f, "ana", 3), GUIRA_OK);
    assert_true(guira_contains(f, "ana", 3));
    guira_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partner_of_partner_is_the_bucket_itself),
        cmocka_unit_test(test_fingerprints_are_spread_evenly),
        cmocka_unit_test(test_every_capacity_can_be_filled),
        cmocka_unit_test(test_a_full_filter_refuses_and_changes_nothing),
        cmocka_unit_test(test_room_of_removed_members_is_used_again),
        cmocka_unit_test(test_a_fixed_filter_neither_grows_nor_shrinks),
        cmocka_unit_test(test_clear_leaves_an_empty_filter),
        cmocka_unit_test(test_the_false_positive_rate_is_as_predicted),
        cmocka_unit_test(test_validate_names_the_broken_invariant),
        cmocka_unit_test(test_validate_finds_entries_after_the_last_bucket),
        cmocka_unit_test(test_four_slots_are_chosen_where_they_are_smaller),
        cmocka_unit_test(test_a_width_alone_means_eight_slots),
        cmocka_unit_test(test_a_textbook_example_can_be_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
