/* Files written once and never again: whatever changes in the library, they must load, hold what they held, and be saved
 * to the same bytes. See golden/README.md. */
#include "file_support.h"

static const struct golden {
    const char *name;
    guira_config config;
    unsigned keys;   /* "key 0", "key 1", ... */
    unsigned copies; /* of "many" */
    uint64_t elders;
} list[] = {
    {"tidal-12", {.kind = GUIRA_TIDAL, .slot_bits = 12}, 2500, 24, 23},
    {"tidal-16", {.kind = GUIRA_TIDAL, .slot_bits = 16}, 100, 18, 0},
    {"tidal-32", {.kind = GUIRA_TIDAL, .slot_bits = 32}, 100, 18, 0},
    {"cuckoo-12", {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 150}, 100, 22, 0},
    {"cuckoo-16", {.kind = GUIRA_CUCKOO, .slot_bits = 16, .capacity = 150}, 100, 18, 0},
    {"cuckoo-32", {.kind = GUIRA_CUCKOO, .slot_bits = 32, .capacity = 150}, 100, 18, 0},
    {"dynamic-14",
     {.kind = GUIRA_DYNAMIC, .slot_bits = 14, .bucket_slots = 3, .buckets = 9, .max_filters = 3},
     80,
     1,
     0},
    {"elastic-14", /* extended once, and not yet written to everywhere */
     {.kind = GUIRA_ELASTIC, .slot_bits = 14, .bucket_slots = 1, .buckets = 100, .max_load = 0.8, .max_kicks = 1},
     95,
     1,
     0},
};
enum { GOLDEN = sizeof list / sizeof *list };

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

/* For a new kind: how its file was made. */
static void make(const struct golden *g) {
    guira_config c = g->config;
    guira *f;
    memcpy(c.seed, "golden, for ever", sizeof c.seed);
    assert_int_equal(guira_create(&c, &f), GUIRA_OK);
    for (unsigned i = 0; i < g->keys; i++) assert_int_equal(guira_insert(f, key_of(i), strlen(key_of(i))), GUIRA_OK);
    for (unsigned i = 0; i < g->copies; i++) assert_int_equal(guira_insert(f, "many", 4), GUIRA_OK);
    guira_stats s;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    print_message("  made %s: %u items, %u in the stash, %u elders\n", g->name, (unsigned)s.items, (unsigned)s.stash,
                  (unsigned)s.elders);
    assert_int_equal(guira_save(f, path_of(g)), GUIRA_OK);
    guira_destroy(f);
}

static void assert_members(guira *f, const struct golden *g) {
    guira_stats s;
    assert_int_equal(guira_stats_get(f, &s), GUIRA_OK);
    assert_true(s.items == g->keys + g->copies && s.elders == g->elders && s.stash > 0);
    for (unsigned i = 0; i < g->keys; i++) assert_true(guira_contains(f, key_of(i), strlen(key_of(i))));
    assert_true(guira_count(f, "many", 4) >= g->copies);
    assert_valid(f);
}

static void assert_removable(guira *f, const struct golden *g) {
    for (unsigned i = 0; i < g->copies; i++) assert_int_equal(guira_remove(f, "many", 4), GUIRA_OK);
    for (unsigned i = 0; i < g->keys; i++) assert_int_equal(guira_remove(f, key_of(i), strlen(key_of(i))), GUIRA_OK);
    assert_int_equal(f->items, 0);
}

static void test_old_files_are_read_and_written_as_ever(void **state) {
    (void)state;
    for (size_t i = 0; i < GOLDEN; i++) {
        guira *f;
        if (getenv("GUIRA_GOLDEN_MAKE") != NULL && access(path_of(&list[i]), F_OK) != 0) make(&list[i]);
        assert_int_equal(guira_load(path_of(&list[i]), &f), GUIRA_OK);
        assert_members(f, &list[i]);
        struct bytes file = file_get(path_of(&list[i])), again = saved(f);
        assert_true(same_bytes(file, again));
        assert_removable(f, &list[i]);
        guira_destroy(f);
        free(file.at);
        free(again.at);
    }
}

static void test_old_files_are_mapped_as_ever(void **state) {
    (void)state;
    for (size_t i = 0; i < GOLDEN; i++) {
        guira *f;
        assert_int_equal(guira_map(path_of(&list[i]), &f), GUIRA_OK);
        assert_members(f, &list[i]);
        guira_destroy(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_files_are_read_and_written_as_ever),
        cmocka_unit_test(test_old_files_are_mapped_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
