/* Small tidal filters: what they take of memory on the way up and down again, and that they are right while their table
 * lies in one block, becomes segments and becomes a block again, also when memory is missing. */
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>

#include "tidal_support.h"

static const unsigned all_widths[] = {12, 13, 16, 20, 28, 32};
enum { ALL_WIDTHS = sizeof all_widths / sizeof *all_widths };

/* ---------------------------------------------------------------------------------------------------- what they take */

/* What glibc's malloc takes for the pieces that are held: 8 bytes more than each, in steps of 16. */
static size_t held;

static size_t cost(size_t size) { return size <= 24 ? 32 : (size + 8 + 15) / 16 * 16; }

static void *counting_alloc(size_t size) {
    size_t *p = malloc(size + 16);
    if (p == NULL) return NULL;
    *p = size;
    held += cost(size);
    return p + 2;
}

static void counting_release(void *q) {
    size_t *p = (size_t *)q - 2;
    held -= cost(*p);
    free(p);
}

static const guira_allocator counting = {counting_alloc, counting_release};

/* What malloc itself says that it has given: the usable size of each piece, and the 8 bytes before it. That may be 16 bytes
 * more, if these are too few for another piece. */
static void *measuring_alloc(size_t size) {
    void *p = malloc(size);
    if (p != NULL) held += malloc_usable_size(p) + 8;
    return p;
}

static void measuring_release(void *p) {
    held -= malloc_usable_size(p) + 8;
    free(p);
}

static const guira_allocator measuring = {measuring_alloc, measuring_release};

/* In bytes, for 0, 1, 10, 100 and 1,000 items. 16 bits: as promised in docs/tidal.md. The others: so much more or less as
 * their buckets are larger or smaller. */
static const struct {
    unsigned width;
    size_t most[5];
} promised[] = {
    {12, {256, 256, 320, 576, 2400}},
    {16, {256, 256, 320, 640, 2867}},
    {20, {272, 272, 336, 720, 3500}},
    {32, {288, 288, 352, 960, 5400}},
};
static const size_t steps[5] = {0, 1, 10, 100, 1000};

static void assert_small(const guira *f, size_t row, size_t step) {
    if (held <= promised[row].most[step]) return;
    fail_msg("w=%u: %zu bytes for %" PRIu64 " items", promised[row].width, held, f->items);
}

static void check_sizes(size_t row, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = promised[row].width}, r);
    struct model m = {0};
    size_t up[5], down[5];
    for (size_t i = 0; i < 5; i++) {
        for (; m.n < steps[i]; assert_small(f, row, i)) insert_new(f, &m, r); /* on the way there as well */
        assert_small(f, row, i);
        up[i] = held;
    }
    while (m.n < 20000) insert_new(f, &m, r);
    assert_false(in_one_piece(tidal(f)));
    for (size_t i = 5; i-- > 0;) {
        while (m.n > steps[i]) remove_some(f, &m, r);
        if (stats_of(f).elders == 0) assert_small(f, row, i); /* with 12 bits some are left until the end */
        down[i] = held;
    }
    print_message(
        "  w=%u: %zu bytes empty, 10: %zu, 100: %zu, 1000: %zu; down again: 1000: %zu, 100: %zu, empty: %zu\n",
        promised[row].width, up[0], up[2], up[3], up[4], down[4], down[3], down[0]);
    assert_int_equal(down[0], up[0]);
    finish(f, &m);
    assert_int_equal(held, 0);
}

static void test_small_filters_are_small_on_the_way_up_and_down(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_set_allocator(&counting);
    for (unsigned again = 0; again < (quick_run() ? 1 : 5); again++)
        for (size_t i = 0; i < sizeof promised / sizeof *promised; i++) check_sizes(i, &r);
    guira_set_allocator(NULL);
}

/* Others, as AddressSanitizer's, take what they are asked for, or much more. */
static bool is_malloc_of_glibc(void) {
    void *p = malloc(25);
    size_t usable = malloc_usable_size(p);
    free(p);
    return usable == 40;
}

