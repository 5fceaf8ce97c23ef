/* Searching a bucket gives the same result with every instruction set of this machine, equal to that of a loop over single
 * bits. Slots lie where slots/layout.h says, and writing one does not change the others. */
#include <string.h>

#include "match_kernel.h"
#include "slots/match.inc"
#include "support.h"

static const struct {
    const char *isa;
    const struct match_kernel *kernel;
} kernels[] = {
    {"portable", &match_portable},
#ifdef GUIRA__HAVE_SSE41
    {"sse41", &match_sse41},
#endif
#ifdef GUIRA__HAVE_AVX2
    {"avx2", &match_avx2},
#endif
#ifdef GUIRA__HAVE_AVX512
    {"avx512", &match_avx512},
#endif
#ifdef GUIRA__HAVE_NEON
    {"neon", &match_neon},
#endif
};

/* The first ones, then every narrow and wide width. */
static const struct layout layouts[] = {
    LAYOUT_12,
    LAYOUT_16,
    LAYOUT_32,
    LAYOUT_64,
    LAYOUT_STAMPED,
    LAYOUT_NARROW(6),
    LAYOUT_NARROW(7),
    LAYOUT_NARROW(8),
    LAYOUT_NARROW(9),
    LAYOUT_NARROW(10),
    LAYOUT_NARROW(11),
    LAYOUT_NARROW(12),
    LAYOUT_NARROW(13),
    LAYOUT_NARROW(14),
    LAYOUT_NARROW(15),
    LAYOUT_WIDE(17),
    LAYOUT_WIDE(18),
    LAYOUT_WIDE(19),
    LAYOUT_WIDE(20),
    LAYOUT_WIDE(21),
    LAYOUT_WIDE(22),
    LAYOUT_WIDE(23),
    LAYOUT_WIDE(24),
    LAYOUT_WIDE(25),
    LAYOUT_WIDE(26),
    LAYOUT_WIDE(28),
    LAYOUT_STAMPED_WIDE(12),
    LAYOUT_STAMPED_WIDE(13),
    LAYOUT_STAMPED_WIDE(14),
    LAYOUT_STAMPED_WIDE(15),
    LAYOUT_STAMPED_WIDE(16),
    LAYOUT_STAMPED_WIDE(17),
    LAYOUT_STAMPED_WIDE(18),
    LAYOUT_STAMPED_WIDE(19),
    LAYOUT_STAMPED_WIDE(20),
    LAYOUT_STAMPED_WIDE(21),
    LAYOUT_STAMPED_WIDE(23),
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* A bucket of any width, aligned as the library's are. */
struct bucket {
    uint8_t byte[64] __attribute__((aligned(64)));
};

typedef void check(const struct match_kernel *k, struct rng *r);

static void on_every_isa(const char *test, check *f) {
    struct rng r = rng_for(test);
    for (const char *const *isa = isa_list(); *isa != NULL; isa++) {
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

static uint64_t ref_slot(const uint8_t *bucket, unsigned j, struct layout l) {
    uint64_t v = 0;
    unsigned bits = layout_stored_bits(l);
    for (unsigned i = 0; i < bits; i++) v |= (uint64_t)bit(bucket[(j * bits + i) / 8], (j * bits + i) % 8) << i;
    return v;
}

/* An empty slot matches nothing. In others the bits above the mark must agree, without the time stamp. */
static bool ref_matches(uint64_t s, uint64_t q, struct layout l, bool prefix) {
    unsigned from = 0, to = prefix ? l.bits : layout_stored_bits(l);
    if (prefix && s == 0) return false;
    if (prefix)
        while (!bit(s, from++)) {
        }
    for (unsigned i = from; i < to; i++)
        if (bit(s, i) != bit(q, i)) return false;
    return true;
}

static unsigned ref_mask(const uint8_t *bucket, uint64_t q, struct layout l, bool prefix) {
    unsigned mask = 0;
    for (unsigned j = 0; j < l.slots; j++) mask |= (unsigned)ref_matches(ref_slot(bucket, j, l), q, l, prefix) << j;
    return mask;
}

/* ---------------------------------------------------------------------------------------------------- random buckets */

static uint64_t cut_to(uint64_t v, unsigned bits) { return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1); }
static uint64_t cut(uint64_t v, struct layout l) { return cut_to(v, l.bits); }

/* A slot that a search for q might get wrong: empty, random, q itself, a prefix of q, or almost one. */
static uint64_t tricky_slot(struct rng *r, uint64_t q, struct layout l) {
    unsigned mark = (unsigned)rng_below(r, l.bits);
    uint64_t shorter = ((q >> mark) | 1) << mark;
    switch (rng_below(r, 8)) {
    case 0:
    case 1: return 0;
    case 2: return cut(rng_next(r), l);
    case 3: return q;
    case 4: return UINT64_C(1) << mark;
    case 5: return cut(shorter, l);
    default: return cut(shorter ^ UINT64_C(1) << rng_below(r, l.bits), l);
    }
}

static struct bucket tricky_bucket(struct rng *r, uint64_t q, struct layout l) {
    struct bucket b = {{0}};
    for (unsigned j = 0; j < l.slots; j++) {
        uint64_t s = tricky_slot(r, q, l);
        if (l.stamp_bits > 0 && s != 0 && rng_below(r, 4) > 0) s |= rng_below(r, 32) << l.bits;
        slot_set(b.byte, j, s, l);
    }
    return b;
}

/* Any value but 0, for which no lookup searches. */
static uint64_t some_probe(struct rng *r, struct layout l) {
    uint64_t q = 0;
    while (q == 0) q = cut(rng_below(r, 4) == 0 ? UINT64_C(1) << rng_below(r, l.bits) : rng_next(r), l);
    return q;
}

static unsigned rounds(void) { return quick_run() ? 5000 : 50000; }

/* -------------------------------------------------------------------------------------------------------------- tests */

static void check_masks(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < LAYOUTS * rounds(); i++) {
        struct layout l = layouts[i % LAYOUTS];
        bool prefix = bit(i, 2);
        uint64_t q = some_probe(r, l);
        struct bucket b = tricky_bucket(r, q, l);
        assert_int_equal(k->mask(b.byte, q, l, prefix), ref_mask(b.byte, q, l, prefix));
        assert_int_equal(k->empty(b.byte, l), ref_mask(b.byte, 0, l, false));
    }
}

/* Rows of two buckets with four slots: every width that they can have. */
static void check_halves(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < LAYOUTS * rounds(); i++) {
        struct layout l = layout_of(MIN_WIDTH + i % (MAX_WIDTH - MIN_WIDTH + 1), HALF_ROW), row = l;
        if (l.form == FORM_NONE) continue;
        row.slots = 2 * HALF_ROW;
        uint64_t q = some_probe(r, l);
        unsigned first_a = rng_below(r, 2) ? HALF_ROW : 0, first_b = rng_below(r, 2) ? HALF_ROW : 0;
        struct bucket a = tricky_bucket(r, q, row), b = tricky_bucket(r, rng_below(r, 2) ? q : some_probe(r, l), row);
        unsigned in_a = ref_mask(a.byte, q, row, false) >> first_a & 15;
        unsigned in_b = ref_mask(b.byte, q, row, false) >> first_b & 15;
        assert_int_equal(k->half(a.byte, first_a, q, l), in_a);
        assert_int_equal(k->half(b.byte, first_b, 0, l), ref_mask(b.byte, 0, row, false) >> first_b & 15);
        assert_int_equal(k->either_half(a.byte, first_a, b.byte, first_b, q, l), (in_a | in_b) != 0);
    }
}

