/* The elders of a tidal filter: the table of their names, and the map that is filled again as it grows and shrinks. */
#include "file_support.h"

#include <stdlib.h>

#include "tidal/elders.h"
#include "tidal/table.h"

static guira *make(unsigned w, struct rng *r) {
    guira_config c = {.slot_bits = w};
    guira *f = NULL;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    return f;
}

static struct elders *elders_of(guira *f) { return tidal_of(f)->elders; }
static bool is_filling(guira *f) { return elders_of(f) != NULL && elders_of(f)->next != NULL; }
static bool is_filling_smaller(guira *f) { return is_filling(f) && elders_of(f)->next->bits < elders_of(f)->map->bits; }

/* ---------------------------------------------------------------------------------------------------------------- names */

/* The highest of an elder with 12 or 13 bits: then its name has no room for the number of a copy. */
enum { LEVEL = 52 };

/* An elder whose name begins with `same` bits that are 0 and has the core 0: all of them have the same two buckets until the
 * table of names has more levels than that. Its own core has at most five bits. */
static struct entry elder_alike(unsigned same, struct rng *r) {
    for (;;) {
        struct entry e = guira__elder_named(rng_next(r) >> same >> 1 >> 6 << 6);
        if (known_of(e) == LEVEL && (e.where & 32) == 0) return e;
    }
}

static bool add_copies(guira *f, struct entry e, uint64_t n) {
    if (!guira__elders_ready(tidal_of(f), 1)) return false;
    guira__elders_add(tidal_of(f), e, n);
    f->items += n;
    update_has_outside(tidal_of(f));
    return true;
}

static bool add_elder(guira *f, struct entry e) { return add_copies(f, e, 1); }

/* Two buckets and the stash have room for 32 names. One step of growth would not make room for another. */
static void test_the_table_of_names_grows_as_often_as_it_takes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(13, &r);
    for (unsigned i = 0; i < 48; i++) {
        struct entry e = elder_alike(4, &r);
        assert_true(add_elder(f, e));
        assert_true(guira__elders_level(tidal_of(f), e.where) > 0);
        assert_valid(f);
    }
    assert_true(bucket_count(tidal_of(elders_of(f)->names)) > 16);
    guira_destroy(f);
}

/* Names that only a forged file can have, alike in so many bits that growth separates them too late. */
static void test_names_that_are_alike_do_not_take_all_memory(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(13, &r);
    unsigned n = 0;
    while (n < 64 && add_elder(f, elder_alike(24, &r))) n++;
    assert_int_equal(n, 2 * LAYOUT_64.slots + STASH_SIZE);
    assert_true(bucket_count(tidal_of(elders_of(f)->names)) < 200);
    assert_valid(f);
    guira_destroy(f);
}

/* No elder of a filter with 32-bit slots knows so many bits. */
static void test_counted_elders_know_what_fits_after_merging(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *from = make(13, &r), *into = NULL;
    guira_config c = {.size = sizeof c};
    assert_int_equal(guira_config_get(from, &c), GUIRA_OK);
    c.slot_bits = 32;
    assert_int_equal(guira_create(&c, &into), GUIRA_OK);
    struct entry e = elder_alike(4, &r);
    assert_true(add_copies(from, e, 40));
    assert_valid(from);
    assert_int_equal(guira_merge(into, from), GUIRA_OK);
    assert_valid(into);
    assert_int_equal(guira_count_hash(into, e.where), 40);
    unsigned most = known_at(level_of(tidal_of(into), SPLIT), LAYOUT_32);
    assert_int_equal(elders_of(into)->levels >> most >> 1, 0);
    guira_destroy(from);
    guira_destroy(into);
}

static void test_more_copies_than_can_be_counted_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(13, &r), *g = NULL;
    assert_true(add_copies(f, elder_alike(4, &r), MAX_COUNTED / 2 + 10));
    assert_int_equal(guira_clone(f, &g), GUIRA_OK);
    uint64_t before = digest(f);
    assert_int_equal(guira_merge(f, g), GUIRA_ELIMIT);
    assert_int_equal(digest(f), before);
    assert_int_equal(guira_union(f, g), GUIRA_OK);
    assert_valid(f);
    guira_destroy(f);
    guira_destroy(g);
}

