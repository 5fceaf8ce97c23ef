/* What is special about the elastic filter: ranges in a table of any size, halving, extending, folding back, and the
 * copies that an extension leaves for later. Where the paper's printed rule is wrong the test says what the rule would
 * have done. */
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

static struct ecf *inside(guira *f) { return (struct ecf *)f; }

static void fill_to(guira *f, struct model *m, double load, struct rng *r) {
    members_in(f, m, (size_t)(load * (double)stats_of(f).slots) - m->n, r);
}

static void assert_sound(guira *f, const struct model *m) {
    assert_same(f, m);
    assert_valid(f);
}

static void end(guira *f, struct model *m) {
    guira_destroy(f);
    model_free(m);
}

/* With everything it knows. */
static void assert_saved(const guira *f) {
    struct bytes b = saved(f);
    guira *again = loaded(b);
    assert_true(digest(again) == digest(f));
    guira_destroy(again);
    free(b.at);
}

/* Takes all members out again, one by one, so that none was counted twice. */
static void empty(guira *f, struct model *m, struct rng *r) {
    members_out(f, m, m->n, r);
    assert_sound(f, m);
    assert_false(guira_contains_hash(f, rng_next(r)));
    end(f, m);
}

/* The rate that the filter says. What is measured must be that, within 4 sigma: the chance of the probes, and that of members that
 * overlap. As that happens by chance once in 16,000 times it is measured twice before it counts. */
static double check_rate(const guira *f, struct rng *r) {
    guira_stats s = stats_of(f);
    const size_t probes = quick_run() ? 1 << 18 : 1 << 20;
    const double expected = (double)probes * s.fpr;
    double share = s.items == 0 ? 0 : -log1p(-s.fpr) / (double)s.items, hits = 0, off = 0;
    double sigma = sqrt(expected * (1 - s.fpr) + expected * expected * share) + 1e-9;
    for (unsigned turn = 0; turn < 2; turn++) {
        hits = 0;
        for (size_t i = 0; i < probes; i++) hits += guira_contains_hash(f, rng_next(r));
        off = (fabs(hits - expected) - 2) / sigma;
        if (off < 4) return s.fpr;
    }
    fail_msg("%llu items, %llu buckets: rate %.5f, %.5f predicted, off by %.1f sigma", (unsigned long long)s.items,
             (unsigned long long)s.buckets, hits / (double)probes, s.fpr, off);
    return 0;
}

/* -------------------------------------------------------------------------------------------------------------- shapes */

static const uint64_t sizes[] = {2, 3, 64, 65, 100, 127, 1000, 24575, 24576, 65535};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The distance is taken modulo L. Modulo 2^n, as printed, ranges around the end lose it: of the entries in those, one
 * of two at L = 24576. */
static void test_from_either_bucket_the_other_one_is_found(void **state) {
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct ecf_shape s = guira__ecf_shape(sizes[i]);
        uint64_t reach = UINT64_C(1) << s.range, wrong_as_printed = 0;
        assert_true(reach <= sizes[i] && sizes[i] < 2 * reach);
        for (uint64_t what = 1; what < 500; what++) {
            struct ecf_range w = guira__ecf_range(&s, what);
            assert_true(w.start < s.buckets && w.flip < reach && w.flip >= reach / 2);
            for (uint64_t d = 0; d < reach; d += 1 + reach / 64) {
                uint64_t a = ecf_bucket(&s, w.start, d), b = ecf_bucket(&s, w.start, d ^ w.flip);
                assert_true(a < s.buckets && b < s.buckets && a != b);
                assert_true(ecf_distance(&s, w.start, a) == d && ecf_distance(&s, w.start, b) == (d ^ w.flip));
                wrong_as_printed += ((a - w.start + reach) & (reach - 1)) != d;
            }
        }
        assert_true((sizes[i] == reach) == (wrong_as_printed == 0));
    }
}

