/* Searching a bucket gives the same answer with every instruction set this machine can run, and that answer is the one a
 * loop over single bits gives. Slots are where the pictures in geometry.h say, and writing one leaves the others alone. */
#include <string.h>

#include "match_kernel.h"
#include "support.h"

#define GUIRA__PORTABLE
#include "match.h"

extern const struct match_kernel match_kernel_portable;
#ifdef GUIRA__HAVE_SSE41
extern const struct match_kernel match_kernel_sse41;
#endif
#ifdef GUIRA__HAVE_AVX2
extern const struct match_kernel match_kernel_avx2;
#endif
#ifdef GUIRA__HAVE_AVX512
extern const struct match_kernel match_kernel_avx512;
#endif
#ifdef GUIRA__HAVE_NEON
extern const struct match_kernel match_kernel_neon;
#endif

static const struct {
    const char *isa;
    const struct match_kernel *kernel;
} kernels[] = {
    {"portable", &match_kernel_portable},
#ifdef GUIRA__HAVE_SSE41
    {"sse41", &match_kernel_sse41},
#endif
#ifdef GUIRA__HAVE_AVX2
    {"avx2", &match_kernel_avx2},
#endif
#ifdef GUIRA__HAVE_AVX512
    {"avx512", &match_kernel_avx512},
#endif
#ifdef GUIRA__HAVE_NEON
    {"neon", &match_kernel_neon},
#endif
};

static const unsigned widths[] = {12, 16, 32, 64, AGED};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* A bucket of any width, aligned as the library's are. */
struct bucket {
    uint8_t byte[64] __attribute__((aligned(64)));
};

typedef void check(const struct match_kernel *k, struct rng *r);

static void on_every_isa(const char *test, check *f) {
    struct rng r = rng_for(test);
    for (const char *const *isa = guira__isa_list(); *isa != NULL; isa++) {
        const struct match_kernel *k = NULL;
        for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
            if (strcmp(kernels[i].isa, *isa) == 0) k = kernels[i].kernel;
        if (k == NULL) fail_msg("%s is in the library, but not in this test", *isa);
        print_message("  %s\n", *isa);
        f(k, &r);
    }
}

/* ------------------------------------------------------------------------------------------------------- the reference */

static bool bit(uint64_t v, unsigned i) { return v >> i & 1; }

static uint64_t ref_slot(const uint8_t *bucket, unsigned j, unsigned w) {
    uint64_t v = 0;
    unsigned bits = w == AGED ? 32 : w;
    for (unsigned i = 0; i < bits; i++) v |= (uint64_t)bit(bucket[(j * bits + i) / 8], (j * bits + i) % 8) << i;
    return v;
}

/* An empty slot is nobody's; a slot with a mark must agree above it, but for the stamp. */
static bool ref_matches(uint64_t s, uint64_t q, unsigned w, bool prefix) {
    unsigned from = 0, to = w == AGED && !prefix ? 32 : w;
    if (prefix && s == 0) return false;
    if (prefix)
        while (!bit(s, from++)) {
        }
    for (unsigned i = from; i < to; i++)
        if (bit(s, i) != bit(q, i)) return false;
    return true;
}

static unsigned ref_mask(const uint8_t *bucket, uint64_t q, unsigned w, bool prefix) {
    unsigned mask = 0;
    for (unsigned j = 0; j < (w == 12 ? 10 : 8); j++)
        mask |= (unsigned)ref_matches(ref_slot(bucket, j, w), q, w, prefix) << j;
    return mask;
}

/* ---------------------------------------------------------------------------------------------------- random buckets */

static uint64_t cut(uint64_t v, unsigned w) { return w == 64 ? v : v & ((UINT64_C(1) << w) - 1); }

/* Something a search for q might get wrong: nothing, anything, q itself, less of q, and almost less of q. */
static uint64_t tricky_slot(struct rng *r, uint64_t q, unsigned w) {
    unsigned mark = (unsigned)rng_below(r, w);
    uint64_t shorter = ((q >> mark) | 1) << mark;
    switch (rng_below(r, 8)) {
    case 0:
    case 1: return 0;
    case 2: return cut(rng_next(r), w);
    case 3: return q;
    case 4: return UINT64_C(1) << mark;
    case 5: return cut(shorter, w);
    default: return cut(shorter ^ UINT64_C(1) << rng_below(r, w), w);
    }
}