static void check_pairs(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < LAYOUTS * rounds(); i++) {
        struct layout l = layouts[i % LAYOUTS];
        bool prefix = bit(i, 2);
        uint64_t qa = some_probe(r, l), qb = rng_below(r, 2) ? qa : some_probe(r, l);
        struct bucket a = tricky_bucket(r, rng_below(r, 2) ? qa : some_probe(r, l), l);
        struct bucket b = tricky_bucket(r, rng_below(r, 2) ? qb : some_probe(r, l), l);
        bool expected = (ref_mask(a.byte, qa, l, prefix) | ref_mask(b.byte, qb, l, prefix)) != 0;
        assert_int_equal(k->either(a.byte, qa, b.byte, qb, l, prefix), expected);
    }
}

/* Groups with several lookups in the same bucket. */
static void check_groups(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < LAYOUTS * rounds() / GROUP; i++) {
        struct layout l = layouts[i % LAYOUTS];
        if (l.bits == 64) continue; /* two probes of 32 bits are all that a group has room for */
        bool prefix = bit(i, 2), out[GROUP];
        size_t found = 0;
        uint64_t q = some_probe(r, l);
        struct bucket bucket[GROUP];
        struct group g;
        for (unsigned j = 0; j < GROUP; j++) bucket[j] = tricky_bucket(r, rng_below(r, 2) ? q : some_probe(r, l), l);
        for (unsigned j = 0; j < GROUP; j++) {
            g.a[j] = (uintptr_t)bucket[rng_below(r, GROUP)].byte;
            g.b[j] = (uintptr_t)bucket[rng_below(r, GROUP)].byte;
            g.q[j] = group_q(rng_below(r, 2) ? q : some_probe(r, l), rng_below(r, 2) ? q : some_probe(r, l));
        }
        size_t present = k->group(&g, out, l, prefix);
        for (unsigned j = 0; j < GROUP; j++) {
            unsigned in_a = ref_mask((const uint8_t *)g.a[j], (uint32_t)g.q[j], l, prefix);
            unsigned in_b = ref_mask((const uint8_t *)g.b[j], g.q[j] >> 32, l, prefix);
            assert_int_equal(out[j], (in_a | in_b) != 0);
            found += out[j];
        }
        assert_int_equal(present, found);
    }
}

