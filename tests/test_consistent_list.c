/* The list of a consistent cuckoo filter: steps that name one of its filters, what is reported about each, who grows when
 * one cannot, which empty ones stay, and dramatic growth. */
#include "consistent_support.h"

#include <string.h>

enum { MOST = 16 };

/* All rows; their sums must be those of the whole filter. */
static size_t rows_of(const guira *f, guira_consistent_filter rows[MOST]) {
    rows[0].size = sizeof *rows;
    size_t n = guira_consistent_filters(f, rows, MOST);
    guira_stats s = stats_of(f);
    uint64_t items = 0, slots = 0, buckets = 0, active = 0;
    assert_true(n == s.filters && n <= MOST);
    for (size_t i = 0; i < n; i++) {
        assert_true(rows[i].size == sizeof *rows && rows[i].slots == rows[i].buckets * rows[i].bucket_slots);
        assert_true(rows[i].load == (double)rows[i].items / (double)rows[i].slots);
        items += rows[i].items;
        slots += rows[i].slots;
        buckets += rows[i].buckets;
        active += rows[i].active;
    }
    assert_true(items == s.items && slots == s.slots && buckets == s.buckets && active == 1);
    return n;
}

/* ------------------------------------------------------------------------------------------------------------- report */

static void test_every_filter_of_the_list_is_reported(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_consistent_filter rows[MOST], first = {.size = sizeof first};
    guira *f = make((guira_config){.slot_bits = 30, .bucket_slots = 3}, &r);
    members_in(f, &m, 50, &r);
    assert_int_equal(guira_consistent_scale_out(f, &(guira_config){.slot_bits = 20,
                                                                   .bucket_slots = 2,
                                                                   .candidates = 4,
                                                                   .virtual_nodes = 7,
                                                                   .ring = 100000,
                                                                   .buckets = 33}),
                     GUIRA_OK);
    members_in(f, &m, 3, &r);
    assert_int_equal(rows_of(f, rows), 2);
    assert_true(rows[0].buckets == 64 && rows[0].bucket_slots == 3 && rows[0].candidates == 2 &&
                rows[0].slot_bits == 30 && rows[0].virtual_nodes == 10 && rows[0].ring == UINT64_C(50000000000) &&
                rows[0].items == 50 && !rows[0].active && rows[0].bytes >= 64 * 10 * 12);
    assert_true(rows[1].buckets == 33 && rows[1].bucket_slots == 2 && rows[1].candidates == 4 &&
                rows[1].slot_bits == 20 && rows[1].virtual_nodes == 7 && rows[1].ring == 100000 && rows[1].items == 3 &&
                rows[1].active);
    assert_int_equal(guira_consistent_filters(f, &first, 1), 2); /* no more than n are written */
    assert_true(first.buckets == rows[0].buckets && first.items == rows[0].items);
    end(f, &m);
}

/* Structs of an older and of a newer program, views, and everything that is not a list. */
static void test_the_report_takes_structs_of_any_version_and_no_other_kind(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct {
        guira_consistent_filter row;
        uint64_t later;
    } wide[2];
    guira_consistent_filter row = {.size = 0}, bad = {.size = 3};
    guira *f = make((guira_config){0}, &r), *tidal;
    assert_int_equal(guira_consistent_scale_out(f, NULL), GUIRA_OK);
    memset(wide, 0xff, sizeof wide);
    wide[0].row.size = sizeof wide[0];
    assert_int_equal(guira_consistent_filters(f, &wide[0].row, 2), 2);
    assert_true(wide[1].row.buckets == 64 && wide[1].row.size == sizeof wide[0] && wide[1].later == 0);
    assert_int_equal(guira_consistent_filters(f, &row, 1), 2);
    assert_true(row.buckets == 64);
    assert_int_equal(guira_consistent_filters(f, &bad, 1), 0);
    assert_true(bad.size == 3 && bad.buckets == 0);
    assert_int_equal(guira_consistent_filters(f, NULL, 0), 2);
    assert_int_equal(guira_consistent_filters(NULL, &row, 1), 0);
    assert_int_equal(guira_create(NULL, &tidal), GUIRA_OK);
    assert_int_equal(guira_consistent_filters(tidal, &row, 1), 0);
    guira_destroy(tidal);
    guira_destroy(f);
}

/* -------------------------------------------------------------------------------------------------------- named steps */

static void test_a_step_changes_the_filter_that_it_names(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_consistent_filter was[MOST], is[MOST];
    guira *f = make((guira_config){.min_load = -1, .buckets = 40}, &r);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(guira_consistent_scale_out(f, &(guira_config){.buckets = 20 + 3 * i}), GUIRA_OK);
    members_in(f, &m, 100, &r);
    for (size_t at = 0; at < 4; at++) {
        rows_of(f, was);
        assert_int_equal(guira_consistent_scale_up_at(f, at), GUIRA_OK);
        rows_of(f, is);
        for (size_t i = 0; i < 4; i++) assert_int_equal(is[i].buckets, was[i].buckets + (i == at));
        assert_int_equal(guira_consistent_scale_down_at(f, at), GUIRA_OK);
        rows_of(f, is);
        for (size_t i = 0; i < 4; i++) assert_true(is[i].buckets == was[i].buckets && is[i].items == was[i].items);
    }
    rows_of(f, was);
    assert_int_equal(guira_consistent_compact_at(f, 1), GUIRA_OK);
    assert_int_equal(rows_of(f, is), 3);
    assert_true(is[0].buckets == was[0].buckets && is[1].buckets == was[2].buckets && is[2].buckets == was[3].buckets);
    assert_same(f, &m);
    assert_valid(f);
    end(f, &m);
}

