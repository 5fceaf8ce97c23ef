/* Structs that start with their size, as a program of another version of the library passes them.
 *
 *     size 0                   the struct of version 1
 *     size of this version     as it is
 *     a larger size            a later version: what this one does not know must be 0 in what the library reads,
 *                              and is set to 0 in what it writes
 *     any other size           EINVAL, and nothing is written */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "file_support.h"

enum { LARGEST = 4096, ROOM = LARGEST + 64, UNTOUCHED = 0xa5 };

static alignas(64) uint8_t room[ROOM];

static void set_size(void *p, size_t size) { memcpy(p, &size, sizeof size); }

static size_t size_at(const void *p) {
    size_t size;
    memcpy(&size, p, sizeof size);
    return size;
}

/* Sizes that no version of a struct of `present` bytes has; 0 ends the list. */
static const size_t *impossible_sizes(size_t present) {
    static size_t list[] = {1, 7, 8, 0, LARGEST + 1, SIZE_MAX - 7, SIZE_MAX, 0};
    list[3] = present - 1;
    return list;
}

static bool is_all(const uint8_t *p, size_t n, uint8_t value) {
    for (size_t i = 0; i < n; i++)
        if (p[i] != value) return false;
    return true;
}

/* What the calls below work on. */
static struct {
    guira *f;
    guira_window *w;
    struct bytes file;
#ifdef GUIRA_TEST_SHARED
    guira_shared *g;
#endif
} all;

/* ------------------------------------------------------------------------------------------ structs the library reads */

static guira_status create_filter(const void *p) {
    guira *f = NULL;
    guira_status s = guira_create(p, &f);
    assert_int_equal(f != NULL, s == GUIRA_OK);
    guira_destroy(f);
    return s;
}

static guira_status add_filter(const void *p) {
    guira *f;
    assert_int_equal(guira_create(&(guira_config){.kind = GUIRA_CONSISTENT}, &f), GUIRA_OK);
    uint64_t before = digest(f);
    guira_status s = guira_consistent_scale_out(f, p);
    assert_true(s == GUIRA_OK || digest(f) == before);
    guira_destroy(f);
    return s;
}

static guira_status create_window(const void *p) {
    guira_window *w = NULL;
    guira_status s = guira_window_create(p, &w);
    assert_int_equal(w != NULL, s == GUIRA_OK);
    guira_window_destroy(w);
    return s;
}

static guira_status write_metrics(const void *p) {
    struct bytes text = {0};
    guira_status s = guira_metrics_write(p, 1, into_bytes, &text);
    assert_int_equal(text.n > 0, s == GUIRA_OK);
    free(text.at);
    return s;
}

#ifdef GUIRA_TEST_SHARED
static guira_status create_shared(const void *p) {
    guira_shared *g = NULL;
    guira_status s = guira_shared_create(p, 2, &g);
    assert_int_equal(g != NULL, s == GUIRA_OK);
    guira_shared_destroy(g);
    return s;
}
#endif

static const guira_config a_config = {.slot_bits = 16, .max_kicks = 100};
static const guira_window_config a_window = {.length = 600};
static guira_observed an_observed = {.name = "f"}; /* and the filter, which is set below */

struct reads {
    const char *name;
    const void *example;
    size_t size;
    guira_status (*call)(const void *p);
};
static const struct reads reads[] = {
    {"guira_create", &a_config, sizeof a_config, create_filter},
    {"guira_consistent_scale_out", &a_config, sizeof a_config, add_filter},
    {"guira_window_create", &a_window, sizeof a_window, create_window},
    {"guira_metrics_write", &an_observed, sizeof an_observed, write_metrics},
#ifdef GUIRA_TEST_SHARED
    {"guira_shared_create", &a_config, sizeof a_config, create_shared},
#endif
};
enum { READS = sizeof reads / sizeof *reads };

/* The example with this size; every byte after it is `rest`. */
static guira_status pass(const struct reads *c, size_t size, uint8_t rest) {
    memset(room, rest, sizeof room);
    memcpy(room, c->example, c->size);
    set_size(room, size);
    return c->call(room);
}

static void test_a_struct_of_size_0_or_of_this_version_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i < READS; i++) {
        assert_int_equal(pass(&reads[i], 0, 0xff), GUIRA_OK); /* what follows is not part of it */
        assert_int_equal(pass(&reads[i], reads[i].size, 0xff), GUIRA_OK);
    }
}

