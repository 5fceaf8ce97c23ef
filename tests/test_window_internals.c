/* Windows without memory, entries without a tail, windows of every instruction set, and windows as files. */
#include "file_support.h"
#include "format/contents.h"
#include "window_support.h"

/* ----------------------------------------------------------------------------------------------------- without memory */

static guira_window_config small_window(bool slides) {
    return (guira_window_config){.length = 1600, .slides = slides, .seed = {1}};
}

/* The digest after nothing but the advance of time, which is all that a failed call may change. */
static uint64_t digest_after(const guira_window *w, uint64_t now) {
    guira_window *copy = window_copy(w);
    guira__window_advance(copy, now, BUCKETS_PER_CALL);
    uint64_t d = window_digest(copy);
    guira_window_destroy(copy);
    return d;
}

/* The copy is made without injected failures, and its allocations are not counted. */
static uint64_t digest_without_failures(const guira_window *w, uint64_t now) {
    struct memory before = memory;
    memory.fail_at = 0;
    uint64_t d = digest_after(w, now);
    memory.fail_at = before.fail_at;
    memory.calls = before.calls;
    memory.failed = before.failed;
    return d;
}

struct course {
    guira_window *w;
    struct rng rng;
    uint64_t now, refused;
    uint64_t when[512]; /* by key, when it was last seen; 0: not remembered */
    uint64_t calls;
};

/* One call. Pauses are such that now and then everything expires. */
static void call_once(struct course *c) {
    uint64_t key = rng_below(&c->rng, 512), pause = rng_below(&c->rng, 120);
    bool seen = true;
    c->now += pause < 2 ? 900 * pause + 900 : pause < 60 ? 1 : 0;
    bool known = c->when[key] != 0 && c->now - c->when[key] <= 1600,
         tight = memory.fail_at > 0 && memory.calls + 8 > memory.fail_at;
    uint64_t failing = tight ? digest_without_failures(c->w, c->now) : 0;
    guira_status s = guira_window_seen_hash(c->w, spread(key), c->now, &seen);
    if (s != GUIRA_OK) {
        assert_true(s == GUIRA_ENOMEM && memory.failed && !known && !seen);
        assert_int_equal(window_digest(c->w), failing);
        c->when[key] = 0;
        c->refused++;
        return;
    }
    assert_true(seen || !known);
    c->when[key] = c->now;
    if (tight) assert_window_valid(c->w);
}

/* A sequence of calls in which the k-th allocation fails. Returns whether there was a k-th one. */
static bool run_with_failure(uint64_t k, bool for_good, uint64_t *refused) {
    struct course c = {.rng = {k}, .now = 1};
    guira_window_config config = small_window(true);
    memory_hook();
    memory.fail_at = k;
    memory.fail_on = for_good;
    guira_status s = guira_window_create(&config, &c.w);
    assert_true(s == GUIRA_OK || (s == GUIRA_ENOMEM && c.w == NULL));
    for (unsigned i = 0; s == GUIRA_OK && i < 1500; i++) call_once(&c);
    bool failed = memory.failed;
    memory.fail_at = 0;
    for (unsigned i = 0; s == GUIRA_OK && i < 500; i++) call_once(&c);
    if (s == GUIRA_OK) assert_window_valid(c.w);
    guira_window_destroy(c.w);
    memory_unhook();
    *refused += c.refused;
    return failed;
}

static void test_every_allocation_fails_in_turn(void **state) {
    (void)state;
    uint64_t refused = 0, lone = 0;
    for (uint64_t k = 1; run_with_failure(k, false, &lone); k += quick_run() ? 7 : 1) {
    }
    for (uint64_t k = 1; run_with_failure(k, true, &refused); k += quick_run() ? 7 : 1) {
    }
    assert_true(refused > 0); /* memory did run out */
}

static void test_without_memory_for_a_new_table_the_old_one_is_emptied(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (uint64_t pause = 1700; pause < 100000; pause *= 4) {
        memory_hook();
        guira_window *w = window_make(1600, false, &r);
        for (uint64_t i = 0; i < 3000; i++) see(w, spread(i), 0);
        memory.fail_at = memory.calls + 1;
        memory.fail_on = true;
        assert_int_equal(guira_window_tick(w, pause), GUIRA_OK);
        assert_true(memory.failed);
        assert_int_equal(window_stats(w).items, 0);
        assert_window_valid(w);
        for (uint64_t i = 0; i < 3000; i++) assert_false(ask(w, spread(i), pause));
        memory.fail_at = 0;
        see(w, 1, pause);
        assert_int_equal(guira_window_tick(w, pause + 200), GUIRA_OK);
        guira_window_destroy(w);
        memory_unhook();
    }
}