/* Without a hook, what the statistics say is what malloc takes. */
static void test_the_statistics_count_what_malloc_takes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    enum { ITEMS = 1500 };
    if (!is_malloc_of_glibc()) skip();
    guira_set_allocator(&measuring);
    guira *f = make((guira_config){.slot_bits = 16}, &r);
    size_t measured[ITEMS];
    struct rng keys = {rng_next(&r)}, same = keys;
    for (unsigned i = 0; i < ITEMS; i++) {
        assert_int_equal(guira_insert_hash(f, rng_next(&keys)), GUIRA_OK);
        measured[i] = held;
    }
    guira_config c = guira__config_of(f);
    guira_destroy(f);
    guira_set_allocator(NULL);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    for (unsigned i = 0; i < ITEMS; i++) {
        assert_int_equal(guira_insert_hash(f, rng_next(&same)), GUIRA_OK);
        uint64_t said = stats_of(f).bytes; /* in three pieces */
        if (said > measured[i] || said + 48 < measured[i])
            fail_msg("%" PRIu64 " bytes, but %zu are held", said, measured[i]);
    }
    guira_destroy(f);
}

static void test_configured_filters_are_small_too(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const double rates[] = {0.05, 0.01, 0.003, 1e-3, 0.00025, 1e-4, 1e-5};
    guira_set_allocator(&counting);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) { /* a rate takes no room */
        guira *f = make((guira_config){.fpr = rates[i]}, &r);
        assert_true(held <= 272 && guira__config_of(f).fpr == rates[i]);
        guira_destroy(f);
    }
    for (unsigned percent = 81; percent <= 95; percent++) { /* nor does a load of a whole percentage */
        guira *f = make((guira_config){.slot_bits = 16, .fpr = 0.01, .max_load = percent / 100.0}, &r);
        if (held > 256) fail_msg("%zu bytes with a load of %u %%", held, percent);
        guira_destroy(f);
    }
    const struct {
        uint64_t capacity;
        size_t most;
    } reserved[] = {{1, 336}, {10, 336}, {100, 640}, {1000, 2700}};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        guira *f = make((guira_config){.slot_bits = 16, .capacity = reserved[i].capacity}, &r);
        if (held > reserved[i].most) fail_msg("%zu bytes for a capacity of %" PRIu64, held, reserved[i].capacity);
        guira_destroy(f);
    }
    assert_int_equal(held, 0);
    guira_set_allocator(NULL);
}

/* ------------------------------------------------------------------------------------------------ how they are made */

static void assert_config_kept(guira_config c) {
    guira *f, *original;
    for (unsigned i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)(i + 1);
    assert_int_equal(guira_create(&c, &original), GUIRA_OK);
    assert_int_equal(guira_clone(original, &f), GUIRA_OK);
    guira_destroy(original);
    guira_config got = guira__config_of(f);
    assert_true(got.kind == GUIRA_TIDAL && got.capacity == c.capacity && got.fpr == c.fpr && got.growth == c.growth);
    assert_true(got.max_load == (c.max_load == 0 ? 0.93 : c.max_load));
    assert_true(c.min_load == 0 || got.min_load == c.min_load);
    assert_true(got.max_kicks == (c.max_kicks == 0 ? 500 : c.max_kicks));
    assert_memory_equal(got.seed, c.seed, sizeof c.seed);
    guira_destroy(f);
}

static void test_a_configuration_is_given_back_exactly(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    assert_config_kept((guira_config){0});
    assert_config_kept((guira_config){.capacity = 12345, .fpr = 0.01, .max_kicks = 2000});
    assert_config_kept((guira_config){.max_load = 0.97, .min_load = -1, .growth = 1e18});
    assert_config_kept((guira_config){.max_load = 0.05, .min_load = 0.01, .max_kicks = 1});
    for (unsigned percent = 1; percent < 100; percent++)
        assert_config_kept((guira_config){.slot_bits = 16, .fpr = 0.01, .max_load = percent / 100.0});
    for (unsigned i = 0; i < 2000; i++) { /* rates that no short decimal number is */
        double fpr = (1 + (double)rng_below(&r, 1 << 20)) / (1 << 21), load = 0.3 + (double)rng_below(&r, 600) / 1000;
        assert_config_kept((guira_config){.slot_bits = 16, .fpr = fpr, .max_load = load});
        assert_config_kept((guira_config){.slot_bits = 16, .fpr = (double)(1 + rng_below(&r, 9999)) / 1e4});
    }
}

