/* A filter as a file: what comes back is what went in, byte for byte, and goes on as the saved one would have. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_support.h"

/* Filters of all sizes and in all states: empty, small, at any place of the tide line, with a stash, with elders, with a
 * reservation, after refusals. */
static void insert_some(guira *f, struct model *m, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = rng_next(r);
        if (guira_insert_hash(f, hash) == GUIRA_OK) model_add(m, hash);
    }
}

static void remove_some(guira *f, struct model *m, size_t n, struct rng *r) {
    for (size_t i = 0; i < n && m->n > 0; i++)
        assert_int_equal(guira_remove_hash(f, model_take(m, rng_below(r, m->n))), GUIRA_OK);
}

/* Both go the same way, and stay the same. */
static void continue_alike(guira *f, guira *g, struct model *m, struct rng *r) {
    size_t n = 200 + m->n / 16;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = rng_next(r);
        guira_status s = guira_insert_hash(f, hash);
        assert_int_equal(guira_insert_hash(g, hash), s);
        if (s == GUIRA_OK) model_add(m, hash);
        if (i % 3 != 0) continue;
        hash = model_take(m, rng_below(r, m->n));
        assert_int_equal(guira_remove_hash(f, hash), GUIRA_OK);
        assert_int_equal(guira_remove_hash(g, hash), GUIRA_OK);
    }
    assert_int_equal(digest(f), digest(g));
    assert_int_equal(guira_clear(f), guira_clear(g));
    assert_int_equal(digest(f), digest(g));
    assert_valid(g);
}

static void assert_round_trip(const guira *f, const struct model *members, struct rng *r) {
    struct bytes b = saved(f);
    struct model m = {0};
    guira *g = loaded(b), *twin;
    for (size_t i = 0; i < members->n; i++) model_add(&m, members->hash[i]);
    assert_int_equal(digest(g), digest(f));
    assert_int_equal(g->failures, f->failures);
    assert_valid(g);
    assert_same(g, &m);
    struct bytes again = saved(g);
    assert_true(same_bytes(b, again));
    assert_int_equal(guira_clone(f, &twin), GUIRA_OK);
    continue_alike(twin, g, &m, r);
    guira_destroy(twin);
    guira_destroy(g);
    model_free(&m);
    free(again.at);
    free(b.at);
}

static void test_a_loaded_filter_is_the_saved_one_and_goes_on_as_it_would(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const size_t sizes[] = {0, 1, 7, 8, 30, 100, 500, 3000, 20000};
    for (const struct variant *v = variants(); v->name != NULL; v++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            if (quick_run() && sizes[i] > 3000) continue;
            struct model m = {0};
            guira *f = variant_make(v, &r, sizes[i] + 1);
            insert_some(f, &m, sizes[i] + rng_below(&r, sizes[i] / 8 + 1), &r);
            assert_round_trip(f, &m, &r);
            remove_some(f, &m, rng_below(&r, m.n + 1), &r);
            guira_reserve(f, m.n + rng_below(&r, 1000));
            assert_round_trip(f, &m, &r);
            guira_destroy(f);
            model_free(&m);
        }
}

static void test_stash_and_elders_come_back(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct model m = {0};
        guira *f = variant_make(v, &r, 3000);
        bool ages = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        insert_some(f, &m, ages ? 100000 : 2500, &r);
        for (uint64_t hash = rng_next(&r); guira_insert_hash(f, hash) == GUIRA_OK;) model_add(&m, hash);
        if (v->config.kind == GUIRA_CONSISTENT) assert_int_equal(stats_of(f).stash, 0);
        assert_true((stats_of(f).stash > 0 || is_of_papers(v)) && f->failures > 0);
        assert_true(!ages || stats_of(f).elders > 100);
        assert_round_trip(f, &m, &r);
        guira_destroy(f);
        model_free(&m);
    }
}

/* ------------------------------------------------------------------------------------------------------- ways in and out */

static void insert_members(guira *f, size_t n, struct rng *r) {
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_insert_hash(f, rng_next(r)), GUIRA_OK);
}

static void test_path_descriptor_and_bytes_are_the_same(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        const char *path = file_named("filter.guira");
        guira *f = variant_make(v, &r, 3000), *g;
        insert_members(f, 2500, &r);
        struct bytes b = saved(f);
        assert_int_equal(guira_save(f, path), GUIRA_OK);
        struct bytes file = file_get(path);
        assert_true(same_bytes(b, file));
        assert_int_equal(guira_load(path, &g), GUIRA_OK);
        assert_int_equal(digest(f), digest(g));
        guira_destroy(g);
        guira_destroy(f);
        free(file.at);
        free(b.at);
        unlink(path);
    }
}

