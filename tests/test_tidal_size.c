/* The size of a tidal filter: it grows and shrinks with its members bucket by bucket, holds little more memory than its
 * buckets need, keeps reserved room, and has the predicted false-positive rate. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tidal_support.h"

/* ------------------------------------------------------------------------------------------------------ bucket by bucket */

/* A very small table may have no room for the entries of the bucket to remove, about once in a thousand times. Then it has
 * with one or two members fewer. */
static guira_status shrink(guira *f, struct model *m, struct rng *r) {
    guira_status s = tidal_ops(tidal(f))->shrink(tidal(f));
    for (unsigned i = 0; s == GUIRA_EFULL && i < 4 && buckets_of(f) < 64; i++) {
        remove_some(f, m, r);
        s = tidal_ops(tidal(f))->shrink(tidal(f));
    }
    return s;
}

/* One bucket more or less, with members enough for a load of 0.92. */
static void step(guira *f, struct model *m, int by, struct rng *r) {
    uint64_t buckets = buckets_of(f) + (uint64_t)by;
    double most = 0.92 * (double)(buckets * tidal_layout(tidal(f)).slots);
    while ((double)m->n > most) remove_some(f, m, r);
    assert_int_equal(by > 0 ? tidal_ops(tidal(f))->grow(tidal(f)) : shrink(f, m, r), GUIRA_OK);
    assert_int_equal(buckets_of(f), buckets);
    while (by > 0 && (double)m->n + 1 < most) insert_new(f, m, r);
    assert_int_equal(buckets_of(f), buckets); /* no insertion made it grow */
    assert_same(f, m);
    assert_valid(f);
}

static void test_it_grows_and_shrinks_by_single_buckets(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < 3; i++) {
        uint64_t most = quick_run() ? 200 : widths[i] == 16 ? 4096 : 1024;
        guira *f = make((guira_config){.slot_bits = widths[i], .min_load = -1}, &r);
        struct model m = {0};
        assert_int_equal(buckets_of(f), MIN_BUCKETS);
        while (buckets_of(f) < most) step(f, &m, +1, &r);
        while (buckets_of(f) > MIN_BUCKETS) step(f, &m, -1, &r);
        uint64_t before = digest(f);
        assert_int_equal(tidal_ops(tidal(f))->shrink(tidal(f)), GUIRA_ELIMIT);
        assert_true(digest(f) == before);
        finish(f, &m);
    }
}

/* 1.3 moves per insertion that finds both buckets full. A depth-first search from one bucket takes 2.2. */
static void test_growing_moves_few_entries(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make((guira_config){.slot_bits = 16}, &r);
    for (unsigned i = 0; i < 100000; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
    guira_stats s = stats_of(f);
    assert_true(s.evictions > 50000);
    if (s.kicks > s.evictions * 3 / 2) fail_msg("%" PRIu64 " moves in %" PRIu64 " evictions", s.kicks, s.evictions);
    assert_valid(f);
    guira_destroy(f);
}

/* Three insertions and one removal, then the reverse, between 10 items and `most`. Returns the mean load. */
static double wave(guira *f, struct model *m, uint64_t most, struct rng *r) {
    double sum = 0;
    uint64_t operations = 0, buckets = buckets_of(f), slots = tidal_layout(tidal(f)).slots;
    for (bool rising = true; rising || m->n > 10; operations++) {
        if (m->n < 10 || (rng_below(r, 4) != 0) == rising) insert_new(f, m, r);
        else remove_some(f, m, r);
        uint64_t now = buckets_of(f);
        if (now > buckets + 2 || buckets > now + 2) fail_msg("from %" PRIu64 " to %" PRIu64 " buckets", buckets, now);
        assert_int_equal(f->items, m->n);
        sum += (double)f->items / (double)(now * slots);
        buckets = now;
        if (operations % (most / 2) == 0) assert_same(f, m);
        if (m->n == most) rising = false;
    }
    return sum / (double)operations;
}

static void test_the_load_stays_at_94_percent_in_waves(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < 3; i++) {
        guira *f = make((guira_config){.slot_bits = widths[i], .max_load = 0.96, .min_load = 0.94}, &r);
        struct model m = {0};
        double mean = wave(f, &m, quick_run() ? 60000 : widths[i] == 16 ? 1500000 : 300000, &r);
        print_message("  w=%u: mean utilisation %.4f\n", widths[i], mean);
        assert_true(mean >= 0.94);
        assert_same(f, &m);
        assert_valid(f);
        finish(f, &m);
    }
}