/* Keys of every length have the same hash with and without the secret: a filter that grows must find its members. Seeds take
 * turns, so that what is derived is the part for a key; then they come so often in a row that it is the whole secret. */
static void test_the_hash_does_not_depend_on_the_size(void **state) {
    (void)state;
    enum { SEEDS = 3 };
    struct rng r = rng_for(__func__);
    uint8_t key[1200], seed[SEEDS][16] = {{0}}, secret[SEEDS][SECRET_BYTES]; /* the first one stays 0 */
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)rng_next(&r);
    for (unsigned again = 0; again < 20; again++) {
        for (size_t i = sizeof *seed; i < sizeof seed; i++) ((uint8_t *)seed)[i] = (uint8_t)rng_next(&r);
        for (unsigned i = 0; i < SEEDS; i++) guira__secret_derive(seed[i], secret[i]);
        for (size_t n = 0; n <= sizeof key; n++)
            for (unsigned i = 0; i < SEEDS; i++)
                assert_true(guira__hash(secret[i], key, n) == guira__hash_by_seed(seed[i], key, n));
        for (unsigned turn = 0; turn < 100; turn++) {
            uint64_t i = rng_below(&r, SEEDS), times = 1 + rng_below(&r, 20), n = rng_below(&r, sizeof key + 1);
            for (uint64_t k = 0; k < times; k++)
                assert_true(guira__hash(secret[i], key, n) == guira__hash_by_seed(seed[i], key, n));
        }
    }
}

/* ------------------------------------------------------------------------------------------------------ up and down */

enum { OFTEN = 3 };

/* Waves between nothing and 5,000 items, more than one block holds. If rarely is not 0, in each call one of the first so
 * many allocations fails. If that is too often for the filter to follow, a wave ends after 6,000 calls. */
static void check_waves(unsigned width, uint64_t rarely, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = width}, r);
    struct model m = {0};
    bool was_big = false, was_small_again = false;
    for (unsigned wave = 0; wave < (quick_run() ? 2 : 6); wave++) {
        uint64_t most = wave == 0 && rarely != OFTEN ? 5000 : 600 + rng_below(r, 2000);
        uint64_t target = wave % 2 == 0 ? most : rng_below(r, 60);
        for (unsigned n = 0; m.n != target && (rarely != OFTEN || n < 6000); n++) {
            if (rarely > 0) memory.fail_at = memory.calls + 1 + rng_below(r, rarely);
            bool up = m.n < target ? rng_below(r, 8) > 0 : rng_below(r, 8) == 0;
            if (up || m.n == 0) {
                uint64_t hash = rng_next(r), before = digest(f);
                guira_status s = guira_insert_hash(f, hash);
                if (s == GUIRA_OK) model_add(&m, hash);
                else assert_true(s == GUIRA_ENOMEM && memory.failed && digest(f) == before);
            } else remove_some(f, &m, r);
            memory.fail_at = 0;
            was_big |= !in_one_piece(tidal(f));
            was_small_again |= was_big && in_one_piece(tidal(f));
            if (n % 64 == 0) assert_same(f, &m);
            if (n % 64 == 0) assert_valid(f);
        }
        assert_same(f, &m);
        assert_valid(f);
    }
    assert_true(rarely == OFTEN || (was_big && was_small_again));
    while (m.n > 0) remove_some(f, &m, r);
    assert_true(rarely > 0 || buckets_of(f) == MIN_BUCKETS);
    finish(f, &m);
}

static void test_no_member_is_lost_while_filters_become_big_and_small(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (size_t i = 0; i < ALL_WIDTHS; i++) {
        check_waves(all_widths[i], 0, &r);
        check_waves(all_widths[i], OFTEN, &r);
        check_waves(all_widths[i], 40, &r); /* about as many as becoming big takes */
    }
    memory_unhook();
}