/* Where an address is in a table of two arrays, one lookup at a time: its bucket, and its probe. */
static uintptr_t ref_flat(struct flat_table_at t, uint64_t address, unsigned tail, struct layout l, uint64_t *q) {
    unsigned side = address < t.split_address;
    uint64_t shifted = address >> (t.to_tail - side), core = *q;
    *q = (shifted & ((UINT64_C(2) << tail) - 2)) + (core << (tail + 1)) + 1;
    return t.start[side] + (shifted >> (tail + 1)) * l.bucket_bytes;
}

static void check_flat_tables(const struct match_kernel *k, struct rng *r) {
    uint64_t displacement[64], hash[GROUP];
    if (k->find_flat == NULL) return;
    for (unsigned i = 0; i < 64; i++) displacement[i] = rng_next(r);
    for (unsigned i = 0; i < LAYOUTS * rounds() / GROUP; i++) {
        struct layout l = layouts[i % LAYOUTS];
        if (l.bits == 64 || l.bits < 12) continue;
        unsigned core = l.form == FORM_PACKED ? 5 : 6, tail = l.bits - 1 - core;
        struct flat_table_at t = {rng_next(r) << rng_below(r, 64), 1 + rng_below(r, 60), {rng_next(r), rng_next(r)}};
        struct group g;
        for (unsigned j = 0; j < GROUP; j++)
            hash[j] = rng_below(r, 4) ? rng_next(r) : t.split_address - rng_below(r, 2); /* at the border */
        k->find_flat(&t, hash, displacement, &g, core, tail, l);
        for (unsigned j = 0; j < GROUP; j++) {
            uint64_t c = hash[j] & ((1U << core) - 1), qa = c, qb = c;
            assert_true(g.a[j] == ref_flat(t, hash[j], tail, l, &qa));
            assert_true(g.b[j] == ref_flat(t, hash[j] ^ displacement[c], tail, l, &qb));
            assert_true(g.q[j] == group_q(qa, qb));
        }
    }
}

