/* Windows against an exact model: for every key, when it was last seen (or last reported as new).
 *
 *     age of a key     0 ............... T ......... T (1 + 1/16) .............
 *     seen?            yes, always       either      no, but for false positives */
#include "base/alloc.h"
#include "window_support.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------------------------------- the model */

enum { KEYS = 4000 };

struct history {
    guira_window *w;
    uint64_t length, salt;
    bool slides;
    bool known[KEYS];
    uint64_t when[KEYS];
    bool was_false_positive[KEYS];       /* a false positive was seen */
    uint64_t negatives, false_positives; /* lookups of keys that are not in the window; keys with a false positive */
};

static uint64_t key_hash(const struct history *h, uint64_t key) {
    struct rng r = {h->salt + key};
    return rng_next(&r);
}

static bool must_be_seen(const struct history *h, uint64_t key, uint64_t now) {
    return h->known[key] && now - h->when[key] <= h->length;
}

/* 16 * age >= 17 * length, but nothing overflows. */
static bool must_not_be_seen(const struct history *h, uint64_t key, uint64_t now) {
    if (!h->known[key]) return true;
    uint64_t age = now - h->when[key];
    return age >= h->length && age - h->length >= h->length / 16 + (h->length % 16 != 0);
}

static void check_answer(struct history *h, uint64_t key, uint64_t now, bool seen) {
    if (must_be_seen(h, key, now) && !seen)
        fail_msg("false negative: length %llu, age %llu at %llu", (unsigned long long)h->length,
                 (unsigned long long)(now - h->when[key]), (unsigned long long)now);
    if (!must_not_be_seen(h, key, now)) return;
    h->negatives++;
    h->false_positives += seen && !h->was_false_positive[key];
    h->was_false_positive[key] |= seen;
}

static void see_key(struct history *h, uint64_t key, uint64_t now) {
    bool seen = see(h->w, key_hash(h, key), now);
    check_answer(h, key, now, seen);
    if (seen && !h->slides) return;
    h->known[key] = true;
    h->when[key] = now;
}

/* A random time in the step that is so many steps after now; not beyond the largest number. */
static uint64_t later(const struct history *h, uint64_t now, uint64_t steps, struct rng *r) {
    uint64_t step = h->length / 16, add = step * steps + rng_below(r, step + 1 + (h->length < 16));
    return UINT64_MAX - now < add ? now : now + add;
}

/* Bursts, steady traffic, and pauses of all lengths. */
static uint64_t next_time(const struct history *h, uint64_t now, struct rng *r) {
    uint64_t pause = rng_below(r, 3000);
    if (pause == 0) return later(h, now, 40 + rng_below(r, 100), r);
    if (pause == 1) return later(h, now, 12 + rng_below(r, 10), r);
    if (pause < 6) return later(h, now, rng_below(r, 6), r);
    if (pause < 1500) return now;
    uint64_t little = h->length / 16 / (1 + rng_below(r, 200));
    return UINT64_MAX - now < little ? now : now + little + (little == 0 && pause < 1600);
}

/* Many new keys for a while, few old ones for another. */
static uint64_t next_key(uint64_t i, struct rng *r) {
    return i / 2000 % 2 == 0 ? rng_below(r, KEYS) : rng_below(r, 1 + KEYS / 50);
}

static void run(struct history *h, uint64_t calls, struct rng *r) {
    uint64_t now = rng_below(r, h->length > UINT64_MAX / 20 ? 1000 : h->length * 3);
    for (uint64_t i = 0; i < calls; i++) {
        now = next_time(h, now, r);
        see_key(h, next_key(i, r), now);
        uint64_t key = rng_below(r, KEYS), when = later(h, now, rng_below(r, 20), r);
        check_answer(h, key, when, ask(h->w, key_hash(h, key), when));
        if (i % 997 == 0) assert_window_valid(h->w);
    }
    assert_window_valid(h->w);
}

