/* guira_shared: the same answers as a filter of one thread, and the right ones while others write.
 *
 * THE STORM. Residents are in the filter before it starts and until it ends. Readers ask for them, one by one and in
 * batches, without end. Writers let strangers come and go in waves, so that every shard grows and shrinks all the time
 * and, at w=12, has elders; one more thread reserves, shrinks to fit and merges. No resident is ever missed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static guira_shared *make(unsigned w, unsigned shards, struct rng *r) {
    guira_config c = {.slot_bits = w};
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(r);
    guira_shared *g = NULL;
    assert_int_equal(guira_shared_create(&c, shards, &g), GUIRA_OK);
    return g;
}

static guira_stats shared_stats(const guira_shared *g) {
    guira_stats s;
    assert_int_equal(guira_shared_stats_get(g, &s), GUIRA_OK);
    return s;
}

static void assert_sound(const guira_shared *g) {
    const char *reason = NULL;
    guira_status s = guira_shared_validate(g, &reason);
    if (s != GUIRA_OK) print_error("invalid: %s\n", reason);
    assert_int_equal(s, GUIRA_OK);
}

static void assert_has(const guira_shared *g, const struct model *m) {
    assert_int_equal(shared_stats(g).items, m->n);
    for (size_t i = 0; i < m->n; i++)
        if (!guira_shared_contains_hash(g, m->hash[i])) fail_msg("member %zu of %zu is missing", i, m->n);
    assert_sound(g);
}

static const unsigned widths[] = {12, 16, 32};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* ------------------------------------------------------------------------------------------------------ by one thread */

enum { BATCH = 5000 }; /* in one batch: more than are grouped at a time */

static void some_in(guira_shared *g, struct model *m, size_t n, struct rng *r) {
    uint64_t hash[BATCH];
    guira_status s[BATCH] = {GUIRA_OK};
    for (; n > 0; n -= n < BATCH ? n : BATCH) {
        size_t many = n < BATCH ? n : BATCH;
        for (size_t i = 0; i < many; i++) model_add(m, hash[i] = rng_next(r));
        if (rng_below(r, 2) == 0) {
            assert_int_equal(guira_shared_insert_hash_many(g, hash, many, rng_below(r, 2) == 0 ? s : NULL), many);
            continue;
        }
        for (size_t i = 0; i < many; i++) assert_int_equal(guira_shared_insert_hash(g, hash[i]), GUIRA_OK);
    }
}

static void some_out(guira_shared *g, struct model *m, size_t n, struct rng *r) {
    uint64_t hash[BATCH];
    guira_status s[BATCH];
    for (; n > 0; n -= n < BATCH ? n : BATCH) {
        size_t many = n < BATCH ? n : BATCH;
        for (size_t i = 0; i < many; i++) hash[i] = model_take(m, rng_below(r, m->n));
        if (rng_below(r, 2) == 0) {
            assert_int_equal(guira_shared_remove_hash_many(g, hash, many, s), many);
            for (size_t i = 0; i < many; i++) assert_int_equal(s[i], GUIRA_OK);
            continue;
        }
        for (size_t i = 0; i < many; i++) assert_int_equal(guira_shared_remove_hash(g, hash[i]), GUIRA_OK);
    }
}

/* Batches of any length say what single questions do. */
static void assert_batches(const guira_shared *g, const struct model *m, struct rng *r) {
    enum { MANY = 1300 };
    uint64_t hash[MANY];
    bool found[MANY];
    size_t present = 0;
    for (size_t i = 0; i < MANY; i++) {
        hash[i] = i % 2 == 0 && m->n > 0 ? m->hash[rng_below(r, m->n)] : rng_next(r);
        present += guira_shared_contains_hash(g, hash[i]);
    }
    for (size_t i = 0, many; i < MANY; i += many) {
        many = rng_below(r, 4) == 0 ? MANY : rng_below(r, 150);
        if (many > MANY - i) many = MANY - i;
        present -= guira_shared_contains_hash_many(g, hash + i, many, found + i);
    }
    assert_int_equal(present, 0);
    for (size_t i = 0; i < MANY; i++) assert_int_equal(found[i], guira_shared_contains_hash(g, hash[i]));
}

