/* guira_shared: no false negatives while other threads change it.
 *
 * Permanent members are in the filter before the threads start and until they end. Readers look them up, one by one and in
 * batches, all the time. Writers insert and remove other keys in waves, so that every shard grows and shrinks and, at w=12, has
 * elders; one more thread reserves, shrinks to fit, merges and saves. No lookup of a permanent member may be negative. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "shared_support.h"

enum { MEMBERS = 2000, READERS = 2, WRITERS = 2 };

struct workload {
    guira_shared *g, *other;                /* other: to merge from */
    uint64_t key[MEMBERS], member[MEMBERS]; /* the permanent members and their hashes */
    size_t top;                             /* other keys of a writer at the top of a wave */
    unsigned waves;
    atomic_uint writing;                /* writers that have not finished */
    atomic_ulong lookups, errors, next; /* errors: false negatives and failed operations */
    uint64_t seed;
};

static void *read_until_writers_end(void *arg) {
    struct workload *s = arg;
    struct rng r = {s->seed + atomic_fetch_add(&s->next, 1)};
    uint64_t hash[256];
    bool found[256];
    while (atomic_load(&s->writing) > 0) {
        for (size_t i = 0; i < 256; i++) hash[i] = s->member[rng_below(&r, MEMBERS)];
        unsigned long errors = 256 - guira_shared_contains_hash_many(s->g, hash, 256, found);
        for (size_t i = 0; i < 256; i++) errors += !guira_shared_contains_hash(s->g, hash[i]);
        for (size_t i = 0; i < 16; i++)
            errors += guira_shared_count(s->g, &s->key[rng_below(&r, MEMBERS)], sizeof *s->key) == 0;
        atomic_fetch_add(&s->lookups, 528);
        atomic_fetch_add(&s->errors, errors);
    }
    return NULL;
}

static void write_wave(struct workload *s, struct model *m, struct rng *r) {
    while (m->n < s->top) {
        uint64_t hash = rng_next(r);
        if (guira_shared_insert_hash(s->g, hash) == GUIRA_OK) model_add(m, hash);
    }
    for (size_t i = 0; i < m->n; i++) atomic_fetch_add(&s->errors, !guira_shared_contains_hash(s->g, m->hash[i]));
    while (m->n > 10)
        if (guira_shared_remove_hash(s->g, model_take(m, rng_below(r, m->n))) != GUIRA_OK)
            atomic_fetch_add(&s->errors, 1);
}

static void *write_waves(void *arg) {
    struct workload *s = arg;
    struct rng r = {s->seed + atomic_fetch_add(&s->next, 1)};
    struct model m = {0};
    while (atomic_load(&s->lookups) == 0) sched_yield(); /* until a reader is running */
    for (unsigned i = 0; i < s->waves; i++) write_wave(s, &m, &r);
    while (m.n > 0) guira_shared_remove_hash(s->g, model_take(&m, 0));
    atomic_fetch_sub(&s->writing, 1);
    model_free(&m);
    return NULL;
}

/* What is merged is removed again, so that in the end only the permanent members are left. */
static void *maintain(void *arg) {
    struct workload *s = arg;
    uint64_t merged[100];
    for (unsigned round = 0; atomic_load(&s->writing) > 0; round++) {
        struct rng r = {s->seed + round};
        for (size_t i = 0; i < 100; i++) merged[i] = rng_next(&r);
        guira_stats stats = GUIRA_STATS_INIT;
        unsigned long bad = guira_shared_reserve(s->g, round % 3 * 3000) != GUIRA_OK;
        bad += guira_shared_insert_hash_many(s->other, merged, 100, NULL) != 100;
        bad += guira_shared_merge(s->g, s->other) != GUIRA_OK;
        bad += guira_shared_clear(s->other) != GUIRA_OK;
        bad += guira_shared_remove_hash_many(s->g, merged, 100, NULL) != 100;
        bad += guira_shared_shrink_to_fit(s->g) != GUIRA_OK;
        bad += guira_shared_stats_get(s->g, &stats) != GUIRA_OK || stats.items < MEMBERS;
        bad += guira_shared_validate(s->g, NULL) != GUIRA_OK;
        struct bytes file = {0};
        bad += guira_shared_save_to(s->g, append, &file) != GUIRA_OK;
        free(file.at);
        atomic_fetch_add(&s->errors, bad);
    }
    return NULL;
}