static void check_length(uint64_t length, bool slides, struct rng *r) {
    struct history *h = calloc(1, sizeof *h);
    if (h == NULL) abort();
    h->length = length;
    h->slides = slides;
    h->salt = rng_next(r);
    h->w = window_make(length, slides, r);
    run(h, quick_run() ? 10000 : 60000, r);
    if (h->false_positives > 12)
        fail_msg("%llu false positives in %llu lookups", (unsigned long long)h->false_positives,
                 (unsigned long long)h->negatives);
    guira_window_destroy(h->w);
    free(h);
}

/* At a rate of 1.5e-6, the highest of so small a window, fewer than one in ten of its 120,000 lookups is a false positive of a
 * new key, and such keys come in pairs, which match each other. Seven pairs have a probability below 0.05^7 / 7!, 2e-13. */
static void test_keys_are_seen_until_the_end_of_the_window_and_not_after(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const uint64_t lengths[] = {1,
                                2,
                                3,
                                15,
                                16,
                                17,
                                33,
                                100,
                                1000,
                                1000003,
                                60000000000,
                                1ULL << 59,
                                1ULL << 62,
                                UINT64_MAX / 3,
                                600,
                                1023,
                                1024,
                                4095,
                                (1ULL << 59) + 12345,
                                UINT64_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        check_length(lengths[i], false, &r);
        check_length(lengths[i], true, &r);
    }
}

/* --------------------------------------------------------------------------------------------------------- boundaries */

static void test_the_end_of_the_window_is_exact_for_every_small_length(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (uint64_t length = 1; length <= 50; length++) {
        guira_window *w = window_make(length, false, &r);
        for (uint64_t x = 0, i = 0; i < 40; i++, x += 1 + rng_below(&r, 3 * length)) {
            uint64_t hash = (rng_next(&r) & ~UINT64_C(63)) | i; /* keys with different cores never match each other */
            uint64_t expired = x + length + (length + 15) / 16;
            assert_false(see(w, hash, x));
            assert_true(ask(w, hash, x + length));
            assert_false(ask(w, hash, expired));
            assert_false(ask(w, hash, UINT64_MAX));
        }
        guira_window_destroy(w);
    }
}

/* 16 * 2^60 is 0 modulo 2^64. */
static void test_jumps_in_time_of_any_length_expire_everything(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned log2 = 0; log2 < 64; log2++) {
        guira_window *w = window_make(1, true, &r);
        uint64_t jump = UINT64_C(1) << log2;
        for (uint64_t i = 0; i < 100; i++) see(w, spread(i), 0);
        assert_int_equal(ask(w, spread(0), jump), jump == 1);
        assert_int_equal(see(w, spread(0), jump), jump == 1);
        assert_int_equal(window_stats(w).items, jump == 1 ? 100 : 1);
        guira_window_destroy(w);
    }
}

static void test_a_sliding_window_restarts_whenever_a_key_is_seen(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *still = window_make(1600, false, &r), *slides = window_make(1600, true, &r);
    for (uint64_t now = 0; now <= 1600; now += 800) {
        assert_int_equal(see(still, 7, now), now > 0);
        assert_int_equal(see(slides, 7, now), now > 0);
    }
    assert_false(ask(still, 7, 1700));
    assert_true(ask(slides, 7, 3200));
    assert_false(ask(slides, 7, 3300));
    assert_int_equal(window_stats(slides).items, 1);
    guira_window_destroy(still);
    guira_window_destroy(slides);
}