/* As above, with a table for each shard. */
static void check_sharded_tables(const struct match_kernel *k, struct rng *r) {
    uint64_t displacement[64], hash[GROUP];
    if (k->find_sharded == NULL) return;
    for (unsigned i = 0; i < 64; i++) displacement[i] = rng_next(r) & ~UINT64_C(0x3ff); /* the shard stays the same */
    for (unsigned i = 0; i < LAYOUTS * rounds() / GROUP; i++) {
        struct layout l = layouts[i % LAYOUTS];
        if (l.bits == 64 || l.bits < 12) continue;
        unsigned core = l.form == FORM_PACKED ? 5 : 6, tail = l.bits - 1 - core;
        struct flat_table_at t[FLAT_SHARDS];
        struct flat_shards all = {.to_shard = 6, .last = (1U << rng_below(r, 5)) - 1};
        for (unsigned j = 0; j < FLAT_SHARDS; j++) {
            t[j] = (struct flat_table_at){rng_next(r), 1 + rng_below(r, 60), {rng_next(r) >> 6, rng_next(r) >> 6}};
            all.split_address[j] = t[j].split_address;
            for (unsigned side = 0; side < 2; side++)
                all.packed[side][j] = t[j].start[side] << 6 | (t[j].to_tail - side);
        }
        struct group g;
        for (unsigned j = 0; j < GROUP; j++) hash[j] = rng_next(r);
        k->find_sharded(&all, hash, displacement, &g, core, tail, l);
        for (unsigned j = 0; j < GROUP; j++) {
            uint64_t c = hash[j] & ((1U << core) - 1), qa = c, qb = c, shard = hash[j] >> 6 & all.last;
            assert_true(g.a[j] == ref_flat(t[shard], hash[j], tail, l, &qa));
            assert_true(g.b[j] == ref_flat(t[shard], hash[j] ^ displacement[c], tail, l, &qb));
            assert_true(g.q[j] == group_q(qa, qb));
        }
    }
}

/* Where a hash is in a table of a fixed number of buckets: see cuckoo/cuckoo.h. */
static uint64_t ref_scaled_bucket(struct scaled_table_at t, uint64_t number) {
    return (uint64_t)((uint32_t)(number >> 32 << t.shift)) * t.buckets >> 32;
}

static void check_scaled_tables(const struct match_kernel *k, struct rng *r) {
    uint64_t hash[GROUP];
    if (k->find_scaled == NULL) return;
    for (unsigned i = 0; i < LAYOUTS * rounds() / GROUP; i++) {
        struct layout l = layouts[i % LAYOUTS];
        if (l.bits == 64) continue;
        if (l.form != FORM_WORDS && l.form != FORM_PACKED && l.stamp_bits == 0 && rng_below(r, 2)) l.slots = HALF_ROW;
        uint64_t buckets = rng_below(r, 4) ? 1 + (rng_next(r) >> (32 + rng_below(r, 32))) : UINT64_C(1) << 32;
        struct scaled_table_at t = {rng_next(r), buckets, rng_below(r, 4), rng_next(r)};
        struct group g;
        for (unsigned j = 0; j < GROUP; j++) hash[j] = rng_below(r, 8) ? rng_next(r) : 0 - rng_below(r, 2);
        k->find_scaled(&t, hash, &g, l);
        for (unsigned j = 0; j < GROUP; j++) {
            uint64_t q = 1 + ((uint64_t)(uint32_t)hash[j] * ((UINT64_C(1) << l.bits) - 1) >> 32);
            uint64_t a = ref_scaled_bucket(t, hash[j]), b = ref_scaled_bucket(t, q * t.multiplier);
            b = b >= a ? b - a : b + t.buckets - a;
            uint64_t halves = layout_first(a, l) | layout_first(b, l) << 8;
            assert_true(g.a[j] == t.start + layout_row(a, l) * l.bucket_bytes);
            assert_true(g.b[j] == t.start + layout_row(b, l) * l.bucket_bytes);
            assert_true(g.q[j] == group_q(q, l.slots == HALF_ROW ? halves : q));
        }
    }
}