/* -------------------------------------------------------------------------------------------------------------- the map */

/* The share of the map's bits that are set. */
static double share_set(guira *f) {
    const struct elder_map *map = elders_of(f)->map;
    double set = 0;
    for (size_t i = 0; i < (size_t)1 << map->bits; i++) set += __builtin_popcountll(map->word[i]);
    return set / 64 / (double)((size_t)1 << map->bits);
}

/* Members until a larger map is being filled, or `most` of them; then so many elders more. */
static void grow_until_filling(guira *f, struct model *m, size_t most, uint64_t more, struct rng *r) {
    while (m->n < most && !is_filling(f)) members_in(f, m, 1, r);
    if (!is_filling(f)) return;
    for (uint64_t end = elders_of(f)->names->items + more; elders_of(f)->names->items < end;) members_in(f, m, 1, r);
}

/* The newest leave, the elders stay. */
static void newest_out(guira *f, struct model *m, size_t n) {
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_remove_hash(f, model_take(m, m->n - 1)), GUIRA_OK);
}

/* The first `elders` of the model are elders that were made here: newest_out leaves them until the end. */
static void elder_in(guira *f, struct model *m, size_t *elders, struct rng *r) {
    struct entry e = elder_alike(0, r);
    assert_true(add_elder(f, e));
    model_add(m, e.where);
    m->hash[m->n - 1] = m->hash[*elders];
    m->hash[(*elders)++] = e.where;
}

/* A filter with a map of four times the first size that has shrunk until a smaller one is being filled. Elders are a 16th of
 * all that was inserted, more than by growth, so that filling takes several steps. */
static guira *make_filling_smaller(struct model *m, size_t *elders, struct rng *r) {
    guira *f = make(12, r);
    while (elders_of(f) == NULL || elders_of(f)->map->bits < MAP_FIRST_BITS + 2) {
        members_in(f, m, 1, r);
        if (m->n % 16 == 0) elder_in(f, m, elders, r);
    }
    while (m->n > *elders && !is_filling_smaller(f)) newest_out(f, m, 1);
    assert_true(is_filling_smaller(f));
    return f;
}

/* Every elder is shown at every moment, whatever comes and goes while the larger map is filled: assert_valid asks for each of
 * them. The map is not fuller than the elders make it: up to 4 per word and a tenth more, at most twice that if elders of
 * low levels are in several places; copying it would give twice as much with each doubling. */
static void grow_with_removals(unsigned w, size_t n, unsigned least_bits, struct rng *r) {
    guira *f = make(w, r);
    struct model m = {0};
    unsigned filling = 0;
    uint64_t bits = MAP_FIRST_BITS;
    while (m.n < n) {
        members_in(f, &m, 1 + rng_below(r, 40), r);
        if (m.n > 100 && rng_below(r, 4) == 0) members_out(f, &m, rng_below(r, 12), r);
        if (is_filling(f) && (filling++ % 8 == 0 || filling < 50)) assert_valid(f);
        if (elders_of(f) == NULL || elders_of(f)->map->bits == bits) continue;
        bits = elders_of(f)->map->bits;
        assert_valid(f);
        assert_same(f, &m);
    }
    assert_true(bits >= least_bits && filling > 0);
    assert_true(share_set(f) < 0.14);
    print_message("  %u bits: map of 2^%u words, %.1f %% set\n", w, (unsigned)bits, 100 * share_set(f));
    members_out(f, &m, m.n, r);
    assert_null(elders_of(f));
    guira_destroy(f);
    model_free(&m);
}

static void test_the_map_grows_while_members_come_and_go(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    grow_with_removals(12, quick_run() ? 60000 : 300000, quick_run() ? 7 : 9, &r);
    if (!quick_run()) grow_with_removals(13, 300000, 7, &r);
}

