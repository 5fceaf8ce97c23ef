/* Saving and loading: a loaded filter equals the saved one byte for byte, and behaves the same from then on. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_support.h"

/* Filters of all sizes and in all states: empty, small, with any split pointer, with a stash, with elders, with a
 * reservation, after refused insertions. */
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

/* The same operations on both, which must stay equal. */
static void apply_to_both(guira *f, guira *g, struct model *m, struct rng *r) {
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
    guira *g = loaded(b), *clone;
    for (size_t i = 0; i < members->n; i++) model_add(&m, members->hash[i]);
    assert_int_equal(digest(g), digest(f));
    assert_int_equal(g->failures, f->failures);
    assert_valid(g);
    assert_same(g, &m);
    struct bytes again = saved(g);
    assert_true(same_bytes(b, again));
    assert_int_equal(guira_clone(f, &clone), GUIRA_OK);
    apply_to_both(clone, g, &m, r);
    guira_destroy(clone);
    guira_destroy(g);
    model_free(&m);
    free(again.at);
    free(b.at);
}

static void test_a_loaded_filter_equals_the_saved_one_and_behaves_the_same(void **state) {
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

static void test_stash_and_elders_are_saved(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct model m = {0};
        guira *f = variant_make(v, &r, 3000);
        bool has_elders = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        insert_some(f, &m, has_elders ? 100000 : 2500, &r);
        uint64_t hash;
        for (unsigned i = insert_many_copies(f, &r, &hash); i > 0; i--) model_add(&m, hash);
        if (v->config.kind == GUIRA_CONSISTENT) assert_int_equal(stats_of(f).stash, 0);
        if (v->config.kind == GUIRA_CUCKOO) assert_true(stats_of(f).stash > 0 && f->failures > 0);
        if (is_tidal(v)) assert_true(stats_of(f).elders > 0);
        assert_true(!has_elders || stats_of(f).elders > 100);
        assert_round_trip(f, &m, &r);
        guira_destroy(f);
        model_free(&m);
    }
}

static void test_the_stash_of_a_tidal_filter_is_saved(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        if (!is_tidal(v)) continue;
        struct model m = {0};
        guira *f = variant_make_with_stash(v, &r, 2500, &m);
        assert_round_trip(f, &m, &r);
        guira_destroy(f);
        model_free(&m);
    }
}

/* ------------------------------------------------------------------------------------------ paths, descriptors, memory */

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

/* A program that has closed its standard input gets 0 from open(). */
static void test_a_file_may_get_descriptor_0(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const char *path = file_named("filter.guira");
    guira *f = variant_make(variants(), &r, 3000), *loaded, *mapped;
    insert_members(f, 1000, &r);
    int input = dup(0);
    close(0);
    guira_status saving = guira_save(f, path), loading = guira_load(path, &loaded), mapping = guira_map(path, &mapped);
    if (input >= 0) {
        dup2(input, 0);
        close(input);
    }
    assert_true(saving == GUIRA_OK && loading == GUIRA_OK && mapping == GUIRA_OK);
    assert_true(digest(loaded) == digest(f) && digest(mapped) == digest(f));
    guira_destroy(mapped);
    guira_destroy(loaded);
    guira_destroy(f);
    unlink(path);
}

