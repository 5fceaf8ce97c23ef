/* Crafted files, such as an attacker could make: bytes are changed, then the checksums and often the counters are made right
 * again. A file may be refused; if it is loaded, the filter must stay valid whatever is done to it.
 *
 *     a filter with a history -> its file -> change bytes -> repair counters and checksums -> load -> use, validating
 *                                                                                                     after each step */
#include "file_support.h"
#include "repair_checksums.h"
#include "fuzz/repair_counters.h"
#include "window_support.h"

/* ----------------------------------------------------------------------------------------------------------- originals */

/* A hash that may be that of a member. */
static uint64_t some_hash(struct rng *r) {
    const uint64_t among[] = {10, 100, 4000};
    return rng_below(r, 4) ? spread(rng_below(r, among[rng_below(r, 3)])) : rng_next(r);
}

/* Small enough to be validated after every step, and with a history of insertions and removals; narrow ones may have
 * elders. */
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
    for (; n > stay; n--) guira_remove_hash(f, spread(n - 1)); /* the newest first */
    uint64_t copies = rng_below(r, 2) ? rng_below(r, 30) : 0, same = rng_below(r, 10);
    for (uint64_t i = 0; i < copies; i++) guira_insert_hash(f, spread(same));
    if (rng_below(r, 3) == 0) guira_shrink_to_fit(f);
    if (rng_below(r, 5) == 0) guira_reserve(f, f->items + rng_below(r, 300));
    assert_valid(f);
    return f;
}

/* ------------------------------------------------------------------------------------------------ changed before saving */

/* Adds elders of any level that a file can have, also of levels that the table never had. */
static void add_elders(struct tidal *f, struct rng *r) {
    unsigned highest = rng_below(r, 3) ? f->level + 1U : max_level(tidal_layout(f));
    for (uint64_t n = 1 + rng_below(r, 30); n > 0; n--) {
        struct entry e = {some_hash(r), 1 + rng_below(r, highest)};
        if (!guira__elders_ready(f, 1)) continue;
        guira__elders_add(f, e, 1);
        f->head.items++;
    }
    update_has_outside(f);
}

/* Adds stash entries with more address bits set than are known. */
static void add_stash_entries(struct tidal *f, struct rng *r) {
    uint64_t stamp = stamp_now(f, tidal_layout(f)) << 8;
    for (uint64_t n = rng_below(r, STASH_LAST + 1); n > 0; n--) {
        struct entry e = {some_hash(r), (1 + rng_below(r, ALL_KNOWN)) | stamp};
        if (guira__stash_add(f, e, STASH_LAST) != GUIRA_OK) return;
        f->head.weight += weight_of(known_of(e));
        f->head.items++;
        update_has_outside(f);
    }
}

/* ------------------------------------------------------------------------------------------------- changed after saving */

struct span {
    uint8_t *at;
    size_t n;
};

