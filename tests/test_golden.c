/* Files written once by earlier versions: every version must load them, find their members, and save them to the same bytes.
 * See golden/README.md. */
#include "file_support.h"
#include "repair_checksums.h"
#include "tidal/elders.h"

/* What a file contains. */
enum sort { FILTER, SHARED, WINDOW };

/* Whether another map of elders is being filled. */
enum next_map { NONE, LARGER, SMALLER };

static const struct golden {
    const char *name;
    enum sort sort;
    guira_config config;
    unsigned keys;   /* "key 0", "key 1", ... */
    unsigned copies; /* of "many" */
    uint64_t elders;
    unsigned merged; /* further keys, which came from other filters of MERGED_AT_ONCE keys */
    bool fits;       /* shrunk to fit, in the end */
    enum next_map map;
    bool slides;     /* windows; LENGTH is their length */
    bool same_calls; /* the copies were inserted first, and nothing was evicted: the same calls give the same bytes */
} list[] = {
    {.name = "tidal-12", .config = {.kind = GUIRA_TIDAL, .slot_bits = 12}, .keys = 2500, .copies = 24, .elders = 23},
    {.name = "tidal-16", .config = {.kind = GUIRA_TIDAL, .slot_bits = 16}, .keys = 100, .copies = 18},
    {.name = "tidal-32", .config = {.kind = GUIRA_TIDAL, .slot_bits = 32}, .keys = 100, .copies = 18},
    {.name = "tidal-12-merged", /* a small one into one of hundreds of times its size: all its members are elders */
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 12, .capacity = 3000},
     .keys = 100,
     .copies = 24,
     .elders = 9,
     .merged = 9},
    {.name = "tidal-12-elders", /* format 2; hundreds of them, some with copies */
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 12, .capacity = 9600},
     .keys = 10,
     .elders = 270,
     .merged = 270,
     .same_calls = true},
    {.name = "tidal-12-filling", /* format 2; a larger map of elders is being filled */
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 12, .capacity = 9600},
     .keys = 10,
     .elders = 279,
     .merged = 279,
     .map = LARGER,
     .same_calls = true},
    {.name = "tidal-12-halving", /* format 2; a smaller one */
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 12, .capacity = 12000, .max_load = 0.3},
     .keys = 1220,
     .elders = 306,
     .merged = 306,
     .fits = true,
     .map = SMALLER,
     .same_calls = true},
    {.name = "tidal-13-counts", /* format 2, as all that follow; copies are counted */
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 13, .capacity = 150},
     .keys = 60,
     .copies = 300,
     .elders = 290,
     .same_calls = true},
    {.name = "tidal-16-counts",
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 16, .capacity = 150},
     .keys = 60,
     .copies = 1000,
     .elders = 990,
     .same_calls = true},
    {.name = "tidal-23",
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 23, .capacity = 150},
     .keys = 80,
     .copies = 2,
     .same_calls = true},
    {.name = "tidal-28-growth", /* a rate that is kept */
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 28, .fpr = 1e-5, .growth = 100, .capacity = 150},
     .keys = 80,
     .copies = 2,
     .same_calls = true},
    {.name = "tidal-20-small", /* two buckets */
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 20},
     .keys = 5,
     .copies = 2,
     .same_calls = true},
    {.name = "tidal-17-empty", .config = {.kind = GUIRA_TIDAL, .slot_bits = 17}, .same_calls = true},
    {.name = "cuckoo-12",
     .config = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 150},
     .keys = 100,
     .copies = 22},
    {.name = "cuckoo-16",
     .config = {.kind = GUIRA_CUCKOO, .slot_bits = 16, .capacity = 150},
     .keys = 100,
     .copies = 18},
    {.name = "cuckoo-32",
     .config = {.kind = GUIRA_CUCKOO, .slot_bits = 32, .capacity = 150},
     .keys = 100,
     .copies = 18},
    {.name = "cuckoo-13x4", /* format 2; 39 buckets of four slots */
     .config = {.kind = GUIRA_CUCKOO, .slot_bits = 13, .bucket_slots = 4, .capacity = 148},
     .keys = 100,
     .copies = 9},
    {.name = "cuckoo-16-halved", /* format 2; 19 buckets, which halving has made of 38 */
     .config = {.kind = GUIRA_CUCKOO, .slot_bits = 16, .buckets = 19, .factor = 2},
     .keys = 100,
     .copies = 18},
    {.name = "dynamic-14",
     .config = {.kind = GUIRA_DYNAMIC, .slot_bits = 14, .bucket_slots = 3, .buckets = 9, .max_filters = 3},
     .keys = 80,
     .copies = 1},
    {.name = "elastic-14", /* extended once, and not yet written to everywhere */
     .config =
         {.kind = GUIRA_ELASTIC, .slot_bits = 14, .bucket_slots = 1, .buckets = 100, .max_load = 0.8, .max_kicks = 1},
     .keys = 95,
     .copies = 1},
    {.name = "consistent-30", /* one filter, grown by buckets */
     .config = {.kind = GUIRA_CONSISTENT,
                .slot_bits = 30,
                .bucket_slots = 3,
                .buckets = 8,
                .virtual_nodes = 4,
                .policy = GUIRA_BUCKET_LEVEL},
     .keys = 60,
     .copies = 5},
    {.name = "consistent-13", /* several filters */
     .config = {.kind = GUIRA_CONSISTENT,
                .slot_bits = 13,
                .bucket_slots = 5,
                .buckets = 7,
                .candidates = 3,
                .virtual_nodes = 2,
                .ring = 10007,
                .policy = GUIRA_FILTER_LEVEL},
     .keys = 80,
     .copies = 4},
    {.name = "consistent-16", /* both levels; a filter was added by dramatic growth */
     .config = {.kind = GUIRA_CONSISTENT, .slot_bits = 16, .bucket_slots = 3, .buckets = 4, .virtual_nodes = 2},
     .keys = 80,
     .copies = 4},
    {.name = "shared-16", .sort = SHARED, .config = {.kind = GUIRA_TIDAL, .slot_bits = 16}, .keys = 100, .copies = 13},
    {.name = "shared-21-counts", /* format 2; two shards, one of which has counted copies */
     .sort = SHARED,
     .config = {.kind = GUIRA_TIDAL, .slot_bits = 21, .capacity = 200},
     .keys = 60,
     .copies = 200,
     .same_calls = true},
    {.name = "window", .sort = WINDOW, .keys = 100},
    {.name = "window-slides", .sort = WINDOW, .keys = 100, .slides = true},
    {.name = "window-20", .sort = WINDOW, .config = {.fpr = 1e-3}, .keys = 100, .slides = true}, /* format 2 */
    {.name = "window-narrow", .sort = WINDOW, .config = {.fpr = 0.05, .capacity = 150}, .keys = 60, .same_calls = true},
};
enum { GOLDEN = sizeof list / sizeof *list, SHARDS = 2, LENGTH = 1000, MERGED_AT_ONCE = 9 };

