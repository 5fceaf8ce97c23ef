/* Who is where in a tidal filter: slots say what is known of their members at every level, removal takes the right one,
 * those too old to be split are kept by name, and validate notices when something is not so. How large the filter is
 * and how often it errs is for test_tidal_size.c. */
#include "tidal_support.h"

/* -------------------------------------------------------------------------------------------------- slots and addresses */

static uint64_t core_mask(unsigned w) { return (1U << core_bits(w)) - 1; }

static unsigned between(struct rng *r, unsigned low, unsigned high) {
    return low + (unsigned)rng_below(r, high - low + 1);
}

/* Random, but as far as e knows it the same. */
static uint64_t namesake(struct entry e, unsigned w, struct rng *r) {
    uint64_t mask = leading((unsigned)e.what) | core_mask(w);
    return (e.where & mask) | (rng_next(r) & ~mask);
}

static void assert_same_entry(struct entry a, struct entry b) { assert_true(a.where == b.where && a.what == b.what); }

static void check_slot(unsigned w, unsigned level, struct rng *r) {
    uint64_t address = rng_next(r), bucket = address >> (64 - level);
    unsigned told = between(r, level, ALL_KNOWN), known = told < known_at(level, w) ? told : known_at(level, w);
    uint64_t s = slot_encode((struct entry){address, told}, level, w);
    struct entry e = slot_decode(s, bucket, level, w);
    assert_true(s != 0 && (w == 64 || s >> w == 0));
    assert_same_entry(e, (struct entry){address & (leading(known) | core_mask(w)), known});
    if (known > level) assert_true(slot_up(s, w) == slot_encode(e, level + 1, w));
    if (level > 1) assert_true(slot_down(s, bucket & 1, w) == slot_encode(e, level - 1, w));
    assert_true(slot_matches(s, slot_encode((struct entry){namesake(e, w, r), ALL_KNOWN}, level, w), PREFIX));
    for (unsigned i = level; i < 64; i++) {
        if (i >= known && i < 64 - core_bits(w)) continue; /* not known */
        struct entry other = {namesake(e, w, r) ^ UINT64_C(1) << (63 - i), ALL_KNOWN};
        assert_false(slot_matches(s, slot_encode(other, level, w), PREFIX));
    }
}

static void test_slots_say_what_is_known_at_every_level(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned w = 12; w <= 64; w = w == 12 ? 16 : 2 * w)
        for (unsigned level = 1; level < max_level(w); level++)
            for (unsigned i = 0; i < (quick_run() ? 50 : 500); i++) check_slot(w, level, &r);
}

/* From a slot to the partner's bucket and back, across the tide line or not. */
static void check_crossing(unsigned w, struct rng *r) {
    struct tidal f = {.level = between(r, 1, max_level(w) - 1)};
    f.tide = rng_below(r, UINT64_C(1) << f.level) << (64 - f.level);
    uint64_t address = rng_next(r), known = between(r, level_of(&f, side_of(&f, address)), ALL_KNOWN);
    struct entry e = {address, known};
    for (bool fits = true; fits && known > 0; known = rng_below(r, 4) == 0 ? 0 : e.what) {
        unsigned level = level_of(&f, side_of(&f, e.where));
        e = slot_decode(slot_encode(e, level, w), e.where >> (64 - level), level, w);
        assert_true(e.what <= known && e.what >= level);
        struct entry here = e, twice = e;
        fits = entry_cross(&f, &e, w);
        assert_true(e.what == here.what && (e.where ^ here.where) >> 63 == 1 && entry_is(e, address, w));
        assert_true((e.where & ~(leading((unsigned)e.what) | core_mask(w))) == 0);
        entry_cross(&f, &twice, w);
        entry_cross(&f, &twice, w);
        assert_same_entry(twice, here);
        assert_int_equal(fits, e.what >= level_of(&f, side_of(&f, e.where)));
    }
}

static void test_crossing_to_the_partner_never_adds_knowledge(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < (quick_run() ? 20000 : 200000); i++) check_crossing(widths[i % 3], &r);
}

static void test_partners_sit_in_opposite_halves(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t address = rng_next(&r), partner = partner_of(address, widths[i % 3]);
        assert_true((address ^ partner) >> 63 == 1);
        assert_true((address & 63) == (partner & 63));
        assert_true(partner_of(partner, widths[i % 3]) == address);
    }
}

/* -------------------------------------------------------------------------------------------------------- longest match */

/* Made when the filter has two buckets, an entry knows 1 + t address bits. A hash that agrees with it just so far is
 * somebody else's, but matches. */
static uint64_t lookalike(uint64_t old, unsigned w, bool turned, uint64_t rest) {
    unsigned known = known_at(1, w);
    uint64_t newer = old ^ UINT64_C(1) << (63 - known) ^ (rest >> (known + 1) & ~core_mask(12) & ~core_mask(16));
    return turned ? partner_of(newer, w) : newer;
}