/* Bytes that do not start on any multiple of anything. */
static void test_bytes_may_lie_anywhere(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        bool ages = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        guira *f = variant_make(v, &r, 5000), *g;
        insert_members(f, ages ? 5000 : 500, &r);
        struct bytes b = saved(f);
        uint8_t *moved = malloc(b.n + 1);
        memcpy(moved + 1, b.at, b.n);
        assert_int_equal(guira_load_from(moved + 1, b.n, &g), GUIRA_OK);
        assert_int_equal(digest(f), digest(g));
        free(moved);
        assert_valid(g);
        guira_destroy(g);
        guira_destroy(f);
        free(b.at);
    }
}

/* Three filters one after the other, the reader knowing nothing of their sizes. */
static void write_three(int fd, guira *const f[3]) {
    for (unsigned i = 0; i < 3; i++)
        if (guira_save_fd(f[i], fd) != GUIRA_OK) _exit(1);
    if (write(fd, "end", 3) != 3) _exit(2);
    _exit(0);
}

static void read_three(int fd, guira *const f[3]) {
    char end[4] = "";
    for (unsigned i = 0; i < 3; i++) {
        guira *g;
        assert_int_equal(guira_load_fd(fd, &g), GUIRA_OK);
        assert_int_equal(digest(f[i]), digest(g));
        guira_destroy(g);
    }
    assert_int_equal(read(fd, end, 3), 3);
    assert_string_equal(end, "end");
}

static void test_filters_go_through_a_pipe_one_after_the_other(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        const size_t sizes[3] = {10, v->config.kind == GUIRA_CONSISTENT ? 5000 : 200000, 0};
        guira *f[3];
        int ends[2], status;
        for (unsigned i = 0; i < 3; i++) {
            f[i] = variant_make(v, &r, sizes[i] + 1);
            insert_members(f[i], sizes[i], &r);
        }
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) write_three(ends[1], f);
        close(ends[1]);
        read_three(ends[0], f);
        close(ends[0]);
        assert_true(waitpid(child, &status, 0) == child && status == 0);
        for (unsigned i = 0; i < 3; i++) guira_destroy(f[i]);
    }
}

static void test_filters_lie_in_a_file_one_after_the_other(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        const char *path = file_named("three.guira");
        guira *f[3], *g;
        int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        assert_true(fd >= 0);
        for (size_t i = 0; i < 3; i++) {
            f[i] = variant_make(v, &r, 1001);
            insert_members(f[i], 500 * i, &r);
            assert_int_equal(guira_save_fd(f[i], fd), GUIRA_OK);
        }
        assert_int_equal(write(fd, "end", 3), 3);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        read_three(fd, f);
        close(fd);
        assert_int_equal(guira_load(path, &g), GUIRA_ECORRUPT); /* a file is for one */
        assert_null(g);
        for (unsigned i = 0; i < 3; i++) guira_destroy(f[i]);
        unlink(path);
    }
}

/* -------------------------------------------------------------------------------------------------------------- refusals */

/* Parts of at most `most` bytes, and one more at the end, which is empty. */
static void assert_parts(const guira *f, struct bytes whole, uint64_t most, struct rng *r) {
    guira_saving *s;
    uint8_t *part = malloc(most);
    struct bytes all = {0};
    assert_int_equal(guira_saving_start(f, &s), GUIRA_OK);
    for (size_t n = 0, taken = 0; n == taken; into_bytes(&all, part, taken)) {
        n = 1 + rng_below(r, most);
        taken = guira_saving_next(s, part, n);
    }
    assert_true(same_bytes(all, whole));
    assert_int_equal(guira_saving_next(s, part, most), 0);
    guira_saving_end(s);
    free(part);
    free(all.at);
}

static void test_parts_make_the_whole_file(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *mapped;
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        bool ages = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        guira *f = variant_make(v, &r, 3000);
        insert_members(f, ages ? 100000 : 2500, &r);
        struct bytes whole = saved(f);
        assert_parts(f, whole, 10000, &r);
        assert_parts(f, whole, 70, &r);
        assert_parts(f, whole, 2 * whole.n, &r);
        assert_int_equal(guira_save(f, file_named("parts")), GUIRA_OK);
        assert_int_equal(guira_map(file_named("parts"), &mapped), GUIRA_OK);
        assert_parts(mapped, whole, 10000, &r);
        guira_destroy(mapped);
        unlink(file_named("parts"));
        free(whole.at);
        guira_destroy(f);
    }
}

