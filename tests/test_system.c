/* System calls that fail, beside those of a save (test_save_atomic.c): of loading and mapping, of the last steps of a
 * save, of memory that the library maps itself, and of the locks of a shared filter.
 *
 * The linker's --wrap replaces the calls. The k-th call of one kind gets a fault, for every k there is. Whatever fails,
 * there is a filter that works or an error, and never something in between. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "file_support.h"

/* ----------------------------------------------------------------------------------------------------- fault injection */

enum call {
    NONE,
    OPEN,
    CLOSE,
    READ,
    WRITE,
    FSYNC,
    FSTAT,
    LSEEK,
    MMAP,
    MADVISE,
    SYSCONF,
    MUTEX_INIT,
    SPIN_INIT,
    ATFORK
};

static struct {
    enum call which;
    unsigned at; /* the number of the call of this kind; 0: all of them */
    int error;   /* 0: the call does less than it was asked to */
    unsigned calls;
    bool happened;
} fault;

static void fault_set(enum call which, unsigned at, int error) {
    memset(&fault, 0, sizeof fault);
    fault.which = which;
    fault.at = at;
    fault.error = error;
}

/* Counts a call. Whether it has the fault. */
static bool is_due(enum call which) {
    if (fault.which != which) return false;
    fault.calls++;
    if (fault.at != 0 && fault.calls != fault.at) return false;
    fault.happened = true;
    errno = fault.error;
    return true;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode) { return is_due(OPEN) ? -1 : __real_open(path, flags, mode); }

/* As Linux does: the descriptor is closed even if an error is reported. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    bool due = is_due(CLOSE);
    int status = __real_close(fd);
    if (due) errno = fault.error;
    return due ? -1 : status;
}

ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n) {
    if (!is_due(READ)) return __real_read(fd, to, n);
    return fault.error != 0 ? -1 : __real_read(fd, to, (n + 1) / 2);
}

ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n) {
    if (!is_due(WRITE)) return __real_write(fd, bytes, n);
    return fault.error != 0 ? -1 : 0;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) { return is_due(FSYNC) ? -1 : __real_fsync(fd); }

int __real_fstat(int fd, struct stat *out);
int __wrap_fstat(int fd, struct stat *out);
int __wrap_fstat(int fd, struct stat *out) { return is_due(FSTAT) ? -1 : __real_fstat(fd, out); }

off_t __real_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence) { return is_due(LSEEK) ? -1 : __real_lseek(fd, offset, whence); }

void *__real_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    return is_due(MMAP) ? MAP_FAILED : __real_mmap(at, n, protection, flags, fd, offset);
}

int __real_madvise(void *at, size_t n, int advice);
int __wrap_madvise(void *at, size_t n, int advice);
int __wrap_madvise(void *at, size_t n, int advice) { return is_due(MADVISE) ? -1 : __real_madvise(at, n, advice); }

long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name) { return name == _SC_PHYS_PAGES && is_due(SYSCONF) ? -1 : __real_sysconf(name); }

/* -------------------------------------------------------------------------------------------------- loading and mapping */

/* The three kinds of files, each with two ways to open it. */
struct opened {
    guira *filter;
    guira_window *window;
    guira_shared *shared;
};
typedef guira_status open_as(const char *path, struct opened *out);

static guira_status open_filter(const char *path, struct opened *out) { return guira_load(path, &out->filter); }
static guira_status open_mapped(const char *path, struct opened *out) { return guira_map(path, &out->filter); }
static guira_status open_window(const char *path, struct opened *out) { return guira_window_load(path, &out->window); }

static bool is_open(const struct opened *o) { return o->filter != NULL || o->window != NULL || o->shared != NULL; }

static uint64_t items_of(const struct opened *o) {
    guira_stats s = {0};
    if (o->window != NULL) guira_window_stats_get(o->window, &s);
    else if (o->filter != NULL) guira_stats_get(o->filter, &s);
#ifdef GUIRA_TEST_SHARED
    else guira_shared_stats_get(o->shared, &s);
#endif
    return s.items;
}

static void opened_destroy(struct opened *o) {
    guira_destroy(o->filter);
    guira_window_destroy(o->window);
#ifdef GUIRA_TEST_SHARED
    guira_shared_destroy(o->shared);
#endif
}

#ifdef GUIRA_TEST_SHARED
static guira_status open_shared(const char *path, struct opened *out) { return guira_shared_load(path, &out->shared); }
#endif

enum { ITEMS = 5000 };

static void put_filter(const char *path) {
    guira *f;
    assert_int_equal(guira_create(NULL, &f), GUIRA_OK);
    for (unsigned i = 0; i < ITEMS; i++) assert_int_equal(guira_insert(f, &i, sizeof i), GUIRA_OK);
    assert_int_equal(guira_save(f, path), GUIRA_OK);
    guira_destroy(f);
}

