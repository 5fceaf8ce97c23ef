/* The steps of the elastic filter on demand: guira_elastic_extend and guira_elastic_halve. */
#include "papers/ecf/ecf.h"

#include <math.h>

#include "file_support.h"

static guira *make(guira_config c, struct rng *r) {
    guira *f;
    c.kind = GUIRA_ELASTIC;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static const struct ecf *inside(const guira *f) { return (const struct ecf *)f; }

static void end(guira *f, struct model *m) {
    guira_destroy(f);
    model_free(m);
}

/* Members, invariants, and a copy through a file that is the same. */
static void assert_sound(const guira *f, const struct model *m) {
    assert_same(f, m);
    assert_valid(f);
    struct bytes b = saved(f);
    guira *again = loaded(b);
    assert_true(digest(again) == digest(f));
    guira_destroy(again);
    free(b.at);
}

/* The paper's example: 10 buckets become 5. And on from there, an odd number, as far as it goes. */
static void test_ten_buckets_become_five_and_three(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned round = 0; round < 50; round++) {
        struct model m = {0};
        guira *f = make((guira_config){.buckets = 10, .slot_bits = 16, .min_load = -1}, &r);
        members_in(f, &m, 8, &r); /* of 12 slots at last: 17 places in the stash and the table are enough */
        assert_int_equal(guira_elastic_halve(f), GUIRA_OK);
        assert_true(stats_of(f).buckets == 5 && inside(f)->shape.range == 2);
        assert_sound(f, &m);
        assert_int_equal(guira_elastic_halve(f), GUIRA_OK);
        assert_true(stats_of(f).buckets == 3 && inside(f)->shape.range == 1);
        assert_sound(f, &m);
        uint64_t before = digest(f);
        assert_int_equal(guira_elastic_halve(f), GUIRA_ELIMIT);
        assert_true(digest(f) == before);
        assert_int_equal(guira_elastic_extend(f, 7), GUIRA_OK);
        assert_int_equal(stats_of(f).buckets, 21);
        assert_sound(f, &m);
        members_in(f, &m, 40, &r);
        assert_sound(f, &m);
        members_out(f, &m, m.n, &r);
        end(f, &m);
    }
}

static void test_an_extension_by_any_factor_is_lazy_and_ends_the_one_before(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned factor = 2; factor <= 16; factor++) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 20, .buckets = 101}, &r);
        members_in(f, &m, 350, &r);
        double rate = stats_of(f).fpr;
        assert_int_equal(guira_elastic_extend(f, factor), GUIRA_OK);
        assert_true(stats_of(f).buckets == 101 * factor && inside(f)->left == 101 && stats_of(f).fpr == rate);
        assert_sound(f, &m);
        members_in(f, &m, 5, &r);
        assert_true(inside(f)->left < 101);
        assert_int_equal(guira_elastic_extend(f, 2), GUIRA_OK); /* another factor, and the groups of this step only */
        assert_true(stats_of(f).buckets == 202 * factor && inside(f)->left == 101 * factor);
        assert_sound(f, &m);
        assert_int_equal(guira_elastic_halve(f), GUIRA_OK); /* undoes it, as the list of steps shows */
        assert_true(inside(f)->shape.steps == 1 && stats_of(f).buckets == 101 * factor);
        assert_sound(f, &m);
        members_out(f, &m, m.n, &r);
        end(f, &m);
    }
}

/* A shrink that comes by itself leaves the room alone; what is asked for does not. */
static void test_extended_room_is_kept_until_it_is_given_back(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 20, .buckets = 100}, &r);
    members_in(f, &m, 300, &r);
    assert_int_equal(guira_elastic_extend(f, 10), GUIRA_OK);
    members_out(f, &m, 250, &r);
    assert_int_equal(stats_of(f).buckets, 1000);
    assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    assert_int_equal(stats_of(f).buckets, 100);
    assert_int_equal(guira_elastic_extend(f, 2), GUIRA_OK);
    assert_int_equal(guira_elastic_halve(f), GUIRA_OK);
    assert_int_equal(stats_of(f).buckets, 100);
    members_out(f, &m, m.n, &r);
    assert_true(stats_of(f).buckets <= 100);
    assert_sound(f, &m);
    end(f, &m);
}