static bool refuse(void *to, const void *bytes, size_t n) {
    (void)bytes;
    size_t *left = to;
    if (n > *left) return false;
    *left -= n;
    return true;
}

static void test_a_writer_that_fails_ends_saving(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = variant_make(variants(), &r, 1000);
    insert_members(f, 100000, &r);
    for (uint64_t room = 0; room < guira_saved_size(f); room += 5000) {
        size_t left = room;
        assert_int_equal(guira_save_to(f, refuse, &left), GUIRA_EIO);
    }
    size_t left = guira_saved_size(f);
    assert_int_equal(guira_save_to(f, refuse, &left), GUIRA_OK);
    assert_int_equal(left, 0);
    guira_destroy(f);
}

static void test_senseless_arguments_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira *f = variant_make(variants(), &r, 1000), *g = f;
    assert_int_equal(guira_save(NULL, "x"), GUIRA_EINVAL);
    assert_int_equal(guira_save(f, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_save_fd(NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_save_fd(f, -1), GUIRA_EIO);
    assert_int_equal(guira_save_to(f, NULL, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_save_to(NULL, into_bytes, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_saved_size(NULL), 0);
    guira_saving *s;
    assert_int_equal(guira_saving_start(NULL, &s), GUIRA_EINVAL);
    assert_int_equal(guira_saving_start(f, NULL), GUIRA_EINVAL);
    guira_saving_end(NULL);
    assert_int_equal(guira_load("x", NULL), GUIRA_EINVAL);
    assert_int_equal(guira_map("x", NULL), GUIRA_EINVAL);
    assert_int_equal(guira_load_fd(0, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_load_from("", 0, NULL), GUIRA_EINVAL);
    assert_true(guira_load(NULL, &g) == GUIRA_EINVAL && g == NULL);
    assert_true(guira_map(NULL, &g) == GUIRA_EINVAL && g == NULL);
    assert_true(guira_load_from(NULL, 0, &g) == GUIRA_EINVAL && g == NULL);
    assert_true(guira_load_from("", 0, &g) == GUIRA_EFORMAT && g == NULL);
    assert_true(guira_load_fd(-1, &g) == GUIRA_EIO && g == NULL);
    guira_destroy(f);
}

static void test_what_is_no_filter_is_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const char *path = file_named("other");
    guira *g, *f = variant_make(variants(), &r, 1000);
    assert_int_equal(guira_load(path, &g), GUIRA_EIO);
    assert_int_equal(guira_map(path, &g), GUIRA_EIO);
    assert_int_equal(guira_load(test_directory, &g), GUIRA_EIO);
    assert_int_equal(guira_map(test_directory, &g), GUIRA_EIO);
    assert_int_equal(guira_map("/dev/zero", &g), GUIRA_EIO);
    assert_int_equal(guira_load("/dev/zero", &g), GUIRA_EFORMAT);
    assert_int_equal(guira_load("/dev/null", &g), GUIRA_EFORMAT);
    for (size_t n = 0; n < 2000; n += 100) {
        struct bytes b = {calloc(n + 1, 1), n, n + 1};
        for (size_t i = 0; i < n; i++) b.at[i] = (uint8_t)rng_next(&r);
        file_put(path, b);
        assert_int_equal(guira_load(path, &g), GUIRA_EFORMAT);
        assert_int_equal(guira_map(path, &g), GUIRA_EFORMAT);
        assert_int_equal(guira_load_from(b.at, b.n, &g), GUIRA_EFORMAT);
        free(b.at);
    }
    unlink(path);
    guira_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_loaded_filter_is_the_saved_one_and_goes_on_as_it_would),
        cmocka_unit_test(test_stash_and_elders_come_back),
        cmocka_unit_test(test_path_descriptor_and_bytes_are_the_same),
        cmocka_unit_test(test_bytes_may_lie_anywhere),
        cmocka_unit_test(test_filters_go_through_a_pipe_one_after_the_other),
        cmocka_unit_test(test_filters_lie_in_a_file_one_after_the_other),
        cmocka_unit_test(test_parts_make_the_whole_file),
        cmocka_unit_test(test_a_writer_that_fails_ends_saving),
        cmocka_unit_test(test_senseless_arguments_are_refused),
        cmocka_unit_test(test_what_is_no_filter_is_refused),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
