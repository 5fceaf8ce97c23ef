/* Files that are forged with care: the checksums are right, and often the counters too. What is refused is refused. What
 * is taken must be a filter like any other: whatever is done to it, it stays valid.
 *
 *     a filter with a past -> its file -> some bytes are others -> made to add up -> loaded -> used, and looked at after
 *                                                                                              every step */
#include "file_support.h"
#include "fix_sums.h"
#include "fuzz/fix_counters.h"
#include "window_support.h"

/* ----------------------------------------------------------------------------------------------------------- originals */

/* The hash of one that may be a member, or of any other. */
static uint64_t anybody(struct rng *r) {
    const uint64_t among[] = {10, 100, 4000};
    return rng_below(r, 4) ? spread(rng_below(r, among[rng_below(r, 3)])) : rng_next(r);
}

/* Small enough to be looked at after every step, and with a past: narrow ones may have elders. */
static guira *original(guira_kind kind, unsigned w, struct rng *r) {
    const uint64_t most[] = {20, 200, 4000}, left[] = {5, 30, 200};
    struct variant v = {.config = {.kind = kind, .slot_bits = w}};
    if (rng_below(r, 3) == 0) v.config.max_kicks = 1 + (unsigned)rng_below(r, 20);
    if (rng_below(r, 4) == 0) v.config.max_load = 0.97;
    if (rng_below(r, 2) == 0) v.config.capacity = 1 + rng_below(r, 100);
    guira *f = variant_make(&v, r, 1 + rng_below(r, 100));
    uint64_t n = rng_below(r, most[rng_below(r, 3)]), stay = n;
    if (rng_below(r, 2)) stay = rng_below(r, left[rng_below(r, 3)]);
    for (uint64_t i = 0; i < n; i++) guira_insert_hash(f, spread(i));
    for (; n > stay; n--) guira_remove_hash(f, spread(n - 1)); /* the newest go */
    uint64_t copies = rng_below(r, 2) ? rng_below(r, 30) : 0, twin = rng_below(r, 10);
    for (uint64_t i = 0; i < copies; i++) guira_insert_hash(f, spread(twin));
    if (rng_below(r, 3) == 0) guira_shrink_to_fit(f);
    if (rng_below(r, 5) == 0) guira_reserve(f, f->items + rng_below(r, 300));
    assert_valid(f);
    return f;
}

/* -------------------------------------------------------------------------------------------- forged before it is saved */

/* Elders of any level that a file can have, whether or not the table has ever been at it. */
static void forge_elders(struct tidal *f, struct rng *r) {
    unsigned highest = rng_below(r, 3) ? f->level + 1 : max_level(f->head.ops->slot_bits);
    for (uint64_t n = 1 + rng_below(r, 30); n > 0; n--) {
        struct entry e = {anybody(r), 1 + rng_below(r, highest)};
        if (!guira__elders_ready(f, &e, 1)) continue;
        guira__elders_add(f, e);
        f->head.items++;
    }
    f->beside = f->head.stash.n > 0 || f->elders != NULL;
}

/* And what waits in the stash, with more of an address than is known of it. */
static void forge_stash(struct tidal *f, struct rng *r) {
    uint64_t stamp = stamp_now(f, f->head.ops->slot_bits) << 8;
    for (uint64_t n = rng_below(r, STASH_LAST + 1); n > 0; n--) {
        struct entry e = {anybody(r), (1 + rng_below(r, ALL_KNOWN)) | stamp};
        if (!stash_push(&f->head.stash, e, STASH_LAST)) return;
        f->head.weight += weight_of(known_of(e));
        f->head.items++;
        f->beside = 1;
    }
}

/* --------------------------------------------------------------------------------------------- forged after it is saved */

struct span {
    uint8_t *at;
    size_t n;
};

/* The payload of any section, those that are short as often as those that are long; but for the tide, which stands no
 * change. */