static const char *path_of(const struct golden *g) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s.guira", GUIRA_GOLDEN_DIR, g->name);
    return path;
}

static const char *key_of(unsigned i) {
    static char key[32];
    snprintf(key, sizeof key, "key %u", i);
    return key;
}

static unsigned items_of(const struct golden *g) { return g->keys + g->merged + g->copies; }

/* The i-th of all that goes in: first the keys, then the copies, or the other way round. */
static const char *item_of(const struct golden *g, unsigned i) {
    unsigned keys = g->keys + g->merged;
    if (g->same_calls) return i < g->copies ? "many" : key_of(i - g->copies);
    return i < keys ? key_of(i) : "many";
}

/* ------------------------------------------------------------------------------------------------------ how they were made */

static guira_config config_of(const struct golden *g) {
    guira_config c = g->config;
    memcpy(c.seed, "golden, for ever", sizeof c.seed);
    return c;
}

static void merge_keys(guira *f, const struct golden *g) {
    guira_config c = config_of(g);
    guira *other;
    c.capacity = 0;
    assert_int_equal(guira_create(&c, &other), GUIRA_OK);
    for (unsigned i = 0; i < g->merged; i++) {
        const char *key = key_of(g->keys + i);
        assert_int_equal(guira_insert(other, key, strlen(key)), GUIRA_OK);
        if ((i + 1) % MERGED_AT_ONCE != 0) continue;
        assert_int_equal(guira_merge(f, other), GUIRA_OK);
        guira_destroy(other);
        assert_int_equal(guira_create(&c, &other), GUIRA_OK);
    }
    guira_destroy(other);
}