/* Rounding is downwards: 3/2 = 1, as the example has it, and not "to the next integer", as the text does. */
static void test_halving_halves_the_start_the_distance_and_the_flip(void **state) {
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct ecf_shape old = guira__ecf_shape(sizes[i]), new = old;
        if (!guira__ecf_shape_halve(&new, MIN_RANGE)) continue;
        assert_true(new.buckets == (old.buckets + 1) / 2 && new.range == old.range - 1);
        for (uint64_t what = 1; what < 1000; what++) {
            struct ecf_range a = guira__ecf_range(&old, what), b = guira__ecf_range(&new, what);
            assert_true(b.start == a.start / 2 && b.flip == a.flip / 2 && b.start < new.buckets &&b.flip > 0);
        }
    }
}

/* From bucket 0 of an even number, with an odd start, it goes to the last one. As printed, to 0/2 - 1. */
static void test_halving_takes_bucket_0_around_the_end(void **state) {
    (void)state;
    struct ecf_shape old = guira__ecf_shape(1000), new = old;
    assert_true(guira__ecf_shape_halve(&new, MIN_RANGE));
    unsigned seen = 0;
    for (uint64_t what = 1; what < 3000; what++) {
        uint64_t start = guira__ecf_range(&old, what).start, d = ecf_distance(&old, start, 0);
        if (start % 2 == 0 || d >> old.range != 0) continue;
        assert_int_equal(ecf_bucket(&new, guira__ecf_range(&new, what).start, d / 2), new.buckets - 1);
        seen++;
    }
    assert_true(seen > 100);
}

/* Rounding the start to an even number again after an odd size, as printed, would misplace half of them. */
static void test_extending_keeps_the_start_modulo_the_old_size(void **state) {
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (unsigned factor = 2; factor <= 16; factor++) {
            struct ecf_shape old = guira__ecf_shape(sizes[i]), new = old;
            assert_true(guira__ecf_shape_extend(&new, factor, 16));
            assert_true(new.buckets == factor *old.buckets &&new.range == old.range);
            bool seen[16] = {false};
            for (uint64_t what = 1; what < 1000; what++) {
                struct ecf_range a = guira__ecf_range(&old, what), b = guira__ecf_range(&new, what);
                assert_true(b.start % old.buckets == a.start && b.flip == a.flip);
                seen[b.start / old.buckets] = true;
            }
            for (unsigned j = 0; j < factor; j++) assert_true(seen[j]);
            assert_true(guira__ecf_shape_fold(&new) && new.buckets == old.buckets &&new.steps == 0);
        }
}

/* 2^15 - 1 ranges of 64 buckets: 8 begin in every 64 of 2^11 * 64 buckets. */
static void test_no_more_steps_than_there_is_room_for(void **state) {
    (void)state;
    struct ecf_shape s = guira__ecf_shape(64);
    assert_false(guira__ecf_shape_halve(&s, MIN_RANGE) || guira__ecf_shape_fold(&s));
    for (unsigned i = 0; i < 11; i++) assert_true(guira__ecf_shape_extend(&s, 2, 15));
    assert_false(guira__ecf_shape_extend(&s, 2, 15));
    s = guira__ecf_shape(UINT64_C(1) << 31);
    while (guira__ecf_shape_extend(&s, 2, 32) || guira__ecf_shape_halve(&s, MIN_RANGE))
        assert_true(s.buckets <= UINT64_C(1) << 32);
    assert_true(s.range == MIN_RANGE && s.steps == 51 && s.steps < MAX_STEPS); /* 25 times down and up again */
}

/* ------------------------------------------------------------------------------------------------------------ any size */

static void test_any_size_fills_up_without_a_loss(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 2; i < SIZES; i++) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 16, .buckets = sizes[i], .max_load = 0.97, .min_load = -1}, &r);
        fill_to(f, &m, 0.95, &r);
        assert_int_equal(stats_of(f).buckets, sizes[i]);
        assert_sound(f, &m);
        empty(f, &m, &r);
    }
}

/* A range has 2^n of the buckets, so one bucket less than a power of two doubles the rate. The paper calls it the plain
 * filter's. */
static void test_the_rate_is_that_of_the_range(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    double rate[2];
    for (size_t i = 0; i < 2; i++) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 12, .buckets = 16383 + i}, &r);
        fill_to(f, &m, 0.9, &r);
        rate[i] = check_rate(f, &r);
        end(f, &m);
    }
    print_message("  16383 buckets: %.5f, 16384: %.5f\n", rate[0], rate[1]);
    assert_true(rate[0] > 1.98 * rate[1] && rate[0] < 2.02 * rate[1]);
}