/* Single lookups in a table of 2^level and 2^(level + 1) buckets, whose buckets are made for the address. */
static void check_pair_lookups(const struct match_kernel *k, struct rng *r) {
    enum { LEVEL = 3, BUCKETS = 3 << LEVEL };
    uint64_t displacement[64];
    if (k->has_pair == NULL) return;
    for (unsigned i = 0; i < 64; i++) displacement[i] = rng_next(r) & ~UINT64_C(63);
    for (unsigned i = 0; i < LAYOUTS * rounds(); i++) {
        struct layout l = layouts[i % LAYOUTS];
        if (l.bits == 64 || l.bits < 12 || l.stamp_bits > 0 || !k->has_pair(l)) continue;
        unsigned core = l.form == FORM_PACKED ? 5 : 6, tail = l.bits - 1 - core;
        uint8_t byte[BUCKETS * MAX_WIDTH] __attribute__((aligned(64))) = {0};
        struct flat_table_at t = {rng_below(r, 9) << 61, 63 - LEVEL - tail, {(uintptr_t)byte, (uintptr_t)byte}};
        t.start[1] += (size_t)l.bucket_bytes << LEVEL;
        const uintptr_t packed[2] = {t.start[0] << 6 | t.to_tail, t.start[1] << 6 | (t.to_tail - 1)};
        uint64_t a = rng_below(r, 4) ? rng_next(r) : t.split_address - rng_below(r, 2), c = a & ((1U << core) - 1);
        uint64_t qa = c, qb = c;
        uint8_t *in_a = (uint8_t *)ref_flat(t, a, tail, l, &qa);
        uint8_t *in_b = (uint8_t *)ref_flat(t, a ^ displacement[c], tail, l, &qb);
        struct bucket bucket_a = tricky_bucket(r, rng_below(r, 4) ? some_probe(r, l) : qa, l);
        struct bucket bucket_b = tricky_bucket(r, rng_below(r, 4) ? some_probe(r, l) : qb, l);
        memcpy(in_a, bucket_a.byte, l.bucket_bytes);
        memcpy(in_b, bucket_b.byte, l.bucket_bytes);
        unsigned for_a = ref_mask(in_a, qa, l, true), for_b = ref_mask(in_b, qb, l, true);
        unsigned found = k->pair_mask(t.split_address, packed, a, displacement, core, tail, l);
        assert_int_equal(found, for_b | for_a << (l.slots == 8 ? 8 : 16)); /* the partner comes first */
        assert_int_equal(k->pair(t.split_address, packed, a, displacement, core, tail, l), found != 0);
    }
}

/* One slot of one bucket is the only one that matches, and it is found there. */
static void check_lone_match(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < rounds() / 10; i++) {
        struct layout l = layouts[i % LAYOUTS];
        bool prefix = bit(i, 2);
        uint64_t q = some_probe(r, l), s = prefix ? cut((q | 1) << 1 | 1, l) : q;
        for (unsigned j = 0; j < 2 * l.slots; j++) {
            struct bucket pair[2] = {{{0}}, {{0}}};
            slot_set(pair[j / l.slots].byte, j % l.slots, s, l);
            assert_int_equal(k->mask(pair[j / l.slots].byte, s, l, prefix), 1U << j % l.slots);
            assert_true(k->either(pair[0].byte, s, pair[1].byte, s, l, prefix));
        }
    }
}

