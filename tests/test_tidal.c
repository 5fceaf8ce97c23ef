/* Entries of a tidal filter: the encoding of slots at every level, removal of the longest match, elders, and validation.
 * test_tidal_size.c has its size and its false-positive rate. */
#include "slots/match.inc"
#include <inttypes.h>

#include "tidal_support.h"

/* -------------------------------------------------------------------------------------------------- slots and addresses */

static unsigned between(struct rng *r, unsigned low, unsigned high) {
    return low + (unsigned)rng_below(r, high - low + 1);
}

/* A random address that agrees with the known bits of e. */
static uint64_t same_known_bits(struct entry e, struct layout l, struct rng *r) {
    uint64_t mask = leading((unsigned)e.what) | core_mask(l);
    return (e.where & mask) | (rng_next(r) & ~mask);
}

static void assert_same_entry(struct entry a, struct entry b) { assert_true(a.where == b.where && a.what == b.what); }

static void check_slot(struct layout l, unsigned level, struct rng *r) {
    uint64_t address = rng_next(r), bucket = address >> (64 - level);
    unsigned given = between(r, level, ALL_KNOWN), known = given < known_at(level, l) ? given : known_at(level, l);
    uint64_t s = slot_encode((struct entry){address, given}, level, l);
    struct entry e = slot_decode(s, bucket, level, l);
    assert_true(s != 0 && (l.bits == 64 || s >> l.bits == 0));
    assert_same_entry(e, (struct entry){address & (leading(known) | core_mask(l)), known});
    if (known > level) assert_true(slot_up(s, l) == slot_encode(e, level + 1, l));
    if (level > 1) assert_true(slot_down(s, bucket & 1, l) == slot_encode(e, level - 1, l));
    assert_true(
        slot_matches(s, slot_encode((struct entry){same_known_bits(e, l, r), ALL_KNOWN}, level, l), MATCH_PREFIX));
    for (unsigned i = level; i < 64; i++) {
        if (i >= known && i < 64 - core_bits(l)) continue; /* not known */
        struct entry other = {same_known_bits(e, l, r) ^ UINT64_C(1) << (63 - i), ALL_KNOWN};
        assert_false(slot_matches(s, slot_encode(other, level, l), MATCH_PREFIX));
    }
}

static void test_slots_encode_the_known_bits_at_every_level(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const struct layout layouts[] = {LAYOUT_12, LAYOUT_16, LAYOUT_32, LAYOUT_64};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned level = 1; level < max_level(layouts[i]); level++)
            for (unsigned n = 0; n < (quick_run() ? 50 : 500); n++) check_slot(layouts[i], level, &r);
}

/* Moves an entry to its partner's bucket and back, across the split pointer or not. */
static void check_moving_to_partner(struct layout l, struct rng *r) {
    struct tidal f = {.level = (uint8_t)between(r, 1, max_level(l) - 1)};
    f.split_address = rng_below(r, UINT64_C(1) << f.level) << (64 - f.level);
    uint64_t address = rng_next(r), known = between(r, level_of(&f, side_of(&f, address)), ALL_KNOWN);
    struct entry e = {address, known};
    for (bool fits = true; fits && known > 0; known = rng_below(r, 4) == 0 ? 0 : e.what) {
        unsigned level = level_of(&f, side_of(&f, e.where));
        e = slot_decode(slot_encode(e, level, l), e.where >> (64 - level), level, l);
        assert_true(e.what <= known && e.what >= level);
        struct entry here = e, twice = e;
        entry_turn(&e, l);
        fits = known_of(e) >= level_of(&f, side_of(&f, e.where));
        assert_true(e.what == here.what && (e.where ^ here.where) >> 63 == 1 && entry_is(e, address, l));
        assert_true((e.where & ~(leading((unsigned)e.what) | core_mask(l))) == 0);
        entry_turn(&twice, l);
        entry_turn(&twice, l);
        assert_same_entry(twice, here);
        assert_int_equal(fits, e.what >= level_of(&f, side_of(&f, e.where)));
    }
}