/* The payload of a random section, whatever its length; seldom that of "tide", in which hardly any change is accepted. */
static struct span any_section(struct bytes b, struct rng *r) {
    struct guira__reader from = {.at = b.at + HEADER_BYTES, .left = b.n - HEADER_BYTES};
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

/* Changes a byte or a number, or copies another number over it, which duplicates slots or names. */
static void change_payload(struct bytes b, struct rng *r) {
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

/* Changes the configuration where other values are possible. */
static void change_header(struct bytes b, struct rng *r) {
    const double least[] = {1e-9, 0.3, 0.5, -1}, most[] = {0.6, 0.93, 0.989};
    switch (rng_below(r, 5)) {
    case 0: put_u64(b.at + 32, rng_next(r) >> (34 + rng_below(r, 30))); break; /* capacity */
    case 1: put_u64(b.at + 56, bits_of(most[rng_below(r, 3)])); break;
    case 2: put_u64(b.at + 64, bits_of(least[rng_below(r, 4)])); break;
    case 3: put_u64(b.at + 72 + rng_below(r, 8), rng_next(r)); break; /* the seed */
    default: put_u64(b.at + 88, 1 + rng_below(r, 500)); break;        /* max_kicks */
    }
}

static void craft(struct bytes b, struct rng *r) {
    if (rng_below(r, 4) == 0) change_header(b, r);
    for (uint64_t times = UINT64_C(1) << rng_below(r, 6); times > 0; times--) {
        repair_checksums(b.at, b.n);
        change_payload(b, r);
        if (rng_below(r, 4)) repair_counters(b.at, b.n);
    }
    repair_checksums(b.at, b.n);
}

/* ------------------------------------------------------------------------------------------------------------ using it */

/* Another filter with the same configuration. */
static guira *relative(const guira *f, struct rng *r) {
    guira_config c = guira__config_of(f);
    guira *g;
    if (rng_below(r, 3) == 0) {
        assert_int_equal(guira_clone(f, &g), GUIRA_OK);
        return g;
    }
    if (c.kind != GUIRA_CUCKOO) c.capacity = 0;
    assert_int_equal(guira_create(&c, &g), GUIRA_OK);
    for (uint64_t n = rng_below(r, 400); n > 0; n--) guira_insert_hash(g, some_hash(r));
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

static void insert_many(guira *f, struct rng *r) {
    uint64_t hash = some_hash(r);
    bool same = rng_below(r, 2);
    for (uint64_t n = rng_below(r, same ? 30 : 300); n > 0; n--) guira_insert_hash(f, same ? hash : some_hash(r));
}

static void remove_many(guira *f, struct rng *r) {
    uint64_t first = rng_below(r, 300);
    bool in_order = rng_below(r, 2);
    for (uint64_t n = rng_below(r, 3000); n > 0; n--) guira_remove_hash(f, in_order ? spread(first + n) : some_hash(r));
}

static guira_status resize(guira *f, struct rng *r) {
    switch (rng_below(r, 4)) {
    case 0: return guira_shrink_to_fit(f);
    case 1: return guira_reserve(f, rng_below(r, 3000));
    case 2: return guira__config_of(f).kind == GUIRA_TIDAL ? tidal_ops(tidal_of(f))->grow(tidal_of(f)) : GUIRA_OK;
    default: return guira__config_of(f).kind == GUIRA_TIDAL ? tidal_ops(tidal_of(f))->shrink(tidal_of(f)) : GUIRA_OK;
    }
}

static void step(guira *f, struct rng *r) {
    uint64_t before = digest(f), hash = some_hash(r);
    guira_status s = GUIRA_OK;
    switch (rng_below(r, 8)) {
    case 0:
    case 1:
        s = guira_insert_hash(f, hash);
        if (s == GUIRA_OK) assert_true(guira_contains_hash(f, hash));
        break;
    case 2: insert_many(f, r); break;
    case 3:
    case 4: remove_many(f, r); break;
    case 5: merge(f, r); break;
    default: s = resize(f, r); break;
    }
    if (s != GUIRA_OK) assert_true(digest(f) == before);
    assert_valid(f);
}

static unsigned rounds(void) { return quick_run() ? 300 : long_run() ? 50000 : 3000; }

static void test_crafted_filters_stay_valid(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 12, 16, 32};
    unsigned loads = 0, n = rounds();
    for (unsigned i = 0; i < n; i++) {
        bool fixed = rng_below(&r, 5) == 0;
        guira *f = original(fixed ? GUIRA_CUCKOO : GUIRA_TIDAL, widths[rng_below(&r, 4)], &r);
        if (!fixed && rng_below(&r, 3) == 0) add_elders((struct tidal *)f, &r);
        if (!fixed && rng_below(&r, 4) == 0) add_stash_entries((struct tidal *)f, &r);
        struct bytes b = saved(f);
        guira_destroy(f);
        if (rng_below(&r, 4)) craft(b, &r);
        guira_status s = guira_load_from(b.at, b.n, &f);
        free(b.at);
        if (s != GUIRA_OK) continue;
        loads++;
        for (unsigned j = 0; j < 25; j++) step(f, &r);
        guira_destroy(f);
    }
    print_message("  %u of %u were loaded\n", loads, n);
    assert_true(loads > n / 10);
}

/* ------------------------------------------------------------------------------------------------- names of no member */

/* The inverse of guira__elder_read, with the number of the copy. */
static uint64_t name_of(uint64_t canon, unsigned level, uint64_t copy, uint64_t core) {
    uint64_t x = (canon & leading(level)) | copy << 12 | (uint64_t)level << 6 | core;
    x = ((x ^ x >> 32) * 0x3f58476d1ce4e5b9) & UINT64_MAX >> 1;
    x = ((x ^ x >> 32) * 0x14d049bb133111eb) & UINT64_MAX >> 1;
    return x ^ x >> 32;
}

/* Counts the name at a level, which may not be the one it has. */
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

struct crafted {
    unsigned other_level; /* 0: none */
    uint64_t copy, core_bit;
    unsigned times;
    guira_status expected;
};

/* A filter with an elder of this level, crafted as `how` says. */
static guira *with_elder(unsigned level, const struct crafted *how, struct rng *r) {
    struct variant v = {.config = {.slot_bits = 12}};
    guira *f = variant_make(&v, r, 0);
    struct tidal *t = (struct tidal *)f;
    assert_true(guira__elders_ready(t, 1)); /* so that there is a map */
    memset(t->elders->map->word, 0xff, (size_t)8 << t->elders->map->bits);
    update_has_outside(t);
    uint64_t canon = rng_next(r) >> 1;
    unsigned named = how->other_level > 0 ? how->other_level : level;
    uint64_t name = name_of(canon, named, how->copy, core_of(canon, LAYOUT_12) | how->core_bit);
    assert_int_equal(known_of(guira__elder_read((struct entry){name, ALL_KNOWN})), named);
    for (unsigned n = 0; n < how->times; n++) put_name(t, name, level);
    return f;
}

/* A name of another level than it is counted at, perhaps an impossible one: merging reads names and would use it. A second
 * copy without a first, a core with a bit too many, a name twice: no lookup or removal would ever reach these, and they
 * would stay for ever. */
static void test_elders_that_no_lookup_would_find_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const struct crafted crafted[] = {
        {0, 0, 0, 1, GUIRA_OK},        {0, 1, 0, 1, GUIRA_ECORRUPT},
        {0, 0, 32, 1, GUIRA_ECORRUPT}, {0, 0, 0, 2, GUIRA_ECORRUPT},
        {40, 0, 0, 1, GUIRA_ECORRUPT}, {max_level(LAYOUT_12) + 1, 0, 0, 1, GUIRA_ECORRUPT},
        {63, 0, 0, 1, GUIRA_ECORRUPT},
    };
    for (size_t i = 0; i < sizeof crafted / sizeof *crafted; i++)
        for (unsigned level = 1; level < 30; level++) {
            guira *f = with_elder(level, &crafted[i], &r);
            assert_int_equal(saved_and_loaded(f), crafted[i].expected);
            guira_destroy(f);
        }
}

/* ------------------------------------------------------------------------------------------------------------- windows */

static uint64_t later(const guira_window *w, struct rng *r) {
    uint64_t now = guira_window_now(w), length = w->clock.length;
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
    uint64_t now = later(w, r), hash = some_hash(r);
    switch (rng_below(r, 8)) {
    case 0: assert_int_equal(guira_window_tick(w, now), GUIRA_OK); break;
    case 1: guira_window_clear(w); break;
    case 2:
        for (uint64_t n = rng_below(r, 600); n > 0; n--) guira_window_seen_hash(w, some_hash(r), now, &seen);
        break;
    default:
        before = ask(w, hash, now);
        if (guira_window_seen_hash(w, hash, now, &seen) == GUIRA_OK) assert_true(seen == before && ask(w, hash, now));
    }
    assert_window_valid(w);
}

static void test_crafted_windows_stay_valid(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    unsigned loads = 0, n = rounds();
    for (unsigned i = 0; i < n; i++) {
        guira_window *w = original_window(&r);
        struct bytes b = {0};
        if (rng_below(&r, 4) == 0) add_stash_entries(w->filter, &r);
        assert_int_equal(guira_window_save_to(w, into_bytes, &b), GUIRA_OK);
        guira_window_destroy(w);
        craft(b, &r);
        guira_status s = guira_window_load_from(b.at, b.n, &w);
        free(b.at);
        if (s != GUIRA_OK) continue;
        loads++;
        for (unsigned j = 0; j < 40; j++) window_step(w, &r);
        guira_window_destroy(w);
    }
    print_message("  %u of %u were loaded\n", loads, n);
    assert_true(loads > n / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crafted_filters_stay_valid),
        cmocka_unit_test(test_elders_that_no_lookup_would_find_are_refused),
        cmocka_unit_test(test_crafted_windows_stay_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