static void test_times_before_the_last_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1000, true, &r);
    for (uint64_t i = 0; i < 5000; i++) see(w, rng_next(&r), i);
    uint64_t before = window_digest(w), hash = 5;
    bool seen = true;
    assert_int_equal(guira_window_seen(w, "x", 1, 4998, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_seen_hash(w, hash, 4998, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_seen_hash_many(w, &hash, 1, 4998, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_contains(w, "x", 1, 4998, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_contains_hash(w, hash, 0, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_tick(w, 4998), GUIRA_EINVAL);
    assert_true(seen);
    assert_int_equal(guira_window_now(w), 4999);
    assert_int_equal(window_digest(w), before);
    guira_window_destroy(w);
}

static void test_lookups_change_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1000, true, &r);
    for (uint64_t i = 0; i < 5000; i++) see(w, spread(i % 800), i);
    uint64_t before = window_digest(w);
    for (uint64_t i = 0; i < 3000; i++) ask(w, spread(i % 800), 4999 + i);
    assert_int_equal(window_digest(w), before);
    guira_window_destroy(w);
}

static void test_keys_and_their_hashes_are_the_same(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1000, false, &r);
    bool seen = true;
    assert_int_equal(guira_window_seen(w, "ana", 3, 10, &seen), GUIRA_OK);
    assert_false(seen);
    assert_true(see(w, guira_window_hash(w, "ana", 3), 20));
    assert_false(see(w, guira_window_hash(w, NULL, 0), 20));
    assert_int_equal(guira_window_contains(w, NULL, 0, 30, &seen), GUIRA_OK);
    assert_true(seen);
    assert_int_equal(guira_window_clear(w), GUIRA_OK);
    assert_int_equal(guira_window_contains(w, "ana", 3, 30, &seen), GUIRA_OK);
    assert_false(seen);
    assert_int_equal(guira_window_now(w), 20);
    assert_window_valid(w);
    guira_window_destroy(w);
}

static void test_batches_equal_single_calls(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *one = window_make(1000, true, &r), *many = window_copy(one);
    uint64_t hash[100];
    bool seen[100];
    for (uint64_t now = 0; now < 3000; now += rng_below(&r, 60)) {
        size_t n = rng_below(&r, 101);
        for (size_t i = 0; i < n; i++) hash[i] = spread(rng_below(&r, 5000));
        assert_int_equal(guira_window_seen_hash_many(many, hash, n, now, seen), GUIRA_OK);
        for (size_t i = 0; i < n; i++) assert_int_equal(see(one, hash[i], now), seen[i]);
    }
    assert_int_equal(guira_window_tick(one, 3000), guira_window_tick(many, 3000));
    assert_int_equal(window_digest(one), window_digest(many));
    guira_window_destroy(one);
    guira_window_destroy(many);
}

/* ----------------------------------------------------------------------------------------------- memory and error rate */

/* Traffic of `keys` new keys per window length, for three of them. */
static guira_stats traffic(guira_window *w, uint64_t keys, uint64_t length, struct rng *r) {
    uint64_t start = guira_window_now(w);
    for (uint64_t i = 0; i < 3 * keys; i++)
        see(w, rng_next(r), start + (uint64_t)((double)i / (double)keys * (double)length));
    assert_window_valid(w);
    return window_stats(w);
}

static void test_memory_follows_the_traffic_up_and_down(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const uint64_t length = UINT64_C(600000000000), burst = quick_run() ? 20000 : 200000;
    const uint64_t keys[] = {1000, burst, 1000, burst / 3, 50};
    guira_window *w = window_make(length, false, &r);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        guira_stats s = traffic(w, keys[i], length, &r);
        double items = (double)s.items, wanted = (double)keys[i];
        print_message("  %llu keys: %llu entries, %llu slots, %llu bytes\n", (unsigned long long)keys[i],
                      (unsigned long long)s.items, (unsigned long long)s.slots, (unsigned long long)s.bytes);
        /* 16 to 17 steps are in the window; half a step has expired since the sweep passed */
        assert_true(items >= wanted && items <= wanted * 18 / 16 + 2);
        assert_true((double)s.slots <= items / 0.86 + 16);
        assert_true((double)s.bytes <= 4.3 * (double)s.slots + 8192);
    }
    assert_int_equal(guira_window_tick(w, guira_window_now(w) + length * 17 / 16 + 1), GUIRA_OK);
    assert_int_equal(window_stats(w).items, 0);
    guira_window_destroy(w);
}

static void test_ticks_alone_empty_a_window(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(1600, true, &r);
    for (uint64_t i = 0; i < 20000; i++) see(w, rng_next(&r), i / 20);
    uint64_t most = window_stats(w).bytes;
    for (uint64_t now = 1000; now <= 2800; now += 7) {
        assert_int_equal(guira_window_tick(w, now), GUIRA_OK);
        assert_window_valid(w);
    }
    assert_int_equal(window_stats(w).items, 0);
    assert_int_equal(window_stats(w).buckets, 2);
    assert_true(window_stats(w).bytes < most / 10);
    guira_window_destroy(w);
}

