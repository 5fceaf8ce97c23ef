/* Atomicity of saving: what is in the file after a system call failed, or after the process was killed.
 *
 * The linker's --wrap replaces the system calls that saving makes: mkostemp, fchmod, write, fsync, rename. They are counted
 * together, and a fault is injected at the k-th, for every k there is:
 *
 *     mkostemp  fchmod  write  write  fsync  rename  fsync
 *                         ^ k = 3: it fails, writes less than it should, or the process ends there
 *
 * Afterwards the file must be the old one or the new one, complete. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "file_support.h"

/* ----------------------------------------------------------------------------------------------------- fault injection */

enum fault { FAIL, INTERRUPT, SHORT, EXIT, EXIT_HALF_WAY };

static struct {
    enum fault what;
    unsigned at; /* the number of the call; 0: never */
    unsigned calls;
    bool happened;
} disk;

enum { KILLED = 99 }; /* exit status */

/* Counts a call. Whether it is the one with the fault. */
static bool is_due(void) {
    if (++disk.calls != disk.at) return false;
    disk.happened = true;
    if (disk.what == EXIT) _exit(KILLED);
    return disk.what != EXIT_HALF_WAY;
}

static int fail_with(int error) {
    errno = error;
    return -1;
}

int __real_mkostemp(char *name, int flags);
int __wrap_mkostemp(char *name, int flags);
int __wrap_mkostemp(char *name, int flags) {
    return is_due() && disk.what == FAIL ? fail_with(EACCES) : __real_mkostemp(name, flags);
}

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode) {
    return is_due() && disk.what == FAIL ? fail_with(EPERM) : __real_fchmod(fd, mode);
}

ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n) {
    bool due = is_due();
    if (due && disk.what == FAIL) return fail_with(ENOSPC);
    if (due && disk.what == INTERRUPT) return fail_with(EINTR);
    if (due && disk.what == SHORT) return __real_write(fd, bytes, (n + 1) / 2);
    if (disk.calls == disk.at && disk.what == EXIT_HALF_WAY) {
        if (__real_write(fd, bytes, n / 2) < 0) _exit(1);
        _exit(KILLED);
    }
    return __real_write(fd, bytes, n);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) { return is_due() && disk.what == FAIL ? fail_with(EIO) : __real_fsync(fd); }

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
    return is_due() && disk.what == FAIL ? fail_with(EXDEV) : __real_rename(from, to);
}

/* -------------------------------------------------------------------------------------------------------------- fixture */

/* An old filter, saved, and a new one, to be saved over it. */
struct scene {
    char path[512];
    guira *old, *new;
};

static struct scene scene_make(const struct variant *v, struct rng *r) {
    struct scene s = {.old = variant_make(v, r, 6000), .new = variant_make(v, r, 6000)};
    snprintf(s.path, sizeof s.path, "%s", file_named("filter.guira"));
    for (unsigned i = 0; i < 1000; i++) guira_insert_hash(s.old, rng_next(r));
    for (unsigned i = 0; i < 5000; i++) guira_insert_hash(s.new, rng_next(r));
    disk.at = 0;
    assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
    return s;
}

static void scene_end(struct scene *s) {
    guira_destroy(s->old);
    guira_destroy(s->new);
    unlink(s->path);
}

static bool file_is(const struct scene *s, const guira *f) {
    guira *g;
    assert_int_equal(guira_load(s->path, &g), GUIRA_OK);
    bool same = digest(g) == digest(f);
    guira_destroy(g);
    return same;
}

/* Removes temporary files that a save left behind, and checks their names. Returns how many there were. */
static unsigned remove_leftovers(void) {
    unsigned n = 0;
    DIR *d = opendir(test_directory);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.' || strcmp(e->d_name, "filter.guira") == 0) continue;
        assert_true(strncmp(e->d_name, "filter.guira.guira-", 19) == 0 && strlen(e->d_name) == 25);
        assert_int_equal(unlink(file_named(e->d_name)), 0);
        n++;
    }
    closedir(d);
    return n;
}

/* Saves with a fault at the k-th call. */
static guira_status save_with(const struct scene *s, enum fault what, unsigned k) {
    disk.what = what;
    disk.at = k;
    disk.calls = 0;
    disk.happened = false;
    guira_status status = guira_save(s->new, s->path);
    disk.at = 0;
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------- tests */

/* The calls fail with EACCES, EPERM, ENOSPC, EIO and EXDEV. */
static bool is_disk_error(guira_status s) { return s == GUIRA_EIO || s == GUIRA_ENOSPC || s == GUIRA_EACCES; }

static void test_a_failing_call_leaves_the_old_file(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct scene s = scene_make(v, &r);
        unsigned k = 1;
        for (guira_status status; (status = save_with(&s, FAIL, k)), disk.happened; k++) {
            assert_true(is_disk_error(status));
            assert_int_equal(remove_leftovers(), 0);
            bool last = disk.calls == k && file_is(&s, s.new); /* only the directory was not flushed */
            assert_true(last || file_is(&s, s.old));
            if (last) assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
        }
        assert_true(k > 5 && file_is(&s, s.new) && remove_leftovers() == 0);
        scene_end(&s);
    }
}