/* ------------------------------------------------------------------------------------------------- entries without a tail */

/* Removes the tail of every entry, so that only the bits of its bucket are known. */
static void cut_tails(guira_window *w) {
    struct tidal *f = w->filter;
    uint64_t address = 0;
    do {
        struct swept_bucket s = guira__bucket_at_address(f, address);
        for (unsigned j = 0; j < LAYOUT_STAMPED.slots; j++) {
            uint64_t slot = slot_get(s.bytes, j, LAYOUT_STAMPED);
            if (slot == 0) continue;
            struct entry e = slot_decode(slot, address >> (64 - s.level), s.level, LAYOUT_STAMPED);
            f->head.weight += weight_of(s.level) - weight_of(known_of(e));
            e.what = s.level | (uint64_t)stamp_of(e) << 8;
            slot_set(s.bytes, j, slot_encode(e, s.level, LAYOUT_STAMPED), LAYOUT_STAMPED);
        }
        address = s.end;
    } while (address != 0);
}

static void test_an_entry_without_a_tail_goes_into_both_halves(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_on(NULL, (guira_window_config){.length = 1600, .slides = true, .capacity = 2000}, &r);
    for (uint64_t i = 0; i < 500; i++) see(w, spread(i), 0);
    cut_tails(w);
    assert_window_valid(w);
    uint64_t buckets = window_stats(w).buckets, items = window_stats(w).items;
    double rate = window_stats(w).fpr;
    for (uint64_t i = 0; i < 2 * buckets; i++) assert_int_equal(tidal_ops(w->filter)->grow(w->filter), GUIRA_OK);
    assert_window_valid(w);
    assert_true(window_stats(w).items > 2 * items);
    assert_true(window_stats(w).fpr == rate);
    for (uint64_t i = 0; i < 500; i += 2) assert_true(see(w, spread(i), 800));
    for (uint64_t i = 0; i < 500; i++) assert_true(ask(w, spread(i), i % 2 == 0 ? 2400 : 1600));
    assert_int_equal(guira_window_tick(w, 1700), GUIRA_OK); /* copies of those that were not refreshed expire */
    /* about 250: with 14 known bits, some match an entry of another key, which was refreshed for them */
    assert_true(window_stats(w).items > 200 && window_stats(w).items <= 250);
    assert_int_equal(guira_window_tick(w, 2500), GUIRA_OK);
    assert_int_equal(window_stats(w).items, 0);
    assert_window_valid(w);
    guira_window_destroy(w);
}

/* From 2 buckets to 2^23, which uses up the tails of the first entries. */
static void test_growth_beyond_every_tail_loses_no_key(void **state) {
    (void)state;
    if (quick_run()) skip(); /* 256 MiB; the test above has the same with short tails */
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1600, false, &r);
    for (uint64_t i = 0; i < 8; i++) see(w, spread(i), 0);
    while (window_stats(w).buckets < UINT64_C(1) << 23)
        assert_int_equal(tidal_ops(w->filter)->grow(w->filter), GUIRA_OK);
    assert_true(window_stats(w).items > 8);
    for (uint64_t i = 0; i < 8; i++) assert_true(see(w, spread(i), 1600));
    assert_window_valid(w);
    assert_int_equal(guira_window_tick(w, 1700), GUIRA_OK);
    for (uint64_t i = 0; i < 8; i++) assert_false(ask(w, spread(i), 1700));
    assert_int_equal(guira_window_tick(w, 1800), GUIRA_OK); /* when the sweep has passed every bucket */
    assert_int_equal(window_stats(w).items, 0);
    assert_int_equal(window_stats(w).buckets, 2);
    guira_window_destroy(w);
}

/* --------------------------------------------------------------------------------------------------- instruction sets */

static void run_all(guira_window *const *w, size_t n, uint64_t calls, struct rng *r) {
    uint64_t now = guira_window_now(w[0]);
    for (uint64_t i = 0; i < calls; i++) {
        uint64_t hash = spread(rng_below(r, 3000)), pause = rng_below(r, 2000);
        now += pause < 3 ? 400 * pause : pause < 700;
        bool seen = see(w[0], hash, now);
        for (size_t k = 1; k < n; k++) assert_int_equal(see(w[k], hash, now), seen);
    }
    for (size_t k = 1; k < n; k++) assert_int_equal(window_digest(w[k]), window_digest(w[0]));
}