static void test_a_larger_struct_is_read_if_the_unknown_part_is_zero(void **state) {
    (void)state;
    for (size_t i = 0; i < READS; i++) {
        const struct reads *c = &reads[i];
        for (size_t size = c->size + 1; size <= LARGEST; size += size < c->size + 32 ? 1 : 509) {
            assert_int_equal(pass(c, size, 0), GUIRA_OK);
            room[size] = 1; /* behind it */
            assert_int_equal(c->call(room), GUIRA_OK);
            room[size - 1] = 1;
            assert_int_equal(c->call(room), GUIRA_EINVAL);
            room[size - 1] = 0;
            room[c->size] = 0x80;
            assert_int_equal(c->call(room), GUIRA_EINVAL);
        }
        assert_int_equal(pass(c, LARGEST, 0), GUIRA_OK);
    }
}

static void test_impossible_sizes_are_not_read(void **state) {
    (void)state;
    for (size_t i = 0; i < READS; i++)
        for (const size_t *size = impossible_sizes(reads[i].size); *size != 0; size++)
            if (pass(&reads[i], *size, 0) != GUIRA_EINVAL) fail_msg("%s accepts size %zu", reads[i].name, *size);
}

/* An array is as wide as its elements say: those of a later version are farther apart. */
static void test_an_array_of_larger_structs_is_read_element_by_element(void **state) {
    (void)state;
    const char *const names[] = {"first", "second", "third"};
    for (size_t size = sizeof(guira_observed); size <= 1024; size += alignof(guira_observed)) {
        struct bytes text = {0};
        memset(room, 0, sizeof room);
        for (size_t i = 0; i < 3; i++) {
            guira_observed one = {.size = size, .name = names[i], .filter = all.f};
            memcpy(room + i * size, &one, sizeof one);
        }
        const guira_observed *array = (const guira_observed *)(const void *)room;
        assert_int_equal(guira_metrics_write(array, 3, into_bytes, &text), GUIRA_OK);
        into_bytes(&text, "", 1);
        for (size_t i = 0; i < 3; i++) assert_non_null(strstr((const char *)text.at, names[i]));
        free(text.at);
    }
}

/* ----------------------------------------------------------------------------------------- structs the library writes */

static guira_status get_stats(void *p) { return guira_stats_get(all.f, p); }
static guira_status get_config(void *p) { return guira_config_get(all.f, p); }
static guira_status get_window_stats(void *p) { return guira_window_stats_get(all.w, p); }
static guira_status get_window_config(void *p) { return guira_window_config_get(all.w, p); }
static guira_status get_file(void *p) { return guira_file_info(all.file.at, all.file.n, p, NULL); }

static guira_status get_file_config(void *p) {
    guira_file file = GUIRA_FILE_INIT, before = file;
    guira_status s = guira_file_info(all.file.at, all.file.n, &file, p);
    if (s != GUIRA_OK) assert_memory_equal(&file, &before, sizeof file); /* neither of the two is written */
    return s;
}

#ifdef GUIRA_TEST_SHARED
static guira_status get_shared_stats(void *p) { return guira_shared_stats_get(all.g, p); }
static guira_status get_shared_config(void *p) { return guira_shared_config_get(all.g, p); }
#endif

struct writes {
    const char *name;
    size_t size;
    guira_status (*call)(void *p);
};
static const struct writes writes[] = {
    {"guira_stats_get", sizeof(guira_stats), get_stats},
    {"guira_config_get", sizeof(guira_config), get_config},
    {"guira_window_stats_get", sizeof(guira_stats), get_window_stats},
    {"guira_window_config_get", sizeof(guira_window_config), get_window_config},
    {"guira_file_info", sizeof(guira_file), get_file},
    {"guira_file_info, configuration", sizeof(guira_config), get_file_config},
#ifdef GUIRA_TEST_SHARED
    {"guira_shared_stats_get", sizeof(guira_stats), get_shared_stats},
    {"guira_shared_config_get", sizeof(guira_config), get_shared_config},
#endif
};
enum { WRITES = sizeof writes / sizeof *writes };

static guira_status ask(const struct writes *c, size_t size) {
    memset(room, UNTOUCHED, sizeof room);
    set_size(room, size);
    return c->call(room);
}