/* The old one is in the table while this has less than 2^10 buckets, then among the elders. */
static void test_removal_leaves_an_older_lookalike_alone(void **state) {
    (void)state;
    struct rng r = {1};
    const uint64_t buckets[] = {4, 6, 7, 8, 500, 3000}, old = 0x123456789abcdef0;
    for (unsigned i = 0; i < 12; i++) {
        guira *f = make((guira_config){.slot_bits = 16, .min_load = -1}, &r);
        uint64_t newer = lookalike(old, 16, i % 2, 0);
        assert_int_equal(guira_insert_hash(f, old), GUIRA_OK);
        grow_to(f, buckets[i / 2]);
        assert_int_equal(guira_insert_hash(f, newer), GUIRA_OK);
        assert_int_equal(guira__elders_level(tidal(f), newer, ALONE), buckets[i / 2] == 3000 ? known_at(1, 16) : 0);
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

/* An elder of level 11 comes to know more than the slots of a filter that has shrunk to level 2, where they know 8. */
static void test_removal_takes_an_elder_that_knows_more(void **state) {
    (void)state;
    struct rng r = {2};
    for (unsigned i = 0; i < 2; i++) {
        guira *f = make((guira_config){.slot_bits = 12, .min_load = -1}, &r);
        uint64_t old = 0x123456789abcdef0, newer = old ^ UINT64_C(1) << (63 - 8);
        grow_to(f, 32);
        assert_int_equal(guira_insert_hash(f, old), GUIRA_OK);
        grow_to(f, 4096);
        assert_int_equal(guira__elders_level(tidal(f), old, ALONE), 11);
        while (buckets_of(f) > 4) assert_int_equal(f->ops->shrink(f), GUIRA_OK);
        assert_int_equal(guira_insert_hash(f, i == 0 ? newer : partner_of(newer, 12)), GUIRA_OK);
        assert_true(f->ops->count(f, newer) == 1 && f->ops->count(f, old) == 2);
        assert_int_equal(guira_remove_hash(f, old), GUIRA_OK);
        assert_true(guira_contains_hash(f, newer) && stats_of(f).elders == 0);
        assert_int_equal(guira_remove_hash(f, newer), GUIRA_OK);
        guira_destroy(f);
    }
}

static void assert_all_there(const guira *f, const struct model *a, const struct model *b) {
    assert_int_equal(f->items, a->n + b->n);
    for (size_t i = 0; i < a->n; i++) assert_true(guira_contains_hash(f, a->hash[i]));
    for (size_t i = 0; i < b->n; i++) assert_true(guira_contains_hash(f, b->hash[i]));
}

/* Between 7 old members are 7 that go again, so that some newer ones come to lie before their lookalike, some behind,
 * some in the other bucket. */
static void check_lookalikes(unsigned w, uint64_t buckets, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = w, .min_load = -1}, r);
    struct model old = {0}, early = {0}, newer = {0};
    for (unsigned i = 0; i < 14; i++) insert_new(f, i % 2 ? &old : &early, r);
    grow_to(f, buckets);
    while (early.n > 0) remove_some(f, &early, r);
    for (size_t i = 0; i < old.n; i++) {
        model_add(&newer, lookalike(old.hash[i], w, rng_below(r, 2), rng_next(r)));
        assert_int_equal(guira_insert_hash(f, newer.hash[i]), GUIRA_OK);
    }
    while (newer.n > 0) {
        remove_some(f, &newer, r);
        assert_all_there(f, &old, &newer);
    }
    while (old.n > 0) remove_some(f, &old, r);
    assert_valid(f);
    assert_int_equal(stats_of(f).elders, 0);
    model_free(&early);
    model_free(&newer);
    finish(f, &old);
}

static void test_lookalikes_never_take_each_others_entry(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned i = 0; i < (quick_run() ? 150 : 3000); i++)
        check_lookalikes(widths[i % 3], i % 50 == 0 ? 2500 : between(&r, 4, 300), &r);
}

/* --------------------------------------------------------------------------------------------------------------- elders */

/* Each member has an entry, so there are at most as many elders as members that an elder could be. */
static void assert_every_elder_has_its_member(guira *f, const struct model *m) {
    uint64_t could_be = 0;
    for (size_t i = 0; i < m->n; i++) could_be += guira__elders_count(tidal(f), m->hash[i], ALONE) > 0;
    assert_true(stats_of(f).elders <= could_be);
    assert_int_equal(stats_of(f).elders == 0, tidal(f)->elders == NULL);
}

static void check_everybody(guira *f, const struct model *m) {
    if ((m->n & (m->n - 1)) != 0) return; /* at each power of two */
    assert_same(f, m);
    assert_valid(f);
    assert_every_elder_has_its_member(f, m);
}

static void reverse(struct model *m) {
    for (size_t i = 0; i < m->n / 2; i++) {
        uint64_t swap = m->hash[i];
        m->hash[i] = m->hash[m->n - 1 - i];
        m->hash[m->n - 1 - i] = swap;
    }
}