static void test_a_step_with_a_wrong_number_or_kind_is_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make((guira_config){0}, &r), *tidal;
    guira_status (*const step[])(guira *, size_t) = {guira_consistent_scale_up_at, guira_consistent_scale_down_at,
                                                     guira_consistent_compact_at};
    uint64_t before = digest(f);
    assert_int_equal(guira_create(NULL, &tidal), GUIRA_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(step[i](f, 1), GUIRA_EINVAL);
        assert_int_equal(step[i](f, SIZE_MAX), GUIRA_EINVAL);
        assert_int_equal(step[i](NULL, 0), GUIRA_EINVAL);
        assert_int_equal(step[i](tidal, 0), GUIRA_EUNSUPPORTED);
    }
    assert_int_equal(guira_consistent_compact_at(f, 0), GUIRA_EFULL); /* the only one */
    assert_int_equal(digest(f), before);
    guira_destroy(tidal);
    guira_destroy(f);
}

/* --------------------------------------------------------------------------------------------------------- who can grow */

/* The small filter has one slot for a fingerprint, however many buckets: a copy has to go to the other one. */
static void test_a_filter_that_cannot_help_does_not_keep_the_others_from_growing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned policy = GUIRA_BOTH_LEVELS; policy <= GUIRA_BUCKET_LEVEL; policy++) {
        struct model m = {0};
        guira *f = make(
            (guira_config){
                .candidates = 2, .bucket_slots = 3, .buckets = 64, .max_filters = 2, .policy = (guira_policy)policy},
            &r);
        assert_int_equal(
            guira_consistent_scale_out(f, &(guira_config){.candidates = 1, .bucket_slots = 1, .buckets = 16}),
            GUIRA_OK);
        for (unsigned round = 0; round < 3; round++)
            for (unsigned i = 0; i < 2000; i++) {
                if (round == 0) members_in(f, &m, 1, &r);
                else {
                    assert_int_equal(guira_insert_hash(f, m.hash[i]), GUIRA_OK);
                    model_add(&m, m.hash[i]);
                }
            }
        assert_int_equal(stats_of(f).failures, 0);
        assert_same(f, &m);
        assert_valid(f);
        end(f, &m);
    }
}

/* --------------------------------------------------------------------------------------------------- the configured shape */

static void test_of_empty_filters_the_configured_one_stays(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const guira_config configured = {.bucket_slots = 3, .slot_bits = 30, .buckets = 20, .min_load = -1};
    for (unsigned round = 0; round < 2; round++) {
        guira_consistent_filter rows[MOST];
        guira *f = make(configured, &r);
        assert_int_equal(guira_consistent_scale_out(f, &(guira_config){.bucket_slots = 1, .buckets = 500}), GUIRA_OK);
        assert_int_equal(guira_consistent_scale_out(f, &(guira_config){.slot_bits = 8, .buckets = 2}), GUIRA_OK);
        if (round == 1) { /* the one of the configured shape is not the first of the list */
            assert_int_equal(guira_consistent_scale_out(f, NULL), GUIRA_OK);
            assert_int_equal(guira_consistent_compact_at(f, 0), GUIRA_OK);
        }
        assert_int_equal(guira_consistent_compact(f), GUIRA_OK);
        assert_int_equal(rows_of(f, rows), 1);
        assert_true(rows[0].bucket_slots == 3 && rows[0].slot_bits == 30 && rows[0].buckets == 20);
        guira_destroy(f);
    }
}

/* Neither of the two that are left has it: the filter of the configured shape was compacted by its number. Or it is the
 * one that is named. What is reserved beyond the capacity is kept if the filter that is left had room for it. */
static void test_empty_filters_leave_one_of_the_configured_shape_whichever_go(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned round = 0; round < 4; round++) {
        guira_consistent_filter rows[MOST];
        guira *f = make((guira_config){.bucket_slots = 3, .buckets = 64, .capacity = round == 1 ? 500 : 0}, &r);
        for (unsigned i = 0; i < 1 + round % 2; i++)
            assert_int_equal(guira_consistent_scale_out(f, &(guira_config){.buckets = 15, .bucket_slots = 2 + round}),
                             GUIRA_OK);
        if (round == 3) assert_int_equal(guira_reserve(f, 1000), GUIRA_OK);
        while (stats_of(f).filters > 1) assert_int_equal(guira_consistent_compact_at(f, 0), GUIRA_OK);
        assert_int_equal(rows_of(f, rows), 1);
        assert_int_equal(rows[0].bucket_slots, 3);
        if (round == 1) assert_int_equal(rows[0].buckets, 186); /* 500 / 3 / 0.9, rounded up */
        else if (round < 3) assert_int_equal(rows[0].buckets, 64);
        assert_valid(f);
        guira_destroy(f);
    }
}