static void put_window(const char *path) {
    guira_window *w;
    bool seen;
    assert_int_equal(guira_window_create(&(guira_window_config){.length = 1000}, &w), GUIRA_OK);
    for (unsigned i = 0; i < ITEMS; i++) assert_int_equal(guira_window_seen(w, &i, sizeof i, 1, &seen), GUIRA_OK);
    assert_int_equal(guira_window_save(w, path), GUIRA_OK);
    guira_window_destroy(w);
}

#ifdef GUIRA_TEST_SHARED
static void put_shared(const char *path) {
    guira_shared *g;
    assert_int_equal(guira_shared_create(NULL, 2, &g), GUIRA_OK);
    for (unsigned i = 0; i < ITEMS; i++) assert_int_equal(guira_shared_insert(g, &i, sizeof i), GUIRA_OK);
    assert_int_equal(guira_shared_save(g, path), GUIRA_OK);
    guira_shared_destroy(g);
}
#endif

static const struct {
    void (*put)(const char *path);
    open_as *open;
} files[] = {
    {put_filter, open_filter},
    {put_filter, open_mapped},
    {put_window, open_window},
#ifdef GUIRA_TEST_SHARED
    {put_shared, open_shared},
#endif
};

/* Opens with the fault at the k-th call, for every k. Returns how many of these attempts were refused. */
static unsigned refusals(open_as *open_it, const char *path, enum call which, int error, unsigned *attempts) {
    struct opened right = {0};
    unsigned refused = 0;
    fault_set(NONE, 0, 0);
    assert_int_equal(open_it(path, &right), GUIRA_OK);
    for (unsigned k = 1;; k++) {
        struct opened o = {0};
        fault_set(which, k, error);
        guira_status s = open_it(path, &o);
        bool happened = fault.happened;
        fault_set(NONE, 0, 0);
        assert_int_equal(s == GUIRA_OK, is_open(&o));
        if (s == GUIRA_OK) assert_int_equal(items_of(&o), items_of(&right));
        opened_destroy(&o);
        if (!happened) break;
        refused += s != GUIRA_OK;
        *attempts = k;
    }
    opened_destroy(&right);
    return refused;
}

/* What a fault must do: refuse the file at each call, at none, or only where the bytes are read. */
static void test_calls_that_fail_while_a_file_is_opened(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = file_named("filter.guira");
        unsigned n = 0, refused;
        files[i].put(path);
        bool mapped = files[i].open == open_mapped;
        refused = refusals(files[i].open, path, OPEN, EMFILE, &n);
        assert_true(n == 1 && refused == 1);
        assert_int_equal(refusals(files[i].open, path, CLOSE, EIO, &n), 0);
        n = 0;
        refused = refusals(files[i].open, path, FSTAT, EIO, &n);
        assert_true(n >= 1 && refused == (mapped ? n : 0)); /* loading reads on in pieces */
        n = 0;
        refused = refusals(files[i].open, path, MMAP, ENOMEM, &n);
        assert_int_equal(refused, mapped ? 1 : 0);
        assert_int_equal(refusals(files[i].open, path, LSEEK, ESPIPE, &n), 0);
        n = 0;
        refused = refusals(files[i].open, path, READ, EIO, &n);
        assert_true(mapped ? n == 0 : n >= 3 && refused == n - 1); /* the last one only asks for the end of the file */
        unlink(path);
    }
}

static void test_reads_that_are_interrupted_or_short_are_continued(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = file_named("filter.guira");
        unsigned n = 0;
        files[i].put(path);
        assert_int_equal(refusals(files[i].open, path, READ, EINTR, &n), 0);
        assert_int_equal(refusals(files[i].open, path, READ, 0, &n), 0);
        unlink(path);
    }
}

/* --------------------------------------------------------------------------------------------------------------- saving */

static guira_status save_with(const guira *f, const char *path, enum call which, unsigned at, int error) {
    fault_set(which, at, error);
    guira_status s = guira_save(f, path);
    fault_set(NONE, 0, 0);
    return s;
}

static uint64_t items_in(const char *path) {
    guira *f;
    assert_int_equal(guira_load(path, &f), GUIRA_OK);
    uint64_t items = stats_of(f).items;
    guira_destroy(f);
    return items;
}

/* Before the rename the old file stays; after it the new one is there, and the error says that it may not be durable. */
static void test_the_last_calls_of_a_save_are_reported(void **state) {
    (void)state;
    const char *path = file_named("filter.guira");
    guira *f;
    put_filter(path);
    assert_int_equal(guira_create(NULL, &f), GUIRA_OK);
    assert_int_equal(save_with(f, path, WRITE, 1, 0), GUIRA_EIO); /* a write of no bytes: it would go on forever */
    assert_int_equal(save_with(f, path, CLOSE, 1, EDQUOT), GUIRA_ENOSPC);
    assert_int_equal(items_in(path), ITEMS);
    assert_int_equal(save_with(f, path, OPEN, 1, EMFILE), GUIRA_EIO); /* of the directory */
    assert_int_equal(items_in(path), 0);
    assert_int_equal(save_with(f, path, FSYNC, 2, EIO), GUIRA_EIO);
    assert_int_equal(save_with(f, path, FSYNC, 2, EINVAL), GUIRA_OK); /* a file system that cannot sync directories */
    assert_int_equal(save_with(f, path, CLOSE, 2, EIO), GUIRA_OK);    /* of the directory, after its fsync */
    guira_destroy(f);
    unlink(path);
}