static void test_waves_of_members_are_all_there(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned shards[] = {1, 2, 16, 256};
    for (size_t k = 0; k < WIDTHS * 4; k++) {
        guira_shared *g = make(widths[k % WIDTHS], shards[k / WIDTHS], &r);
        struct model m = {0};
        for (unsigned wave = 0; wave < 4; wave++) {
            some_in(g, &m, 1 + rng_below(&r, quick_run() ? 6000 : 60000), &r);
            assert_has(g, &m);
            assert_batches(g, &m, &r);
            if (wave == 1) assert_int_equal(guira_shared_reserve(g, 2 * m.n), GUIRA_OK);
            some_out(g, &m, m.n - rng_below(&r, m.n / 4 + 1), &r);
            if (wave == 2) assert_int_equal(guira_shared_shrink_to_fit(g), GUIRA_OK);
            assert_has(g, &m);
        }
        assert_int_equal(guira_shared_clear(g), GUIRA_OK);
        m.n = 0;
        assert_has(g, &m);
        guira_shared_destroy(g);
        model_free(&m);
    }
}

static void test_keys_are_added_counted_and_removed(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_shared *g = make(16, 0, &r);
    assert_int_equal(guira_shared_insert(g, "ana", 3), GUIRA_OK);
    assert_int_equal(guira_shared_insert_unique(g, "ana", 3), GUIRA_EEXIST);
    assert_int_equal(guira_shared_insert(g, "ana", 3), GUIRA_OK);
    assert_int_equal(guira_shared_insert_unique(g, "", 0), GUIRA_OK);
    assert_true(guira_shared_contains(g, "ana", 3) && guira_shared_contains(g, NULL, 0));
    assert_int_equal(guira_shared_count(g, "ana", 3), 2);
    assert_int_equal(guira_shared_remove(g, "ana", 3), GUIRA_OK);
    assert_int_equal(guira_shared_remove(g, "ana", 3), GUIRA_OK);
    assert_int_equal(guira_shared_remove(g, "ana", 3), GUIRA_ENOTFOUND);
    assert_int_equal(shared_stats(g).items, 1);
    guira_shared_destroy(g);
}