static void test_every_instruction_set_makes_the_same_window(void **state) {
    (void)state;
    struct rng r = rng_for(__func__), seed = r;
    const double rates[] = {0, 0.2, 1e-3, 1e-4}; /* 32-bit words, and wide slots of 17, 25 and 28 bits */
    for (unsigned i = 0; i < 8; i++) {
        guira_window *w[8];
        size_t n = 0;
        for (const char *const *isa = isa_list(); *isa != NULL; isa++) {
            struct rng same = seed;
            w[n++] = window_on(*isa, (guira_window_config){.length = 1000, .slides = i % 2 != 0, .fpr = rates[i / 2]},
                               &same);
        }
        run_all(w, n, quick_run() ? 5000 : 30000, &r);
        for (size_t k = 0; k < n; k++) guira_window_destroy(w[k]);
    }
}

/* ---------------------------------------------------------------------------------------------------------------- files */

static struct bytes window_saved(const guira_window *w) {
    struct bytes b = {0};
    assert_int_equal(guira_window_save_to(w, into_bytes, &b), GUIRA_OK);
    assert_int_equal(guira_window_saved_size(w), b.n);
    return b;
}

static void test_a_loaded_window_behaves_as_the_saved_one(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (uint64_t calls = 0; calls < 20000; calls = 3 * calls + 10) {
        double fpr = calls == 0 ? 0.03 : calls % 4 == 2 ? 1e-3 : 0;
        guira_window *w[2] = {
            window_on(NULL, (guira_window_config){.length = 1000, .slides = calls % 2 == 0, .fpr = fpr}, &r)};
        run_all(w, 1, calls, &r);
        struct bytes b = window_saved(w[0]);
        assert_int_equal(guira_window_load_from(b.at, b.n, &w[1]), GUIRA_OK);
        assert_int_equal(b.at[8], fpr == 0 ? 1 : 2); /* the format */
        assert_int_equal(window_digest(w[0]), window_digest(w[1]));
        assert_window_valid(w[1]);
        run_all(w, 2, 3000, &r);
        free(b.at);
        guira_window_destroy(w[0]);
        guira_window_destroy(w[1]);
    }
}

static void test_windows_are_saved_to_paths_and_descriptors(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1000, true, &r), *v, *u;
    run_all(&w, 1, 3000, &r);
    const char *path = file_named("window");
    assert_int_equal(guira_window_save(w, path), GUIRA_OK);
    assert_int_equal(guira_window_load(path, &v), GUIRA_OK);
    FILE *file = fopen(path, "w+b");
    assert_non_null(file);
    assert_int_equal(guira_window_save_fd(v, fileno(file)), GUIRA_OK);
    rewind(file);
    assert_int_equal(guira_window_load_fd(fileno(file), &u), GUIRA_OK);
    assert_int_equal(window_digest(w), window_digest(u));
    fclose(file);
    unlink(path);
    assert_int_equal(guira_window_load(path, NULL), GUIRA_EINVAL);
    guira_window_destroy(w);
    assert_int_equal(guira_window_load(path, &w), GUIRA_ENOENT);
    assert_null(w);
    guira_window_destroy(v);
    guira_window_destroy(u);
}

static void test_files_of_windows_and_of_filters_are_not_mixed_up(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1000, true, &r), *v;
    guira *f = variant_make(variants(), &r, 0), *g;
    struct bytes window = window_saved(w), filter = saved(f);
    assert_int_equal(guira_load_from(window.at, window.n, &g), GUIRA_EFORMAT);
    assert_int_equal(guira_window_load_from(filter.at, filter.n, &v), GUIRA_EFORMAT);
    assert_true(g == NULL && v == NULL);
    const char *path = file_named("window");
    assert_int_equal(guira_window_save(w, path), GUIRA_OK);
    assert_int_equal(guira_map(path, &g), GUIRA_EFORMAT);
    assert_int_equal(guira_load(path, &g), GUIRA_EFORMAT);
    unlink(path);
    guira_config c = {.slot_bits = WINDOW_SLOT_BITS};
    assert_int_equal(guira_create(&c, &g), GUIRA_EINVAL);
    free(window.at);
    free(filter.at);
    guira_window_destroy(w);
    guira_destroy(f);
}