static void run_workload(unsigned w, unsigned shards, struct rng *r) {
    struct workload *s = calloc(1, sizeof *s);
    assert_non_null(s);
    struct rng same = *r; /* merging needs the same seed */
    s->g = make(w, shards, r);
    s->other = make(w, shards, &same);
    s->seed = rng_next(r);
    s->top = quick_run() ? 8000 : 60000;
    s->waves = quick_run() ? 2 : 6;
    s->writing = WRITERS;
    for (size_t i = 0; i < MEMBERS; i++) {
        s->key[i] = rng_next(r);
        s->member[i] = guira_shared_hash(s->g, &s->key[i], sizeof *s->key);
        assert_int_equal(guira_shared_insert_hash(s->g, s->member[i]), GUIRA_OK);
    }
    pthread_t thread[READERS + WRITERS + 1];
    void *(*role[])(void *) = {read_until_writers_end, read_until_writers_end, write_waves, write_waves, maintain};
    for (size_t i = 0; i < READERS + WRITERS + 1; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, role[i], s), 0);
    for (size_t i = 0; i < READERS + WRITERS + 1; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    guira_stats stats = shared_stats(s->g);
    print_message("  w=%u, %u shards: %lu lookups, %lu errors; %llu buckets added, %llu removed\n", w, shards,
                  (unsigned long)s->lookups, (unsigned long)s->errors, (unsigned long long)stats.grows,
                  (unsigned long long)stats.shrinks);
    assert_int_equal(s->errors, 0);
    assert_true(s->lookups > 0);
    assert_int_equal(stats.items, MEMBERS);
    assert_sound(s->g);
    guira_shared_destroy(s->g);
    guira_shared_destroy(s->other);
    free(s);
}

static void test_lookups_find_every_member_during_concurrent_changes(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t w = 0; w < WIDTHS; w++) {
        run_workload(widths[w], 1, &r); /* one shard: all threads contend for it */
        run_workload(widths[w], 4, &r);
    }
}

/* Memory from a caller's allocator is freed after a grace period, so lookups need read-side critical sections. */
static void test_lookups_find_every_member_during_changes_with_a_custom_allocator(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_set_allocator(&(guira_allocator){malloc, free});
    for (size_t w = 0; w < WIDTHS; w++) run_workload(widths[w], 1, &r);
    guira_set_allocator(NULL);
}

static void *insert_same(void *arg) {
    struct workload *s = arg;
    unsigned long mine = 0;
    for (uint64_t key = 0; key < 20000; key++) mine += guira_shared_insert_unique(s->g, &key, sizeof key) == GUIRA_OK;
    atomic_fetch_add(&s->lookups, mine);
    return NULL;
}

static void test_one_of_several_threads_that_insert_a_unique_key_succeeds(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct workload *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->g = make(32, 4, &r); /* so wide that false positives are unlikely */
    pthread_t thread[3];
    for (size_t i = 0; i < 3; i++) assert_int_equal(pthread_create(&thread[i], NULL, insert_same, s), 0);
    for (size_t i = 0; i < 3; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(s->lookups, shared_stats(s->g).items);
    assert_true(s->lookups >= 19990 && s->lookups <= 20000);
    guira_shared_destroy(s->g);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups_find_every_member_during_concurrent_changes),
        cmocka_unit_test(test_lookups_find_every_member_during_changes_with_a_custom_allocator),
        cmocka_unit_test(test_one_of_several_threads_that_insert_a_unique_key_succeeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