static struct bucket tricky_bucket(struct rng *r, uint64_t q, unsigned w) {
    struct bucket b = {{0}};
    for (unsigned j = 0; j < bucket_slots(w); j++) {
        uint64_t s = tricky_slot(r, q, w);
        if (w == AGED && s != 0 && rng_below(r, 4) > 0) s |= rng_below(r, 32) << AGED;
        slot_set(b.byte, j, s, w);
    }
    return b;
}

/* Every value but 0, which nobody looks for. */
static uint64_t some_probe(struct rng *r, unsigned w) {
    uint64_t q = 0;
    while (q == 0) q = cut(rng_below(r, 4) == 0 ? UINT64_C(1) << rng_below(r, w) : rng_next(r), w);
    return q;
}

static unsigned rounds(void) { return quick_run() ? 5000 : 50000; }

/* -------------------------------------------------------------------------------------------------------------- tests */

static void check_masks(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < WIDTHS * rounds(); i++) {
        unsigned w = widths[i % WIDTHS];
        bool prefix = bit(i, 2);
        uint64_t q = some_probe(r, w);
        struct bucket b = tricky_bucket(r, q, w);
        assert_int_equal(k->mask(b.byte, q, w, prefix), ref_mask(b.byte, q, w, prefix));
        assert_int_equal(k->empty(b.byte, w), ref_mask(b.byte, 0, w, false));
    }
}

static void check_pairs(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < WIDTHS * rounds(); i++) {
        unsigned w = widths[i % WIDTHS];
        bool prefix = bit(i, 2);
        uint64_t qa = some_probe(r, w), qb = rng_below(r, 2) ? qa : some_probe(r, w);
        struct bucket a = tricky_bucket(r, rng_below(r, 2) ? qa : some_probe(r, w), w);
        struct bucket b = tricky_bucket(r, rng_below(r, 2) ? qb : some_probe(r, w), w);
        bool expected = (ref_mask(a.byte, qa, w, prefix) | ref_mask(b.byte, qb, w, prefix)) != 0;
        assert_int_equal(k->either(a.byte, qa, b.byte, qb, w, prefix), expected);
    }
}

/* One slot of one bucket is the only one that matches, and it is found there. */
static void check_lone_match(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < rounds() / 10; i++) {
        unsigned w = widths[i % WIDTHS];
        bool prefix = bit(i, 2);
        uint64_t q = some_probe(r, w), s = prefix ? cut((q | 1) << 1 | 1, w) : q;
        for (unsigned j = 0; j < 2 * bucket_slots(w); j++) {
            struct bucket pair[2] = {{{0}}, {{0}}};
            slot_set(pair[j / bucket_slots(w)].byte, j % bucket_slots(w), s, w);
            assert_int_equal(k->mask(pair[j / bucket_slots(w)].byte, s, w, prefix), 1U << j % bucket_slots(w));
            assert_true(k->either(pair[0].byte, s, pair[1].byte, s, w, prefix));
        }
    }
}

/* Every slot value meets every probe. Ten values share a bucket, each time in other places. */
static void check_all_of_12(const struct match_kernel *k, struct rng *r) {
    unsigned step = quick_run() ? 31 : 1;
    for (unsigned first = 0; first < 4096; first += 10) {
        struct bucket b = {{0}};
        unsigned turn = (unsigned)rng_below(r, 10);
        for (unsigned j = 0; j < 10; j++) slot_set(b.byte, (j + turn) % 10, (first + j) & 0xfff, 12);
        for (unsigned q = 1 + (unsigned)rng_below(r, step); q < 4096; q += step) {
            assert_int_equal(k->mask(b.byte, q, 12, true), mask_by_slot(b.byte, q, 12, PREFIX));
            assert_int_equal(k->mask(b.byte, q, 12, false), mask_by_slot(b.byte, q, 12, EXACT));
        }
    }
}