static struct bytes make_filter(const struct golden *g) {
    guira_config c = config_of(g);
    guira *f;
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    unsigned first = g->keys + (g->same_calls ? g->copies : 0); /* of the merged ones */
    for (unsigned i = 0; i <= items_of(g); i++) {
        if (i == first && g->merged > 0) merge_keys(f, g);
        if (i == items_of(g) || (i >= first && i < first + g->merged)) continue;
        assert_int_equal(guira_insert(f, item_of(g, i), strlen(item_of(g, i))), GUIRA_OK);
    }
    if (g->fits) assert_int_equal(guira_shrink_to_fit(f), GUIRA_OK);
    guira_stats s = stats_of(f);
    if (g->same_calls) assert_int_equal(s.kicks, 0);
    print_message("  made %s: %u items, %u in the stash, %u elders, %u filters, %u buckets\n", g->name,
                  (unsigned)s.items, (unsigned)s.stash, (unsigned)s.elders, (unsigned)s.filters, (unsigned)s.buckets);
    struct bytes b = saved(f);
    guira_destroy(f);
    return b;
}

#ifdef GUIRA_TEST_SHARED
static struct bytes make_shared(const struct golden *g) {
    guira_config c = config_of(g);
    struct bytes b = {0};
    guira_shared *f;
    assert_int_equal(guira_shared_create(&c, SHARDS, &f), GUIRA_OK);
    for (unsigned i = 0; i < items_of(g); i++)
        assert_int_equal(guira_shared_insert(f, item_of(g, i), strlen(item_of(g, i))), GUIRA_OK);
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_shared_stats_get(f, &s), GUIRA_OK);
    if (g->same_calls) assert_int_equal(s.kicks, 0);
    assert_int_equal(guira_shared_save_to(f, into_bytes, &b), GUIRA_OK);
    guira_shared_destroy(f);
    return b;
}
#endif

/* Key i comes at time 20 i: in the end the last LENGTH / 20 of them are seen, and of those before the sweep may
 * not have removed all. */
static uint64_t time_of(unsigned i) { return 20 * (uint64_t)i; }

static struct bytes make_window(const struct golden *g) {
    struct bytes b = {0};
    guira_window_config c = {
        .length = LENGTH, .slides = g->slides, .fpr = g->config.fpr, .capacity = g->config.capacity};
    guira_window *w;
    bool seen;
    memcpy(c.seed, config_of(g).seed, sizeof c.seed);
    assert_int_equal(guira_window_create(&c, &w), GUIRA_OK);
    for (unsigned i = 0; i < g->keys; i++) {
        assert_int_equal(guira_window_seen(w, key_of(i), strlen(key_of(i)), time_of(i), &seen), GUIRA_OK);
        assert_false(seen);
        assert_int_equal(guira_window_seen(w, key_of(0), strlen(key_of(0)), time_of(i), &seen), GUIRA_OK);
    }
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_window_stats_get(w, &s), GUIRA_OK);
    if (g->same_calls) assert_int_equal(s.kicks, 0);
    assert_int_equal(guira_window_save_to(w, into_bytes, &b), GUIRA_OK);
    guira_window_destroy(w);
    return b;
}