/* ------------------------------------------------------------------------------------------------------- false positives */

/* 90 keys or more are expected to be found, where 6 sigma have a probability below 1e-7. */
static double rate_as_predicted(const guira *f, uint64_t lookups, struct rng *r) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < lookups; i++) found += guira_contains_hash(f, rng_next(r)); /* no member: 2^-40 */
    guira_stats s = stats_of(f);
    double rate = (double)found / (double)lookups, sigma = sqrt(s.fpr * (1 - s.fpr) / (double)lookups);
    print_message("  %" PRIu64 " items, %" PRIu64 " elders: %.4f %% predicted, %.4f %% found, %+.1f sigma\n", s.items,
                  s.elders, 100 * s.fpr, 100 * rate, (rate - s.fpr) / sigma);
    assert_true(fabs(rate - s.fpr) <= 6 * sigma);
    return rate;
}

/* Inserts or removes the next n numbers of a generator. Started again, it gives the oldest ones first. */
static void change(guira *f, struct rng *members, uint64_t n,
                   size_t (*many)(guira *, const uint64_t *, size_t, guira_status *)) {
    uint64_t hash[512];
    for (size_t m; n > 0; n -= m) {
        m = n < 512 ? (size_t)n : 512;
        for (size_t i = 0; i < m; i++) hash[i] = rng_next(members);
        assert_int_equal(many(f, hash, m, NULL), m);
    }
}

static void test_the_rate_grows_with_the_logarithm_and_falls_again(void **state) {
    (void)state;
    struct rng r = rng_for(__func__), in = r, out = r, probes = {~r.state};
    guira *f = make((guira_config){.slot_bits = 16}, &r);
    uint64_t most = quick_run() ? 1 << 18 : 16000000, lookups = quick_run() ? 200000 : 4000000;
    change(f, &in, most, guira_insert_hash_many);
    assert_int_equal(stats_of(f).items, most);
    assert_true(rate_as_predicted(f, lookups, &probes) <= 0.008);
    change(f, &out, most - 64, guira_remove_hash_many);
    guira_stats s = stats_of(f);
    double fresh = 2 * 8 * s.load / 32768;
    assert_true(s.items == 64 && s.fpr > 0.9 * fresh && s.fpr < 1.4 * fresh);
    assert_true(rate_as_predicted(f, lookups, &probes) < 0.001);
    change(f, &out, 64, guira_remove_hash_many);
    assert_true(stats_of(f).items == 0 && stats_of(f).fpr == 0);
    guira_destroy(f);
}

/* ---------------------------------------------------------------------------------------------------------------- memory */

/* An allocator that checks the filter at each allocation, also in the middle of a step. */
static struct {
    guira *f; /* NULL: none */
    size_t bytes;
    double most; /* overhead: bytes beyond those of the buckets, as a share of what is allowed */
} watch;

/* What there may be beyond the buckets:
 * - A 32nd of them in segments that are partly used, for the entries as for the names.
 * - The map of elders begins to be halved when it has more than a word for 32 buckets (12-bit slots: 4). When the smaller one is
 *   ready, which takes half as much more, the table may have lost a third of its buckets (elder_map.c). While it is doubled it is
 *   less: from a word for 128 (16) to one for 64 (8).
 * - Directories of two levels for both tables, 12 KiB; and the numbers of those elders that chance has made equal, with
 *   12-bit slots some 200 at 5 million items: 17 KiB while their table is rebuilt. Twice that, and nothing else is random. */
static double allowed_overhead(struct tidal *f, uint64_t used) {
    double words = tidal_layout(f).bits == 12 ? 1.0 / 4 : 1.0 / 32;
    return (double)used / 32 + 1.5 * 1.5 * 8 * words * (double)bucket_count(f) + 49152;
}

static void check_overhead_now(void) {
    if (watch.f == NULL) return;
    struct tidal *f = tidal(watch.f);
    uint64_t used = bucket_count(f) * tidal_layout(f).bucket_bytes;
    if (f->elders != NULL) used += buckets_of(f->elders->names) * LAYOUT_64.bucket_bytes;
    double share = ((double)watch.bytes - (double)used) / allowed_overhead(f, used);
    if (share > watch.most) watch.most = share;
    if (share <= 1) return;
    watch.f = NULL;
    fail_msg("%zu bytes for %" PRIu64 " in use, at %" PRIu64 " items", watch.bytes, used, f->head.items);
}