/* Names that are alike fill their two buckets and a part of the stash. */
static void test_a_larger_map_shows_the_names_in_the_stash(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(12, &r);
    struct model m = {0};
    while (elders_of(f) == NULL || elders_of(f)->names->items < 200) members_in(f, &m, 1, &r);
    for (unsigned i = 0; i < 26; i++) assert_true(add_elder(f, elder_alike(20, &r)));
    assert_true(tidal_of(elders_of(f)->names)->stash->n > 3);
    grow_until_filling(f, &m, 60000, 0, &r);
    while (is_filling(f)) {
        members_in(f, &m, 1, &r);
        assert_valid(f);
    }
    assert_true(tidal_of(elders_of(f)->names)->stash->n > 3);
    guira_destroy(f);
    model_free(&m);
}

static void one_change(guira *f, struct model *m, bool smaller, struct rng *r) {
    if (smaller) newest_out(f, m, 1);
    else members_in(f, m, 1, r);
}

/* Two filters with the same calls stay the same, also if one of them was saved and loaded, or cloned, in between. */
static void check_saved_and_cloned(guira *f, struct model *m, bool smaller, struct rng *r) {
    guira *same[3] = {f}, *view;
    struct model model[3] = {*m};
    struct rng random[3] = {*r, *r, *r};
    struct bytes b = saved(f);
    assert_int_equal(get_u64(b.at + 8), 2);
    assert_int_equal(guira_view(b.at, b.n, &view), GUIRA_OK);
    assert_same(view, m);
    assert_valid(view);
    guira_destroy(view);
    same[1] = loaded(b);
    free(b.at);
    assert_int_equal(guira_clone(f, &same[2]), GUIRA_OK);
    for (unsigned k = 1; k < 3; k++)
        for (size_t i = 0; i < m->n; i++) model_add(&model[k], m->hash[i]);
    for (bool filling = true; filling;) {
        assert_true(is_filling_smaller(f) == smaller);
        assert_true(digest(same[1]) == digest(f) && digest(same[2]) == digest(f));
        for (unsigned k = 0; k < 3; k++) one_change(same[k], &model[k], smaller, &random[k]);
        filling = is_filling(f);
    }
    assert_true(digest(same[1]) == digest(f) && digest(same[2]) == digest(f));
    assert_same(same[1], &model[1]);
    for (unsigned k = 1; k < 3; k++) guira_destroy(same[k]);
    for (unsigned k = 1; k < 3; k++) model_free(&model[k]);
    *m = model[0];
}

static void test_a_map_that_is_being_filled_is_saved_and_cloned(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model larger = {0}, smaller = {0};
    size_t elders = 0;
    guira *f = make(12, &r), *g = make_filling_smaller(&smaller, &elders, &r);
    grow_until_filling(f, &larger, 60000, 3, &r);
    assert_true(is_filling(f) && elders_of(f)->filled > 0);
    members_out(f, &larger, 300, &r); /* what stays shown without an elder is saved, too */
    assert_true(is_filling(f));
    check_saved_and_cloned(f, &larger, false, &r);
    check_saved_and_cloned(g, &smaller, true, &r);
    guira_destroy(f);
    guira_destroy(g);
    model_free(&larger);
    model_free(&smaller);
}

/* As it is doubled: elders come and go meanwhile, and members too. At the end it is as small as at the start. */
static void test_the_map_is_halved_while_members_come_and_go(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    size_t elders = 0;
    guira *f = make_filling_smaller(&m, &elders, &r);
    unsigned halved = 0, steps = 0;
    while (m.n > elders + 30) {
        uint64_t bits = elders_of(f)->map->bits;
        newest_out(f, &m, 10 + rng_below(&r, 20));
        if (is_filling_smaller(f)) {
            members_in(f, &m, rng_below(&r, 10), &r);
            elder_in(f, &m, &elders, &r);
            steps++;
        }
        if (is_filling(f) || elders_of(f)->map->bits != bits) assert_valid(f);
        halved += elders_of(f)->map->bits < bits;
    }
    assert_true(halved >= 2 && steps > 5 && elders_of(f)->map->bits == MAP_FIRST_BITS);
    assert_same(f, &m);
    guira_destroy(f);
    model_free(&m);
}

/* A map as a filter of 10^8 items has it, whose words lie in a region. Here all its bits are set, which is allowed, and the table
 * is far too small for it. */
