/* A mapped file that another program rewrites in place, with the bytes of another filter of the same length.
 *
 *     file     AAAAAAAAAA  ->  BBBBAAAAAA  ->  BBBBBBBBBB  ->  AABBBBBBBB ...
 *     view         map ........... clone ........... merge ......
 *
 * Lookups may be answered from either, but what is copied must be one of the two: guira_clone and guira_merge say
 * ECORRUPT, or their result is exactly A or exactly B. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "file_support.h"

/* Two filters with the same configuration and seed, another number of members, and files of the same length. `into`
 * can be merged with both; the last two are its bytes afterwards (tidal only). */
struct pair {
    guira *f[2], *into;
    struct bytes b[2], merged[2];
    char path[512];
    int fd;
};

static struct bytes merged_bytes(const guira *into, const guira *from) {
    guira *copy;
    assert_int_equal(guira_clone(into, &copy), GUIRA_OK);
    assert_int_equal(guira_merge(copy, from), GUIRA_OK);
    struct bytes b = saved(copy);
    guira_destroy(copy);
    return b;
}

static guira *with_members(const guira_config *c, size_t n, struct rng *r) {
    guira *f;
    assert_int_equal(guira_create(c, &f), GUIRA_OK);
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_insert_hash(f, rng_next(r)), GUIRA_OK);
    return f;
}

/* Removing members leaves the length as it is in a filter that never shrinks. */
static struct pair pair_make(const struct variant *v, size_t n, struct rng *r) {
    struct pair p;
    guira_config c = v->config;
    c.capacity = c.kind == GUIRA_ELASTIC || c.kind == GUIRA_DYNAMIC ? 0 : n;
    c.min_load = -1;
    if (is_of_papers(v)) c.buckets = n; /* one filter: it is a quarter full */
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    size_t fewer = n - 1 - rng_below(r, n / 8);
    p.f[0] = with_members(&c, n, r);
    p.f[1] = with_members(&c, fewer, r);
    p.into = with_members(&c, n / 10, r);
    for (unsigned i = 0; i < 2; i++) {
        p.b[i] = saved(p.f[i]);
        p.merged[i] = is_tidal(v) ? merged_bytes(p.into, p.f[i]) : (struct bytes){0};
    }
    if (p.b[0].n != p.b[1].n) fail_msg("%s: %zu and %zu bytes", v->name, p.b[0].n, p.b[1].n);
    snprintf(p.path, sizeof p.path, "%s", file_named("rewritten.guira"));
    file_put(p.path, p.b[0]);
    p.fd = open(p.path, O_RDWR);
    assert_true(p.fd >= 0);
    return p;
}

static void pair_free(struct pair *p) {
    for (unsigned i = 0; i < 2; i++) {
        guira_destroy(p->f[i]);
        free(p->b[i].at);
        free(p->merged[i].at);
    }
    guira_destroy(p->into);
    close(p->fd);
    unlink(p->path);
}

static bool put(const struct pair *p, unsigned which, size_t from, size_t to) {
    ssize_t n = (ssize_t)(to - from);
    return pwrite(p->fd, p->b[which].at + from, (size_t)n, (off_t)from) == n;
}

/* Clones and merges g. Returns how many of both were refused; asserts that what was not is A or B. */
static unsigned copy_both(const struct pair *p, const guira *g) {
    guira *copy, *into;
    unsigned refused = 0;
    guira_status s = guira_clone(g, &copy);
    if (s == GUIRA_OK) {
        struct bytes b = saved(copy);
        assert_true(same_bytes(b, p->b[0]) || same_bytes(b, p->b[1]));
        assert_valid(copy);
        guira_destroy(copy);
        free(b.at);
    } else {
        assert_true(s == GUIRA_ECORRUPT && copy == NULL);
        refused++;
    }
    if (p->merged[0].at == NULL) return refused;
    assert_int_equal(guira_clone(p->into, &into), GUIRA_OK);
    s = guira_merge(into, g);
    struct bytes b = saved(into), before = saved(p->into);
    if (s == GUIRA_OK) assert_true(same_bytes(b, p->merged[0]) || same_bytes(b, p->merged[1]));
    else assert_true(s == GUIRA_ECORRUPT && same_bytes(b, before));
    free(b.at);
    free(before.at);
    guira_destroy(into);
    return refused + (s != GUIRA_OK);
}

/* ------------------------------------------------------------------------------------------------------- between calls */