static void test_errors_have_the_status_that_their_remedy_needs(void **state) {
    (void)state;
    const struct {
        int error;
        guira_status status;
    } of[] = {{ENOENT, GUIRA_ENOENT}, {ENOTDIR, GUIRA_ENOENT}, {EACCES, GUIRA_EACCES}, {EPERM, GUIRA_EACCES},
              {EROFS, GUIRA_EACCES},  {ENOSPC, GUIRA_ENOSPC},  {EDQUOT, GUIRA_ENOSPC}, {EFBIG, GUIRA_ENOSPC},
              {EIO, GUIRA_EIO},       {ELOOP, GUIRA_EIO}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct opened o = {0};
        fault_set(OPEN, 1, of[i].error);
        assert_int_equal(open_filter("filter.guira", &o), of[i].status);
        fault_set(OPEN, 1, of[i].error);
        assert_int_equal(open_mapped("filter.guira", &o), of[i].status);
    }
    fault_set(NONE, 0, 0);
}

/* --------------------------------------------------------------------------------------------------------------- memory */

enum { BIG = 1500000 }; /* 16-bit slots of so many items lie in a region that is mapped */

static void assert_works(const guira_config *c) {
    guira *f;
    struct rng r = {1}, again = r, once_more = r;
    assert_int_equal(guira_create(c, &f), GUIRA_OK);
    uint64_t n = c->capacity;
    for (uint64_t i = 0; i < n; i++) assert_int_equal(guira_insert_hash(f, rng_next(&r)), GUIRA_OK);
    for (uint64_t i = 0; i < n; i++)
        if (!guira_contains_hash(f, rng_next(&again))) fail_msg("a member is missed");
    for (uint64_t i = 0; i < n; i++) assert_int_equal(guira_remove_hash(f, rng_next(&once_more)), GUIRA_OK);
    assert_int_equal(stats_of(f).items, 0);
    assert_valid(f);
    guira_destroy(f);
}

/* Without mmap tables come from malloc. Without madvise they have no huge pages, and memory that is given up is cleared.
 * If the system does not say how much memory there is, malloc decides. */
static void test_filters_work_without_the_calls_for_large_memory(void **state) {
    (void)state;
    const enum call calls[] = {MMAP, MADVISE, SYSCONF};
    const guira_kind kinds[] = {GUIRA_TIDAL, GUIRA_CUCKOO};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            fault_set(calls[i], 0, ENOMEM);
            assert_works(&(guira_config){.kind = kinds[k], .slot_bits = 16, .capacity = BIG});
            assert_true(fault.happened);
        }
    fault_set(NONE, 0, 0);
}

#ifdef GUIRA_TEST_SHARED

/* ---------------------------------------------------------------------------------------------------------------- locks */

int __real_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) {
    return is_due(MUTEX_INIT) ? ENOMEM : __real_pthread_mutex_init(m, a);
}

int __real_pthread_spin_init(pthread_spinlock_t *lock, int shared);
int __wrap_pthread_spin_init(pthread_spinlock_t *lock, int shared);
int __wrap_pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    return is_due(SPIN_INIT) ? EAGAIN : __real_pthread_spin_init(lock, shared);
}

int __real_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    return is_due(ATFORK) ? ENOMEM : __real_pthread_atfork(prepare, parent, child);
}

/* Comes first: handlers are registered once in a process. */
static void test_a_shared_filter_without_locks_is_refused(void **state) {
    (void)state;
    const enum call calls[] = {ATFORK, MUTEX_INIT, SPIN_INIT};
    guira_shared *g;
    memory_hook();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (unsigned k = 1; k <= (calls[i] == ATFORK ? 1 : 4); k++) {
            fault_set(calls[i], k, 0);
            assert_int_equal(guira_shared_create(NULL, 4, &g), GUIRA_ENOMEM);
            assert_true(fault.happened && g == NULL && memory.blocks == 0);
        }
    fault_set(NONE, 0, 0);
    assert_int_equal(guira_shared_create(NULL, 4, &g), GUIRA_OK);
    assert_int_equal(guira_shared_insert(g, "ana", 3), GUIRA_OK);
    guira_shared_destroy(g);
    memory_unhook();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef GUIRA_TEST_SHARED
        cmocka_unit_test(test_a_shared_filter_without_locks_is_refused),
#endif
        cmocka_unit_test(test_calls_that_fail_while_a_file_is_opened),
        cmocka_unit_test(test_reads_that_are_interrupted_or_short_are_continued),
        cmocka_unit_test(test_the_last_calls_of_a_save_are_reported),
        cmocka_unit_test(test_errors_have_the_status_that_their_remedy_needs),
        cmocka_unit_test(test_filters_work_without_the_calls_for_large_memory),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
