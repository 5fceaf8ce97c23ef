/* The consistent cuckoo filter: where the paper is wrong, lists of filters that differ, and arguments. Growing and shrinking
 * have test_consistent_policies.c, any sequence of steps test_consistent_model.c, steps that name a filter
 * test_consistent_list.c, rings and single filters test_ring.c; what all kinds have in common has test_model.c and others. */
#include "consistent_support.h"

#include <math.h>

/* -------------------------------------------------------------------------------------------------------------- the rate */

static double measured_rate(const guira *f, unsigned probes, struct rng *r) {
    unsigned hits = 0;
    for (unsigned i = 0; i < probes; i++) hits += guira_contains_hash(f, rng_next(r));
    return (double)hits / probes;
}

/* The paper has s k b / 2^f, 9.2e-5 here for one filter; and it does not matter how many filters there are. */
static void test_the_rate_is_that_of_all_entries_whatever_the_number_of_filters(void **state) {
    (void)state;
    enum { N = 6451, PROBES = 1 << 18 };
    struct rng r = rng_for(__func__);
    for (unsigned policy = GUIRA_BUCKET_LEVEL; policy <= GUIRA_FILTER_LEVEL; policy++) {
        guira_config c = paper((guira_policy)policy);
        c.slot_bits = 16;
        c.max_load = 0.9;
        struct model m = {0};
        guira *f = make(c, &r);
        members_in(f, &m, N, &r);
        guira_stats s = stats_of(f);
        double rate = measured_rate(f, PROBES, &r), right = 1 - pow(1 - 0x1p-16, N),
               paper_has = (double)s.filters * 6 * 0x1p-16;
        print_message("  %u filters: %.4f measured, %.4f predicted, %.1e by the paper\n", (unsigned)s.filters, rate,
                      s.fpr, paper_has);
        double sigma =
            sqrt(right / PROBES + right * right * right / N); /* of the probes, and of entries that are equal */
        assert_true(fabs(s.fpr - right) < 0.001 && fabs(rate - s.fpr) < 6 * sigma);
        end(f, &m);
    }
}

static void test_a_wanted_rate_is_kept_with_all_of_the_capacity(void **state) {
    (void)state;
    enum { N = 10000, PROBES = 1 << 18 };
    struct rng r = rng_for(__func__);
    const double wanted[] = {0.1, 0.01, 0.001};
    for (unsigned i = 0; i < 3; i++) {
        struct model m = {0};
        guira *f = make((guira_config){.capacity = N, .fpr = wanted[i]}, &r);
        assert_int_equal(guira__config_of(f).slot_bits, ceil(log2(N / wanted[i])));
        members_in(f, &m, N, &r);
        double sigma = sqrt(wanted[i] / PROBES);
        assert_true(stats_of(f).fpr <= wanted[i] && measured_rate(f, PROBES, &r) < wanted[i] + 6 * sigma);
        end(f, &m);
    }
}

/* A fingerprint of zeros is as good as any; it must not be taken for an empty slot. */
static void test_a_fingerprint_of_zeros_comes_and_goes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(paper(GUIRA_BOTH_LEVELS), &r);
    assert_false(guira_contains_hash(f, 0));
    assert_int_equal(guira_remove_hash(f, 0), GUIRA_ENOTFOUND);
    for (uint64_t n = 1; n <= 3; n++) {
        assert_int_equal(guira_insert_hash(f, n), GUIRA_OK); /* the upper half is 0 */
        assert_true(guira_contains_hash(f, 0) && f->ops->count(f, 0) == n);
    }
    for (uint64_t n = 1; n <= 3; n++) assert_int_equal(guira_remove_hash(f, 0), GUIRA_OK);
    assert_false(guira_contains_hash(f, 0));
    assert_valid(f);
    guira_destroy(f);
}

/* ---------------------------------------------------------------------------------------------------------------- copies */

/* The paper's insertion would add buckets for ever: a fingerprint has k b places in a filter, however many buckets. All of
 * them can be used: where candidates fall together, a bucket (or at the filter level, a filter) is added. */