/* Bytes at an odd address. */
static void test_bytes_may_be_unaligned(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        bool has_elders = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        guira *f = variant_make(v, &r, 5000), *g;
        insert_members(f, has_elders ? 5000 : 500, &r);
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

/* Three filters one after the other; the reader does not know their sizes. */
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

static void test_several_filters_can_be_read_from_a_pipe(void **state) {
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

static void test_several_filters_can_be_read_from_one_file(void **state) {
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
        assert_int_equal(guira_load(path, &g), GUIRA_ECORRUPT); /* guira_load wants one filter per file */
        assert_null(g);
        for (unsigned i = 0; i < 3; i++) guira_destroy(f[i]);
        unlink(path);
    }
}

/* ---------------------------------------------------------------------------------------------------- parts, and errors */

/* Saves in parts of at most `most` bytes; the part after the last one is empty. */
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
        bool has_elders = v->config.kind == GUIRA_TIDAL && v->config.slot_bits == 12;
        guira *f = variant_make(v, &r, 3000);
        insert_members(f, has_elders ? 100000 : 2500, &r);
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

static void test_a_write_function_that_fails_ends_saving(void **state) {
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

static void test_invalid_arguments_are_refused(void **state) {
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

static void test_files_of_other_formats_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const char *path = file_named("other");
    guira *g, *f = variant_make(variants(), &r, 1000);
    assert_int_equal(guira_load(path, &g), GUIRA_ENOENT);
    assert_int_equal(guira_map(path, &g), GUIRA_ENOENT);
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

/* Windows and shared filters are opened in the same way. */
static void assert_not_opened(const char *path, guira_status expected) {
    guira *f;
    guira_window *w;
    assert_true(guira_load(path, &f) == expected && f == NULL);
    assert_true(guira_map(path, &f) == expected && f == NULL);
    assert_true(guira_window_load(path, &w) == expected && w == NULL);
#ifdef GUIRA_TEST_SHARED
    guira_shared *g;
    assert_true(guira_shared_load(path, &g) == expected && g == NULL);
#endif
}

static void assert_not_saved(const char *path, guira_status expected) {
    guira *f;
    guira_window *w;
    assert_int_equal(guira_create(NULL, &f), GUIRA_OK);
    assert_int_equal(guira_window_create(&(guira_window_config){.length = 10}, &w), GUIRA_OK);
    assert_int_equal(guira_save(f, path), expected);
    assert_int_equal(guira_window_save(w, path), expected);
    guira_destroy(f);
    guira_window_destroy(w);
#ifdef GUIRA_TEST_SHARED
    guira_shared *g;
    assert_int_equal(guira_shared_create(NULL, 2, &g), GUIRA_OK);
    assert_int_equal(guira_shared_save(g, path), expected);
    guira_shared_destroy(g);
#endif
}

static void test_missing_files_and_directories_are_enoent(void **state) {
    (void)state;
    assert_not_opened(file_named("missing"), GUIRA_ENOENT);
    assert_not_opened(file_named("missing/file"), GUIRA_ENOENT);
    assert_not_opened("", GUIRA_ENOENT);
    assert_not_saved(file_named("missing/file"), GUIRA_ENOENT);
    const char *file = file_named("file"), *below = file_named("file/below");
    file_put(file, (struct bytes){(uint8_t *)"x", 1, 1});
    assert_not_opened(below, GUIRA_ENOENT);
    assert_not_saved(below, GUIRA_ENOENT);
    unlink(file);
    assert_int_equal(symlink(file_named("missing"), file), 0);
    assert_not_opened(file, GUIRA_ENOENT);
    unlink(file);
}

/* Root may read and write everything, so another user is needed for this. */
static void test_files_without_permission_are_eacces(void **state) {
    (void)state;
    enum { NOBODY = 65534 }; /* the user of that name */
    const char *file = file_named("file"), *directory = file_named("directory"), *within = file_named("directory/file");
    uid_t user = geteuid();
    assert_int_equal(mkdir(directory, 0700), 0);
    file_put(file, (struct bytes){(uint8_t *)"x", 1, 1});
    file_put(within, (struct bytes){(uint8_t *)"x", 1, 1});
    assert_int_equal(chmod(file, 0), 0);
    assert_int_equal(chmod(directory, user == 0 ? 0700 : 0), 0);
    assert_int_equal(chmod(test_directory, user == 0 ? 0755 : 0500), 0);
    bool can = user != 0 || seteuid(NOBODY) == 0;
    if (can) {
        assert_not_opened(file, GUIRA_EACCES);
        assert_not_opened(within, GUIRA_EACCES);
        assert_not_saved(within, GUIRA_EACCES);
        assert_not_saved(file_named("new"), GUIRA_EACCES);
    }
    assert_int_equal(seteuid(user), 0);
    assert_int_equal(chmod(test_directory, 0700), 0);
    assert_int_equal(chmod(directory, 0700), 0);
    assert_true(unlink(within) == 0 && rmdir(directory) == 0 && unlink(file) == 0);
    if (!can) skip();
}

/* Nothing larger than this fits: see also test_save_atomic.c, where the file that was there stays. */
static void test_files_that_do_not_fit_are_enospc(void **state) {
    (void)state;
    int status, full = open("/dev/full", O_WRONLY);
    guira *f;
    assert_true(full >= 0);
    assert_int_equal(guira_create(NULL, &f), GUIRA_OK);
    assert_int_equal(guira_save_fd(f, full), GUIRA_ENOSPC);
    guira_destroy(f);
    guira_window *w;
    assert_int_equal(guira_window_create(&(guira_window_config){.length = 10}, &w), GUIRA_OK);
    assert_int_equal(guira_window_save_fd(w, full), GUIRA_ENOSPC);
    guira_window_destroy(w);
#ifdef GUIRA_TEST_SHARED
    guira_shared *g;
    assert_int_equal(guira_shared_create(NULL, 2, &g), GUIRA_OK);
    assert_int_equal(guira_shared_save_fd(g, full), GUIRA_ENOSPC);
    guira_shared_destroy(g);
#endif
    close(full);
    fflush(stdout); /* the limit is for all files, so a child of its own */
    pid_t child = fork();
    if (child == 0) {
        struct rlimit least = {100, 100};
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &least) != 0 || guira_create(NULL, &f) != GUIRA_OK) _exit(1);
        _exit(guira_save(f, file_named("new")) == GUIRA_ENOSPC ? 0 : 2);
    }
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    assert_int_equal(access(file_named("new"), F_OK), -1); /* nothing is left behind */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_loaded_filter_equals_the_saved_one_and_behaves_the_same),
        cmocka_unit_test(test_stash_and_elders_are_saved),
        cmocka_unit_test(test_the_stash_of_a_tidal_filter_is_saved),
        cmocka_unit_test(test_path_descriptor_and_bytes_are_the_same),
        cmocka_unit_test(test_a_file_may_get_descriptor_0),
        cmocka_unit_test(test_bytes_may_be_unaligned),
        cmocka_unit_test(test_several_filters_can_be_read_from_a_pipe),
        cmocka_unit_test(test_several_filters_can_be_read_from_one_file),
        cmocka_unit_test(test_parts_make_the_whole_file),
        cmocka_unit_test(test_a_write_function_that_fails_ends_saving),
        cmocka_unit_test(test_invalid_arguments_are_refused),
        cmocka_unit_test(test_files_of_other_formats_are_refused),
        cmocka_unit_test(test_missing_files_and_directories_are_enoent),
        cmocka_unit_test(test_files_without_permission_are_eacces),
        cmocka_unit_test(test_files_that_do_not_fit_are_enospc),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