static unsigned ref_mask_by_slot(const uint8_t *bucket, uint64_t q, bool prefix) {
    return match_mask_by_slot(bucket, q, LAYOUT_12, prefix ? MATCH_PREFIX : MATCH_EXACT, ACCESS_EXCLUSIVE);
}

/* Every slot value with every probe. Ten values share a bucket, in rotated order. */
static void check_all_of_12(const struct match_kernel *k, struct rng *r) {
    unsigned step = quick_run() ? 31 : 1;
    for (unsigned first = 0; first < 4096; first += 10) {
        struct bucket b = {{0}};
        unsigned rotate = (unsigned)rng_below(r, 10);
        for (unsigned j = 0; j < 10; j++) slot_set(b.byte, (j + rotate) % 10, (first + j) & 0xfff, LAYOUT_12);
        for (unsigned q = 1 + (unsigned)rng_below(r, step); q < 4096; q += step) {
            assert_int_equal(k->mask(b.byte, q, LAYOUT_12, true), ref_mask_by_slot(b.byte, q, true));
            assert_int_equal(k->mask(b.byte, q, LAYOUT_12, false), ref_mask_by_slot(b.byte, q, false));
        }
    }
}

/* Ranges of numbers modulo 2^(bits of a slot), also those that wrap around, and slots at both ends of them. */
static void check_ranges(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; i < rounds(); i++) {
        struct layout l = layout_stamped(12 + i % 16);
        if (l.form == FORM_NONE) continue;
        unsigned width = layout_stored_bits(l);
        uint64_t from = cut_to(rng_next(r), width), span = cut_to(rng_next(r), width) >> rng_below(r, width);
        const uint64_t edge[] = {from - 1, from, from + span, from + span + 1, 0};
        struct bucket b = {{0}};
        unsigned expected = 0;
        for (unsigned j = 0; j < l.slots; j++) {
            uint64_t s = cut_to(rng_below(r, 3) == 0 ? rng_next(r) : edge[rng_below(r, 5)], width);
            slot_set(b.byte, j, s, l);
            uint64_t up = s >= from ? s : s + (UINT64_C(1) << width);
            expected |= (unsigned)(up <= from + span) << j;
        }
        assert_int_equal(k->range(b.byte, (uint32_t)from, (uint32_t)span, l), expected);
    }
}

static void test_masks_equal_the_reference(void **state) {
    (void)state;
    on_every_isa(__func__, check_masks);
}

static void test_searches_of_half_rows_equal_the_reference(void **state) {
    (void)state;
    on_every_isa(__func__, check_halves);
}

static void test_searches_of_two_buckets_equal_the_reference(void **state) {
    (void)state;
    on_every_isa(__func__, check_pairs);
}

static void test_groups_of_searches_equal_the_reference(void **state) {
    (void)state;
    on_every_isa(__func__, check_groups);
}

static void test_groups_find_the_buckets_that_single_lookups_find(void **state) {
    (void)state;
    on_every_isa(__func__, check_flat_tables);
    on_every_isa(__func__, check_sharded_tables);
    on_every_isa(__func__, check_scaled_tables);
}

static void test_lookups_of_both_candidates_at_once_equal_the_reference(void **state) {
    (void)state;
    on_every_isa(__func__, check_pair_lookups);
}

static void test_slots_in_a_range_are_found_also_if_it_wraps_around(void **state) {
    (void)state;
    on_every_isa(__func__, check_ranges);
}

static void test_a_lone_match_is_found_in_every_slot(void **state) {
    (void)state;
    on_every_isa(__func__, check_lone_match);
}

static void test_every_12_bit_slot_with_every_probe_equals_the_reference(void **state) {
    (void)state;
    on_every_isa(__func__, check_all_of_12);
}

/* The check above relies on match_mask_by_slot; here that is compared with single bits, for every slot and probe. */
static void test_matching_by_slot_equals_matching_by_bit(void **state) {
    (void)state;
    unsigned step = quick_run() ? 13 : 1;
    for (unsigned s = 0; s < 4096; s += step)
        for (unsigned q = 1; q < 4096; q++)
            if (slot_matches(s, q, MATCH_PREFIX) != ref_matches(s, q, LAYOUT_12, true))
                fail_msg("slot %03x, probe %03x", s, q);
}