static void test_copies_have_k_times_b_places_and_more_are_refused_without_growing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned policy = GUIRA_BOTH_LEVELS; policy <= GUIRA_FILTER_LEVEL; policy++)
        for (unsigned k = 1; k <= 4; k++) {
            guira_config c = paper((guira_policy)policy);
            c.candidates = k;
            guira *f = make(c, &r);
            uint64_t hash = rng_next(&r), in = 0;
            while (guira_insert_hash(f, hash) == GUIRA_OK) in++;
            uint64_t before = digest(f), filters = stats_of(f).filters;
            for (unsigned i = 0; i < 100; i++) assert_int_equal(guira_insert_hash(f, hash), GUIRA_EDUPLICATE);
            assert_true(digest(f) == before && stats_of(f).buckets < 64 * filters + k);
            if (policy != GUIRA_FILTER_LEVEL) assert_true(in == 3 * k && filters == 1);
            else assert_true(in >= 3 * k && filters <= k && (in == 3 * k || filters > 1));
            assert_int_equal(guira_consistent_scale_out(f, NULL), GUIRA_OK);
            uint64_t first = in;
            while (guira_insert_hash(f, hash) == GUIRA_OK) in++; /* another filter has places too, if it is made */
            assert_true(in >= first + 3 && in <= first + 3 * k && stats_of(f).filters == filters + 1);
            if (policy != GUIRA_FILTER_LEVEL) assert_int_equal(in, 6 * k);
            for (; in > 0; in--) assert_int_equal(guira_remove_hash(f, hash), GUIRA_OK);
            assert_false(guira_contains_hash(f, hash));
            guira_destroy(f);
        }
}

/* With one bucket both candidates of every key are the same: the second copy needs a second bucket. */
static void test_a_copy_whose_candidates_fall_together_gets_a_bucket(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned policy = GUIRA_BOTH_LEVELS; policy <= GUIRA_FILTER_LEVEL; policy++) {
        guira *f = make(
            (guira_config){
                .candidates = 2, .bucket_slots = 1, .buckets = 1, .max_load = 0.999, .policy = (guira_policy)policy},
            &r);
        uint64_t hash = rng_next(&r);
        for (unsigned i = 0; i < 2; i++) assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        assert_int_equal(guira_count_hash(f, hash), 2);
        if (policy != GUIRA_FILTER_LEVEL) /* there the load has added a filter, with room for one more */
            assert_int_equal(guira_insert_hash(f, hash), GUIRA_EDUPLICATE);
        assert_valid(f);
        guira_destroy(f);
    }
}

/* --------------------------------------------------------------------------------------------------------------- compact */

static void test_compact_takes_filters_away_and_adds_no_bucket_to_the_others(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_config c = paper(GUIRA_FILTER_LEVEL);
    c.min_load = -1; /* not by itself */
    guira *f = make(c, &r);
    members_in(f, &m, 3000, &r);
    uint64_t filters = stats_of(f).filters;
    members_down_to(f, &m, 1500, &r);
    assert_int_equal(stats_of(f).filters, filters);
    assert_int_equal(guira_consistent_compact(f), GUIRA_OK);
    guira_stats s = stats_of(f);
    assert_true(s.filters < filters && s.buckets == 64 * s.filters && s.load > 0.85);
    assert_same(f, &m);
    assert_valid(f);
    end(f, &m);
}

/* As printed, it cannot fail: it calls the insertion that extends. */
static void test_compact_that_finds_no_room_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_config c = paper(GUIRA_FILTER_LEVEL);
    c.min_load = -1;
    guira *f = make(c, &r);
    members_in(f, &m, 2000, &r);
    for (unsigned round = 0; round < 20; round++) {
        members_down_to(f, &m, m.n - 40, &r);
        while (guira_consistent_compact(f) == GUIRA_OK) {
        }
        uint64_t before = digest(f);
        assert_int_equal(guira_consistent_compact(f), GUIRA_EFULL);
        assert_int_equal(digest(f), before);
        assert_same(f, &m);
    }
    end(f, &m);
}

static void test_the_last_filter_stays(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(paper(GUIRA_FILTER_LEVEL), &r);
    assert_int_equal(guira_consistent_scale_out(f, NULL), GUIRA_OK);
    assert_int_equal(guira_consistent_compact(f), GUIRA_OK);
    uint64_t before = digest(f);
    assert_int_equal(guira_consistent_compact(f), GUIRA_EFULL);
    assert_true(digest(f) == before && stats_of(f).filters == 1);
    guira_destroy(f);
}

/* ------------------------------------------------------------------------------------------------ filters that differ */