static void *watching_alloc(size_t size) {
    size_t *p = malloc(size + 16);
    if (p == NULL) return NULL;
    *p = size;
    watch.bytes += size;
    check_overhead_now();
    return p + 2;
}

static void watching_release(void *q) {
    size_t *p = (size_t *)q - 2;
    watch.bytes -= *p;
    free(p);
}

static void check_overhead(unsigned w, uint64_t most, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = w}, r);
    struct model m = {0};
    watch.f = f;
    watch.most = 0;
    size_t bytes_of_100 = 0, bytes_again = 0, empty = watch.bytes;
    for (bool rising = true; rising || m.n > 0;) {
        if (rising) insert_new(f, &m, r);
        else remove_some(f, &m, r);
        check_overhead_now();
        assert_int_equal(stats_of(f).bytes, watch.bytes);
        if (rising && m.n <= 100 && watch.bytes > bytes_of_100) bytes_of_100 = watch.bytes;
        if (!rising && m.n == 100) bytes_again = watch.bytes;
        if (m.n == most) rising = false;
    }
    print_message(
        "  w=%u: %.0f %% of the allowed overhead; %zu bytes empty, up to %zu for 100 items, %zu after shrinking\n", w,
        100 * watch.most, empty, bytes_of_100, bytes_again);
    assert_true(bytes_of_100 < 2048 && watch.bytes == empty);
    watch.f = NULL;
    finish(f, &m);
}

static void test_memory_follows_the_buckets_at_every_moment(void **state) {
    (void)state;
    static const guira_allocator watching = {watching_alloc, watching_release};
    struct rng r = rng_for(__func__);
    guira_set_allocator(&watching);
    check_overhead(12, quick_run() ? 150000 : 5000000, &r); /* 64 thousand elders, whose map must be freed with them */
    check_overhead(16, quick_run() ? 150000 : 2000000, &r);
    check_overhead(32, quick_run() ? 150000 : 1000000, &r);
    assert_int_equal(watch.bytes, 0);
    guira_set_allocator(NULL);
}

/* Allocators round large blocks up, so powers of two waste least. */
static size_t largest_block, odd_blocks;

static void *noting_alloc(size_t size) {
    if (size > largest_block) largest_block = size;
    bool small = size <= SMALL_BYTES + SMALL_BYTES / 8; /* may be a table in one block */
    if (!small && (size & (size - 1)) != 0) odd_blocks++;
    return malloc(size);
}

static void test_segments_are_allocated_in_powers_of_two(void **state) {
    (void)state;
    static const guira_allocator noting = {noting_alloc, free};
    struct rng r = rng_for(__func__);
    guira_set_allocator(&noting);
    for (unsigned w = 12; w <= 32; w = w == 12 ? 16 : 2 * w) {
        guira *f = make((guira_config){.slot_bits = w}, &r);
        struct model m = {0};
        for (unsigned i = 0; i < 5000; i++) insert_new(f, &m, &r); /* until then it lies in one block */
        largest_block = odd_blocks = 0;
        for (unsigned i = 0; i < 195000; i++) insert_new(f, &m, &r);
        assert_true(largest_block >= 4096);
        assert_true(odd_blocks < 10); /* directories and the elders' map are not segments */
        assert_same(f, &m);
        assert_valid(f);
        finish(f, &m);
    }
    guira_set_allocator(NULL);
}

/* ---------------------------------------------------------------------------------------------- capacity, reservations */

static void check_capacity(unsigned w, uint64_t capacity, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = w, .capacity = capacity}, r);
    struct model m = {0};
    uint64_t buckets = buckets_of(f);
    while (m.n < capacity) insert_new(f, &m, r);
    assert_true(buckets_of(f) == buckets && stats_of(f).grows == 0);
    assert_true(buckets <= MIN_BUCKETS ||
                0.93 * (double)((buckets - 1) * layout_of_width(w).slots) <= (double)capacity);
    assert_same(f, &m);
    assert_valid(f);
    finish(f, &m);
}

static void test_every_capacity_fits_without_growth(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const uint64_t large[] = {65537, 100003, 654321, 999999};
    for (size_t i = 0; i < 3; i++) {
        for (uint64_t n = i; n <= 3000; n += quick_run() ? 101 : 1) check_capacity(widths[i], n, &r);
        for (size_t j = 0; j < (quick_run() ? 1 : 4); j++) check_capacity(widths[i], large[j], &r);
    }
}