/* ------------------------------------------------------------------------------------------------------------- what they hold */

static void assert_same_file(const struct golden *g, struct bytes again) {
    struct bytes file = file_get(path_of(g));
    assert_true(same_bytes(file, again));
    free(file.at);
    free(again.at);
}

static enum next_map next_map_of(guira *f, const struct golden *g) {
    const struct elders *e = g->config.kind == GUIRA_TIDAL ? tidal_of(f)->elders : NULL;
    if (e == NULL || e->next == NULL) return NONE;
    return e->next->bits > e->map->bits ? LARGER : SMALLER;
}

static void assert_members(guira *f, const struct golden *g) {
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    assert_true(s.items == items_of(g) && s.elders == g->elders && next_map_of(f, g) == g->map);
    assert_true(s.stash > 0 || g->config.kind == GUIRA_CONSISTENT || g->same_calls); /* which have none */
    for (unsigned i = 0; i < items_of(g); i++) assert_true(guira_contains(f, item_of(g, i), strlen(item_of(g, i))));
    assert_true(guira_count(f, "many", 4) >= g->copies);
    assert_valid(f);
}

static void check_filter(const struct golden *g) {
    guira *f;
    assert_int_equal(guira_load(path_of(g), &f), GUIRA_OK);
    assert_members(f, g);
    assert_same_file(g, saved(f));
    for (unsigned i = items_of(g); i-- > 0;)
        assert_int_equal(guira_remove(f, item_of(g, i), strlen(item_of(g, i))), GUIRA_OK);
    assert_int_equal(f->items, 0);
    guira_destroy(f);
}

#ifdef GUIRA_TEST_SHARED
static void check_shared(const struct golden *g) {
    struct bytes again = {0};
    guira_shared *f;
    guira_stats s = GUIRA_STATS_INIT;
    assert_int_equal(guira_shared_load(path_of(g), &f), GUIRA_OK);
    assert_true(guira_shared_stats_get(f, &s) == GUIRA_OK && s.items == items_of(g));
    assert_true(g->same_calls ? s.elders > 0 : s.stash > 0);
    assert_true(guira_shared_count(f, "many", 4) >= g->copies);
    assert_int_equal(guira_shared_validate(f, NULL), GUIRA_OK);
    assert_int_equal(guira_shared_save_to(f, into_bytes, &again), GUIRA_OK);
    assert_same_file(g, again);
    for (unsigned i = items_of(g); i-- > 0;) {
        assert_true(guira_shared_contains(f, item_of(g, i), strlen(item_of(g, i))));
        assert_int_equal(guira_shared_remove(f, item_of(g, i), strlen(item_of(g, i))), GUIRA_OK);
    }
    guira_shared_destroy(f);
}
#endif

/* The first key came again with every other key: a window that slides keeps it, one that does not reports it as new when
 * its time is over. */
static void check_window(const struct golden *g) {
    struct bytes again = {0};
    guira_window *w;
    uint64_t now = time_of(g->keys - 1);
    bool seen;
    assert_int_equal(guira_window_load(path_of(g), &w), GUIRA_OK);
    assert_true(guira_window_now(w) == now && guira_window_validate(w, NULL) == GUIRA_OK);
    assert_int_equal(guira_window_save_to(w, into_bytes, &again), GUIRA_OK);
    assert_same_file(g, again);
    for (unsigned i = 1; i < g->keys; i++) {
        uint64_t age = now - time_of(i);
        assert_int_equal(guira_window_contains(w, key_of(i), strlen(key_of(i)), now, &seen), GUIRA_OK);
        assert_true(seen ? age < LENGTH + LENGTH / 16 + 1 : age > LENGTH);
    }
    assert_int_equal(guira_window_contains(w, "key 0", 5, now, &seen), GUIRA_OK);
    assert_true(seen);
    assert_int_equal(guira_window_contains(w, "key 0", 5, now + LENGTH, &seen), GUIRA_OK);
    assert_int_equal(seen, g->slides);
    guira_window_destroy(w);
}