static void test_what_is_written_has_the_size_that_was_asked_for(void **state) {
    (void)state;
    uint8_t expected[ROOM];
    for (size_t i = 0; i < WRITES; i++) {
        const struct writes *c = &writes[i];
        assert_int_equal(ask(c, c->size), GUIRA_OK);
        assert_true(size_at(room) == c->size && is_all(room + c->size, ROOM - c->size, UNTOUCHED));
        memcpy(expected, room, c->size);
        assert_int_equal(ask(c, 0), GUIRA_OK);
        assert_true(is_all(room + c->size, ROOM - c->size, UNTOUCHED));
        assert_memory_equal(room, expected, c->size); /* the size is filled in, too */
        for (size_t size = c->size; size <= LARGEST; size += size < c->size + 32 ? 1 : 509) {
            assert_int_equal(ask(c, size), GUIRA_OK);
            assert_int_equal(size_at(room), size);
            assert_memory_equal(room + sizeof size, expected + sizeof size, c->size - sizeof size);
            assert_true(is_all(room + c->size, size - c->size, 0));
            assert_true(is_all(room + size, ROOM - size, UNTOUCHED));
        }
        assert_int_equal(ask(c, LARGEST), GUIRA_OK);
    }
}

static void test_impossible_sizes_are_not_written(void **state) {
    (void)state;
    for (size_t i = 0; i < WRITES; i++)
        for (const size_t *size = impossible_sizes(writes[i].size); *size != 0; size++) {
            if (ask(&writes[i], *size) != GUIRA_EINVAL) fail_msg("%s accepts size %zu", writes[i].name, *size);
            assert_int_equal(size_at(room), *size);
            assert_true(is_all(room + sizeof *size, ROOM - sizeof *size, UNTOUCHED));
        }
}

/* The rows of a plan, which are as far apart as the size in the first one says. */
static void test_the_rows_of_a_plan_have_the_size_of_the_first(void **state) {
    (void)state;
    guira_plan_row expected[GUIRA_PLAN_ROWS] = {{.size = sizeof *expected}};
    size_t smallest, again;
    assert_int_equal(guira_plan(1000000, 0.001, 1, expected, &smallest), GUIRA_OK);
    for (size_t size = sizeof *expected; GUIRA_PLAN_ROWS * size < ROOM; size += alignof(guira_plan_row)) {
        memset(room, UNTOUCHED, sizeof room);
        set_size(room, size);
        again = 9;
        assert_int_equal(guira_plan(1000000, 0.001, 1, (guira_plan_row *)(void *)room, &again), GUIRA_OK);
        assert_int_equal(again, smallest);
        for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++) {
            guira_plan_row row;
            memcpy(&row, room + i * size, sizeof row);
            assert_true(row.size == size && row.buckets == expected[i].buckets && row.bytes == expected[i].bytes);
            assert_true(row.fpr == expected[i].fpr && row.meets == expected[i].meets);
            assert_string_equal(row.name, expected[i].name);
            assert_true(is_all(room + i * size + sizeof row, size - sizeof row, 0));
        }
        assert_true(is_all(room + GUIRA_PLAN_ROWS * size, ROOM - GUIRA_PLAN_ROWS * size, UNTOUCHED));
    }
    for (const size_t *size = impossible_sizes(sizeof *expected); *size != 0; size++) {
        memset(room, UNTOUCHED, sizeof room);
        set_size(room, *size);
        again = 9;
        assert_int_equal(guira_plan(1000000, 0.001, 1, (guira_plan_row *)(void *)room, &again), GUIRA_EINVAL);
        assert_true(again == 9 && is_all(room + sizeof *size, ROOM - sizeof *size, UNTOUCHED));
    }
}

static int make_all(void **state) {
    (void)state;
    if (guira_create(NULL, &all.f) != GUIRA_OK || guira_window_create(&a_window, &all.w) != GUIRA_OK) return -1;
#ifdef GUIRA_TEST_SHARED
    if (guira_shared_create(NULL, 2, &all.g) != GUIRA_OK) return -1;
#endif
    an_observed.filter = all.f;
    return guira_save_to(all.f, into_bytes, &all.file) == GUIRA_OK ? 0 : -1;
}

static int destroy_all(void **state) {
    (void)state;
    guira_destroy(all.f);
    guira_window_destroy(all.w);
#ifdef GUIRA_TEST_SHARED
    guira_shared_destroy(all.g);
#endif
    free(all.file.at);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_struct_of_size_0_or_of_this_version_is_read),
        cmocka_unit_test(test_a_larger_struct_is_read_if_the_unknown_part_is_zero),
        cmocka_unit_test(test_impossible_sizes_are_not_read),
        cmocka_unit_test(test_an_array_of_larger_structs_is_read_element_by_element),
        cmocka_unit_test(test_what_is_written_has_the_size_that_was_asked_for),
        cmocka_unit_test(test_impossible_sizes_are_not_written),
        cmocka_unit_test(test_the_rows_of_a_plan_have_the_size_of_the_first),
    };
    return cmocka_run_group_tests(tests, make_all, destroy_all);
}