static void test_a_map_in_a_region_is_cloned_saved_and_halved(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model m = {0};
    size_t elders = 0;
    guira *f = make(12, &r), *copy;
    members_in(f, &m, 2000, &r);
    for (unsigned i = 0; i < 50; i++) elder_in(f, &m, &elders, &r);
    struct elders *e = elders_of(f);
    uint64_t bytes = stats_of(f).bytes, words = UINT64_C(1) << 18;
    guira__map_free(e->map);
    e->map = guira__map_make(18);
    assert_non_null(e->map);
    memset(e->map->word, 0xff, 8 * words);
    assert_in_range(stats_of(f).bytes - bytes, 8 * words - 1024, 8 * words);
    assert_valid(f);
    assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
    struct bytes b = saved(f);
    guira *back = loaded(b);
    assert_true(digest(copy) == digest(f) && digest(back) == digest(f));
    free(b.at);
    guira_destroy(copy);
    guira_destroy(back);
    newest_out(f, &m, m.n - elders);
    assert_true(e->map->bits < 18);
    assert_same(f, &m);
    assert_valid(f);
    newest_out(f, &m, m.n);
    assert_null(elders_of(f));
    guira_destroy(f);
    model_free(&m);
}

static void check_wrong_maps(guira *f) {
    struct elders *e = elders_of(f);
    assert_true(is_filling(f) && e->filled > 0);
    assert_valid(f);
    for (unsigned kind = 0; kind < 3; kind++) {
        uint64_t filled = e->filled, bits = e->next->bits, before = digest(f);
        uint64_t *word = malloc(sizeof *word << bits);
        memcpy(word, e->next->word, sizeof *word << bits);
        if (kind == 0) memset(e->next->word, 0, sizeof *word << bits); /* an elder is not in it */
        if (kind == 1) e->filled = UINT64_C(1) << 63;                  /* it should have been taken */
        if (kind == 2) e->next->bits--;                                /* neither twice nor half the size */
        assert_int_equal(guira_validate(f, NULL), GUIRA_ECORRUPT);
        assert_int_not_equal(digest(f), before);
        struct bytes b = {0};
        guira *back;
        assert_int_equal(guira_save_to(f, into_bytes, &b), GUIRA_OK);
        assert_int_equal(guira_load_from(b.at, b.n, &back), GUIRA_ECORRUPT);
        free(b.at);
        e->filled = filled;
        e->next->bits = bits;
        memcpy(e->next->word, word, sizeof *word << bits);
        free(word);
        assert_valid(f);
    }
}

static void test_the_check_finds_a_next_map_that_is_wrong(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct model larger = {0}, smaller = {0};
    size_t elders = 0;
    guira *f = make(12, &r), *g = make_filling_smaller(&smaller, &elders, &r);
    grow_until_filling(f, &larger, 60000, 5, &r);
    check_wrong_maps(f);
    check_wrong_maps(g);
    guira_destroy(f);
    guira_destroy(g);
    model_free(&larger);
    model_free(&smaller);
}

static void test_a_filter_that_shrinks_gives_up_the_larger_map(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = make(12, &r);
    struct model m = {0};
    grow_until_filling(f, &m, 60000, 3, &r);
    assert_true(is_filling(f));
    while (m.n > 1000 && is_filling(f)) /* the newest leave, the elders stay */
        assert_int_equal(guira_remove_hash(f, model_take(&m, m.n - 1)), GUIRA_OK);
    assert_true(m.n > 1000 && elders_of(f) != NULL);
    assert_same(f, &m);
    assert_valid(f);
    members_out(f, &m, m.n, &r);
    guira_destroy(f);
    model_free(&m);
}