static void test_a_file_rewritten_between_calls_is_copied_whole_or_not_at_all(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct pair p = pair_make(v, is_of_papers(v) ? 500 : 3000, &r);
        size_t n = p.b[0].n;
        guira *g;
        assert_int_equal(guira_map(p.path, &g), GUIRA_OK);
        assert_int_equal(copy_both(&p, g), 0);
        for (unsigned i = 0; i < 40; i++) {
            size_t at = i < 4 ? n : i % 2 ? rng_below(&r, n) : rng_below(&r, n / 64) * 64;
            assert_true(put(&p, 1, 0, at));
            unsigned refused = copy_both(&p, g);
            if (at == n) assert_true(refused > 0); /* it was opened as A, and is B */
            assert_true(put(&p, 0, 0, at));
            assert_int_equal(copy_both(&p, g), 0);
        }
        guira_destroy(g);
        pair_free(&p);
    }
}

/* Opened at a moment when the file is partly A and partly B. */
static void test_a_file_that_is_half_rewritten_is_refused_or_copied_whole(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct pair p = pair_make(v, is_of_papers(v) ? 500 : 3000, &r);
        for (unsigned i = 0; i < 60; i++) {
            size_t at = i % 2 ? rng_below(&r, p.b[0].n + 1) : rng_below(&r, p.b[0].n / 64 + 1) * 64;
            guira *g;
            assert_true(put(&p, 0, 0, p.b[0].n) && put(&p, 1, 0, at));
            guira_status s = guira_map(p.path, &g);
            if (s == GUIRA_OK) copy_both(&p, g);
            else assert_int_equal(s, GUIRA_ECORRUPT);
            guira_destroy(g);
        }
        pair_free(&p);
    }
}

/* --------------------------------------------------------------------------------------------------------- at the same time */

/* Rewrites as a whole, and in pieces with pauses between them. */
static void rewrite_once(const struct pair *p, unsigned i, struct rng *r) {
    size_t n = p->b[0].n, middle = rng_below(r, n);
    if (i % 4 < 2) {
        if (!put(p, i % 2, 0, n)) abort();
    } else if (!put(p, i % 2, middle, n) || !put(p, i % 2, 0, middle)) abort();
    if (rng_below(r, 8) == 0) usleep((useconds_t)rng_below(r, 200)); /* else a file is hardly ever whole */
}

struct rewriter {
    const struct pair *p;
    atomic_bool stop;
    uint64_t seed;
};

static void *rewrite_until_stopped(void *arg) {
    struct rewriter *w = arg;
    struct rng r = {w->seed};
    for (unsigned i = 0; !atomic_load(&w->stop); i++) rewrite_once(w->p, i, &r);
    return NULL;
}

struct outcome {
    unsigned not_opened, refused, copied;
};

static void copy_meanwhile(const struct pair *p, unsigned times, struct outcome *o) {
    for (unsigned i = 0; i < times; i++) {
        guira *g;
        guira_status s = guira_map(p->path, &g);
        if (s != GUIRA_OK) {
            assert_int_equal(s, GUIRA_ECORRUPT);
            o->not_opened++;
            continue;
        }
        unsigned all = p->merged[0].at == NULL ? 1 : 2;
        for (unsigned k = 0; k < 3; k++) {
            unsigned refused = copy_both(p, g);
            o->refused += refused;
            o->copied += all - refused;
        }
        guira_destroy(g);
    }
}

static unsigned times(void) { return quick_run() ? 10 : long_run() ? 3000 : 60; }

static void test_a_file_that_a_thread_rewrites_is_copied_whole_or_not_at_all(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct outcome o = {0};
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct pair p = pair_make(v, is_of_papers(v) ? 1000 : 3000 + rng_below(&r, 100000), &r);
        struct rewriter w = {.p = &p, .seed = rng_next(&r)};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, rewrite_until_stopped, &w), 0);
        copy_meanwhile(&p, times(), &o);
        atomic_store(&w.stop, true);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pair_free(&p);
    }
    print_message("  %u not opened, %u copies refused, %u made\n", o.not_opened, o.refused, o.copied);
}

static void test_a_file_that_a_process_rewrites_is_copied_whole_or_not_at_all(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct outcome o = {0};
    for (const struct variant *v = variants(); v->name != NULL; v++) {
        struct pair p = pair_make(v, is_of_papers(v) ? 1000 : 3000 + rng_below(&r, 30000), &r);
        struct rng of_child = {rng_next(&r)};
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* if a check fails here, the child must not run for ever */
            for (unsigned i = 0;; i++) rewrite_once(&p, i, &of_child);
        }
        copy_meanwhile(&p, times() / 2, &o);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        pair_free(&p);
    }
    print_message("  %u not opened, %u copies refused, %u made\n", o.not_opened, o.refused, o.copied);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_rewritten_between_calls_is_copied_whole_or_not_at_all),
        cmocka_unit_test(test_a_file_that_is_half_rewritten_is_refused_or_copied_whole),
        cmocka_unit_test(test_a_file_that_a_thread_rewrites_is_copied_whole_or_not_at_all),
        cmocka_unit_test(test_a_file_that_a_process_rewrites_is_copied_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