/* ------------------------------------------------------------------------------------------------------------- halving */

/* As printed the loop ends at L/2 and loses the other half; and an odd L loses one of six. */
static void test_halving_again_and_again_keeps_every_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 6; i < SIZES; i++) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 16, .buckets = sizes[i]}, &r);
        members_in(f, &m, 60, &r);
        for (struct ecf_shape to = inside(f)->shape; guira__ecf_shape_halve(&to, MIN_RANGE); to = inside(f)->shape) {
            assert_int_equal(guira__ecf_rebuild(inside(f), &to), GUIRA_OK);
            assert_sound(f, &m);
            check_rate(f, &r);
            members_in(f, &m, 10, &r);
        }
        assert_int_equal(inside(f)->shape.range, MIN_RANGE);
        empty(f, &m, &r);
    }
}

/* As printed, 14 % go to the stash. */
static void test_halving_to_load_090_needs_no_stash_to_speak_of(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (uint64_t buckets = 2000; buckets <= 8191; buckets += 6191) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 16, .buckets = buckets}, &r);
        fill_to(f, &m, 0.45, &r);
        assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
        assert_int_equal(stats_of(f).buckets, (buckets + 1) / 2);
        assert_true(stats_of(f).load > 0.89 && stats_of(f).stash <= STASH_GROW);
        assert_sound(f, &m);
        check_rate(f, &r);
        empty(f, &m, &r);
    }
}

static void test_a_halving_without_room_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 16, .buckets = 1000}, &r);
    fill_to(f, &m, 0.52, &r);
    struct ecf_shape half = inside(f)->shape;
    assert_true(guira__ecf_shape_halve(&half, MIN_RANGE));
    uint64_t before = digest(f);
    assert_int_equal(guira__ecf_rebuild(inside(f), &half), GUIRA_EFULL);
    assert_true(digest(f) == before);
    assert_sound(f, &m);
    end(f, &m);
}

/* With 8 bits a stash that knew only fingerprints would match one key of 16: it must know the bucket too. */
static void test_the_stash_does_not_spoil_the_rate(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    memory_hook();
    guira *f = make((guira_config){.slot_bits = 8, .buckets = 1000, .max_kicks = 50}, &r);
    memory.fail_at = memory.calls + 1;
    memory.fail_on = true;
    for (unsigned refused = 0; refused < 50;) {
        uint64_t hash = rng_next(&r), before = digest(f);
        guira_status s = guira_insert_hash(f, hash);
        if (s == GUIRA_OK) model_add(&m, hash);
        else assert_true(s == GUIRA_ENOMEM && digest(f) == before);
        refused += s != GUIRA_OK;
    }
    memory.fail_at = 0;
    assert_int_equal(stats_of(f).stash, STASH_SIZE);
    assert_sound(f, &m);
    check_rate(f, &r);
    assert_saved(f);
    members_out(f, &m, m.n / 2, &r);
    assert_true(stats_of(f).stash < STASH_SIZE / 2);
    assert_sound(f, &m);
    end(f, &m);
    memory_unhook();
}

/* ----------------------------------------------------------------------------------------------------------- extending */

/* The paper says that the rate stays. It doubles with the size, at the same load. */
static void test_each_extension_multiplies_the_rate(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 12, .buckets = 2048}, &r);
    double last = 0;
    for (unsigned i = 0; i < 4; i++) {
        fill_to(f, &m, 0.9, &r);
        double rate = check_rate(f, &r);
        print_message("  x%u: %.5f\n", 1U << i, rate);
        assert_true(i == 0 || (rate > 1.95 * last && rate < 2.05 * last));
        assert_int_equal(stats_of(f).buckets, 2048 << i);
        last = rate;
        assert_int_equal(guira_elastic_extend(f, guira__config_of(f).factor), GUIRA_OK);
        assert_sound(f, &m);
        check_rate(f, &r);
    }
    empty(f, &m, &r);
}