static void test_without_memory_for_a_larger_map_nothing_is_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    guira *f = make(12, &r);
    struct model m = {0};
    grow_until_filling(f, &m, 60000, 0, &r);
    assert_true(is_filling(f));
    guira *copy;
    assert_int_equal(guira_clone(f, &copy), GUIRA_OK);
    struct elders *e = elders_of(copy);
    guira__elders_shrink_map(tidal_of(copy)); /* changes nothing: the table has not shrunk */
    assert_non_null(e->next);
    uint64_t failures = 0, bits = e->map->bits;
    while (m.n < 200000 && e->map->bits < bits + 2) { /* this map is taken, and the next one is begun and taken */
        memory.calls = 0;
        memory.fail_at = 1;
        memory.fail_on = true;
        memory.failed = false;
        uint64_t hash = rng_next(&r);
        assert_int_equal(guira_insert_hash(copy, hash), GUIRA_OK);
        model_add(&m, hash);
        failures += memory.failed;
        memory.fail_at = 0;
        memory.fail_on = false;
        uint64_t other = rng_next(&r); /* and one with memory, so that the filter can grow */
        assert_int_equal(guira_insert_hash(copy, other), GUIRA_OK);
        model_add(&m, other);
    }
    assert_true(failures > 10 && e->map->bits == bits + 2);
    assert_same(copy, &m);
    assert_valid(copy);
    guira_destroy(copy);
    guira_destroy(f);
    model_free(&m);
    memory_unhook();
}

/* ------------------------------------------------------------------------------------------------- what a map must show */

/* An elder of so few bits that a map has several places for it. */
static struct entry elder_of_level(unsigned level, struct rng *r) {
    uint64_t core = rng_below(r, 32);
    return (struct entry){(rng_next(r) >> 1 & leading(level)) | core, level};
}

/* Shows an elder in a map: in each word, and each half of it if there are only 32 cores, that has a beginning of its address. */
static void show_in(struct elder_map *map, struct entry elder, struct layout l) {
    unsigned more = 6 - core_bits(l), asks = 1 + (unsigned)map->bits + more;
    unsigned known = known_of(elder) < asks ? known_of(elder) : asks;
    for (uint64_t i = 0; i < UINT64_C(1) << (map->bits + more); i++) {
        if (((i << (64 - asks) ^ elder.where) & leading(known)) != 0) continue;
        uint64_t half = i & ((1U << more) - 1);
        map->word[i >> more] |= le64(UINT64_C(1) << (half << core_bits(l) | core_of(elder.where, l)));
    }
}

/* A map with the elders whose names are below `end`, and no others. */
static struct elder_map *map_of_names(guira *f, uint64_t bits, uint64_t end) {
    struct elder_map *map = guira__map_make(bits);
    struct tidal *names = tidal_of(elders_of(f)->names);
    struct bucket_walk walk = walk_start(names);
    for (const uint8_t *bucket; (bucket = walk_next(&walk)) != NULL;)
        for (unsigned j = 0; j < LAYOUT_64.slots; j++) {
            uint64_t slot = slot_get(bucket, j, LAYOUT_64);
            if (slot == 0) continue;
            struct entry e = walk_entry(&walk, slot);
            if (name_in(e) < end) show_in(map, guira__elder_read(e), tidal_layout(tidal_of(f)));
        }
    for (unsigned i = 0; i < names->stash->n; i++)
        if (name_in(names->stash->entry[i]) < end)
            show_in(map, guira__elder_read(names->stash->entry[i]), tidal_layout(tidal_of(f)));
    return map;
}

/* Adds the elder of a name, if a name of an elder with all bits of its level can be that number. */
static unsigned add_name(guira *f, uint64_t name) {
    struct entry e = guira__elder_named(name);
    if (known_of(e) != LEVEL || (e.where & 32) != 0) return 0;
    assert_true(add_elder(f, e));
    assert_true(elders_of(f)->names->contains(elders_of(f)->names, name));
    return 1;
}

/* n elders of every sort: some are in several places of a map, some in the names' stash, and some have the first or the last
 * name of a range. A map that is much too large, with all bits set, is then halved step by step. */