static struct span any_section(struct bytes b, struct rng *r) {
    struct guira__reader from = {b.at + HEADER_BYTES, b.n - HEADER_BYTES, false};
    struct span chosen = {NULL, 0};
    char tag[9] = {0};
    for (uint64_t seen = 1; from.left > 0; seen++) {
        uint64_t length = get_u64(from.at + 8);
        memcpy(tag, from.at, 8);
        uint8_t *payload = b.at + (from.at - b.at) + SECTION_ALIGNMENT;
        assert_non_null(guira__section_expect(&from, tag, length));
        bool rare = strcmp(tag, "tide") == 0 && rng_below(r, 10) > 0;
        if (chosen.at == NULL || (!rare && rng_below(r, seen) == 0)) chosen = (struct span){payload, (size_t)length};
    }
    return chosen;
}

static uint64_t any_number(uint64_t old, struct rng *r) {
    switch (rng_below(r, 6)) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return old ^ UINT64_C(1) << rng_below(r, 64);
    case 3: return rng_below(r, 64);
    case 4: return UINT64_MAX << rng_below(r, 64);
    default: return rng_next(r);
    }
}

/* One byte or number becomes another, or is where another one was: of names and slots that makes copies. */
static void forge_payload(struct bytes b, struct rng *r) {
    struct span s = any_section(b, r);
    size_t number = 8 * (size_t)rng_below(r, s.n / 8);
    switch (rng_below(r, 4)) {
    case 0: s.at[rng_below(r, s.n)] ^= (uint8_t)(1U << rng_below(r, 8)); break;
    case 1: s.at[rng_below(r, s.n)] = (uint8_t)rng_next(r); break;
    case 2: put_u64(s.at + number, any_number(get_u64(s.at + number), r)); break;
    default: memmove(s.at + number, s.at + 8 * rng_below(r, s.n / 8), 8); break;
    }
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* What it was made with, where that may be different. */
static void forge_header(struct bytes b, struct rng *r) {
    const double least[] = {1e-9, 0.3, 0.5, -1}, most[] = {0.6, 0.93, 0.989};
    switch (rng_below(r, 5)) {
    case 0: put_u64(b.at + 32, rng_next(r) >> (34 + rng_below(r, 30))); break; /* capacity */
    case 1: put_u64(b.at + 56, bits_of(most[rng_below(r, 3)])); break;
    case 2: put_u64(b.at + 64, bits_of(least[rng_below(r, 4)])); break;
    case 3: put_u64(b.at + 72 + rng_below(r, 8), rng_next(r)); break; /* the seed */
    default: put_u64(b.at + 88, 1 + rng_below(r, 500)); break;        /* max_kicks */
    }
}

static void forge(struct bytes b, struct rng *r) {
    if (rng_below(r, 4) == 0) forge_header(b, r);
    for (uint64_t times = UINT64_C(1) << rng_below(r, 6); times > 0; times--) {
        fix_sums(b.at, b.n);
        forge_payload(b, r);
        if (rng_below(r, 4)) fix_counters(b.at, b.n);
    }
    fix_sums(b.at, b.n);
}

/* --------------------------------------------------------------------------------------------------------------- in use */

/* Another one with the same seed, whatever that has become. */
static guira *relative(const guira *f, struct rng *r) {
    guira_config c = f->config;
    guira *g;
    if (rng_below(r, 3) == 0) {
        assert_int_equal(guira_clone(f, &g), GUIRA_OK);
        return g;
    }
    c.capacity = 0;
    assert_int_equal(guira_create(&c, &g), GUIRA_OK);
    for (uint64_t n = rng_below(r, 400); n > 0; n--) guira_insert_hash(g, anybody(r));
    return g;
}

static void merge(guira *f, struct rng *r) {
    if (f->items > 20000 || f->ops->merge == NULL) return;
    guira *g = relative(f, r);
    if (rng_below(r, 2)) guira_merge(f, g);
    else {
        guira_merge(g, f);
        assert_valid(g);
    }
    guira_destroy(g);
}

static void put_many(guira *f, struct rng *r) {
    uint64_t hash = anybody(r);
    bool same = rng_below(r, 2);
    for (uint64_t n = rng_below(r, same ? 30 : 300); n > 0; n--) guira_insert_hash(f, same ? hash : anybody(r));
}

static void take_many(guira *f, struct rng *r) {
    uint64_t first = rng_below(r, 300);
    bool in_order = rng_below(r, 2);
    for (uint64_t n = rng_below(r, 3000); n > 0; n--) guira_remove_hash(f, in_order ? spread(first + n) : anybody(r));
}

static guira_status resize(guira *f, struct rng *r) {
    switch (rng_below(r, 4)) {
    case 0: return guira_shrink_to_fit(f);
    case 1: return guira_reserve(f, rng_below(r, 3000));
    case 2: return f->ops->grow != NULL ? f->ops->grow(f) : GUIRA_OK;
    default: return f->ops->shrink != NULL ? f->ops->shrink(f) : GUIRA_OK;
    }
}

static void step(guira *f, struct rng *r) {
    uint64_t before = digest(f), hash = anybody(r);
    guira_status s = GUIRA_OK;
    switch (rng_below(r, 8)) {
    case 0:
    case 1:
        s = guira_insert_hash(f, hash);
        if (s == GUIRA_OK) assert_true(guira_contains_hash(f, hash));
        break;
    case 2: put_many(f, r); break;
    case 3:
    case 4: take_many(f, r); break;
    case 5: merge(f, r); break;
    default: s = resize(f, r); break;
    }
    if (s != GUIRA_OK) assert_true(digest(f) == before);
    assert_valid(f);
}

static unsigned forgeries(void) { return quick_run() ? 300 : long_run() ? 50000 : 3000; }

static void test_forged_filters_stay_valid(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 12, 16, 32};
    unsigned taken = 0, n = forgeries();
    for (unsigned i = 0; i < n; i++) {
        bool fixed = rng_below(&r, 5) == 0;
        guira *f = original(fixed ? GUIRA_CUCKOO : GUIRA_TIDAL, widths[rng_below(&r, 4)], &r);
        if (!fixed && rng_below(&r, 3) == 0) forge_elders((struct tidal *)f, &r);
        if (!fixed && rng_below(&r, 4) == 0) forge_stash((struct tidal *)f, &r);
        struct bytes b = saved(f);
        guira_destroy(f);
        if (rng_below(&r, 4)) forge(b, &r);
        guira_status s = guira_load_from(b.at, b.n, &f);
        free(b.at);
        if (s != GUIRA_OK) continue;
        taken++;
        for (unsigned j = 0; j < 25; j++) step(f, &r);
        guira_destroy(f);
    }
    print_message("%u of %u were taken\n", taken, n);
    assert_true(taken > n / 10);
}