static uint64_t stranger(const guira *f, struct rng *r) {
    for (;;) {
        uint64_t hash = rng_next(r);
        if (!guira_contains_hash(f, hash)) return hash;
    }
}

static void test_an_extension_waits_until_it_is_written_to(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned factor = 2; factor <= 16; factor += 7) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 16, .buckets = 333, .factor = factor}, &r);
        fill_to(f, &m, 0.9, &r);
        assert_int_equal(guira_elastic_extend(f, guira__config_of(f).factor), GUIRA_OK);
        uint64_t before = digest(f);
        assert_true(inside(f)->left == 333 && inside(f)->groups == 333);
        assert_sound(f, &m);
        for (size_t i = 0; i < m.n; i++) assert_in_range(f->ops->count(f, m.hash[i]), 1, 4); /* wrong copies don't */
        assert_int_equal(guira_remove_hash(f, stranger(f, &r)), GUIRA_ENOTFOUND);
        assert_true(digest(f) == before);
        members_in(f, &m, 10, &r);
        assert_in_range(inside(f)->left, 290, 332);
        members_out(f, &m, 10, &r);
        assert_in_range(inside(f)->left, 270, 332);
        assert_sound(f, &m);
        assert_int_equal(guira_elastic_extend(f, guira__config_of(f).factor),
                         GUIRA_OK); /* finishes what the first one has left */
        assert_true(inside(f)->left == 333 * factor && stats_of(f).buckets == 333 * factor * factor);
        assert_sound(f, &m);
        empty(f, &m, &r);
    }
}

/* Opening a group erases the stale copies and nothing else. */
static void test_opening_all_groups_keeps_every_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 16, .buckets = 100, .factor = 3}, &r);
    fill_to(f, &m, 0.9, &r);
    assert_int_equal(guira_elastic_extend(f, guira__config_of(f).factor), GUIRA_OK);
    for (uint64_t left = 100; left > 0; left--) {
        assert_int_equal(inside(f)->left, left);
        guira__ecf_open(f, left - 1 + 100 * rng_below(&r, 3)); /* any bucket of the group */
        assert_sound(f, &m);
    }
    for (uint64_t i = 0; i < 300; i++) guira__ecf_open(f, i); /* no group is left */
    assert_sound(f, &m);
    empty(f, &m, &r);
}

/* With one slot per bucket and one kick per insertion a table is full at a third. Extended and full again, only some of
 * its buckets have been written to, and a walk that fails has been through others. */
static void test_a_refusal_among_waiting_buckets_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f =
        make((guira_config){.slot_bits = 16, .bucket_slots = 1, .buckets = 3000, .max_load = 0.95, .max_kicks = 1}, &r);
    for (unsigned refused = 0; refused < 20;) {
        uint64_t hash = rng_next(&r), before = digest(f), waiting = inside(f)->left;
        if (guira_insert_hash(f, hash) == GUIRA_OK) {
            model_add(&m, hash);
            continue;
        }
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_EFULL);
        assert_true(digest(f) == before);
        if (stats_of(f).buckets == 3000)
            assert_int_equal(guira_elastic_extend(f, guira__config_of(f).factor), GUIRA_OK);
        else assert_true(++refused && waiting > 1000);
    }
    assert_sound(f, &m);
    empty(f, &m, &r);
}

/* ------------------------------------------------------------------------------------------------------- by itself */

static void test_it_grows_and_shrinks_by_itself_and_is_none_the_worse(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned factor = 2; factor <= 5; factor++) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 16, .buckets = 100, .factor = factor}, &r);
        uint64_t bytes = stats_of(f).bytes;
        for (unsigned wave = 0; wave < 3; wave++) {
            members_in(f, &m, 10000, &r);
            guira_stats s = stats_of(f);
            assert_true(s.load <= 0.95 && s.load >= 0.9 / factor && s.buckets >= 2600);
            assert_sound(f, &m);
            check_rate(f, &r);
            members_out(f, &m, m.n - 50, &r);
            s = stats_of(f);
            assert_true(s.buckets == 100 && inside(f)->shape.steps == 0 && s.bytes == bytes); /* folded, not halved */
            assert_sound(f, &m);
            check_rate(f, &r);
        }
        end(f, &m);
    }
}