/* Every allocation of it fails in turn. */
static void test_the_configured_shape_needs_memory_or_nothing_changes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (uint64_t k = 1;; k++) {
        guira *f = make((guira_config){.buckets = 64}, &r);
        assert_int_equal(guira_consistent_scale_out(f, &(guira_config){.buckets = 15}), GUIRA_OK);
        uint64_t before = digest(f);
        memory.failed = false;
        memory.fail_at = memory.calls + k;
        guira_status s = guira_consistent_compact_at(f, 0);
        memory.fail_at = 0;
        bool failed = memory.failed;
        if (s == GUIRA_OK) assert_int_equal(stats_of(f).buckets, 64);
        else assert_true(failed && s == GUIRA_ENOMEM && digest(f) == before);
        assert_valid(f);
        guira_destroy(f);
        if (!failed) break;
        assert_true(k < 10);
    }
    memory_unhook();
}

/* ----------------------------------------------------------------------------------------------------- dramatic growth */

enum { FIRST = 64 * 4 * 9 / 10 }; /* items that the first filter of the default shape is made for */

static void test_dramatic_growth_adds_a_filter_of_half_the_size(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_consistent_filter rows[MOST];
    guira *f = make((guira_config){0}, &r);
    members_in(f, &m, 4 * FIRST, &r);
    assert_int_equal(stats_of(f).filters, 1);
    uint64_t before = 0;
    while (stats_of(f).filters == 1) {
        before = stats_of(f).buckets;
        members_in(f, &m, 1, &r);
    }
    assert_true(m.n < 4 * FIRST + 8); /* the next bucket that is needed */
    assert_int_equal(rows_of(f, rows), 2);
    assert_true(rows[1].buckets == before / 2 && rows[1].bucket_slots == rows[0].bucket_slots);
    size_t again = 4 * m.n; /* the growth begins anew here */
    members_in(f, &m, again - m.n - 8, &r);
    assert_int_equal(stats_of(f).filters, 2);
    members_in(f, &m, 16, &r);
    assert_int_equal(rows_of(f, rows), 3);
    assert_same(f, &m);
    assert_valid(f);
    end(f, &m);
}

/* More than an eighth of the items at the start leave on the way: the growth is not dramatic. At the other levels there is
 * no such thing. */
static void test_gradual_growth_adds_buckets_only(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned policy = GUIRA_BOTH_LEVELS; policy <= GUIRA_BUCKET_LEVEL; policy++) {
        struct model m = {0};
        guira *f = make((guira_config){.policy = (guira_policy)policy}, &r);
        while (m.n < 40 * FIRST) {
            members_in(f, &m, 8, &r);
            if (policy == GUIRA_BOTH_LEVELS) members_out(f, &m, 1, &r);
        }
        assert_int_equal(stats_of(f).filters, 1);
        end(f, &m);
    }
}

/* What the growth began with is part of the file. */
static void test_a_loaded_filter_knows_when_its_growth_began(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned removals = 0; removals < 60; removals += 20) {
        struct model m = {0};
        guira *f = make((guira_config){0}, &r), *g;
        members_in(f, &m, 2 * FIRST, &r);
        members_out(f, &m, removals, &r);
        size_t n = guira_saved_size(f);
        uint8_t *bytes = test_malloc(n);
        guira_saving *s;
        assert_int_equal(guira_saving_start(f, &s), GUIRA_OK);
        assert_int_equal(guira_saving_next(s, bytes, n), n);
        guira_saving_end(s);
        assert_int_equal(guira_load_from(bytes, n, &g), GUIRA_OK);
        for (unsigned i = 0; i < 8 * FIRST; i++) {
            uint64_t hash = rng_next(&r);
            assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
            assert_int_equal(guira_insert_hash(g, hash), GUIRA_OK);
        }
        assert_true(digest(f) == digest(g) && stats_of(f).filters == 2);
        test_free(bytes);
        guira_destroy(g);
        end(f, &m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_filter_of_the_list_is_reported),
        cmocka_unit_test(test_the_report_takes_structs_of_any_version_and_no_other_kind),
        cmocka_unit_test(test_a_step_changes_the_filter_that_it_names),
        cmocka_unit_test(test_a_step_with_a_wrong_number_or_kind_is_refused),
        cmocka_unit_test(test_a_filter_that_cannot_help_does_not_keep_the_others_from_growing),
        cmocka_unit_test(test_of_empty_filters_the_configured_one_stays),
        cmocka_unit_test(test_empty_filters_leave_one_of_the_configured_shape_whichever_go),
        cmocka_unit_test(test_the_configured_shape_needs_memory_or_nothing_changes),
        cmocka_unit_test(test_dramatic_growth_adds_a_filter_of_half_the_size),
        cmocka_unit_test(test_gradual_growth_adds_buckets_only),
        cmocka_unit_test(test_a_loaded_filter_knows_when_its_growth_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