/* Half of the buckets hold 9 out of 10 entries at most. */
static void test_a_halving_without_room_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 16, .buckets = 10}, &r);
    members_in(f, &m, 36, &r);
    uint64_t before = digest(f);
    assert_int_equal(guira_elastic_halve(f), GUIRA_EFULL);
    assert_true(digest(f) == before);
    assert_sound(f, &m);
    end(f, &m);
}

static void test_wrong_arguments_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make((guira_config){0}, &r), *tidal, *view;
    struct bytes b = saved(f);
    uint64_t before = digest(f);
    for (unsigned i = 0; i < 2; i++) assert_int_equal(guira_elastic_extend(f, i), GUIRA_EINVAL);
    assert_int_equal(guira_elastic_extend(f, 17), GUIRA_EINVAL);
    assert_int_equal(guira_elastic_extend(NULL, 2), GUIRA_EINVAL);
    assert_int_equal(guira_elastic_halve(NULL), GUIRA_EINVAL);
    assert_int_equal(guira_create(NULL, &tidal), GUIRA_OK);
    assert_int_equal(guira_view(b.at, b.n, &view), GUIRA_OK);
    assert_int_equal(guira_elastic_extend(tidal, 2), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_elastic_halve(tidal), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_elastic_extend(view, 2), GUIRA_EUNSUPPORTED);
    assert_int_equal(guira_elastic_halve(view), GUIRA_EUNSUPPORTED);
    assert_true(digest(f) == before);
    guira_destroy(view);
    guira_destroy(tidal);
    guira_destroy(f);
    free(b.at);
}

/* 64 steps, then no more; an empty filter begins anew. */
static void test_the_list_of_steps_ends(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 32, .buckets = 1 << 20, .min_load = -1}, &r);
    members_in(f, &m, 5, &r);
    unsigned steps = 0;
    for (guira_status s = GUIRA_OK; s == GUIRA_OK && steps < 100; steps += s == GUIRA_OK)
        s = steps % 3 == 0 && stats_of(f).buckets < 1 << 20 ? guira_elastic_extend(f, 3) : guira_elastic_halve(f);
    assert_true(steps > 20 && steps <= MAX_STEPS);
    assert_sound(f, &m);
    end(f, &m);
}

/* ------------------------------------------------------------------------------------------------------------ anything */

static guira_status any_step(guira *f, struct rng *r) {
    if (rng_below(r, 2) == 0) return guira_elastic_halve(f);
    unsigned factor = 2 + (unsigned)rng_below(r, 15);
    return stats_of(f).buckets * factor > 3000 ? GUIRA_OK : guira_elastic_extend(f, factor);
}

static void test_any_sequence_of_steps_keeps_every_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    unsigned done = 0, refused = 0;
    for (unsigned round = 0; round < (quick_run() ? 20 : 200); round++) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 10 + round % 20,
                                       .bucket_slots = 1 + round % 5,
                                       .buckets = 2 + rng_below(&r, 300),
                                       .factor = 2 + round % 3},
                        &r);
        for (unsigned step = 0; step < 60; step++) {
            for (uint64_t i = rng_below(&r, 30); i > 0; i--) {
                uint64_t hash = rng_next(&r);
                if (guira_insert_hash(f, hash) == GUIRA_OK) model_add(&m, hash);
            }
            members_out(f, &m, m.n == 0 ? 0 : rng_below(&r, m.n < 30 ? m.n : 30), &r);
            uint64_t before = digest(f);
            guira_status s = any_step(f, &r);
            assert_true(s == GUIRA_OK || ((s == GUIRA_EFULL || s == GUIRA_ELIMIT) && digest(f) == before));
            done += s == GUIRA_OK;
            refused += s != GUIRA_OK;
            if (step % 8 == 0) assert_sound(f, &m);
            assert_same(f, &m);
        }
        members_out(f, &m, m.n, &r);
        assert_valid(f);
        end(f, &m);
    }
    print_message("  %u steps, %u refused\n", done, refused);
    assert_true(done > 100 && refused > 10);
}

/* Why a key was refused: see docs/elastic.md. */
enum reason { TOO_FEW_RANGES, HALF_EMPTY, LAST_EXTENSION_DID_NOT_HELP, NO_REASON };

