/* When a consistent cuckoo filter grows and shrinks: by buckets, by filters, by both; limits and reservations. */
#include "consistent_support.h"

/* -------------------------------------------------------------------------------------------------------------- policies */

static void test_bucket_level_has_one_filter_and_follows_bucket_by_bucket(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make(paper(GUIRA_BUCKET_LEVEL), &r);
    uint64_t buckets = 64;
    while (m.n < 3000) {
        members_in(f, &m, 1, &r);
        guira_stats s = stats_of(f);
        assert_true(s.filters == 1 && s.buckets - buckets <= 1);
        buckets = s.buckets;
    }
    assert_true(stats_of(f).load > 0.94);
    members_down_to(f, &m, 300, &r);
    guira_stats s = stats_of(f);
    assert_true(s.filters == 1 && s.load > 0.9 && s.buckets < 64 * 2);
    assert_same(f, &m);
    end(f, &m);
}

static void test_filter_level_adds_and_drops_whole_filters(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make(paper(GUIRA_FILTER_LEVEL), &r);
    members_in(f, &m, 3000, &r);
    guira_stats s = stats_of(f);
    assert_true(s.filters >= 16 && s.filters <= 19 && s.buckets == 64 * s.filters);
    members_down_to(f, &m, 300, &r);
    s = stats_of(f);
    assert_true(s.filters <= 3 && s.buckets == 64 * s.filters);
    assert_same(f, &m);
    end(f, &m);
}

/* Removals in between, one in eight changes, so that the growth is not dramatic. */
static void insert_gradually(guira *f, struct model *m, size_t up_to, struct rng *r) {
    while (m->n < up_to) {
        members_in(f, m, 7, r);
        members_down_to(f, m, m->n - 1, r);
    }
}

static void test_both_levels_add_buckets_first_and_a_filter_when_there_are_many(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_config c = paper(GUIRA_BOTH_LEVELS);
    c.bucket_slots = 1;
    c.virtual_nodes = 1;
    guira *f = make(c, &r);
    insert_gradually(f, &m, 15000, &r);
    assert_int_equal(stats_of(f).filters, 1);
    insert_gradually(f, &m, 18000, &r);
    assert_int_equal(stats_of(f).filters, 2);
    assert_same(f, &m);
    members_down_to(f, &m, 1000, &r);
    assert_true(stats_of(f).buckets < 3000);
    assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    assert_same(f, &m);
    assert_valid(f);
    end(f, &m);
}

static void test_a_list_at_its_limit_refuses_or_adds_buckets(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_config c = paper(GUIRA_FILTER_LEVEL);
    c.max_filters = 3;
    guira *f = make(c, &r);
    guira_status s;
    uint64_t hash = rng_next(&r);
    for (; (s = guira_insert_hash(f, hash)) == GUIRA_OK; hash = rng_next(&r)) model_add(&m, hash);
    uint64_t before = digest(f);
    assert_int_equal(s, GUIRA_EFULL);
    assert_int_equal(guira_insert_hash(f, hash), GUIRA_EFULL);
    assert_int_equal(guira_consistent_scale_out(f, NULL), GUIRA_ELIMIT);
    assert_int_equal(guira_reserve(f, 10000), GUIRA_ELIMIT);
    assert_true(digest(f) == before && stats_of(f).filters == 3);
    assert_same(f, &m);
    end(f, &m);
    c.max_filters = 1; /* that is an I2CF */
    c.policy = GUIRA_BOTH_LEVELS;
    f = make(c, &r);
    assert_int_equal(guira_reserve(f, 1000), GUIRA_OK);
    assert_true(stats_of(f).slots >= 1000);
    members_in(f, &m, 3000, &r);
    assert_int_equal(stats_of(f).filters, 1);
    assert_same(f, &m);
    end(f, &m);
}

static void test_reservations_are_kept_until_they_are_given_back(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned policy = GUIRA_BOTH_LEVELS; policy <= GUIRA_FILTER_LEVEL; policy++) {
        struct model m = {0};
        guira_config c = paper((guira_policy)policy);
        c.max_load = 0.9;
        guira *f = make(c, &r);
        assert_int_equal(guira_reserve(f, 5000), GUIRA_OK);
        uint64_t slots = stats_of(f).slots;
        assert_true((double)slots * 0.9 >= 5000 && slots < 5700);
        members_in(f, &m, 4800, &r);
        members_down_to(f, &m, 100, &r);
        assert_true((double)stats_of(f).slots * 0.9 >= 5000);
        assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
        assert_true(stats_of(f).slots <= 2 * 192);
        assert_same(f, &m);
        assert_valid(f);
        end(f, &m);
    }
}

/* The least loaded filter has one bucket, of one slot, and must keep it: the bucket that the other one has to give has eight. */
static void test_a_bucket_that_is_too_large_to_spare_stays(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_config c = {.slot_bits = 16, .bucket_slots = 8, .buckets = 4, .max_load = 0.9, .min_load = 0.5},
                 tiny = {.slot_bits = 8, .bucket_slots = 1, .buckets = 1};
    guira *f = make(c, &r);
    assert_int_equal(guira_consistent_scale_up(f), GUIRA_OK);
    members_in(f, &m, 20, &r);
    assert_int_equal(guira_consistent_scale_out(f, &tiny), GUIRA_OK);
    uint64_t reserved = (uint64_t)(0.9 * 40);
    assert_int_equal(guira_reserve(f, reserved), GUIRA_OK);
    members_down_to(f, &m, 0, &r);
    assert_true((double)stats_of(f).slots * 0.9 >= (double)reserved);
    end(f, &m);
}

static void test_a_negative_min_load_means_never_shrink(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned policy = GUIRA_BOTH_LEVELS; policy <= GUIRA_FILTER_LEVEL; policy++) {
        struct model m = {0};
        guira_config c = paper((guira_policy)policy);
        c.min_load = -1;
        guira *f = make(c, &r);
        members_in(f, &m, 1000, &r);
        uint64_t buckets = stats_of(f).buckets;
        members_down_to(f, &m, 0, &r);
        assert_int_equal(stats_of(f).buckets, buckets);
        end(f, &m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bucket_level_has_one_filter_and_follows_bucket_by_bucket),
        cmocka_unit_test(test_filter_level_adds_and_drops_whole_filters),
        cmocka_unit_test(test_both_levels_add_buckets_first_and_a_filter_when_there_are_many),
        cmocka_unit_test(test_a_list_at_its_limit_refuses_or_adds_buckets),
        cmocka_unit_test(test_reservations_are_kept_until_they_are_given_back),
        cmocka_unit_test(test_a_bucket_that_is_too_large_to_spare_stays),
        cmocka_unit_test(test_a_negative_min_load_means_never_shrink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