static void test_bad_arguments_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_shared *g = make(16, 2, &r), *other = make(16, 4, &r), *out = g;
    guira_config fixed = {.kind = GUIRA_CUCKOO, .capacity = 10}, wrong = {.slot_bits = 13};
    const unsigned shards[] = {3, 512, 6};
    for (size_t i = 0; i < 3; i++) assert_int_equal(guira_shared_create(NULL, shards[i], &out), GUIRA_EINVAL);
    assert_int_equal(guira_shared_create(&fixed, 2, &out), GUIRA_EINVAL);
    assert_int_equal(guira_shared_create(&wrong, 2, &out), GUIRA_EINVAL);
    assert_int_equal(guira_shared_create(NULL, 2, NULL), GUIRA_EINVAL);
    assert_null(out);
    assert_int_equal(guira_shared_insert(g, NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_shared_insert(NULL, "a", 1), GUIRA_EINVAL);
    assert_int_equal(guira_shared_insert_unique(g, NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_shared_remove(NULL, "a", 1), GUIRA_EINVAL);
    assert_int_equal(guira_shared_merge(g, other), GUIRA_EINVAL);
    assert_int_equal(guira_shared_merge(g, NULL), GUIRA_EINVAL);
    assert_int_equal(guira_shared_reserve(NULL, 1), GUIRA_EINVAL);
    assert_int_equal(guira_shared_reserve(g, UINT64_MAX), GUIRA_ELIMIT);
    assert_int_equal(guira_shared_stats_get(g, NULL), GUIRA_EINVAL);
    assert_false(guira_shared_contains(NULL, "a", 1));
    assert_int_equal(guira_shared_contains_hash_many(NULL, NULL, 1, NULL), 0);
    assert_int_equal(guira_shared_insert_hash_many(g, NULL, 1, NULL), 0);
    guira_shared_destroy(NULL);
    guira_shared_destroy(g);
    guira_shared_destroy(other);
}

static void test_the_rate_is_that_of_one_filter(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_shared *g = make(16, 16, &r);
    struct model m = {0};
    some_in(g, &m, 200000, &r);
    enum { ASKED = 1 << 20 };
    double expected = shared_stats(g).fpr * ASKED, hits = 0;
    for (size_t i = 0; i < ASKED; i++) hits += guira_shared_contains_hash(g, rng_next(&r));
    print_message("  %.0f false positives of %d, %.0f predicted\n", hits, ASKED, expected);
    assert_true((hits - expected) * (hits - expected) < 25 * expected);
    guira_shared_destroy(g);
    model_free(&m);
}

/* Everything that works on copies, with each allocation failing in turn. */
/* What the system says that we hold. */
static double resident(void) {
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL) return 0;
    if (fscanf(statm, "%*s %ld", &pages) != 1) pages = 0;
    fclose(statm);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* Addresses are kept for readers who are late, but not the memory behind them. */
static void test_memory_follows_the_members(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    size_t n = quick_run() ? 300000 : 3000000;
    guira_shared *g = make(16, 16, &r);
    uint64_t seed = rng_next(&r);
    double empty = resident();
    struct rng in = {seed}, out = {seed};
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_shared_insert_hash(g, rng_next(&in)), GUIRA_OK);
    double full = resident(), bytes = (double)shared_stats(g).bytes;
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_shared_remove_hash(g, rng_next(&out)), GUIRA_OK);
    double after = resident();
    print_message("  %.0f bytes; the system: %.0f full, %.0f empty again\n", bytes, full - empty, after - empty);
    assert_true(bytes < (double)n * 2.4 + 200e3);
    assert_true(shared_stats(g).bytes < 300000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they hold memory of their own */
    assert_true(full - empty < bytes * 1.1 + 1e6);
    assert_true(after - empty < 1e6);
#endif
    guira_shared_destroy(g);
}

static void test_what_fails_for_want_of_memory_changes_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    guira_shared *g = make(12, 4, &r), *more = NULL;
    struct model m = {0};
    some_in(g, &m, 3000, &r);
    uint64_t failed[3] = {0, 0, 0};
    for (unsigned what = 0; what < 3; what++) {
        guira_status s = GUIRA_ENOMEM;
        for (uint64_t k = 1; s != GUIRA_OK; k++) {
            memory.calls = 0;
            memory.fail_at = k;
            size_t bytes = memory.bytes;
            s = what == 0   ? guira_shared_reserve(g, 9000)
                : what == 1 ? guira_shared_merge(g, g)
                            : guira_shared_clear(g);
            memory.fail_at = 0;
            if (s == GUIRA_OK) break;
            failed[what]++;
            assert_int_equal(s, GUIRA_ENOMEM);
            assert_int_equal(memory.bytes, bytes);
            assert_has(g, &m);
        }
        for (size_t i = 0, n = m.n; what == 1 && i < n; i++) model_add(&m, m.hash[i]);
        if (what == 2) m.n = 0;
        assert_has(g, &m);
    }
    guira_config c = {.slot_bits = 12, .capacity = 1000};
    for (uint64_t k = 1; k < 1000; k++) {
        memory.calls = 0;
        memory.fail_at = k;
        guira_status s = guira_shared_create(&c, 4, &more);
        memory.fail_at = 0;
        if (s == GUIRA_OK) break;
        assert_true(s == GUIRA_ENOMEM && more == NULL);
    }
    print_message("  %u, %u and %u allocations failed\n", (unsigned)failed[0], (unsigned)failed[1],
                  (unsigned)failed[2]);
    guira_shared_destroy(more);
    guira_shared_destroy(g);
    memory_unhook();
    model_free(&m);
}