/* x and y have the same first 12 bits; x's entry has 12, y's has 30. Whichever filter was there first. */
static void test_the_longest_match_is_removed(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned turn = 0; turn < 2; turn++) {
        guira_config shape[2] = {paper(GUIRA_BOTH_LEVELS), paper(GUIRA_BOTH_LEVELS)};
        shape[turn].slot_bits = 12;
        shape[0].min_load = -1; /* compacting would make one filter of the two */
        uint64_t hash[2] = {rng_next(&r), rng_next(&r)};
        hash[1] = hash[0] ^ (hash[1] >> 12 | UINT64_C(1) << 40);
        guira *f = make(shape[0], &r);
        assert_int_equal(guira_insert_hash(f, hash[0]), GUIRA_OK);
        assert_int_equal(guira_consistent_scale_out(f, &shape[1]), GUIRA_OK);
        assert_int_equal(guira_insert_hash(f, hash[1]), GUIRA_OK); /* goes to the filter that is empty */
        uint64_t x = hash[turn], y = hash[1 - turn];
        assert_true(f->ops->count(f, x) == 1 && f->ops->count(f, y) == 2);
        assert_int_equal(guira_remove_hash(f, y), GUIRA_OK);
        assert_true(guira_contains_hash(f, x));
        assert_int_equal(guira_remove_hash(f, x), GUIRA_OK);
        assert_false(guira_contains_hash(f, x) || guira_contains_hash(f, y));
        guira_destroy(f);
    }
}

static void test_entries_go_to_the_filter_with_the_lowest_load(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make(paper(GUIRA_BOTH_LEVELS), &r);
    members_in(f, &m, 96, &r);
    assert_int_equal(guira_consistent_scale_out(f, &(guira_config){.buckets = 64, .slot_bits = 9, .bucket_slots = 3}),
                     GUIRA_OK);
    double one = stats_of(f).fpr;
    members_in(f, &m, 96, &r); /* all of these into the second, whose 9 bits show in the rate */
    double rate = stats_of(f).fpr;
    assert_true(one < 1e-6 && fabs(rate - (1 - pow(1 - 0x1p-9, 96))) < 0.005);
    members_in(f, &m, 96, &r); /* and of these a half */
    assert_true(fabs(stats_of(f).fpr - (1 - pow(1 - 0x1p-9, 144))) < 0.005);
    assert_same(f, &m);
    end(f, &m);
}

/* Short fingerprints can be made of long ones, not the other way round. */
static void test_compact_never_makes_fingerprints_longer(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned turn = 0; turn < 2; turn++) {
        struct model m = {0};
        guira_config c = paper(GUIRA_BOTH_LEVELS), other = c;
        c.slot_bits = turn == 0 ? 30 : 14;
        other.slot_bits = turn == 0 ? 14 : 30;
        other.buckets = 128;
        guira *f = make(c, &r);
        members_in(f, &m, 100, &r);
        assert_int_equal(guira_consistent_scale_out(f, &other), GUIRA_OK);
        members_in(f, &m, 40, &r);
        assert_int_equal(guira_consistent_compact(f), GUIRA_OK); /* the one with 30 bits into the one with 14 */
        guira_stats s = stats_of(f);
        assert_true(s.filters == 1 && s.buckets == (turn == 0 ? 128 : 64) && s.fpr > 140 * 0x1p-15);
        assert_same(f, &m);
        assert_valid(f);
        end(f, &m);
    }
}

/* ----------------------------------------------------------------------------------------------------------- arguments */

static void test_a_ring_too_small_for_more_is_a_limit(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_config c = {.buckets = 2, .ring = 41, .max_filters = 1}; /* 2 buckets of 10 points are half of 40 */
    struct model m = {0};
    guira *f = make(c, &r);
    assert_int_equal(guira_consistent_scale_up(f), GUIRA_ELIMIT);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t hash = rng_next(&r), before = digest(f);
        guira_status s = guira_insert_hash(f, hash);
        if (s == GUIRA_OK) model_add(&m, hash);
        else assert_true(s == GUIRA_EFULL && digest(f) == before);
    }
    assert_true(m.n >= 4 && m.n <= 8);
    assert_same(f, &m);
    end(f, &m);
    c.buckets = 3;
    c.kind = GUIRA_CONSISTENT;
    assert_int_equal(guira_create(&c, &f), GUIRA_ELIMIT);
}