static void test_moving_to_the_partner_never_adds_known_bits(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < (quick_run() ? 20000 : 200000); i++)
        check_moving_to_partner(layout_of_width(widths[i % 3]), &r);
}

static void test_partners_are_in_opposite_halves(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t address = rng_next(&r), partner = partner_of(address, layout_of_width(widths[i % 3]));
        assert_true((address ^ partner) >> 63 == 1);
        assert_true((address & 63) == (partner & 63));
        assert_true(partner_of(partner, layout_of_width(widths[i % 3])) == address);
    }
}

/* -------------------------------------------------------------------------------------------------------- longest match */

/* Of an entry made when the filter has two buckets, 1 + t address bits are known. A hash of another key that agrees in just
 * these bits matches it. */
static uint64_t also_matching(uint64_t old, struct layout l, bool turned, uint64_t rest) {
    unsigned known = known_at(1, l);
    uint64_t newer =
        old ^ UINT64_C(1) << (63 - known) ^ (rest >> (known + 1) & ~core_mask(LAYOUT_12) & ~core_mask(LAYOUT_16));
    return turned ? partner_of(newer, l) : newer;
}

/* The old entry is in the table while that has less than 2^10 buckets, then among the elders. */
static void test_removal_does_not_take_an_older_entry_that_also_matches(void **state) {
    (void)state;
    struct rng r = {1};
    const uint64_t buckets[] = {4, 6, 7, 8, 500, 3000}, old = 0x123456789abcdef0;
    for (unsigned i = 0; i < 12; i++) {
        guira *f = make((guira_config){.slot_bits = 16, .min_load = -1}, &r);
        uint64_t newer = also_matching(old, LAYOUT_16, i % 2, 0);
        assert_int_equal(guira_insert_hash(f, old), GUIRA_OK);
        grow_to(f, buckets[i / 2]);
        assert_int_equal(guira_insert_hash(f, newer), GUIRA_OK);
        assert_int_equal(guira__elders_level(tidal(f), newer), buckets[i / 2] == 3000 ? known_at(1, LAYOUT_16) : 0);
        assert_true(f->ops->count(f, newer) == 2 && f->ops->count(f, old) == 1);
        assert_int_equal(guira_remove_hash(f, newer), GUIRA_OK);
        assert_true(guira_contains_hash(f, old));
        assert_true(f->ops->count(f, newer) == 1 && f->ops->count(f, old) == 1);
        assert_int_equal(guira_remove_hash(f, old), GUIRA_OK);
        assert_false(guira_contains_hash(f, newer));
        assert_int_equal(stats_of(f).items + stats_of(f).elders, 0);
        guira_destroy(f);
    }
}

/* More bits are known of an elder of level 11 than of slots in a filter that has shrunk to level 2: these have 8. */
static void test_removal_takes_an_elder_with_more_known_bits(void **state) {
    (void)state;
    struct rng r = {2};
    for (unsigned i = 0; i < 2; i++) {
        guira *f = make((guira_config){.slot_bits = 12, .min_load = -1}, &r);
        uint64_t old = 0x123456789abcdef0, newer = old ^ UINT64_C(1) << (63 - 8);
        grow_to(f, 32);
        assert_int_equal(guira_insert_hash(f, old), GUIRA_OK);
        grow_to(f, 4096);
        assert_int_equal(guira__elders_level(tidal(f), old), 11);
        while (buckets_of(f) > 4) assert_int_equal(tidal_ops(tidal(f))->shrink(tidal(f)), GUIRA_OK);
        assert_int_equal(guira_insert_hash(f, i == 0 ? newer : partner_of(newer, LAYOUT_12)), GUIRA_OK);
        assert_true(f->ops->count(f, newer) == 1 && f->ops->count(f, old) == 2);
        assert_int_equal(guira_remove_hash(f, old), GUIRA_OK);
        assert_true(guira_contains_hash(f, newer) && stats_of(f).elders == 0);
        assert_int_equal(guira_remove_hash(f, newer), GUIRA_OK);
        guira_destroy(f);
    }
}