/* Grows from 20 items to so many times that, and shrinks to nothing. */
static void check_ageing(unsigned w, uint64_t times, enum choice order, struct rng *r) {
    guira *f = make((guira_config){.slot_bits = w}, r);
    struct model m = {0};
    uint64_t bytes = memory.bytes, half = 0;
    while (m.n < 20 * times) {
        insert_new(f, &m, r);
        check_everybody(f, &m);
    }
    uint64_t most = stats_of(f).elders;
    assert_true(most > 5 * times >> tail_bits(w));
    if (order == OLDEST) reverse(&m); /* the last ones go first */
    while (m.n > 0) {
        check_everybody(f, &m);
        if (m.n == 10 * times) half = stats_of(f).elders;
        remove_at(f, &m, order == ANY ? (size_t)rng_below(r, m.n) : m.n - 1);
    }
    print_message("  w=%u: %lu elders, %lu when the %s half is gone\n", w, most, half,
                  order == NEWEST   ? "newer"
                  : order == OLDEST ? "older"
                                    : "one");
    if (order == OLDEST) assert_true(half < most / 10); /* who took a newer one's entry with him left his own */
    assert_true(stats_of(f).elders == 0 && memory.bytes == bytes);
    finish(f, &m);
}

static void test_elders_stay_as_long_as_their_members(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    for (enum choice order = ANY; order < CHOICES; order++) {
        check_ageing(12, quick_run() ? 1 << 12 : 1 << 16, order, &r);
        check_ageing(16, quick_run() ? 1 << 13 : 1 << 16, order, &r);
    }
    memory_unhook();
}

/* -------------------------------------------------------------------------------------------------------------- validate */

/* Breaks one thing and says what validate should call it; NULL: there are no more. */
static const char *corrupt(struct tidal *f, uint8_t *bucket, unsigned which) {
    uint64_t *elders = &f->elders->count[__builtin_ctzll(f->elders->levels)];
    switch (which) {
    case 0: return f->head.items++, "counters";
    case 1: return f->head.weight++, "counters";
    case 2: return slot_set(bucket, 3, UINT64_C(2) << tail_bits(12), 12), "table"; /* a core without a mark */
    case 3: return bucket[15] = 1, "table";
    case 4: return f->level = 0, "tide line";
    case 5: return f->line += UINT64_C(1) << f->level, "tide line";
    case 6: return f->tide++, "tide line";
    case 7: return f->head.stash.n = STASH_LAST + 1, "stash";
    case 8: return f->head.stash.n = 1, f->head.stash.entry[0].what = ALL_KNOWN + 1, "stash";
    case 9: return f->beside = false, "stash";
    case 10: return *elders += 1, "elders";
    case 11: return f->elders->levels ^= 1, "elders";
    case 12: return f->elders->names->items++, "elders";
    default: return NULL;
    }
}

/* As corrupt() promises, and with another reason each time (an elder more is as wrong as a name more). */
static void test_validate_names_what_is_broken(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make((guira_config){.slot_bits = 12}, &r);
    struct model m = {0};
    const char *reason[16] = {0}, *part;
    while (m.n < 10000) insert_new(f, &m, &r);
    uint8_t *bucket = bucket_of(tidal(f), m.hash[0], 12);
    for (unsigned i = 0;; i++) {
        const struct tidal whole = *tidal(f);
        const struct elders elders = *whole.elders;
        uint64_t names = elders.names->items;
        uint8_t bytes[16];
        memcpy(bytes, bucket, sizeof bytes);
        assert_valid(f);
        if ((part = corrupt(tidal(f), bucket, i)) == NULL) break;
        assert_int_equal(guira_validate(f, NULL), GUIRA_ECORRUPT);
        assert_int_equal(guira_validate(f, &reason[i]), GUIRA_ECORRUPT);
        if (strncmp(reason[i], part, strlen(part)) != 0) fail_msg("%u: %s instead of %s", i, reason[i], part);
        for (unsigned j = 0; j < i && i < 12; j++) assert_string_not_equal(reason[i], reason[j]);
        memcpy(bucket, bytes, sizeof bytes);
        *whole.elders = elders;
        elders.names->items = names;
        *tidal(f) = whole;
    }
    finish(f, &m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_say_what_is_known_at_every_level),
        cmocka_unit_test(test_crossing_to_the_partner_never_adds_knowledge),
        cmocka_unit_test(test_partners_sit_in_opposite_halves),
        cmocka_unit_test(test_removal_leaves_an_older_lookalike_alone),
        cmocka_unit_test(test_removal_takes_an_elder_that_knows_more),
        cmocka_unit_test(test_lookalikes_never_take_each_others_entry),
        cmocka_unit_test(test_elders_stay_as_long_as_their_members),
        cmocka_unit_test(test_validate_names_what_is_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