/* ------------------------------------------------------------------------------------------------------ names of nobody */

/* The inverse of guira__elder_read, with the number of the copy. */
static uint64_t name_of(uint64_t canon, unsigned level, uint64_t copy, uint64_t core) {
    uint64_t x = (canon & leading(level)) | copy << 12 | (uint64_t)level << 6 | core;
    x = ((x ^ x >> 32) * 0x3f58476d1ce4e5b9) & UINT64_MAX >> 1;
    x = ((x ^ x >> 32) * 0x14d049bb133111eb) & UINT64_MAX >> 1;
    return x ^ x >> 32;
}

/* Counted as of a level, which may not be its own. */
static void put_name(struct tidal *f, uint64_t name, unsigned level) {
    assert_int_equal(f->elders->names->ops->insert(f->elders->names, name), GUIRA_OK);
    f->elders->count[level]++;
    f->elders->levels |= UINT64_C(1) << level;
    f->head.items++;
}

static guira_status saved_and_loaded(const guira *f) {
    struct bytes b = saved(f);
    guira *g;
    guira_status s = guira_load_from(b.at, b.n, &g);
    guira_destroy(g);
    free(b.at);
    return s;
}

struct forgery {
    unsigned other_level; /* 0: none */
    uint64_t copy, core_bit;
    unsigned times;
    guira_status expected;
};

/* A filter with an elder of a level, or what is said to be one. */
static guira *with_elder(unsigned level, const struct forgery *how, struct rng *r) {
    struct variant v = {.config = {.slot_bits = 12}};
    guira *f = variant_make(&v, r, 0);
    struct tidal *t = (struct tidal *)f;
    struct entry elder = {rng_next(r), level};
    assert_true(guira__elders_ready(t, &elder, 1)); /* so that there is a map */
    memset(t->elders->map->word, 0xff, (size_t)8 << t->elders->map->bits);
    t->beside = 1;
    uint64_t canon = rng_next(r) >> 1;
    unsigned named = how->other_level > 0 ? how->other_level : level;
    uint64_t name = name_of(canon, named, how->copy, core_of(canon, 12) | how->core_bit);
    assert_int_equal(known_of(guira__elder_read((struct entry){name, ALL_KNOWN})), named);
    for (unsigned n = 0; n < how->times; n++) put_name(t, name, level);
    return f;
}