/* Ranges that go around the end too, and slots at both edges of them. */
static void check_ranges(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < rounds(); i++) {
        uint32_t from = (uint32_t)rng_next(r), span = (uint32_t)rng_next(r) >> rng_below(r, 32);
        const uint32_t edge[] = {from - 1, from, from + span, from + span + 1, 0};
        struct bucket b = {{0}};
        unsigned expected = 0;
        for (unsigned j = 0; j < bucket_slots(AGED); j++) {
            uint32_t s = rng_below(r, 3) == 0 ? (uint32_t)rng_next(r) : edge[rng_below(r, 5)];
            slot_set(b.byte, j, s, AGED);
            uint64_t up = s >= from ? s : s + (UINT64_C(1) << 32);
            expected |= (unsigned)(up <= (uint64_t)from + span) << j;
        }
        assert_int_equal(k->range(b.byte, from, span), expected);
    }
}

static void test_masks_equal_the_reference(void **state) {
    (void)state;
    on_every_isa(__func__, check_masks);
}

static void test_questions_about_two_buckets_equal_the_reference(void **state) {
    (void)state;
    on_every_isa(__func__, check_pairs);
}

static void test_slots_in_a_range_are_found_around_the_end(void **state) {
    (void)state;
    on_every_isa(__func__, check_ranges);
}

static void test_a_lone_match_is_found_in_every_slot(void **state) {
    (void)state;
    on_every_isa(__func__, check_lone_match);
}

static void test_every_12_bit_slot_meets_every_probe(void **state) {
    (void)state;
    on_every_isa(__func__, check_all_of_12);
}

/* The check above relies on mask_by_slot; here it is held against single bits itself, for every slot and probe. */
static void test_slot_by_slot_is_bit_by_bit(void **state) {
    (void)state;
    unsigned step = quick_run() ? 13 : 1;
    for (unsigned s = 0; s < 4096; s += step)
        for (unsigned q = 1; q < 4096; q++)
            if (slot_matches(s, q, PREFIX) != ref_matches(s, q, 12, true)) fail_msg("slot %03x, probe %03x", s, q);
}

static void test_slots_are_read_and_written_in_their_place(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < WIDTHS * rounds(); i++) {
        unsigned w = widths[i % WIDTHS], slots = bucket_slots(w), at = (unsigned)rng_below(&r, slots);
        uint64_t v = cut(rng_next(&r), stored_bits(w));
        struct bucket before, after;
        for (size_t n = 0; n < sizeof before.byte; n++) before.byte[n] = (uint8_t)rng_next(&r);
        after = before;
        slot_set(after.byte, at, v, w);
        for (unsigned j = 0; j < slots; j++) {
            assert_true(slot_get(after.byte, j, w) == (j == at ? v : slot_get(before.byte, j, w)));
            assert_true(slot_get(after.byte, j, w) == ref_slot(after.byte, j, w));
        }
        size_t end = (size_t)slots * stored_bits(w) / 8;
        assert_memory_equal(after.byte + end, before.byte + end, sizeof after.byte - end);
    }
}

static void test_buckets_never_straddle_a_cache_line(void **state) {
    (void)state;
    for (size_t i = 0; i < WIDTHS; i++) {
        unsigned w = widths[i];
        assert_int_equal(64 % bucket_bytes(w), 0);
        assert_true(bucket_slots(w) * stored_bits(w) <= 8 * bucket_bytes(w));
        assert_true(bucket_slots(w) <= MAX_SLOTS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slot_by_slot_is_bit_by_bit),
        cmocka_unit_test(test_masks_equal_the_reference),
        cmocka_unit_test(test_questions_about_two_buckets_equal_the_reference),
        cmocka_unit_test(test_slots_in_a_range_are_found_around_the_end),
        cmocka_unit_test(test_a_lone_match_is_found_in_every_slot),
        cmocka_unit_test(test_every_12_bit_slot_meets_every_probe),
        cmocka_unit_test(test_slots_are_read_and_written_in_their_place),
        cmocka_unit_test(test_buckets_never_straddle_a_cache_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
