/* What is special about the dynamic filter: a list of filters that becomes longer when they are full and shorter when one
 * of them is not needed any more. */
#include <math.h>

#include "file_support.h"

enum { SLOTS = 4 };

static guira *make(guira_config c, struct rng *r) {
    guira *f;
    c.kind = GUIRA_DYNAMIC;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static uint64_t filters(const guira *f) { return stats_of(f).buckets / guira__config_of(f).buckets; }

static void assert_sound(const guira *f, const struct model *m) {
    assert_same(f, m);
    assert_valid(f);
}

static void end(guira *f, struct model *m) {
    guira_destroy(f);
    model_free(m);
}

/* ------------------------------------------------------------------------------------------------------ longer, shorter */

static void test_the_list_is_as_long_as_it_must_be(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 16, .buckets = 100}, &r);
    for (unsigned wave = 0; wave < 3; wave++) {
        for (unsigned i = 1; i <= 20; i++) {
            members_in(f, &m, 380 * i - m.n, &r);  /* 100 * 4 * 0.95 */
            assert_in_range(filters(f), i, i + 1); /* one may be refused in the last percent of a filter */
        }
        assert_sound(f, &m);
        while (m.n > 40) {
            members_out(f, &m, 37, &r);
            double fewest = ceil((double)m.n / 380), most = ceil((double)m.n / (0.9 * 400)) + 1;
            assert_true((double)filters(f) >= fewest && (double)filters(f) <= most);
        }
        assert_int_equal(filters(f), 1);
        assert_sound(f, &m);
    }
    members_out(f, &m, m.n, &r);
    assert_int_equal(filters(f), 1); /* there is always one */
    end(f, &m);
}

static void test_a_negative_least_load_never_merges(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.buckets = 100, .min_load = -1}, &r);
    members_in(f, &m, 3000, &r);
    uint64_t before = filters(f);
    members_out(f, &m, 2900, &r);
    assert_int_equal(filters(f), before);
    assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    assert_int_equal(filters(f), 1);
    assert_sound(f, &m);
    end(f, &m);
}

/* After removals the emptiest filter becomes active: there is no new one as long as an old one has room. */
static void test_room_that_was_given_back_is_used_again(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.buckets = 100, .min_load = -1}, &r);
    members_in(f, &m, 3700, &r);
    uint64_t before = filters(f);
    for (unsigned i = 0; i < 10; i++) {
        members_out(f, &m, 1800, &r);
        members_in(f, &m, 1700, &r);
        assert_int_equal(filters(f), before);
        members_in(f, &m, 100, &r);
    }
    assert_true(filters(f) <= before + 1);
    assert_sound(f, &m);
    end(f, &m);
}

static void test_a_reservation_is_kept_until_it_is_given_back(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.buckets = 100}, &r);
    assert_int_equal(guira_reserve(f, 3800), GUIRA_OK);
    assert_int_equal(filters(f), 10);
    members_in(f, &m, 5000, &r);
    assert_true(filters(f) > 10);
    members_out(f, &m, 5000, &r);
    assert_int_equal(filters(f), 10);
    members_in(f, &m, 10, &r);
    assert_int_equal(guira_clear(f), GUIRA_OK);
    assert_int_equal(filters(f), 10);
    m.n = 0;
    members_in(f, &m, 10, &r);
    assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    assert_int_equal(filters(f), 1);
    assert_sound(f, &m);
    end(f, &m);
}

/* ------------------------------------------------------------------------------------------------------------- merging */

/* Two choices of one slot hold half a table, whatever is asked for: these filters do not fit into fewer. A compaction
 * that used the insertion which adds filters could not fail, and would make the list longer. */
static void test_a_merge_without_room_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < 20; i++) {
        struct model m = {0};
        guira *f = make((guira_config){.bucket_slots = 1, .buckets = 200, .max_load = 0.95, .min_load = -1}, &r);
        members_in(f, &m, 700, &r);
        uint64_t before = filters(f);
        assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
        assert_true(filters(f) <= before && stats_of(f).load < 0.8);
        uint64_t same = digest(f);
        assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK); /* what it could do is done */
        assert_true(digest(f) == same);
        assert_sound(f, &m);
        end(f, &m);
    }
}

/* Also while members leave: the merges that fail must neither lose a member nor be tried at each step. */
static void test_merges_that_fail_lose_no_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.bucket_slots = 1, .buckets = 200, .max_load = 0.95}, &r);
    members_in(f, &m, 2000, &r);
    while (m.n > 0) {
        members_out(f, &m, m.n < 50 ? m.n : 50, &r);
        assert_sound(f, &m);
    }
    assert_int_equal(filters(f), 1);
    end(f, &m);
}

/* ------------------------------------------------------------------------------------------------------------ its limits */