static void test_short_and_interrupted_writes_are_continued(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++)
        for (unsigned how = 0; how < 2; how++) {
            struct scene s = scene_make(v, &r);
            unsigned k = 1;
            do {
                assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
                assert_int_equal(save_with(&s, how == 0 ? SHORT : INTERRUPT, k++), GUIRA_OK);
                assert_true(file_is(&s, s.new) && remove_leftovers() == 0);
            } while (disk.happened);
            scene_end(&s);
        }
}

/* A child process exits at the k-th call. False: it had no such call. */
static bool exit_at(const struct scene *s, enum fault what, unsigned k) {
    int status;
    pid_t child = fork();
    if (child == 0) _exit(save_with(s, what, k) == GUIRA_OK ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == KILLED));
    return WEXITSTATUS(status) == KILLED;
}

static void test_a_process_killed_at_any_call_leaves_the_old_file_or_the_new_one(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct scene s = scene_make(v, &r);
        unsigned k = 1, old = 0, left = 0;
        for (; exit_at(&s, EXIT, k); k++) {
            bool still = file_is(&s, s.old);
            assert_true(still || file_is(&s, s.new));
            unsigned leftovers = remove_leftovers();
            assert_true(leftovers <= (still ? 1 : 0));
            old += still;
            left += leftovers;
            assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
        }
        assert_true(old == k - 2 && left == old - 1); /* all but the last call come before the rename has happened */
        for (unsigned i = 1; i < k; i++) {
            assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
            if (exit_at(&s, EXIT_HALF_WAY, i)) assert_true(file_is(&s, s.old) && remove_leftovers() == 1);
        }
        scene_end(&s);
    }
}

/* ------------------------------------------------------------------------------------------- windows and shared filters
 * They are saved in the same way; here the bytes of the files are compared. */

typedef guira_status save_as(const void *what, const char *path);
static guira_status save_window(const void *what, const char *path) { return guira_window_save(what, path); }
#ifdef GUIRA_TEST_SHARED
static guira_status save_shared(const void *what, const char *path) { return guira_shared_save(what, path); }
#endif

static struct bytes bytes_of(save_as *save, const void *what, const char *path) {
    assert_int_equal(save(what, path), GUIRA_OK);
    return file_get(path);
}

/* A child saves with a fault at the k-th call. False: it had no such call. */
static bool save_in_child(save_as *save, const void *new, const char *path, enum fault what, unsigned k) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        disk.what = what;
        disk.at = k;
        disk.calls = 0;
        disk.happened = false;
        guira_status s = save(new, path);
        _exit(!disk.happened ? 0 : (what == FAIL ? is_disk_error(s) : s == GUIRA_OK) ? KILLED : 1);
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == KILLED);
    return WEXITSTATUS(status) == KILLED;
}

static void assert_atomic(save_as *save, const void *old, const void *new) {
    const enum fault all[] = {FAIL, INTERRUPT, SHORT, EXIT, EXIT_HALF_WAY};
    char path[512];
    snprintf(path, sizeof path, "%s", file_named("filter.guira")); /* remove_leftovers() calls file_named, too */
    struct bytes before = bytes_of(save, old, path), after = bytes_of(save, new, path);
    assert_false(same_bytes(before, after));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned k = 1, kept = 0;
        do {
            assert_int_equal(save(old, path), GUIRA_OK);
            if (!save_in_child(save, new, path, all[i], k)) break;
            struct bytes now = file_get(path);
            bool is_old = same_bytes(now, before);
            assert_true(is_old || same_bytes(now, after));
            assert_true(remove_leftovers() <= (is_old && all[i] >= EXIT ? 1 : 0));
            kept += is_old;
            free(now.at);
        } while (++k < 1000);
        assert_true(k > 5 && k < 1000);
        if (all[i] == FAIL || all[i] == EXIT) assert_int_equal(kept, k - 2); /* the last call comes after the rename */
        else if (all[i] == EXIT_HALF_WAY) assert_true(kept > 0);             /* at each write */
        else assert_int_equal(kept, 0);                                      /* continued */
    }
    free(before.at);
    free(after.at);
    unlink(path);
}

static void test_a_window_is_saved_whole_or_not_at_all(void **state) {
    (void)state;
    guira_window *w[2];
    bool seen;
    disk.at = 0;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(guira_window_create(&(guira_window_config){.length = 1000}, &w[i]), GUIRA_OK);
        for (unsigned k = 0; k < 5000 + 5000 * i; k++)
            assert_int_equal(guira_window_seen(w[i], &k, sizeof k, 1, &seen), GUIRA_OK);
    }
    assert_atomic(save_window, w[0], w[1]);
    for (unsigned i = 0; i < 2; i++) guira_window_destroy(w[i]);
}

