/* fork() while other threads change a shared filter: the child has a filter that works, and the parent continues.
 *
 *     parent   main thread:     fork ............ fork ............ wait
 *              other threads:   insert, remove, insert ... without end
 *     child                          validate, look up, insert, remove, save, destroy */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum { MEMBERS = 1000, WRITERS = 2, READERS = 1, BATCH = 300 };

static struct {
    guira_shared *g;
    uint64_t member[MEMBERS]; /* in g all the time */
    uint64_t seed;
    atomic_bool stop;
    atomic_ulong changes, lookups, errors;
    atomic_uint threads;
} work;

/* A child inherits locks of AddressSanitizer's allocator that other threads held: of 600 runs of this test with gcc 12 five hung in
 * it. So with this sanitizer the process forks between the batches of the other threads, and else at any moment. */
#if defined(__SANITIZE_ADDRESS__)
static pthread_rwlock_t batches = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void batch_begin(void) { pthread_rwlock_rdlock(&batches); }
static void batch_end(void) { pthread_rwlock_unlock(&batches); }
static pid_t fork_between(void) {
    pthread_rwlock_wrlock(&batches);
    pid_t child = fork();
    if (child != 0) pthread_rwlock_unlock(&batches); /* the child does not use it */
    return child;
}
#else
static void batch_begin(void) {}
static void batch_end(void) {}
static pid_t fork_between(void) { return fork(); }
#endif

static guira_shared *make(unsigned w, unsigned shards, struct rng *r) {
    guira_config c = {.slot_bits = w};
    guira_shared *g;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    return g;
}

/* Adds a batch of keys and removes it again, so that shards grow and shrink; sometimes a whole filter is made. */
static void *write_until_stopped(void *unused) {
    (void)unused;
    struct rng r = {work.seed + atomic_fetch_add(&work.threads, 1)};
    uint64_t hash[BATCH];
    while (!atomic_load(&work.stop)) {
        for (size_t i = 0; i < BATCH; i++) hash[i] = rng_next(&r);
        batch_begin();
        unsigned long errors = BATCH - guira_shared_insert_hash_many(work.g, hash, BATCH, NULL);
        for (size_t i = 0; i < BATCH / 2; i++) errors += guira_shared_remove_hash(work.g, hash[i]) != GUIRA_OK;
        errors += BATCH - BATCH / 2 - guira_shared_remove_hash_many(work.g, hash + BATCH / 2, BATCH - BATCH / 2, NULL);
        if (rng_below(&r, 8) == 0) errors += guira_shared_reserve(work.g, rng_below(&r, 4 * MEMBERS)) != GUIRA_OK;
        if (rng_below(&r, 8) == 0) {
            guira_shared *more;
            errors += guira_shared_create(NULL, 2, &more) != GUIRA_OK;
            guira_shared_destroy(more);
        }
        batch_end();
        atomic_fetch_add(&work.errors, errors);
        atomic_fetch_add(&work.changes, 2 * BATCH);
    }
    return NULL;
}

static void *read_until_stopped(void *unused) {
    (void)unused;
    struct rng r = {work.seed + atomic_fetch_add(&work.threads, 1)};
    while (!atomic_load(&work.stop)) {
        unsigned long errors = 0;
        batch_begin();
        for (size_t i = 0; i < BATCH; i++)
            errors += !guira_shared_contains_hash(work.g, work.member[rng_below(&r, MEMBERS)]);
        batch_end();
        atomic_fetch_add(&work.errors, errors);
        atomic_fetch_add(&work.lookups, BATCH);
    }
    return NULL;
}

/* --------------------------------------------------------------------------------------------------------------- child */

static bool count_bytes(void *to, const void *bytes, size_t n) {
    (void)bytes;
    *(size_t *)to += n;
    return true;
}