static void test_at_most_so_many_filters(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 16, .buckets = 100, .max_filters = 3}, &r);
    for (unsigned refused = 0; refused < 50;) {
        uint64_t hash = rng_next(&r), before = digest(f);
        guira_status s = guira_insert_hash(f, hash);
        if (s == GUIRA_OK) model_add(&m, hash);
        else assert_true(s == GUIRA_EFULL && digest(f) == before);
        refused += s != GUIRA_OK;
    }
    uint64_t before = digest(f);
    assert_true(filters(f) == 3 && stats_of(f).load > 0.95 && stats_of(f).stash > 0);
    assert_true(guira_reserve(f, 3 * 380 + 1) == GUIRA_ELIMIT && digest(f) == before);
    assert_sound(f, &m);
    struct bytes b = saved(f); /* the stash, too */
    guira *again = loaded(b);
    assert_true(digest(again) == before);
    guira_destroy(again);
    free(b.at);
    members_out(f, &m, m.n / 2, &r);
    assert_int_equal(stats_of(f).stash, 0);
    members_out(f, &m, m.n, &r);
    assert_sound(f, &m);
    end(f, &m);
}

/* A filter for every eight copies would go on for ever. */
static void test_copies_never_add_a_filter(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned n = 1; n <= 8; n *= 2) {
        guira *f = make((guira_config){.buckets = 1000, .capacity = n * 3800}, &r);
        assert_int_equal(filters(f), n);
        uint64_t hash = rng_next(&r), in = 0;
        while (guira_insert_hash(f, hash) == GUIRA_OK) in++;
        uint64_t before = digest(f);
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_EDUPLICATE);
        assert_true(digest(f) == before && filters(f) == n && f->ops->count(f, hash) == in);
        assert_true(in == 2 * SLOTS * n || in == SLOTS * n); /* half if its two buckets are one */
        for (; in > 0; in--) assert_int_equal(guira_remove_hash(f, hash), GUIRA_OK);
        assert_int_equal(guira_remove_hash(f, hash), GUIRA_ENOTFOUND);
        guira_destroy(f);
    }
}

/* Few fingerprints and few buckets: the same entry lies in several filters, as different members' or one's copies. */
static void test_equal_entries_in_several_filters_are_counted_exactly(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 10, .bucket_slots = 2, .buckets = 16}, &r);
    for (unsigned i = 0; i < (quick_run() ? 3000 : 30000); i++) {
        bool in = m.n < 50 || (m.n < 400 && rng_below(&r, 2) == 0);
        uint64_t hash = m.n > 0 && i % 5 == 0 ? m.hash[rng_below(&r, m.n)] : rng_next(&r);
        if (!in) members_out(f, &m, 1, &r);
        else if (guira_insert_hash(f, hash) == GUIRA_OK) model_add(&m, hash);
        if (i % 100 == 0) assert_sound(f, &m);
    }
    members_out(f, &m, m.n, &r);
    assert_sound(f, &m);
    end(f, &m);
}

/* Once for every filter, as both papers say: here with what the filter predicts, within 4 sigma, measured twice before
 * it counts. */
static void test_the_rate_is_the_sum_over_the_list(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 12, .buckets = 1024}, &r);
    enum { PROBES = 1 << 18 };
    double first = 0;
    for (unsigned n = 1; n <= 8; n *= 2) {
        members_in(f, &m, n * 3800 - m.n, &r);
        guira_stats s = stats_of(f);
        double expected = PROBES * s.fpr, share = s.fpr / (double)s.items, hits = 0, off = 5;
        double sigma =
            sqrt(expected + expected * expected * (share + ldexp(1, -20))); /* one bucket of 1024 is its own */
        for (unsigned turn = 0; turn < 2 && off > 4; turn++) {
            hits = 0;
            for (size_t i = 0; i < PROBES; i++) hits += guira_contains_hash(f, rng_next(&r));
            off = fabs(hits - expected) / sigma;
        }
        print_message("  %u filters: rate %.5f, %.5f predicted\n", n, hits / PROBES, s.fpr);
        if (n == 1) first = s.fpr;
        assert_true(off < 4 && s.fpr > 0.98 * n * first && s.fpr <= n * first);
    }
    end(f, &m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_list_is_as_long_as_it_must_be),
        cmocka_unit_test(test_a_negative_least_load_never_merges),
        cmocka_unit_test(test_room_that_was_given_back_is_used_again),
        cmocka_unit_test(test_a_reservation_is_kept_until_it_is_given_back),
        cmocka_unit_test(test_a_merge_without_room_changes_nothing),
        cmocka_unit_test(test_merges_that_fail_lose_no_member),
        cmocka_unit_test(test_at_most_so_many_filters),
        cmocka_unit_test(test_copies_never_add_a_filter),
        cmocka_unit_test(test_equal_entries_in_several_filters_are_counted_exactly),
        cmocka_unit_test(test_the_rate_is_the_sum_over_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
