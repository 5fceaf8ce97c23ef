/* What becomes of a file when saving is cut short: by the disk, or by death.
 *
 * The calls that saving makes go through here first (the linker's --wrap): mkostemp, fchmod, write, fsync, rename,
 * counted together. At the k-th of them something happens, for every k there is:
 *
 *     mkostemp  fchmod  write  write  fsync  rename  fsync
 *                         ^ k = 3: it fails, or writes less than it should, or the process ends there
 *
 * Afterwards the file must be the old one or the new one, whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "file_support.h"

/* -------------------------------------------------------------------------------------------------------- the disk's part */

enum mishap { FAIL, INTERRUPT, SHORT, DIE, DIE_HALF_WAY };

static struct {
    enum mishap what;
    unsigned at; /* the number of the call; 0: never */
    unsigned calls;
    bool happened;
} disk;

enum { DEAD = 99 };

/* Whether the mishap is due. */
static bool is_due(void) {
    if (++disk.calls != disk.at) return false;
    disk.happened = true;
    if (disk.what == DIE) _exit(DEAD);
    return disk.what != DIE_HALF_WAY;
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
    if (disk.calls == disk.at && disk.what == DIE_HALF_WAY) {
        if (__real_write(fd, bytes, n / 2) < 0) _exit(1);
        _exit(DEAD);
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

/* ------------------------------------------------------------------------------------------------------ the file's part */

/* An old filter, saved, and a new one, to be saved over it. */
struct scene {
    char path[512];
    guira *old, *young;
};

static struct scene scene_make(const struct variant *v, struct rng *r) {
    struct scene s = {.old = variant_make(v, r, 6000), .young = variant_make(v, r, 6000)};
    snprintf(s.path, sizeof s.path, "%s", file_named("filter.guira"));
    for (unsigned i = 0; i < 1000; i++) guira_insert_hash(s.old, rng_next(r));
    for (unsigned i = 0; i < 5000; i++) guira_insert_hash(s.young, rng_next(r));
    disk.at = 0;
    assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
    return s;
}

static void scene_end(struct scene *s) {
    guira_destroy(s->old);
    guira_destroy(s->young);
    unlink(s->path);
}

static bool file_is(const struct scene *s, const guira *f) {
    guira *g;
    assert_int_equal(guira_load(s->path, &g), GUIRA_OK);
    bool same = digest(g) == digest(f);
    guira_destroy(g);
    return same;
}

/* Removes what a save left behind, which must have the name that the header says. Returns how many there were. */
static unsigned sweep(void) {
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

/* Saves with a mishap at the k-th call. */
static guira_status save_with(const struct scene *s, enum mishap what, unsigned k) {
    disk.what = what;
    disk.at = k;
    disk.calls = 0;
    disk.happened = false;
    guira_status status = guira_save(s->young, s->path);
    disk.at = 0;
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------- tests */

static void test_when_a_call_fails_the_old_file_stays(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct scene s = scene_make(v, &r);
        unsigned k = 1;
        for (guira_status status; (status = save_with(&s, FAIL, k)), disk.happened; k++) {
            assert_int_equal(status, GUIRA_EIO);
            assert_int_equal(sweep(), 0);
            bool last = disk.calls == k && file_is(&s, s.young); /* only the directory was not flushed */
            assert_true(last || file_is(&s, s.old));
            if (last) assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
        }
        assert_true(k > 5 && file_is(&s, s.young) && sweep() == 0);
        scene_end(&s);
    }
}

static void test_short_and_interrupted_writes_are_taken_up_again(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++)
        for (unsigned how = 0; how < 2; how++) {
            struct scene s = scene_make(v, &r);
            unsigned k = 1;
            do {
                assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
                assert_int_equal(save_with(&s, how == 0 ? SHORT : INTERRUPT, k++), GUIRA_OK);
                assert_true(file_is(&s, s.young) && sweep() == 0);
            } while (disk.happened);
            scene_end(&s);
        }
}

/* A child dies at the k-th call. False: it had no such call. */
static bool die_at(const struct scene *s, enum mishap what, unsigned k) {
    int status;
    pid_t child = fork();
    if (child == 0) _exit(save_with(s, what, k) == GUIRA_OK ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == DEAD));
    return WEXITSTATUS(status) == DEAD;
}

static void test_death_at_any_call_leaves_the_old_file_or_the_new_one(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct scene s = scene_make(v, &r);
        unsigned k = 1, old = 0, left = 0;
        for (; die_at(&s, DIE, k); k++) {
            bool still = file_is(&s, s.old);
            assert_true(still || file_is(&s, s.young));
            unsigned debris = sweep();
            assert_true(debris <= (still ? 1 : 0));
            old += still;
            left += debris;
            assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
        }
        assert_true(old == k - 2 && left == old - 1); /* all but the last call come before the rename has happened */
        for (unsigned i = 1; i < k; i++) {
            assert_int_equal(guira_save(s.old, s.path), GUIRA_OK);
            if (die_at(&s, DIE_HALF_WAY, i)) assert_true(file_is(&s, s.old) && sweep() == 1);
        }
        scene_end(&s);
    }
}

/* ------------------------------------------------------------------------------------------- windows and shared filters
 * They are saved in the same way; that they are is seen from the bytes. */

typedef guira_status save_as(const void *what, const char *path);
static guira_status save_window(const void *what, const char *path) { return guira_window_save(what, path); }
static guira_status save_shared(const void *what, const char *path) { return guira_shared_save(what, path); }

static struct bytes bytes_of(save_as *save, const void *what, const char *path) {
    assert_int_equal(save(what, path), GUIRA_OK);
    return file_get(path);
}