static void assert_contains_both(const guira *f, const struct model *a, const struct model *b) {
    assert_int_equal(f->items, a->n + b->n);
    for (size_t i = 0; i < a->n; i++) assert_true(guira_contains_hash(f, a->hash[i]));
    for (size_t i = 0; i < b->n; i++) assert_true(guira_contains_hash(f, b->hash[i]));
}

/* Of 14 old members 7 are removed again, so that newer entries come before, behind, or in the other bucket of the older
 * entry that also matches. */
static void check_matching_pairs(unsigned w, uint64_t buckets, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = w, .min_load = -1}, r);
    struct model old = {0}, early = {0}, newer = {0};
    for (unsigned i = 0; i < 14; i++) insert_new(f, i % 2 ? &old : &early, r);
    grow_to(f, buckets);
    while (early.n > 0) remove_some(f, &early, r);
    for (size_t i = 0; i < old.n; i++) {
        model_add(&newer, also_matching(old.hash[i], layout_of_width(w), rng_below(r, 2), rng_next(r)));
        assert_int_equal(guira_insert_hash(f, newer.hash[i]), GUIRA_OK);
    }
    while (newer.n > 0) {
        remove_some(f, &newer, r);
        assert_contains_both(f, &old, &newer);
    }
    while (old.n > 0) remove_some(f, &old, r);
    assert_valid(f);
    assert_int_equal(stats_of(f).elders, 0);
    model_free(&early);
    model_free(&newer);
    finish(f, &old);
}

static void test_removal_never_takes_the_entry_of_another_member(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < (quick_run() ? 150 : 3000); i++)
        check_matching_pairs(widths[i % 3], i % 50 == 0 ? 2500 : between(&r, 4, 300), &r);
}

/* --------------------------------------------------------------------------------------------------------------- elders */

/* Each elder is the entry of a member, so there are at most as many elders as members that match one. */
static void assert_every_elder_has_a_member(guira *f, const struct model *m) {
    uint64_t matching = 0;
    for (size_t i = 0; i < m->n; i++) matching += guira__elders_count(tidal(f), m->hash[i]) > 0;
    assert_true(stats_of(f).elders <= matching);
    assert_int_equal(stats_of(f).elders == 0, tidal(f)->elders == NULL);
}

static void check_at_powers_of_two(guira *f, const struct model *m) {
    if ((m->n & (m->n - 1)) != 0) return; /* only then */
    assert_same(f, m);
    assert_valid(f);
    assert_every_elder_has_a_member(f, m);
}

static void reverse(struct model *m) {
    for (size_t i = 0; i < m->n / 2; i++) {
        uint64_t swap = m->hash[i];
        m->hash[i] = m->hash[m->n - 1 - i];
        m->hash[m->n - 1 - i] = swap;
    }
}

/* Grows from 20 items to so many times that, and shrinks to empty. */
static void check_elders(unsigned w, uint64_t times, enum choice order, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = w}, r);
    struct model m = {0};
    uint64_t bytes = memory.bytes, half = 0;
    while (m.n < 20 * times) {
        insert_new(f, &m, r);
        check_at_powers_of_two(f, &m);
    }
    uint64_t most = stats_of(f).elders;
    assert_true(most > 5 * times >> tail_bits(layout_of_width(w)));
    if (order == OLDEST) reverse(&m); /* so that the first ones are removed first */
    while (m.n > 0) {
        check_at_powers_of_two(f, &m);
        if (m.n == 10 * times) half = stats_of(f).elders;
        remove_at(f, &m, order == ANY ? (size_t)rng_below(r, m.n) : m.n - 1);
    }
    print_message("  w=%u: %" PRIu64 " elders, %" PRIu64 " when the %s half is gone\n", w, most, half,
                  order == NEWEST   ? "newer"
                  : order == OLDEST ? "older"
                                    : "one");
    if (order == OLDEST) assert_true(half < most / 10); /* else removals had taken entries of newer members instead */
    assert_true(stats_of(f).elders == 0 && memory.bytes == bytes);
    finish(f, &m);
}

static void test_elders_are_kept_as_long_as_their_members(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (enum choice order = ANY; order < CHOICES; order++) {
        check_elders(12, quick_run() ? 1 << 12 : 1 << 16, order, &r);
        check_elders(16, quick_run() ? 1 << 13 : 1 << 16, order, &r);
    }
    memory_unhook();
}