/* At every moment an insertion has room in the table, or the place that the stash has spare. */
static void test_one_call_without_memory_is_not_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint64_t stashed = 0;
    memory_hook();
    for (unsigned n = 0; n < (quick_run() ? 60 : 600); n++) {
        guira *f = make((guira_config){.slot_bits = all_widths[n % ALL_WIDTHS], .max_load = 0.97}, &r), *g;
        for (unsigned i = 0; i < 300; i++) {
            uint64_t hash = rng_next(&r);
            assert_int_equal(guira_clone(f, &g), GUIRA_OK);
            memory.fail_at = memory.calls + 1;
            memory.fail_on = true;
            assert_int_equal(guira_insert_hash(g, hash), GUIRA_OK);
            memory.fail_at = 0;
            stashed += stats_of(g).stash > stats_of(f).stash;
            guira_destroy(g);
            assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        }
        guira_destroy(f);
    }
    assert_true(stashed > 0);
    print_message("  %" PRIu64 " of them went to the stash\n", stashed);
    memory_unhook();
}

/* The same calls give the same bytes in a filter whose table is a block and in one that has segments from the start. */
static void test_block_and_segments_hold_the_same(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < ALL_WIDTHS; i++) {
        guira *f = make((guira_config){.slot_bits = all_widths[i]}, &r), *g;
        guira_config c = guira__config_of(f);
        assert_int_equal(guira__tidal_create_in(NULL, f->ops, &c, &g), GUIRA_OK);
        struct model m = {0};
        for (unsigned n = 0; n < 2500; n++) {
            uint64_t hash = rng_next(&r);
            assert_true(guira_insert_hash(f, hash) == GUIRA_OK && guira_insert_hash(g, hash) == GUIRA_OK);
            model_add(&m, hash);
            if (n < 40 || n % 50 == 0) assert_true(digest(f) == digest(g));
        }
        while (m.n > 0) {
            uint64_t hash = model_take(&m, rng_below(&r, m.n));
            assert_true(guira_remove_hash(f, hash) == GUIRA_OK && guira_remove_hash(g, hash) == GUIRA_OK);
            if (m.n < 40 || m.n % 50 == 0) assert_true(digest(f) == digest(g));
        }
        assert_true(in_one_piece(tidal(f)) && !in_one_piece(tidal(g)));
        guira_destroy(f);
        finish(g, &m);
    }
}

/* ---------------------------------------------------------------------------------------------------------- no pause */

/* A call copies at most two blocks and makes their segments: two steps, each with a new block and a smaller stash. */
static void test_no_call_allocates_much(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (size_t i = 0; i < ALL_WIDTHS; i++) {
        guira *f = make((guira_config){.slot_bits = all_widths[i]}, &r);
        struct model m = {0};
        size_t most_calls = 0, most_bytes = 0;
        for (bool up = true; up || m.n > 0; up = up && m.n < 6000) {
            size_t calls = memory.calls, bytes = memory.bytes;
            memory.peak = memory.bytes;
            if (up) insert_new(f, &m, &r);
            else remove_some(f, &m, &r);
            if (memory.calls - calls > most_calls) most_calls = memory.calls - calls;
            if (memory.peak - bytes > most_bytes) most_bytes = memory.peak - bytes;
        }
        print_message("  w=%u: at most %zu allocations and %zu bytes more in a call\n", all_widths[i], most_calls,
                      most_bytes);
        assert_true(most_calls <= 32 && most_bytes <= 2 * SMALL_BYTES);
        finish(f, &m);
    }
    memory_unhook();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_filters_are_small_on_the_way_up_and_down),
        cmocka_unit_test(test_the_statistics_count_what_malloc_takes),
        cmocka_unit_test(test_configured_filters_are_small_too),
        cmocka_unit_test(test_a_configuration_is_given_back_exactly),
        cmocka_unit_test(test_the_hash_does_not_depend_on_the_size),
        cmocka_unit_test(test_no_member_is_lost_while_filters_become_big_and_small),
        cmocka_unit_test(test_one_call_without_memory_is_not_refused),
        cmocka_unit_test(test_block_and_segments_hold_the_same),
        cmocka_unit_test(test_no_call_allocates_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