/* ---------------------------------------------------------------------------------------------------------------- tests */

static struct bytes (*const make[])(const struct golden *) = {[FILTER] = make_filter,
#ifdef GUIRA_TEST_SHARED
                                                              [SHARED] = make_shared,
#endif
                                                              [WINDOW] = make_window};

static void make_file(const struct golden *g) {
    struct bytes b = make[g->sort](g);
    file_put(path_of(g), b);
    free(b.at);
}

static void test_golden_files_load_and_are_saved_to_the_same_bytes(void **state) {
    (void)state;
    static void (*const check[])(const struct golden *) = {[FILTER] = check_filter,
#ifdef GUIRA_TEST_SHARED
                                                           [SHARED] = check_shared,
#endif
                                                           [WINDOW] = check_window};
    for (const struct golden *g = list; g < list + GOLDEN; g++) {
        if (check[g->sort] == NULL) continue; /* built without shared filters */
        if (getenv("GUIRA_GOLDEN_MAKE") != NULL && access(path_of(g), F_OK) != 0) make_file(g);
        check[g->sort](g);
    }
}

/* Only for files in which eviction had no part: how it chooses may change. */
static void test_the_same_calls_give_the_same_bytes(void **state) {
    (void)state;
    for (const struct golden *g = list; g < list + GOLDEN; g++) {
        if (!g->same_calls || make[g->sort] == NULL) continue;
        struct bytes b = make[g->sort](g);
        if (g->sort != SHARED)
            assert_int_equal(get_u64(b.at + 8), 2); /* the format: 12 bits need it while a map is being filled */
        assert_same_file(g, b);
    }
}

static void test_golden_files_can_be_mapped(void **state) {
    (void)state;
    for (const struct golden *g = list; g < list + GOLDEN; g++) {
        guira *f;
        if (g->sort != FILTER) continue;
        assert_int_equal(guira_map(path_of(g), &f), GUIRA_OK);
        assert_members(f, g);
        guira_destroy(f);
    }
}

/* Format 1 cuckoo filters have fields that were not used then: whatever is in them, the filter is the same. */
static void test_cuckoo_files_of_format_1_ignore_fields_of_format_2(void **state) {
    (void)state;
    enum { FORMAT = 8, BUCKET_SLOTS = 96, BUCKETS = 104, FACTOR = 120 };
    static const struct {
        unsigned at;
        uint64_t value;
    } unused[] = {{BUCKET_SLOTS, 4}, {BUCKET_SLOTS, 8}, {BUCKET_SLOTS, 1}, {BUCKETS, 64}, {FACTOR, 2}};
    unsigned checked = 0;
    for (const struct golden *g = list; g < list + GOLDEN; g++) {
        struct bytes b = file_get(path_of(g));
        bool old_cuckoo = g->sort == FILTER && g->config.kind == GUIRA_CUCKOO && get_u64(b.at + FORMAT) == 1;
        for (size_t i = 0; old_cuckoo && i < sizeof unused / sizeof *unused; i++) {
            struct bytes again = {0};
            guira *f;
            put_u64(b.at + unused[i].at, unused[i].value);
            repair_checksum(b.at, b.at + HEADER_BYTES - 8);
            assert_int_equal(guira_load_from(b.at, b.n, &f), GUIRA_OK);
            assert_members(f, g);
            assert_int_equal(guira_save_to(f, into_bytes, &again), GUIRA_OK);
            assert_same_file(g, again);
            guira_destroy(f);
            checked++;
        }
        free(b.at);
    }
    assert_int_equal(checked, 3 * sizeof unused / sizeof *unused);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_files_load_and_are_saved_to_the_same_bytes),
        cmocka_unit_test(test_the_same_calls_give_the_same_bytes),
        cmocka_unit_test(test_golden_files_can_be_mapped),
        cmocka_unit_test(test_cuckoo_files_of_format_1_ignore_fields_of_format_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