/* The number of the first step that failed; 0: none. */
static int use_in_child(struct rng r) {
    uint64_t hash[BATCH];
    size_t bytes = 0;
    guira_shared *own;
    if (guira_shared_validate(work.g, NULL) != GUIRA_OK) return 1;
    for (size_t i = 0; i < MEMBERS; i++)
        if (!guira_shared_contains_hash(work.g, work.member[i])) return 2;
    for (size_t i = 0; i < BATCH; i++) {
        hash[i] = rng_next(&r);
        if (guira_shared_insert_hash(work.g, hash[i]) != GUIRA_OK) return 3;
    }
    if (guira_shared_reserve(work.g, 10 * MEMBERS) != GUIRA_OK) return 4;
    for (size_t i = 0; i < BATCH; i++)
        if (!guira_shared_contains_hash(work.g, hash[i])) return 5;
    for (size_t i = 0; i < BATCH; i++)
        if (guira_shared_remove_hash(work.g, hash[i]) != GUIRA_OK) return 6;
    if (guira_shared_shrink_to_fit(work.g) != GUIRA_OK) return 7;
    if (guira_shared_save_to(work.g, count_bytes, &bytes) != GUIRA_OK || bytes == 0) return 8;
    if (guira_shared_create(NULL, 2, &own) != GUIRA_OK) return 9;
    if (guira_shared_insert(own, "ana", 3) != GUIRA_OK || !guira_shared_contains(own, "ana", 3)) return 10;
    if (guira_shared_validate(work.g, NULL) != GUIRA_OK) return 11;
    guira_shared_destroy(own);
    guira_shared_destroy(work.g);
    return 0;
}

/* A child that hangs is killed by its alarm, which the parent sees. */
static pid_t fork_one(struct rng r) {
    pid_t child = fork_between();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        _exit(use_in_child(r));
    }
    return child;
}

static void wait_for(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) fail_msg("the child was killed by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) fail_msg("step %d failed in the child", WEXITSTATUS(status));
}

/* -------------------------------------------------------------------------------------------------------------- parent */

static void start(pthread_t thread[WRITERS + READERS], unsigned w, unsigned shards, struct rng *r) {
    work.g = make(w, shards, r);
    work.seed = rng_next(r);
    atomic_store(&work.stop, false);
    atomic_store(&work.threads, 0);
    for (size_t i = 0; i < MEMBERS; i++) {
        work.member[i] = rng_next(r);
        assert_int_equal(guira_shared_insert_hash(work.g, work.member[i]), GUIRA_OK);
    }
    for (size_t i = 0; i < WRITERS + READERS; i++) {
        void *(*role)(void *) = i < WRITERS ? write_until_stopped : read_until_stopped;
        assert_int_equal(pthread_create(&thread[i], NULL, role, NULL), 0);
    }
}

static void finish(pthread_t thread[WRITERS + READERS]) {
    guira_stats s = GUIRA_STATS_INIT;
    atomic_store(&work.stop, true);
    for (size_t i = 0; i < WRITERS + READERS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(atomic_load(&work.errors), 0);
    assert_int_equal(guira_shared_stats_get(work.g, &s), GUIRA_OK);
    assert_int_equal(s.items, MEMBERS); /* what the children did is theirs */
    assert_int_equal(guira_shared_validate(work.g, NULL), GUIRA_OK);
    guira_shared_destroy(work.g);
}

static void test_a_child_can_use_a_filter_that_other_threads_were_changing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned widths[] = {12, 16, 32}, shards[] = {1, 4, 16};
    unsigned forks = quick_run() ? 4 : 15;
    atomic_store(&work.changes, 0);
    for (unsigned k = 0; k < 3; k++) {
        pthread_t thread[WRITERS + READERS];
        start(thread, widths[k], shards[k], &r);
        for (unsigned i = 0; i < forks; i++) {
            unsigned long before = atomic_load(&work.changes);
            pid_t child = fork_one(r);
            if (i % 2) wait_for(child); /* else the parent continues meanwhile */
            usleep((useconds_t)rng_below(&r, 2000));
            if (i % 2 == 0) wait_for(child);
            while (atomic_load(&work.changes) == before) usleep(100); /* the parent's threads are not stuck */
        }
        finish(thread);
    }
    print_message("  %u forks, %lu changes and %lu lookups meanwhile\n", 3 * forks, atomic_load(&work.changes),
                  atomic_load(&work.lookups));
}

/* A child of a child, and a filter that was made in the child. */
static void test_a_child_can_fork_again(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    pthread_t thread[WRITERS + READERS];
    start(thread, 16, 2, &r);
    for (unsigned i = 0; i < (quick_run() ? 2 : 8); i++) {
        pid_t child = fork_between();
        assert_true(child >= 0);
        if (child == 0) {
            int status;
            alarm(20);
            pid_t grandchild = fork();
            if (grandchild == 0) _exit(use_in_child(r));
            if (grandchild < 0 || waitpid(grandchild, &status, 0) != grandchild || status != 0) _exit(100);
            _exit(use_in_child(r));
        }
        wait_for(child);
    }
    finish(thread);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_child_can_use_a_filter_that_other_threads_were_changing),
        cmocka_unit_test(test_a_child_can_fork_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