static void test_a_negative_least_load_never_shrinks(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.min_load = -1}, &r);
    members_in(f, &m, 5000, &r);
    uint64_t buckets = stats_of(f).buckets;
    members_out(f, &m, 5000, &r);
    assert_true(stats_of(f).buckets == buckets && stats_of(f).shrinks == 0);
    assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    assert_int_equal(stats_of(f).buckets, 64);
    end(f, &m);
}

/* An empty filter can have any size, another only its own size times the factor. */
static void test_a_reservation_is_kept_until_it_is_given_back(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 16, .factor = 3}, &r);
    assert_int_equal(guira_reserve(f, 1000), GUIRA_OK);
    assert_true(stats_of(f).buckets == 264 && inside(f)->shape.steps == 0);
    members_in(f, &m, 1000, &r);
    assert_int_equal(stats_of(f).buckets, 264);
    assert_int_equal(guira_reserve(f, 5000), GUIRA_OK);
    assert_true(stats_of(f).buckets == 264 * 9 && inside(f)->shape.steps == 2);
    assert_sound(f, &m);
    members_out(f, &m, 990, &r);
    assert_int_equal(stats_of(f).buckets, 264 * 9);
    assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    assert_in_range(stats_of(f).buckets, 64, 127);
    assert_sound(f, &m);
    check_rate(f, &r);
    empty(f, &m, &r);
}

/* ---------------------------------------------------------------------------------------------------------- the history */

static bool random_step(guira *f, struct rng *r) {
    struct ecf_shape to = inside(f)->shape;
    switch (rng_below(r, 6)) {
    case 0: return stats_of(f).buckets < 20000 && guira_elastic_extend(f, guira__config_of(f).factor) == GUIRA_OK;
    case 1: return guira_shrink_to_fit(f) == GUIRA_OK;
    case 2: return guira_reserve(f, rng_below(r, 3 * f->items + 500)) == GUIRA_OK;
    case 3: return guira__ecf_shape_fold(&to) && guira__ecf_rebuild(inside(f), &to) == GUIRA_OK;
    default: return guira__ecf_shape_halve(&to, MIN_RANGE) && guira__ecf_rebuild(inside(f), &to) == GUIRA_OK;
    }
}

static bool is_mixed(const struct ecf_shape *s) {
    bool extended = false;
    for (uint32_t i = 0; i < s->steps; i++) {
        if (s->step[i] == HALVED && extended) return true;
        extended |= s->step[i] != HALVED;
    }
    return false;
}

static void test_steps_in_any_order_keep_every_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    unsigned runs = quick_run() ? 12 : 120, mixed = 0, steps = 0;
    for (unsigned i = 0; i < runs; i++) {
        struct model m = {0};
        guira *f = make((guira_config){.slot_bits = 16 + i % 5,
                                       .bucket_slots = 2 + i % 3,
                                       .buckets = 500 + rng_below(&r, 4000),
                                       .factor = 2 + i % 4},
                        &r);
        for (unsigned k = 0; k < 40; k++) {
            members_in(f, &m, rng_below(&r, 300), &r);
            members_out(f, &m, m.n == 0 ? 0 : rng_below(&r, m.n < 200 ? m.n : 200), &r);
            steps += random_step(f, &r);
            assert_sound(f, &m);
            mixed += is_mixed(&inside(f)->shape);
        }
        inside(f)->min_buckets = 0; /* the steps have gone below it, which nothing else does */
        assert_saved(f);
        check_rate(f, &r);
        empty(f, &m, &r);
    }
    print_message("  %u steps, a halving after an extension in %u of %u histories\n", steps, mixed, 40 * runs);
    assert_true(mixed > runs);
}

/* A shrunk filter has lost what it was; an empty one starts afresh. */
static void test_an_empty_filter_forgets_its_history(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 16, .buckets = 1000}, &r);
    members_in(f, &m, 300, &r);
    assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    members_in(f, &m, 3000, &r);
    assert_true(inside(f)->shape.steps > 2);
    members_out(f, &m, m.n, &r);
    assert_true(inside(f)->shape.steps == 0 && stats_of(f).buckets == 64);
    end(f, &m);
}