/* -------------------------------------------------------------------------------------------------------------- files */

struct bytes {
    uint8_t *at;
    size_t n, most;
};

static bool append(void *to, const void *bytes, size_t n) {
    struct bytes *b = to;
    if (b->most > 0 && b->n + n > b->most) return false;
    b->at = realloc(b->at, b->n + n);
    if (b->at == NULL) abort();
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return true;
}

static struct bytes saved(const guira_shared *g) {
    struct bytes b = {0};
    assert_int_equal(guira_shared_save_to(g, append, &b), GUIRA_OK);
    return b;
}

static void test_what_was_saved_is_loaded_again(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned shards[] = {1, 4, 64};
    for (size_t k = 0; k < 3; k++) {
        guira_shared *g = make(12, shards[k], &r), *again = NULL;
        struct model m = {0};
        some_in(g, &m, 5000, &r);
        char path[] = "shared-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0 && close(fd) == 0);
        assert_int_equal(guira_shared_save(g, path), GUIRA_OK);
        assert_int_equal(guira_shared_load(path, &again), GUIRA_OK);
        assert_has(again, &m);
        assert_int_equal(guira_shared_hash(again, "a", 1), guira_shared_hash(g, "a", 1));
        struct bytes a = saved(g), b = saved(again);
        assert_true(a.n == b.n && memcmp(a.at, b.at, a.n) == 0);
        some_out(again, &m, m.n, &r);
        guira *single = NULL;
        assert_int_equal(guira_load(path, &single), GUIRA_EFORMAT);
        assert_int_equal(truncate(path, (off_t)a.n - 1), 0);
        guira_shared_destroy(again);
        assert_int_equal(guira_shared_load(path, &again), GUIRA_ECORRUPT);
        assert_null(again);
        assert_int_equal(guira_shared_load("no such file", &again), GUIRA_EIO);
        unlink(path);
        free(a.at);
        free(b.at);
        guira_shared_destroy(g);
        model_free(&m);
    }
}

static void refuse(const uint8_t *bytes, size_t n) {
    guira_shared *g = NULL;
    guira_status s = guira_shared_load_from(bytes, n, &g);
    assert_true((s == GUIRA_EFORMAT || s == GUIRA_ECORRUPT) && g == NULL);
}