/* -------------------------------------------------------------------------------------------------------------- validate */

/* Breaks one invariant and returns the start of the reason that validate should give; NULL: there are no more. */
static const char *corrupt(struct tidal *f, uint8_t *bucket, unsigned which) {
    uint64_t *elders = &f->elders->count[__builtin_ctzll(f->elders->levels)];
    switch (which) {
    case 0: return f->head.items++, "counters";
    case 1: return f->head.weight++, "counters";
    case 2:
        return slot_set(bucket, 3, UINT64_C(2) << tail_bits(LAYOUT_12), LAYOUT_12), "table"; /* a core without a mark */
    case 3: return bucket[15] = 1, "table";
    case 4: return f->level = 0, "split pointer";
    case 5: return f->split_address++, "split pointer";
    case 6: return f->stash->n = STASH_LAST + 1, "stash";
    case 7: return f->stash->n = 1, f->stash->entry[0].what = ALL_KNOWN + 1, "stash";
    case 8: return f->has_outside = false, "stash";
    case 9: return *elders += 1, "elders";
    case 10: return f->elders->levels ^= 1, "elders";
    case 11: return f->elders->names->items++, "elders";
    default: return NULL;
    }
}

/* Each with a reason of its own, except that one elder and one name too many give the same. */
static void test_validate_names_the_broken_invariant(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make((guira_config){.slot_bits = 12}, &r);
    struct model m = {0};
    const char *reason[16] = {0}, *part;
    while (m.n < 10000) insert_new(f, &m, &r);
    uint8_t *bucket = bucket_of(tidal(f), m.hash[0], LAYOUT_12);
    for (unsigned i = 0;; i++) {
        uint8_t saved[sizeof(struct tidal)];
        struct tidal whole;
        memcpy(saved, f, tidal_size(LAYOUT_12));
        memcpy(&whole, saved, tidal_size(LAYOUT_12));
        const struct stash stash = *whole.stash;
        const struct elders elders = *whole.elders;
        uint64_t names = elders.names->items;
        uint8_t bytes[16];
        memcpy(bytes, bucket, sizeof bytes);
        assert_valid(f);
        if ((part = corrupt(tidal(f), bucket, i)) == NULL) break;
        assert_int_equal(guira_validate(f, NULL), GUIRA_ECORRUPT);
        assert_int_equal(guira_validate(f, &reason[i]), GUIRA_ECORRUPT);
        if (strncmp(reason[i], part, strlen(part)) != 0) fail_msg("%u: %s instead of %s", i, reason[i], part);
        for (unsigned j = 0; j < i && i < 11; j++) assert_string_not_equal(reason[i], reason[j]);
        memcpy(bucket, bytes, sizeof bytes);
        *whole.elders = elders;
        elders.names->items = names;
        memcpy(f, saved, tidal_size(LAYOUT_12));
        *whole.stash = stash;
    }
    finish(f, &m);
}

/* --------------------------------------------------------------------------------------------------------------- batches */

/* The same hashes into two filters, in batches and one by one. Some come again, up to so often that they fill their buckets. */
struct twins {
    guira *many, *single;
    uint64_t again; /* the hash that comes again */
    bool at_split;  /* every second hash is in one of the buckets that are split next */
};

static void insert_batch(struct twins *t, size_t n, struct rng *r) {
    enum { MOST = 4096 };
    static uint64_t hash[MOST];
    static guira_status status[MOST];
    size_t inserted = 0;
    bool asks = rng_below(r, 4) > 0;
    for (size_t i = 0; i < n; i++) hash[i] = rng_below(r, 64) == 0 ? t->again : rng_next(r);
    for (size_t i = 0; t->at_split && i < n; i += 2) hash[i] = tidal(t->many)->split_address + (hash[i] >> 14);
    if (rng_below(r, 8) == 0) t->again = rng_next(r);
    size_t got = guira_insert_hash_many(t->many, hash, n, asks ? status : NULL);
    for (size_t i = 0; i < n; i++) {
        guira_status s = guira_insert_hash(t->single, hash[i]);
        if (asks) assert_int_equal(status[i], s);
        inserted += s == GUIRA_OK;
    }
    assert_int_equal(got, inserted);
}