/* Calls so rare that the sweep of 64 buckets per call is not enough. */
static void test_a_few_calls_empty_a_window_after_a_burst(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_make(160000, false, &r);
    for (uint64_t i = 0; i < 100000; i++) see(w, rng_next(&r), i);
    for (uint64_t now = 100000; now < 400000; now += 5000) {
        see(w, rng_next(&r), now);
        assert_window_valid(w);
    }
    assert_true(window_stats(w).items < 60);
    assert_true(window_stats(w).slots < 80);
    guira_window_destroy(w);
}

static void test_room_for_the_capacity_is_kept(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_window *w = window_on(NULL, (guira_window_config){.length = 160, .capacity = 5000}, &r);
    uint64_t slots = window_stats(w).slots;
    for (uint64_t i = 0; i < 5000; i++) assert_int_equal(see(w, spread(i), i / 50), false);
    assert_int_equal(window_stats(w).slots, slots);
    see(w, 1, 290);
    see(w, 1, 1000);
    assert_int_equal(window_stats(w).slots, slots);
    guira_window_destroy(w);
}

/* In a window that grew from its smallest size. */
static void test_the_false_positive_rate_is_as_stats_predict(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint64_t most = quick_run() ? 50000 : 500000, lookups = quick_run() ? 10000000 : 150000000, found = 0;
    guira_window *w = window_make(UINT64_C(1) << 40, false, &r);
    for (uint64_t i = 0; i < most; i++) see(w, rng_next(&r), 0);
    double rate = window_stats(w).fpr, expected = rate * (double)lookups;
    for (uint64_t i = 0; i < lookups; i++) found += tidal_ops(w->filter)->age(w->filter, rng_next(&r)) <= OLDEST_ALIVE;
    print_message("  %llu entries: expected %.3g, found %.3g\n", (unsigned long long)window_stats(w).items, rate,
                  (double)found / (double)lookups);
    assert_true(rate < 1e-5);
    assert_true(fabs((double)found - expected) < 6 * sqrt(expected) + 6); /* 1e-8 */
    guira_window_destroy(w);
}

/* ---------------------------------------------------------------------------------------------------- rates and widths */

static unsigned key_bits(double fpr, uint64_t capacity, double growth) {
    guira_window *w;
    guira_window_config c = {.length = 1, .fpr = fpr, .capacity = capacity, .growth = growth};
    guira_status s = guira_window_create(&c, &w);
    if (s != GUIRA_OK) {
        assert_int_equal(s, GUIRA_ELIMIT);
        assert_null(w);
        return 0;
    }
    unsigned bits = tidal_layout(w->filter).bits;
    assert_int_equal(window_stats(w).bytes, guira__alloc_cost(sizeof *w) + stats_of(filter_in(w)).bytes);
    assert_true(window_stats(w).fpr_kept == (fpr == 0 ? 1e-5 : fpr));
    guira_window_destroy(w);
    return bits;
}

/* As in a filter (tests/test_api.c); there are stamps beside 12 to 21, 23 and 27 bits. */
static void test_the_rate_chooses_the_width(void **state) {
    (void)state;
    assert_int_equal(key_bits(0, 0, 0), 27);
    assert_int_equal(key_bits(0.5, 0, 0), 12);
    assert_int_equal(key_bits(0.01, 0, 0), 16);
    assert_int_equal(key_bits(1e-3, 0, 0), 20);
    assert_int_equal(key_bits(1e-4, 0, 0), 23);
    assert_int_equal(key_bits(1e-3, 10000, 1), 15);
    assert_int_equal(key_bits(1e-4, 10000, 1), 19);
    assert_int_equal(key_bits(1e-5, 10000, 1), 23);
    assert_int_equal(key_bits(1e-6, 10000, 1), 27);
    assert_int_equal(key_bits(1e-6, 10000, 0), 0);
    assert_int_equal(key_bits(4e-6, 0, 0), 0);
    assert_int_equal(key_bits(2e-7, 10000, 1), 0);
}