static void fill_to(guira *f, struct model *m, uint64_t n, struct rng *r) {
    while (m->n < n) insert_new(f, m, r);
    while (m->n > n) remove_some(f, m, r);
    assert_same(f, m);
    assert_valid(f);
}

/* 1000 members and room for 5000 or so. */
static void check_reservation(unsigned w, uint64_t room, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = w}, r);
    struct model m = {0};
    fill_to(f, &m, 1000, r);
    assert_int_equal(guira_reserve(f, room), GUIRA_OK);
    uint64_t reserved = buckets_of(f);
    assert_int_equal(guira_reserve(f, room / 2), GUIRA_OK); /* there is that much */
    fill_to(f, &m, room, r);
    fill_to(f, &m, 10, r);
    assert_int_equal(buckets_of(f), reserved);
    fill_to(f, &m, room + layout_of_width(w).slots, r); /* outgrown */
    assert_true(buckets_of(f) > reserved);
    fill_to(f, &m, 1000, r);
    assert_true(buckets_of(f) < reserved / 2);
    assert_int_equal(guira_reserve(f, room), GUIRA_OK);
    assert_int_equal(buckets_of(f), reserved);
    assert_int_equal(guira_clear(f), GUIRA_OK);
    assert_int_equal(buckets_of(f), reserved);
    m.n = 0;
    fill_to(f, &m, 1000, r);
    assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    assert_int_equal(buckets_of(f), guira__buckets_for(1000, 0.93, layout_of_width(w)));
    fill_to(f, &m, 0, r);
    assert_int_equal(buckets_of(f), MIN_BUCKETS);
    finish(f, &m);
}

static void test_reserved_room_is_kept_until_outgrown_or_dropped(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < (quick_run() ? 3 : 60); i++)
        check_reservation(widths[i % 3], 5000 + rng_below(&r, 3000), &r);
}

static void test_reserving_nothing_ends_a_reservation_and_removals_shrink_it(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make((guira_config){.capacity = 5000}, &r);
    struct model m = {0};
    uint64_t buckets = buckets_of(f);
    while (m.n < 1000) insert_new(f, &m, &r);
    remove_some(f, &m, &r);
    assert_int_equal(buckets_of(f), buckets);
    assert_int_equal(guira_reserve(f, 0), GUIRA_OK);
    assert_int_equal(buckets_of(f), buckets); /* no work at once */
    while (m.n > 500) remove_some(f, &m, &r);
    assert_true(buckets_of(f) < buckets / 4);
    assert_same(f, &m);
    finish(f, &m);
}

static size_t zeroed_blocks;

static void *zeroed_alloc(size_t size) {
    zeroed_blocks += size >= 1000000;
    return calloc(1, size);
}

/* And never clears its memory once more: a table that is not used is not touched. */
static void test_large_tables_come_from_the_zeroed_allocator(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_set_allocator(&(guira_allocator){malloc, free});
    guira_set_zeroed_allocator(zeroed_alloc);
    for (guira_kind kind = GUIRA_TIDAL; kind <= GUIRA_CUCKOO; kind++) {
        zeroed_blocks = 0;
        guira *f;
        assert_int_equal(guira_create(&(guira_config){.kind = kind, .capacity = 100000000}, &f), GUIRA_OK);
        assert_true(zeroed_blocks > 0);
        struct model m = {0};
        members_in(f, &m, 1000, &r);
        for (uint64_t i = 0; i < m.n; i++) assert_true(guira_contains_hash(f, m.hash[i]));
        guira_destroy(f);
        model_free(&m);
    }
    guira_set_allocator(NULL); /* undoes both */
    zeroed_blocks = 0;
    guira_destroy(make((guira_config){.capacity = 10000000}, &r));
    assert_int_equal(zeroed_blocks, 0);
}

/* Shrinks until the entries of the bucket to remove have room neither in the table nor in the stash, and there is no memory
 * for elders. That step and later ones keep the size and every member; entries may have left the stash for the table. */