#ifdef GUIRA_TEST_SHARED
static void test_a_shared_filter_is_saved_whole_or_not_at_all(void **state) {
    (void)state;
    guira_shared *g[2];
    disk.at = 0;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(guira_shared_create(NULL, 2, &g[i]), GUIRA_OK);
        for (unsigned k = 0; k < 5000 + 5000 * i; k++)
            assert_int_equal(guira_shared_insert(g[i], &k, sizeof k), GUIRA_OK);
    }
    assert_atomic(save_shared, g[0], g[1]);
    for (unsigned i = 0; i < 2; i++) guira_shared_destroy(g[i]);
}
#endif

/* A limit on the length of files stands for a full disk. */
static void test_a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct scene s = scene_make(v, &r);
        int status;
        pid_t child = fork();
        if (child == 0) {
            struct rlimit least = {5000, 5000};
            signal(SIGXFSZ, SIG_IGN);
            _exit(setrlimit(RLIMIT_FSIZE, &least) != 0 ? 2 : guira_save(s.new, s.path) == GUIRA_ENOSPC ? 0 : 1);
        }
        assert_true(waitpid(child, &status, 0) == child && status == 0);
        assert_true(file_is(&s, s.old) && remove_leftovers() == 0);
        scene_end(&s);
    }
}

static void test_a_full_device_and_a_pipe_without_a_reader_are_reported(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    int full = open("/dev/full", O_WRONLY), ends[2];
    assert_true(full >= 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(guira_save_fd(s.new, full), GUIRA_ENOSPC);
    close(full);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(guira_save_fd(s.new, ends[1]), GUIRA_EIO);
    signal(SIGPIPE, SIG_DFL);
    close(ends[1]);
    scene_end(&s);
}

static void test_links_are_replaced_and_long_names_work(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    struct stat info;
    char path[600], name[252];
    snprintf(path, sizeof path, "%s", file_named("link"));
    assert_int_equal(symlink(test_directory, path), 0);
    assert_int_equal(guira_save(s.old, path), GUIRA_OK);
    assert_true(lstat(path, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0777) == 0600);
    unlink(path);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(path, sizeof path, "%s", file_named(name));
    assert_int_equal(guira_save(s.old, path), GUIRA_OK);
    assert_true(lstat(path, &info) == 0 && S_ISREG(info.st_mode));
    unlink(path);
    scene_end(&s);
}

static void test_only_regular_files_are_replaced(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    struct stat device;
    assert_int_equal(guira_save(s.old, test_directory), GUIRA_EINVAL);
    assert_int_equal(guira_save(s.old, "/dev/full"), GUIRA_EINVAL);
    assert_true(stat("/dev/full", &device) == 0 && S_ISCHR(device.st_mode));
    assert_int_equal(guira_save(s.old, file_named("nowhere/filter.guira")), GUIRA_ENOENT);
    assert_int_equal(remove_leftovers(), 0);
    scene_end(&s);
}

static void test_permissions_are_kept_and_new_files_are_private(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    struct stat info;
    assert_true(stat(s.path, &info) == 0 && (info.st_mode & 0777) == 0600);
    assert_int_equal(chmod(s.path, 0644), 0);
    assert_int_equal(guira_save(s.new, s.path), GUIRA_OK);
    assert_true(stat(s.path, &info) == 0 && (info.st_mode & 0777) == 0644);
    scene_end(&s);
}

static void test_a_path_without_a_directory_is_in_the_current_one(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    char here[4096];
    assert_true(getcwd(here, sizeof here) != NULL && chdir(test_directory) == 0);
    assert_int_equal(guira_save(s.new, "filter.guira"), GUIRA_OK);
    assert_int_equal(chdir(here), 0);
    assert_true(file_is(&s, s.new) && remove_leftovers() == 0);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_failing_call_leaves_the_old_file),
        cmocka_unit_test(test_short_and_interrupted_writes_are_continued),
        cmocka_unit_test(test_a_process_killed_at_any_call_leaves_the_old_file_or_the_new_one),
        cmocka_unit_test(test_a_window_is_saved_whole_or_not_at_all),
#ifdef GUIRA_TEST_SHARED
        cmocka_unit_test(test_a_shared_filter_is_saved_whole_or_not_at_all),
#endif
        cmocka_unit_test(test_a_full_disk_leaves_the_old_file),
        cmocka_unit_test(test_a_full_device_and_a_pipe_without_a_reader_are_reported),
        cmocka_unit_test(test_links_are_replaced_and_long_names_work),
        cmocka_unit_test(test_only_regular_files_are_replaced),
        cmocka_unit_test(test_permissions_are_kept_and_new_files_are_private),
        cmocka_unit_test(test_a_path_without_a_directory_is_in_the_current_one),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