/* Grown from nothing by keys that come and go. Each lookup of a key that was never seen is a trial, so the number found has at
 * most the rate's mean, 100 or more; 6 sigma more happens once in 10^7 runs. */
static void check_rate(double fpr, double growth, uint64_t most, struct rng *r) {
    guira_window *w = window_on(NULL, (guira_window_config){.length = most, .fpr = fpr, .growth = growth}, r);
    uint64_t lookups = 1000000, found = 0;
    for (uint64_t i = 0; i < 3 * most; i++) assert_int_equal(guira_window_seen_hash(w, rng_next(r), i, &(bool){0}), 0);
    for (uint64_t i = 0; i < lookups; i++) found += ask(w, rng_next(r), 3 * most);
    guira_stats s = window_stats(w);
    double mean = fpr * (double)lookups;
    print_message("  %.0e: %.2e found, %.2e predicted, %.2f bits per entry\n", fpr, (double)found / (double)lookups,
                  s.fpr, 8 * (double)s.bytes / (double)s.items);
    assert_true((double)found <= mean + 6 * sqrt(mean));
    assert_true(s.fpr <= fpr && s.fpr_kept == fpr);
    /* loads between 0.88 and 0.93, and what a large table adds, less than 1 % */
    double bits = layout_stored_bits(tidal_layout(w->filter));
    if (most >= 100000) assert_true(8 * (double)s.bytes < bits / 0.88 * 1.01 * (double)s.items);
    assert_window_valid(w);
    guira_window_destroy(w);
}

static void test_the_rate_is_kept_at_every_width(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    uint64_t most = quick_run() ? 10000 : 200000;
    const double rates[] = {0.2, 0.03, 0.01, 0.003, 1e-3, 3e-4, 1e-4};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) check_rate(rates[i], 0, most, &r);
}

/* Keys stay for the length of the window, whatever the width; a window that slides records also those that match an entry of
 * another key. A tail of five bits is used up by growth and cut by shrinking. */
static void check_members(double fpr, struct rng *r) {
    enum { LENGTH = 3200, ARRIVALS = 60000 };
    static struct { uint64_t hash, at; } key[ARRIVALS];
    guira_window *w = window_on(NULL, (guira_window_config){.length = LENGTH, .slides = true, .fpr = fpr}, r);
    uint64_t now = 0, first = 0;
    for (uint64_t n = 0; n < ARRIVALS; n++) {
        uint64_t traffic = n / 10000 % 2 == 0 ? 20 : 1; /* keys per unit of time */
        now += rng_below(r, traffic + 1) == 0;
        key[n].hash = rng_next(r);
        key[n].at = now;
        see(w, key[n].hash, now);
        while (key[first].at + LENGTH < now) first++;
        uint64_t any = first + rng_below(r, n + 1 - first);
        assert_true(ask(w, key[any].hash, now));
        if (n % 6000 != 0) continue;
        for (uint64_t i = first; i <= n; i++) assert_true(ask(w, key[i].hash, now));
        assert_window_valid(w);
    }
    assert_int_equal(guira_window_tick(w, now + 2 * LENGTH), GUIRA_OK);
    assert_int_equal(window_stats(w).items, 0);
    guira_window_destroy(w);
}

static void test_no_key_is_forgotten_at_any_width(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const double rates[] = {0.3, 0.1, 0.03, 1e-3, 1e-4};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) check_members(rates[i], &r);
}