static void assert_twins_equal(const struct twins *t) {
    assert_true(digest(t->many) == digest(t->single));
    assert_true(stats_of(t->many).failures == stats_of(t->single).failures);
}

/* A filter with so large a capacity lies in one piece, and batches have a way of their own. When it is full it grows, in the
 * midst of batches. */
static void check_batches(const char *isa, unsigned slot_bits, uint64_t capacity, struct rng *r) {
    guira_config c = {.slot_bits = slot_bits, .capacity = capacity};
    struct twins t = {.again = rng_next(r)};
    memcpy(c.seed, "batches and one.", sizeof c.seed);
    assert_int_equal(guira__create_isa(isa_named(isa), &c, &t.many), GUIRA_OK);
    assert_int_equal(guira__create_isa(isa_named(isa), &c, &t.single), GUIRA_OK);
    while (t.many->items + 8192 < capacity) insert_batch(&t, 4096, r);
    assert_twins_equal(&t);
    for (unsigned i = 0; i < 250; i++) {
        insert_batch(&t, (size_t)rng_below(r, 100), r);
        if (i % 25 == 0) assert_twins_equal(&t);
    }
    t.at_split = true;
    while (t.many->grows < 200) insert_batch(&t, (size_t)rng_below(r, 100), r);
    assert_twins_equal(&t);
    assert_valid(t.many);
    guira_destroy(t.many);
    guira_destroy(t.single);
}

static guira_status refuse(struct tidal *f, uint64_t hash) {
    (void)f, (void)hash;
    return GUIRA_EFULL;
}

/* Where both buckets of a hash are full, it is refused. */
static void test_a_batch_counts_what_is_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const char *const *isa = isa_list(); *isa != NULL; isa++) {
        guira_config c = {.slot_bits = 16, .capacity = 1000000, .seed = {1}};
        struct twins t = {.again = 1};
        assert_int_equal(guira__create_isa(isa_named(*isa), &c, &t.many), GUIRA_OK);
        while (t.many->items + 50000 < c.capacity) assert_int_equal(guira_insert_hash(t.many, rng_next(&r)), GUIRA_OK);
        assert_int_equal(guira_clone(t.many, &t.single), GUIRA_OK);
        struct tidal_ops refusing = *tidal_ops(tidal(t.many));
        const struct guira__ops *ops = t.many->ops;
        refusing.insert_full = refuse;
        t.many->ops = t.single->ops = &refusing.common;
        for (unsigned i = 0; i < 50; i++) insert_batch(&t, (size_t)rng_below(&r, 100), &r);
        assert_twins_equal(&t);
        assert_true(stats_of(t.many).failures > 0);
        t.many->ops = t.single->ops = ops;
        guira_destroy(t.many);
        guira_destroy(t.single);
    }
}

static void test_a_batch_inserts_as_single_insertions_do(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const char *const *isa = isa_list(); *isa != NULL; isa++) {
        check_batches(*isa, 16, 1000000 + rng_below(&r, 100000), &r);
        check_batches(*isa, 16, 1000, &r);
        check_batches(*isa, 20, 10000, &r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_encode_the_known_bits_at_every_level),
        cmocka_unit_test(test_moving_to_the_partner_never_adds_known_bits),
        cmocka_unit_test(test_partners_are_in_opposite_halves),
        cmocka_unit_test(test_removal_does_not_take_an_older_entry_that_also_matches),
        cmocka_unit_test(test_removal_takes_an_elder_with_more_known_bits),
        cmocka_unit_test(test_removal_never_takes_the_entry_of_another_member),
        cmocka_unit_test(test_elders_are_kept_as_long_as_their_members),
        cmocka_unit_test(test_validate_names_the_broken_invariant),
        cmocka_unit_test(test_a_batch_inserts_as_single_insertions_do),
        cmocka_unit_test(test_a_batch_counts_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