/* A child saves with a mishap at the k-th call. False: it had no such call. */
static bool meet(save_as *save, const void *young, const char *path, enum mishap what, unsigned k) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        disk.what = what;
        disk.at = k;
        disk.calls = 0;
        disk.happened = false;
        guira_status s = save(young, path);
        _exit(!disk.happened ? 0 : s == (what == FAIL ? GUIRA_EIO : GUIRA_OK) ? DEAD : 1);
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == DEAD);
    return WEXITSTATUS(status) == DEAD;
}

static void assert_survives(save_as *save, const void *old, const void *young) {
    const enum mishap all[] = {FAIL, INTERRUPT, SHORT, DIE, DIE_HALF_WAY};
    char path[512];
    snprintf(path, sizeof path, "%s", file_named("filter.guira")); /* sweep() asks for more names */
    struct bytes before = bytes_of(save, old, path), after = bytes_of(save, young, path);
    assert_false(same_bytes(before, after));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned k = 1, kept = 0;
        do {
            assert_int_equal(save(old, path), GUIRA_OK);
            if (!meet(save, young, path, all[i], k)) break;
            struct bytes now = file_get(path);
            bool is_old = same_bytes(now, before);
            assert_true(is_old || same_bytes(now, after));
            assert_true(sweep() <= (is_old && all[i] >= DIE ? 1 : 0));
            kept += is_old;
            free(now.at);
        } while (++k < 1000);
        assert_true(k > 5 && k < 1000);
        if (all[i] == FAIL || all[i] == DIE) assert_int_equal(kept, k - 2); /* the last call comes after the rename */
        else if (all[i] == DIE_HALF_WAY) assert_true(kept > 0);             /* at each write */
        else assert_int_equal(kept, 0);                                     /* taken up again */
    }
    free(before.at);
    free(after.at);
    unlink(path);
}

static void test_windows_and_shared_filters_are_saved_whole_as_well(void **state) {
    (void)state;
    guira_window *w[2];
    guira_shared *g[2];
    bool seen;
    disk.at = 0;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(guira_window_create(&(guira_window_config){.length = 1000}, &w[i]), GUIRA_OK);
        assert_int_equal(guira_shared_create(NULL, 2, &g[i]), GUIRA_OK);
        for (unsigned k = 0; k < 5000 + 5000 * i; k++) {
            assert_int_equal(guira_window_seen(w[i], &k, sizeof k, 1, &seen), GUIRA_OK);
            assert_int_equal(guira_shared_insert(g[i], &k, sizeof k), GUIRA_OK);
        }
    }
    assert_survives(save_window, w[0], w[1]);
    assert_survives(save_shared, g[0], g[1]);
    for (unsigned i = 0; i < 2; i++) {
        guira_window_destroy(w[i]);
        guira_shared_destroy(g[i]);
    }
}

/* A disk as full as it can be made without one: no file may be longer than this. */
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
            _exit(setrlimit(RLIMIT_FSIZE, &least) != 0 ? 2 : guira_save(s.young, s.path) == GUIRA_EIO ? 0 : 1);
        }
        assert_true(waitpid(child, &status, 0) == child && status == 0);
        assert_true(file_is(&s, s.old) && sweep() == 0);
        scene_end(&s);
    }
}

static void test_a_full_device_and_a_pipe_without_reader_are_told(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    int full = open("/dev/full", O_WRONLY), ends[2];
    assert_true(full >= 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(guira_save_fd(s.young, full), GUIRA_EIO);
    close(full);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(guira_save_fd(s.young, ends[1]), GUIRA_EIO);
    signal(SIGPIPE, SIG_DFL);
    close(ends[1]);
    scene_end(&s);
}

static void test_nothing_but_files_is_replaced(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    struct stat device;
    assert_int_equal(guira_save(s.old, test_directory), GUIRA_EINVAL);
    assert_int_equal(guira_save(s.old, "/dev/full"), GUIRA_EINVAL);
    assert_true(stat("/dev/full", &device) == 0 && S_ISCHR(device.st_mode));
    assert_int_equal(guira_save(s.old, file_named("nowhere/filter.guira")), GUIRA_EIO);
    assert_int_equal(sweep(), 0);
    scene_end(&s);
}

static void test_permissions_are_the_old_ones_or_the_owners(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    struct stat info;
    assert_true(stat(s.path, &info) == 0 && (info.st_mode & 0777) == 0600);
    assert_int_equal(chmod(s.path, 0644), 0);
    assert_int_equal(guira_save(s.young, s.path), GUIRA_OK);
    assert_true(stat(s.path, &info) == 0 && (info.st_mode & 0777) == 0644);
    scene_end(&s);
}

static void test_a_name_without_a_directory_is_here(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct scene s = scene_make(variants(), &r);
    char here[4096];
    assert_true(getcwd(here, sizeof here) != NULL && chdir(test_directory) == 0);
    assert_int_equal(guira_save(s.young, "filter.guira"), GUIRA_OK);
    assert_int_equal(chdir(here), 0);
    assert_true(file_is(&s, s.young) && sweep() == 0);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_when_a_call_fails_the_old_file_stays),
        cmocka_unit_test(test_short_and_interrupted_writes_are_taken_up_again),
        cmocka_unit_test(test_death_at_any_call_leaves_the_old_file_or_the_new_one),
        cmocka_unit_test(test_windows_and_shared_filters_are_saved_whole_as_well),
        cmocka_unit_test(test_a_full_disk_leaves_the_old_file),
        cmocka_unit_test(test_a_full_device_and_a_pipe_without_reader_are_told),
        cmocka_unit_test(test_nothing_but_files_is_replaced),
        cmocka_unit_test(test_permissions_are_the_old_ones_or_the_owners),
        cmocka_unit_test(test_a_name_without_a_directory_is_here),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