/* Each truncation, each flip of a bit, and shards that do not belong together. */
static void test_damaged_bytes_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_shared *g = make(16, 2, &r), *other = make(16, 2, &r), *loaded = NULL;
    struct model m = {0};
    some_in(g, &m, 20, &r);
    struct bytes a = saved(g), b = saved(other);
    for (size_t n = 0; n < a.n; n++) refuse(a.at, n);
    for (size_t bit = 0; bit < 8 * a.n; bit++) {
        a.at[bit / 8] ^= (uint8_t)(1U << bit % 8);
        refuse(a.at, a.n);
        a.at[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    assert_int_equal(guira_shared_load_from(a.at, a.n, &loaded), GUIRA_OK);
    assert_has(loaded, &m);
    guira_shared_destroy(loaded);
    append(&a, "more", 4);
    refuse(a.at, a.n);
    size_t half = 64 + (b.n - 64) / 2; /* both its shards are empty, and so of one size */
    memcpy(b.at + half, a.at + a.n - 4 - (b.n - half), b.n - half);
    refuse(b.at, b.n);
    struct bytes small = {.most = a.n / 2};
    assert_int_equal(guira_shared_save_to(g, append, &small), GUIRA_EIO);
    assert_int_equal(guira_shared_save_to(NULL, append, &small), GUIRA_EINVAL);
    assert_int_equal(guira_shared_load_from(NULL, 1, &loaded), GUIRA_EINVAL);
    free(a.at);
    free(b.at);
    free(small.at);
    guira_shared_destroy(g);
    guira_shared_destroy(other);
    model_free(&m);
}

/* ----------------------------------------------------------------------------------------------------------- the storm */

enum { RESIDENTS = 2000, READERS = 2, WRITERS = 2 };

struct storm {
    guira_shared *g, *guest;
    uint64_t key[RESIDENTS], resident[RESIDENTS]; /* and their hashes */
    size_t top;                                   /* strangers of a writer at the height of a wave */
    unsigned waves;
    atomic_uint writing; /* writers that have not finished */
    atomic_ulong asked, missed, next;
    uint64_t seed;
};

static void *read_on(void *arg) {
    struct storm *s = arg;
    struct rng r = {s->seed + atomic_fetch_add(&s->next, 1)};
    uint64_t hash[256];
    bool found[256];
    while (atomic_load(&s->writing) > 0) {
        for (size_t i = 0; i < 256; i++) hash[i] = s->resident[rng_below(&r, RESIDENTS)];
        unsigned long missed = 256 - guira_shared_contains_hash_many(s->g, hash, 256, found);
        for (size_t i = 0; i < 256; i++) missed += !guira_shared_contains_hash(s->g, hash[i]);
        for (size_t i = 0; i < 16; i++)
            missed += guira_shared_count(s->g, &s->key[rng_below(&r, RESIDENTS)], sizeof *s->key) == 0;
        atomic_fetch_add(&s->asked, 528);
        atomic_fetch_add(&s->missed, missed);
    }
    return NULL;
}

static void write_wave(struct storm *s, struct model *m, struct rng *r) {
    while (m->n < s->top) {
        uint64_t hash = rng_next(r);
        if (guira_shared_insert_hash(s->g, hash) == GUIRA_OK) model_add(m, hash);
    }
    for (size_t i = 0; i < m->n; i++) atomic_fetch_add(&s->missed, !guira_shared_contains_hash(s->g, m->hash[i]));
    while (m->n > 10)
        if (guira_shared_remove_hash(s->g, model_take(m, rng_below(r, m->n))) != GUIRA_OK)
            atomic_fetch_add(&s->missed, 1);
}

static void *write_on(void *arg) {
    struct storm *s = arg;
    struct rng r = {s->seed + atomic_fetch_add(&s->next, 1)};
    struct model m = {0};
    for (unsigned i = 0; i < s->waves; i++) write_wave(s, &m, &r);
    while (m.n > 0) guira_shared_remove_hash(s->g, model_take(&m, 0));
    atomic_fetch_sub(&s->writing, 1);
    model_free(&m);
    return NULL;
}

/* Guests are merged in and removed again, so that in the end only residents are left. */
static void *look_after(void *arg) {
    struct storm *s = arg;
    uint64_t guest[100];
    for (unsigned turn = 0; atomic_load(&s->writing) > 0; turn++) {
        struct rng r = {s->seed + turn};
        for (size_t i = 0; i < 100; i++) guest[i] = rng_next(&r);
        guira_stats stats;
        unsigned long bad = guira_shared_reserve(s->g, turn % 3 * 3000) != GUIRA_OK;
        bad += guira_shared_insert_hash_many(s->guest, guest, 100, NULL) != 100;
        bad += guira_shared_merge(s->g, s->guest) != GUIRA_OK;
        bad += guira_shared_clear(s->guest) != GUIRA_OK;
        bad += guira_shared_remove_hash_many(s->g, guest, 100, NULL) != 100;
        bad += guira_shared_shrink_to_fit(s->g) != GUIRA_OK;
        bad += guira_shared_stats_get(s->g, &stats) != GUIRA_OK || stats.items < RESIDENTS;
        bad += guira_shared_validate(s->g, NULL) != GUIRA_OK;
        struct bytes file = {0};
        bad += guira_shared_save_to(s->g, append, &file) != GUIRA_OK;
        free(file.at);
        atomic_fetch_add(&s->missed, bad);
    }
    return NULL;
}

static void weather(unsigned w, unsigned shards, struct rng *r) {
    struct storm *s = calloc(1, sizeof *s);
    assert_non_null(s);
    struct rng twin = *r; /* guests need the same seed */
    s->g = make(w, shards, r);
    s->guest = make(w, shards, &twin);
    s->seed = rng_next(r);
    s->top = quick_run() ? 8000 : 60000;
    s->waves = quick_run() ? 2 : 6;
    s->writing = WRITERS;
    for (size_t i = 0; i < RESIDENTS; i++) {
        s->key[i] = rng_next(r);
        s->resident[i] = guira_shared_hash(s->g, &s->key[i], sizeof *s->key);
        assert_int_equal(guira_shared_insert_hash(s->g, s->resident[i]), GUIRA_OK);
    }
    pthread_t thread[READERS + WRITERS + 1];
    void *(*role[])(void *) = {read_on, read_on, write_on, write_on, look_after};
    for (size_t i = 0; i < READERS + WRITERS + 1; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, role[i], s), 0);
    for (size_t i = 0; i < READERS + WRITERS + 1; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    guira_stats stats = shared_stats(s->g);
    print_message("  w=%u, %u shards: %lu questions, %lu wrong; %llu buckets made, %llu given back\n", w, shards,
                  (unsigned long)s->asked, (unsigned long)s->missed, (unsigned long long)stats.grows,
                  (unsigned long long)stats.shrinks);
    assert_int_equal(s->missed, 0);
    assert_true(s->asked > 0);
    assert_int_equal(stats.items, RESIDENTS);
    assert_sound(s->g);
    guira_shared_destroy(s->g);
    guira_shared_destroy(s->guest);
    free(s);
}

static void test_no_resident_is_missed_in_a_storm(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (size_t w = 0; w < WIDTHS; w++) {
        weather(widths[w], 1, &r); /* one shard: everybody is in everybody's way */
        weather(widths[w], 4, &r);
    }
}

/* A hook's memory does not last, so every question needs permission to look (ground.h). */
static void test_no_resident_is_missed_in_a_storm_on_foreign_ground(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_set_allocator(&(guira_allocator){malloc, free});
    for (size_t w = 0; w < WIDTHS; w++) weather(widths[w], 1, &r);
    guira_set_allocator(NULL);
}

static void *insert_same(void *arg) {
    struct storm *s = arg;
    unsigned long mine = 0;
    for (uint64_t key = 0; key < 20000; key++) mine += guira_shared_insert_unique(s->g, &key, sizeof key) == GUIRA_OK;
    atomic_fetch_add(&s->asked, mine);
    return NULL;
}

static void test_of_threads_that_insert_one_key_just_one_is_told_so(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    struct storm *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->g = make(32, 4, &r); /* so wide that no stranger is taken for another */
    pthread_t thread[3];
    for (size_t i = 0; i < 3; i++) assert_int_equal(pthread_create(&thread[i], NULL, insert_same, s), 0);
    for (size_t i = 0; i < 3; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(s->asked, shared_stats(s->g).items);
    assert_true(s->asked >= 19990 && s->asked <= 20000);
    guira_shared_destroy(s->g);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waves_of_members_are_all_there),
        cmocka_unit_test(test_keys_are_added_counted_and_removed),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_the_rate_is_that_of_one_filter),
        cmocka_unit_test(test_memory_follows_the_members),
        cmocka_unit_test(test_what_fails_for_want_of_memory_changes_nothing),
        cmocka_unit_test(test_what_was_saved_is_loaded_again),
        cmocka_unit_test(test_damaged_bytes_are_refused),
        cmocka_unit_test(test_no_resident_is_missed_in_a_storm),
        cmocka_unit_test(test_no_resident_is_missed_in_a_storm_on_foreign_ground),
        cmocka_unit_test(test_of_threads_that_insert_one_key_just_one_is_told_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