static void test_senseless_parameters_are_refused(void **state) {
    (void)state;
    const guira_config bad[] = {{.slot_bits = 3},   {.slot_bits = 33},       {.bucket_slots = 17},
                                {.candidates = 33}, {.virtual_nodes = 1025}, {.ring = 1},
                                {.ring = 2},        {.max_kicks = 2001},     {.policy = (guira_policy)3},
                                {.fpr = 1},         {.max_load = 1},         {.min_load = 0.95}};
    struct rng r = rng_for(__func__);
    guira *f = make((guira_config){0}, &r), *g = f;
    uint64_t before = digest(f);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        guira_config c = bad[i];
        c.kind = GUIRA_CONSISTENT;
        assert_int_equal(guira_create(&c, &g), GUIRA_EINVAL);
        assert_null(g);
        assert_int_equal(guira_consistent_scale_out(f, &c), GUIRA_EINVAL);
    }
    guira_config large = {.kind = GUIRA_CONSISTENT, .buckets = UINT64_C(1) << 32};
    assert_int_equal(guira_create(&large, &g), GUIRA_ELIMIT);
    assert_int_equal(guira_consistent_scale_out(f, &large), GUIRA_ELIMIT);
    assert_int_equal(digest(f), before);
    guira_destroy(f);
}

static void test_single_steps_are_for_this_kind_only(void **state) {
    (void)state;
    guira *f;
    assert_int_equal(guira_create(NULL, &f), GUIRA_OK);
    assert_int_equal(guira_consistent_scale_up(f), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_scale_down(f), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_scale_out(f, NULL), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_consistent_compact(f), GUIRA_EUNSUPPORTED);
    assert_int_equal(stats_of(f).filters, 1);
    guira_destroy(f);
    assert_int_equal(guira_consistent_scale_up(NULL), GUIRA_EINVAL);
    assert_int_equal(guira_consistent_scale_down(NULL), GUIRA_EINVAL);
    assert_int_equal(guira_consistent_scale_out(NULL, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_consistent_compact(NULL), GUIRA_EINVAL);
}

/* ------------------------------------------------------------------------------------------------------------- no memory */

static guira_status out_of_another_shape(guira *f) {
    return guira_consistent_scale_out(f, &(guira_config){.buckets = 5, .bucket_slots = 2, .slot_bits = 20});
}

/* Repeats a step until it needs memory and there is none, once for each of its allocations. must: it cannot do without. */
static void starve(guira *f, guira_status (*step)(guira *f), bool must, const struct model *m) {
    for (uint64_t k = 1; k < 4; k++) {
        guira_status s = GUIRA_OK;
        uint64_t before = 0;
        for (unsigned i = 0; i < 200 && s == GUIRA_OK; i++) {
            before = digest(f);
            memory.failed = false;
            memory.fail_at = memory.calls + k;
            s = step(f);
            memory.fail_at = 0;
            if (memory.failed) break;
        }
        if (s == GUIRA_ENOMEM) assert_int_equal(digest(f), before);
        else assert_true(s == GUIRA_OK || s == GUIRA_EFULL || s == GUIRA_ELIMIT);
        if (k == 1 && must) assert_true(memory.failed && s == GUIRA_ENOMEM);
        assert_same(f, m);
        assert_valid(f);
    }
}

static void test_single_steps_without_memory_change_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira_config c = paper(GUIRA_BOTH_LEVELS);
    c.min_load = -1;
    memory_hook();
    guira *f = make(c, &r);
    members_in(f, &m, 500, &r);
    starve(f, guira_consistent_scale_up, true, &m);
    starve(f, out_of_another_shape, true, &m);
    assert_true(stats_of(f).filters > 2);
    starve(f, guira_consistent_compact, true, &m);
    starve(f, guira_shrink_to_fit, false, &m);
    starve(f, guira_consistent_scale_down, false, &m);
    end(f, &m);
    memory_unhook();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rate_is_that_of_all_entries_whatever_the_number_of_filters),
        cmocka_unit_test(test_a_wanted_rate_is_kept_with_all_of_the_capacity),
        cmocka_unit_test(test_a_fingerprint_of_zeros_comes_and_goes),
        cmocka_unit_test(test_copies_have_k_times_b_places_and_more_are_refused_without_growing),
        cmocka_unit_test(test_a_copy_whose_candidates_fall_together_gets_a_bucket),
        cmocka_unit_test(test_compact_takes_filters_away_and_adds_no_bucket_to_the_others),
        cmocka_unit_test(test_compact_that_finds_no_room_changes_nothing),
        cmocka_unit_test(test_the_last_filter_stays),
        cmocka_unit_test(test_the_longest_match_is_removed),
        cmocka_unit_test(test_entries_go_to_the_filter_with_the_lowest_load),
        cmocka_unit_test(test_compact_never_makes_fingerprints_longer),
        cmocka_unit_test(test_a_ring_too_small_for_more_is_a_limit),
        cmocka_unit_test(test_senseless_parameters_are_refused),
        cmocka_unit_test(test_single_steps_are_for_this_kind_only),
        cmocka_unit_test(test_single_steps_without_memory_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