static void test_slots_are_read_and_written_in_their_place(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < LAYOUTS * rounds(); i++) {
        struct layout l = layouts[i % LAYOUTS];
        unsigned slots = l.slots, at = (unsigned)rng_below(&r, slots);
        uint64_t v = cut_to(rng_next(&r), layout_stored_bits(l));
        struct bucket before, after;
        for (size_t n = 0; n < sizeof before.byte; n++) before.byte[n] = (uint8_t)rng_next(&r);
        after = before;
        slot_set(after.byte, at, v, l);
        for (unsigned j = 0; j < slots; j++) {
            assert_true(slot_get(after.byte, j, l) == (j == at ? v : slot_get(before.byte, j, l)));
            assert_true(slot_get(after.byte, j, l) == ref_slot(after.byte, j, l));
        }
        size_t end = (size_t)slots * layout_stored_bits(l) / 8;
        assert_memory_equal(after.byte + end, before.byte + end, sizeof after.byte - end);
    }
}

/* Also if both are the same bucket, as in a small fixed filter. */
static void check_puts(const struct match_kernel *k, struct rng *r) {
    for (unsigned i = 0; k->put != NULL && i < 16 * rounds(); i++) {
        struct bucket before[2], after[2];
        uint64_t v[2] = {rng_next(r) & 0xffff, rng_next(r) & 0xffff};
        unsigned slot = i % 16, which = slot / 8;
        bool same = rng_below(r, 4) == 0;
        for (size_t n = 0; n < sizeof before; n++) ((uint8_t *)before)[n] = (uint8_t)rng_next(r);
        memcpy(after, before, sizeof after);
        k->put(after[0].byte, after[same ? 0 : 1].byte, v, 1U << slot);
        slot_set(before[same ? 0 : which].byte, slot % 8, v[which], LAYOUT_16);
        assert_memory_equal(after, before, sizeof after);
    }
}
static void test_a_slot_of_either_bucket_is_written_alone(void **state) {
    (void)state;
    on_every_isa(__func__, check_puts);
}

static void test_buckets_of_words_never_straddle_a_cache_line(void **state) {
    (void)state;
    for (size_t i = 0; i < LAYOUTS; i++) {
        struct layout l = layouts[i];
        if (l.form == FORM_WORDS || l.form == FORM_PACKED) assert_int_equal(64 % l.bucket_bytes, 0);
        else assert_int_equal(l.bucket_bytes, layout_stored_bits(l));
        assert_true(l.slots * layout_stored_bits(l) <= 8 * l.bucket_bytes);
        assert_true(l.slots <= MAX_SLOTS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching_by_slot_equals_matching_by_bit),
        cmocka_unit_test(test_masks_equal_the_reference),
        cmocka_unit_test(test_searches_of_half_rows_equal_the_reference),
        cmocka_unit_test(test_searches_of_two_buckets_equal_the_reference),
        cmocka_unit_test(test_groups_of_searches_equal_the_reference),
        cmocka_unit_test(test_groups_find_the_buckets_that_single_lookups_find),
        cmocka_unit_test(test_lookups_of_both_candidates_at_once_equal_the_reference),
        cmocka_unit_test(test_slots_in_a_range_are_found_also_if_it_wraps_around),
        cmocka_unit_test(test_a_lone_match_is_found_in_every_slot),
        cmocka_unit_test(test_every_12_bit_slot_with_every_probe_equals_the_reference),
        cmocka_unit_test(test_slots_are_read_and_written_in_their_place),
        cmocka_unit_test(test_a_slot_of_either_bucket_is_written_alone),
        cmocka_unit_test(test_buckets_of_words_never_straddle_a_cache_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