static void test_shrinking_without_room_keeps_everything(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct model m = {0};
        memory_hook();
        guira *f = make((guira_config){.slot_bits = widths[i], .max_load = 0.99, .min_load = -1, .capacity = 3000}, &r);
        while (m.n < 2900) insert_new(f, &m, &r);
        while (stats_of(f).elders == 0) assert_int_equal(tidal_ops(tidal(f))->shrink(tidal(f)), GUIRA_OK);
        assert_true(stats_of(f).load > 0.94); /* as long as there was room in the table, it was used */
        memory.fail_at = memory.calls + 1;
        memory.fail_on = true;
        while (tidal_ops(tidal(f))->shrink(tidal(f)) == GUIRA_OK) { /* as long as no memory is needed */
        }
        uint64_t buckets = buckets_of(f);
        for (unsigned again = 0; again < 3; again++) {
            assert_true(tidal_ops(tidal(f))->shrink(tidal(f)) != GUIRA_OK);
            assert_int_equal(buckets_of(f), buckets);
            assert_valid(f);
            assert_same(f, &m);
        }
        memory.fail_at = 0;
        memory.fail_on = false;
        finish(f, &m);
        memory_unhook();
    }
}

/* ------------------------------------------------------------------------------------------------------- every width */

/* Up to a size at which the arrays lie in regions of the system's memory, which the allocator hook of other tests
 * switches off, and down again. */
static void test_every_width_grows_and_shrinks_through_regions(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned w = 13; w <= 28; w++) {
        if (layout_of_width(w).form == FORM_NONE || (quick_run() && w % 4 != 1)) continue;
        guira *f = make((guira_config){.slot_bits = w}, &r);
        struct model m = {0};
        uint64_t most = (UINT64_C(5) << 20) / w; /* more than REGION_WORTH */
        while (m.n < most) insert_new(f, &m, &r);
        assert_same(f, &m);
        assert_valid(f);
        while (m.n > 1000) remove_some(f, &m, &r);
        assert_same(f, &m);
        assert_valid(f);
        assert_true(stats_of(f).bytes < 40000);
        finish(f, &m);
    }
}

static void change_to(guira *f, struct ordered_set *c, size_t n, enum choice how, struct rng *r) {
    while (c->live < n) {
        uint64_t hash = rng_next(r);
        assert_int_equal(guira_insert_hash(f, hash), GUIRA_OK);
        ordered_add(c, hash);
    }
    while (c->live > n) assert_int_equal(guira_remove_hash(f, ordered_take(c, how, r)), GUIRA_OK);
}

/* What the filter expects is at most the requested rate at every moment, and what is measured agrees with it: 200
 * keys are expected to be found, and 6 standard deviations more once in 10^8 turns, of which there are at most 120. */
static void check_rate_is_kept(double fpr, enum choice how, struct rng *r) {
    guira *f = make((guira_config){.fpr = fpr}, r);
    struct ordered_set c = {0};
    for (unsigned turn = 0; turn < (quick_run() ? 6 : 20); turn++) {
        size_t most = quick_run() ? 20000 : 200000;
        change_to(f, &c, turn % 2 ? 10 + rng_below(r, 100) : rng_below(r, most), how, r);
        double expected = stats_of(f).fpr, probes = 200 / fpr, hits = 0;
        assert_true(expected <= fpr && stats_of(f).fpr_kept == fpr);
        for (uint64_t i = 0; i < (uint64_t)probes; i++) hits += guira_contains_hash(f, rng_next(r));
        assert_true(hits <= fpr * probes + 6 * sqrt(fpr * probes));
    }
    free(c.hash);
    guira_destroy(f);
}

static void test_the_requested_rate_is_kept_in_every_history(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (enum choice how = ANY; how < CHOICES; how++) {
        check_rate_is_kept(0.01, how, &r);
        check_rate_is_kept(0.001, how, &r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_grows_and_shrinks_by_single_buckets),
        cmocka_unit_test(test_growing_moves_few_entries),
        cmocka_unit_test(test_the_load_stays_at_94_percent_in_waves),
        cmocka_unit_test(test_the_rate_grows_with_the_logarithm_and_falls_again),
        cmocka_unit_test(test_memory_follows_the_buckets_at_every_moment),
        cmocka_unit_test(test_segments_are_allocated_in_powers_of_two),
        cmocka_unit_test(test_every_capacity_fits_without_growth),
        cmocka_unit_test(test_reserved_room_is_kept_until_outgrown_or_dropped),
        cmocka_unit_test(test_reserving_nothing_ends_a_reservation_and_removals_shrink_it),
        cmocka_unit_test(test_large_tables_come_from_the_zeroed_allocator),
        cmocka_unit_test(test_shrinking_without_room_keeps_everything),
        cmocka_unit_test(test_every_width_grows_and_shrinks_through_regions),
        cmocka_unit_test(test_the_requested_rate_is_kept_in_every_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