static guira *make_with_large_map(unsigned w, size_t n, unsigned bits, struct rng *r) {
    guira *f = make(w, r);
    for (size_t i = 0; i < n; i++) assert_true(add_elder(f, elder_alike(0, r)));
    for (unsigned level = 1; level < 11; level++)
        for (unsigned i = 0; i < 3; i++) assert_true(add_elder(f, elder_of_level(level, r)));
    for (unsigned i = 0; i < 26; i++) assert_true(add_elder(f, elder_alike(20, r)));
    struct elders *e = elders_of(f);
    assert_true(tidal_of(e->names)->stash->n > 3);
    guira__map_free(e->map);
    e->map = guira__map_make(bits);
    memset(e->map->word, 0xff, sizeof *e->map->word << bits);
    assert_valid(f);
    return f;
}

static void assert_same_map(const struct elder_map *map, guira *f, uint64_t end) {
    struct elder_map *expected = map_of_names(f, map->bits, end);
    assert_memory_equal(map->word, expected->word, sizeof *map->word << map->bits);
    guira__map_free(expected);
}

static void check_halving(unsigned w, struct rng *r) {
    guira *f = make_with_large_map(w, 1500, 9, r);
    struct elders *e = elders_of(f);
    uint64_t size = UINT64_C(1) << (64 - level_of(tidal_of(e->names), SPLIT));
    unsigned first = 0, last = 0, steps = 0;
    for (uint64_t start = 0; start >> 63 == 0; start += size) {
        first += add_name(f, start);
        last += add_name(f, start + size - 1);
    }
    assert_true(first > 0 && last > 0);
    while (e->map->bits > MAP_FIRST_BITS) {
        guira__elders_shrink_map(tidal_of(f));
        if (e->next != NULL) assert_same_map(e->next, f, e->filled);
        else assert_same_map(e->map, f, UINT64_C(1) << 63);
        steps++;
    }
    assert_true(steps > 50);
    assert_valid(f);
    guira_destroy(f);
}

static void test_a_map_shows_the_names_up_to_where_it_is_filled_and_no_others(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    check_halving(12, &r);
    check_halving(13, &r);
}

/* Without any bit that `expected` has, the map is refused. */
static void check_every_bit(guira *f, struct elder_map *map, struct elder_map *expected) {
    for (uint64_t i = 0; i < UINT64_C(64) << map->bits; i++) {
        uint64_t bit = UINT64_C(1) << i % 64;
        if ((expected->word[i / 64] & bit) == 0) continue;
        map->word[i / 64] ^= bit;
        assert_int_equal(guira_validate(f, NULL), GUIRA_ECORRUPT);
        map->word[i / 64] ^= bit;
    }
    assert_valid(f);
    guira__map_free(expected);
}

static void test_the_check_finds_every_bit_that_a_map_lacks(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned w = 12; w < 14; w++) {
        guira *f = make_with_large_map(w, 20, 7, &r);
        struct elders *e = elders_of(f);
        guira__elders_shrink_map(tidal_of(f));
        assert_true(is_filling_smaller(f) && e->filled > 0);
        check_every_bit(f, e->map, map_of_names(f, e->map->bits, UINT64_C(1) << 63));
        check_every_bit(f, e->next, map_of_names(f, e->next->bits, e->filled));
        guira_destroy(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_of_names_grows_as_often_as_it_takes),
        cmocka_unit_test(test_names_that_are_alike_do_not_take_all_memory),
        cmocka_unit_test(test_the_map_grows_while_members_come_and_go),
        cmocka_unit_test(test_counted_elders_know_what_fits_after_merging),
        cmocka_unit_test(test_more_copies_than_can_be_counted_are_refused),
        cmocka_unit_test(test_a_larger_map_shows_the_names_in_the_stash),
        cmocka_unit_test(test_a_map_that_is_being_filled_is_saved_and_cloned),
        cmocka_unit_test(test_the_map_is_halved_while_members_come_and_go),
        cmocka_unit_test(test_a_map_in_a_region_is_cloned_saved_and_halved),
        cmocka_unit_test(test_the_check_finds_a_next_map_that_is_wrong),
        cmocka_unit_test(test_a_filter_that_shrinks_gives_up_the_larger_map),
        cmocka_unit_test(test_without_memory_for_a_larger_map_nothing_is_refused),
        cmocka_unit_test(test_a_map_shows_the_names_up_to_where_it_is_filled_and_no_others),
        cmocka_unit_test(test_the_check_finds_every_bit_that_a_map_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