static enum reason reason_of(const guira *f) {
    const struct ecf *e = inside(f);
    guira *copy;
    assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
    guira_status s = guira_elastic_extend(copy, guira__config_of(f).factor);
    guira_destroy(copy);
    if (s == GUIRA_ELIMIT) return TOO_FEW_RANGES;
    if (e->base.stash.n == STASH_LAST) return LAST_EXTENSION_DID_NOT_HELP;
    return (double)f->items < ecf_capacity(e, guira__config_of(f).max_load / 2, e->table.buckets) ? HALF_EMPTY
                                                                                                  : NO_REASON;
}

/* One slot and one kick: a table is full at a third, below half of max_load. With 4 to 7 bits there are soon too few ranges to
 * extend it. Nothing else is refused but copies, and never with room in the stash. */
static void test_a_key_is_refused_for_the_documented_reasons_only(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    unsigned seen[NO_REASON] = {0};
    for (unsigned round = 0; round < (quick_run() ? 30 : 150); round++) {
        struct model m = {0};
        bool narrow = round % 2 == 0;
        guira *f = make((guira_config){.slot_bits = (narrow ? 4 : 16) + (unsigned)rng_below(&r, 4),
                                       .bucket_slots = narrow ? 1 + (unsigned)rng_below(&r, 6) : 1,
                                       .buckets = 64 + rng_below(&r, 200),
                                       .max_load = narrow ? 0 : 0.95,
                                       .max_kicks = narrow ? 0 : 1},
                        &r);
        for (unsigned i = 0, refused = 0; i < 2000 && refused < 10; i++) {
            uint64_t hash = rng_next(&r), before = digest(f);
            guira_status s = guira_insert_hash(f, hash);
            if (s == GUIRA_OK) model_add(&m, hash);
            if (s == GUIRA_OK || s == GUIRA_EDUPLICATE) continue;
            assert_true(s == GUIRA_EFULL && digest(f) == before && stats_of(f).stash >= STASH_SIZE);
            enum reason why = reason_of(f);
            assert_int_not_equal(why, NO_REASON);
            seen[why]++;
            refused++;
        }
        assert_sound(f, &m);
        end(f, &m);
    }
    print_message("  refused: %u too few ranges, %u half empty, %u not helped by an extension\n", seen[TOO_FEW_RANGES],
                  seen[HALF_EMPTY], seen[LAST_EXTENSION_DID_NOT_HELP]);
    assert_true(seen[TOO_FEW_RANGES] > 0 && seen[HALF_EMPTY] > 0);
}

static guira_status extend_by_3(guira *f) { return guira_elastic_extend(f, 3); }

static void test_without_memory_nothing_changes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_status (*const step[])(guira *) = {extend_by_3, guira_elastic_halve, extend_by_3};
    struct model m = {0};
    memory_hook();
    guira *f = make((guira_config){.buckets = 200}, &r);
    members_in(f, &m, 300, &r);
    for (size_t i = 0; i < 3; i++) {
        uint64_t before = digest(f);
        guira_status s = GUIRA_ENOMEM;
        for (uint64_t k = 1; s == GUIRA_ENOMEM; k++) {
            memory.failed = false;
            memory.fail_at = memory.calls + k;
            s = step[i](f);
            memory.fail_at = 0;
            assert_true(memory.failed == (s == GUIRA_ENOMEM));
            assert_true(s == GUIRA_OK || digest(f) == before);
        }
        assert_int_equal(s, GUIRA_OK);
        assert_same(f, &m);
        assert_valid(f);
    }
    end(f, &m);
    memory_unhook();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_buckets_become_five_and_three),
        cmocka_unit_test(test_an_extension_by_any_factor_is_lazy_and_ends_the_one_before),
        cmocka_unit_test(test_extended_room_is_kept_until_it_is_given_back),
        cmocka_unit_test(test_a_halving_without_room_changes_nothing),
        cmocka_unit_test(test_wrong_arguments_are_refused),
        cmocka_unit_test(test_the_list_of_steps_ends),
        cmocka_unit_test(test_any_sequence_of_steps_keeps_every_member),
        cmocka_unit_test(test_a_key_is_refused_for_the_documented_reasons_only),
        cmocka_unit_test(test_without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