/* ------------------------------------------------------------------------------------------------------------ its limits */

/* Ranges begin in 2^f places only. With few of them per range the table cannot be filled evenly, and it ends there. */
static void test_growth_stops_when_the_ranges_run_out(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    guira *f = make((guira_config){.slot_bits = 8}, &r);
    uint64_t refused = 0, before = 0;
    while (refused == 0) {
        uint64_t hash = rng_next(&r);
        if (m.n > 2000) before = digest(f);
        guira_status s = guira_insert_hash(f, hash);
        refused += s != GUIRA_OK;
        if (s == GUIRA_OK) model_add(&m, hash);
        else assert_true((s == GUIRA_EFULL || s == GUIRA_EDUPLICATE) && m.n > 2000 && digest(f) == before);
    }
    guira_stats s = stats_of(f);
    print_message("  8 bits: %llu of %llu buckets, load %.3f, rate %.3f\n", (unsigned long long)s.items,
                  (unsigned long long)s.buckets, s.load, s.fpr);
    assert_true(s.buckets == 64 << 4 && s.load > 0.5);
    assert_int_equal(guira_reserve(f, 10 * m.n), GUIRA_ELIMIT);
    before = digest(f);
    assert_int_equal(guira_elastic_extend(f, guira__config_of(f).factor), GUIRA_ELIMIT);
    assert_true(digest(f) == before);
    assert_sound(f, &m);
    check_rate(f, &r);
    empty(f, &m, &r);
}

static void test_a_key_has_as_many_copies_as_its_places(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned slots = 1; slots <= 16; slots++) {
        guira *f = make((guira_config){.bucket_slots = slots, .slot_bits = 12}, &r);
        uint64_t hash = rng_next(&r), buckets = stats_of(f).buckets;
        for (unsigned i = 0; i < 2 * slots; i++) assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        uint64_t before = digest(f);
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_EDUPLICATE);
        assert_true(digest(f) == before && f->ops->count(f, hash) == 2 * slots && stats_of(f).buckets == buckets);
        for (unsigned i = 0; i < 2 * slots; i++) assert_int_equal(guira_remove_hash(f, hash), GUIRA_OK);
        assert_int_equal(guira_remove_hash(f, hash), GUIRA_ENOTFOUND);
        guira_destroy(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_either_bucket_the_other_one_is_found),
        cmocka_unit_test(test_halving_halves_the_start_the_distance_and_the_flip),
        cmocka_unit_test(test_halving_takes_bucket_0_around_the_end),
        cmocka_unit_test(test_extending_keeps_the_start_modulo_the_old_size),
        cmocka_unit_test(test_no_more_steps_than_there_is_room_for),
        cmocka_unit_test(test_any_size_fills_up_without_a_loss),
        cmocka_unit_test(test_the_rate_is_that_of_the_range),
        cmocka_unit_test(test_halving_again_and_again_keeps_every_member),
        cmocka_unit_test(test_halving_to_load_090_needs_no_stash_to_speak_of),
        cmocka_unit_test(test_a_halving_without_room_changes_nothing),
        cmocka_unit_test(test_the_stash_does_not_spoil_the_rate),
        cmocka_unit_test(test_each_extension_multiplies_the_rate),
        cmocka_unit_test(test_an_extension_waits_until_it_is_written_to),
        cmocka_unit_test(test_opening_all_groups_keeps_every_member),
        cmocka_unit_test(test_a_refusal_among_waiting_buckets_changes_nothing),
        cmocka_unit_test(test_it_grows_and_shrinks_by_itself_and_is_none_the_worse),
        cmocka_unit_test(test_a_negative_least_load_never_shrinks),
        cmocka_unit_test(test_a_reservation_is_kept_until_it_is_given_back),
        cmocka_unit_test(test_steps_in_any_order_keep_every_member),
        cmocka_unit_test(test_an_empty_filter_forgets_its_history),
        cmocka_unit_test(test_growth_stops_when_the_ranges_run_out),
        cmocka_unit_test(test_a_key_has_as_many_copies_as_its_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