static void test_invalid_arguments_are_refused(void **state) {
    (void)state;
    guira_window *w = (guira_window *)1;
    guira_window_config c = {0};
    bool seen;
    uint64_t hash = 1;
    assert_int_equal(guira_window_create(&c, &w), GUIRA_EINVAL);
    assert_null(w);
    c.length = 10;
    assert_int_equal(guira_window_create(&c, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_window_create(NULL, &w), GUIRA_EINVAL);
    c.fpr = 1;
    assert_int_equal(guira_window_create(&c, &w), GUIRA_EINVAL);
    c.fpr = (double)NAN;
    assert_int_equal(guira_window_create(&c, &w), GUIRA_EINVAL);
    c.fpr = 0;
    c.growth = 0.5;
    assert_int_equal(guira_window_create(&c, &w), GUIRA_EINVAL);
    c.growth = 0;
    c.capacity = UINT64_MAX;
    assert_int_equal(guira_window_create(&c, &w), GUIRA_ELIMIT);
    c.capacity = 0;
    assert_int_equal(guira_window_create(&c, &w), GUIRA_OK);
    assert_int_equal(guira_window_seen(w, NULL, 1, 0, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_seen(w, "x", 1, 0, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_window_seen(NULL, "x", 1, 0, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_contains(w, NULL, 1, 0, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_contains_hash(w, 1, 0, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_window_seen_hash_many(w, NULL, 1, 0, &seen), GUIRA_EINVAL);
    assert_int_equal(guira_window_seen_hash_many(w, &hash, 1, 0, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_window_tick(NULL, 0), GUIRA_EINVAL);
    assert_int_equal(guira_window_now(NULL), 0);
    assert_int_equal(guira_window_stats_get(w, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_window_config_get(w, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_window_config_get(NULL, &c), GUIRA_EINVAL);
    assert_int_equal(guira_window_validate(NULL, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_window_clear(NULL), GUIRA_EINVAL);
    assert_int_equal(guira_window_clone(w, NULL), GUIRA_EINVAL);
    guira_window_destroy(w);
    guira_window_destroy(NULL);
}

static void test_configuration_makes_the_same_window_again(void **state) {
    (void)state;
    guira_window_config c = {.length = 600, .slides = true, .capacity = 1000, .fpr = 1e-3, .growth = 9},
                        back = GUIRA_WINDOW_CONFIG_INIT, again = GUIRA_WINDOW_CONFIG_INIT;
    guira_window *w, *v;
    assert_int_equal(guira_window_create(&c, &w), GUIRA_OK);
    assert_int_equal(guira_window_config_get(w, &back), GUIRA_OK);
    assert_true(back.length == 600 && back.slides && back.capacity == 1000 && back.fpr == 1e-3 && back.growth == 9);
    assert_int_equal(guira_window_create(&back, &v), GUIRA_OK);
    assert_true(guira_window_hash(w, "x", 1) == guira_window_hash(v, "x", 1));
    assert_int_equal(guira_window_config_get(v, &again), GUIRA_OK);
    assert_memory_equal(back.seed, again.seed, sizeof back.seed);
    guira_window_destroy(w);
    guira_window_destroy(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_are_seen_until_the_end_of_the_window_and_not_after),
        cmocka_unit_test(test_the_end_of_the_window_is_exact_for_every_small_length),
        cmocka_unit_test(test_jumps_in_time_of_any_length_expire_everything),
        cmocka_unit_test(test_a_sliding_window_restarts_whenever_a_key_is_seen),
        cmocka_unit_test(test_times_before_the_last_are_refused),
        cmocka_unit_test(test_lookups_change_nothing),
        cmocka_unit_test(test_keys_and_their_hashes_are_the_same),
        cmocka_unit_test(test_batches_equal_single_calls),
        cmocka_unit_test(test_memory_follows_the_traffic_up_and_down),
        cmocka_unit_test(test_ticks_alone_empty_a_window),
        cmocka_unit_test(test_a_few_calls_empty_a_window_after_a_burst),
        cmocka_unit_test(test_room_for_the_capacity_is_kept),
        cmocka_unit_test(test_the_false_positive_rate_is_as_stats_predict),
        cmocka_unit_test(test_the_rate_chooses_the_width),
        cmocka_unit_test(test_the_rate_is_kept_at_every_width),
        cmocka_unit_test(test_no_key_is_forgotten_at_any_width),
        cmocka_unit_test(test_configuration_makes_the_same_window_again),
        cmocka_unit_test(test_invalid_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