/* Of another level than it is counted as, perhaps one that cannot be: a merge, which reads names, would believe it. A second
 * copy without a first, a core with a bit too many, a name twice: nobody would ever ask for these, and whoever removed the
 * others would leave them behind for good. */
static void test_elders_that_nobody_would_find_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const struct forgery forgeries[] = {
        {0, 0, 0, 1, GUIRA_OK},        {0, 1, 0, 1, GUIRA_ECORRUPT},  {0, 0, 32, 1, GUIRA_ECORRUPT},
        {0, 0, 0, 2, GUIRA_ECORRUPT},  {40, 0, 0, 1, GUIRA_ECORRUPT}, {max_level(12) + 1, 0, 0, 1, GUIRA_ECORRUPT},
        {63, 0, 0, 1, GUIRA_ECORRUPT},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++)
        for (unsigned level = 1; level < 30; level++) {
            guira *f = with_elder(level, &forgeries[i], &r);
            assert_int_equal(saved_and_loaded(f), forgeries[i].expected);
            guira_destroy(f);
        }
}

/* ------------------------------------------------------------------------------------------------------------- windows */

static uint64_t later(const guira_window *w, struct rng *r) {
    uint64_t now = guira_window_now(w), length = w->filter.clock.length;
    uint64_t some = rng_below(r, 50) == 0 ? rng_next(r) : rng_below(r, length / (1 + rng_below(r, 300)) | 1);
    return some > UINT64_MAX - now ? UINT64_MAX : now + some;
}

static guira_window *original_window(struct rng *r) {
    const uint64_t among[] = {20, 300, 3000};
    guira_window *w = window_make(1 + (rng_next(r) >> rng_below(r, 64)) / 2, rng_below(r, 2), r);
    uint64_t keys = 1 + rng_below(r, among[rng_below(r, 3)]), now = rng_below(r, 2) ? rng_next(r) : 0;
    for (uint64_t n = rng_below(r, among[rng_below(r, 3)]); n > 0; n--) {
        see(w, spread(rng_below(r, keys)), now);
        if (rng_below(r, 10) == 0) now = later(w, r);
    }
    return w;
}

static void window_step(guira_window *w, struct rng *r) {
    bool seen, before;
    uint64_t now = later(w, r), hash = anybody(r);
    switch (rng_below(r, 8)) {
    case 0: assert_int_equal(guira_window_tick(w, now), GUIRA_OK); break;
    case 1: guira_window_clear(w); break;
    case 2:
        for (uint64_t n = rng_below(r, 600); n > 0; n--) guira_window_seen_hash(w, anybody(r), now, &seen);
        break;
    default:
        before = ask(w, hash, now);
        if (guira_window_seen_hash(w, hash, now, &seen) == GUIRA_OK) assert_true(seen == before && ask(w, hash, now));
    }
    assert_window_valid(w);
}

static void test_forged_windows_stay_valid(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    unsigned taken = 0, n = forgeries();
    for (unsigned i = 0; i < n; i++) {
        guira_window *w = original_window(&r);
        struct bytes b = {0};
        if (rng_below(&r, 4) == 0) forge_stash(&w->filter, &r);
        assert_int_equal(guira_window_save_to(w, into_bytes, &b), GUIRA_OK);
        guira_window_destroy(w);
        forge(b, &r);
        guira_status s = guira_window_load_from(b.at, b.n, &w);
        free(b.at);
        if (s != GUIRA_OK) continue;
        taken++;
        for (unsigned j = 0; j < 40; j++) window_step(w, &r);
        guira_window_destroy(w);
    }
    print_message("%u of %u were taken\n", taken, n);
    assert_true(taken > n / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged_filters_stay_valid),
        cmocka_unit_test(test_elders_that_nobody_would_find_are_refused),
        cmocka_unit_test(test_forged_windows_stay_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