static void test_every_truncation_and_every_flipped_bit_is_detected(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1000, true, &r), *v;
    run_all(&w, 1, 300, &r);
    struct bytes b = window_saved(w);
    for (size_t n = 0; n < b.n; n++) {
        guira_status s = guira_window_load_from(b.at, n, &v);
        assert_true((s == GUIRA_EFORMAT || s == GUIRA_ECORRUPT) && v == NULL);
    }
    for (size_t i = 0; i < 8 * b.n; i += quick_run() ? 5 : 1) {
        b.at[i / 8] ^= (uint8_t)(1U << i % 8);
        guira_status s = guira_window_load_from(b.at, b.n, &v);
        assert_true((s == GUIRA_EFORMAT || s == GUIRA_ECORRUPT) && v == NULL);
        b.at[i / 8] ^= (uint8_t)(1U << i % 8);
    }
    free(b.at);
    guira_window_destroy(w);
}

/* With each allocation failing in turn. */
static void test_loading_copying_and_clearing_without_memory_change_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w, *copy, *back;
    memory_hook();
    w = window_make(1000, true, &r);
    run_all(&w, 1, 2000, &r);
    struct bytes b = window_saved(w);
    uint64_t before = window_digest(w), k = 0;
    do {
        k++;
        copy = back = NULL;
        memory.failed = false;
        memory.fail_at = memory.calls + k;
        guira_status cloned = guira_window_clone(w, &copy), loaded = GUIRA_OK;
        if (cloned == GUIRA_OK) loaded = guira_window_load_from(b.at, b.n, &back);
        guira_status cleared = copy != NULL && loaded == GUIRA_OK ? guira_window_clear(copy) : GUIRA_OK;
        assert_int_equal(cloned == GUIRA_ENOMEM, copy == NULL);
        assert_int_equal(loaded == GUIRA_ENOMEM, cloned == GUIRA_OK && back == NULL);
        if (cleared == GUIRA_ENOMEM) assert_int_equal(window_digest(copy), before);
        assert_int_equal(memory.failed, cloned != GUIRA_OK || loaded != GUIRA_OK || cleared != GUIRA_OK);
        guira_window_destroy(copy);
        guira_window_destroy(back);
    } while (memory.failed);
    assert_true(k > 10);
    guira_window_destroy(w);
    memory_unhook();
    free(b.at);
}

/* Saves a window with an impossible clock, so that the checksums are right. */
static void assert_refused(guira_window *w, const char *expected) {
    const char *reason = NULL;
    guira_window *v;
    assert_int_equal(guira_window_validate(w, &reason), GUIRA_ECORRUPT);
    assert_string_equal(reason, expected);
    struct bytes b = window_saved(w);
    assert_int_equal(guira_window_load_from(b.at, b.n, &v), GUIRA_ECORRUPT);
    free(b.at);
}

static void test_impossible_clocks_with_right_checksums_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1600, false, &r);
    for (uint64_t i = 0; i < 1000; i++) see(w, spread(i), i);
    struct clock *c = &w->clock, good = *c;
    c->before -= 20;
    assert_refused(w, "sweep: too late");
    *c = good;
    c->round += 5;
    assert_refused(w, "sweep: in an impossible round");
    *c = good;
    c->round = c->step + 1;
    c->sweep = UINT64_C(1) << 63;
    assert_refused(w, "sweep: ahead of time");
    *c = good;
    uint8_t *bucket = guira__bucket_at_address(w->filter, 0).bytes;
    unsigned j = 0;
    while (slot_get(bucket, j, LAYOUT_STAMPED) == 0) j++;
    uint64_t slot = slot_get(bucket, j, LAYOUT_STAMPED);
    slot_set(bucket, j, slot_body(slot, LAYOUT_STAMPED) | ((c->step + 1) % STAMPS) << LAYOUT_STAMPED.bits,
             LAYOUT_STAMPED); /* a stamp of the next step, which is read as 31 steps old */
    assert_refused(w, "table: an entry that the sweep has missed");
    slot_set(bucket, j, slot, LAYOUT_STAMPED);
    assert_window_valid(w);
    guira_window_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails_in_turn),
        cmocka_unit_test(test_without_memory_for_a_new_table_the_old_one_is_emptied),
        cmocka_unit_test(test_an_entry_without_a_tail_goes_into_both_halves),
        cmocka_unit_test(test_growth_beyond_every_tail_loses_no_key),
        cmocka_unit_test(test_every_instruction_set_makes_the_same_window),
        cmocka_unit_test(test_a_loaded_window_behaves_as_the_saved_one),
        cmocka_unit_test(test_windows_are_saved_to_paths_and_descriptors),
        cmocka_unit_test(test_files_of_windows_and_of_filters_are_not_mixed_up),
        cmocka_unit_test(test_every_truncation_and_every_flipped_bit_is_detected),
        cmocka_unit_test(test_loading_copying_and_clearing_without_memory_change_nothing),
        cmocka_unit_test(test_impossible_clocks_with_right_checksums_are_refused),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
