/* guira_shared: the same answers as a filter of one thread. What happens while other threads change it is in
 * test_shared_threads.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared_support.h"

static void assert_has(const guira_shared *g, const struct model *m) {
    assert_int_equal(shared_stats(g).items, m->n);
    for (size_t i = 0; i < m->n; i++)
        if (!guira_shared_contains_hash(g, m->hash[i])) fail_msg("member %zu of %zu is missing", i, m->n);
    assert_sound(g);
}

/* ------------------------------------------------------------------------------------------------------ by one thread */

enum { BATCH = 5000 }; /* in one batch: more than are grouped at a time */

static void insert_some(guira_shared *g, struct model *m, size_t n, struct rng *r) {
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

static void remove_some(guira_shared *g, struct model *m, size_t n, struct rng *r) {
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

/* Batches of any length give the same answers as single lookups. */
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

static void test_lookups_find_every_member_while_it_grows_and_shrinks(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned shards[] = {1, 2, 16, 256};
    for (size_t k = 0; k < WIDTHS * 4; k++) {
        guira_shared *g = make(widths[k % WIDTHS], shards[k / WIDTHS], &r);
        struct model m = {0};
        for (unsigned wave = 0; wave < 4; wave++) {
            insert_some(g, &m, 1 + rng_below(&r, quick_run() ? 6000 : 60000), &r);
            assert_has(g, &m);
            assert_batches(g, &m, &r);
            if (wave == 1) assert_int_equal(guira_shared_reserve(g, 2 * m.n), GUIRA_OK);
            remove_some(g, &m, m.n - rng_below(&r, m.n / 4 + 1), &r);
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
    guira_shared *g = make(32, 0, &r); /* "ana" and "" are taken for each other once in 10^10 runs */
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

/* A key whose hash ends as the number does. */
static uint64_t key_that_ends(const guira_shared *g, uint64_t end, struct rng *r) {
    uint64_t key = rng_next(r);
    while ((guira_shared_hash(g, &key, sizeof key) & 31) != end) key = rng_next(r);
    return key;
}

/* guira_shared_count_hash and guira_shared_insert_unique_hash, compared with an exact count of each of a few hashes. The
 * last five bits are part of every slot, so that none of these is taken for another. */
static void test_hashed_keys_are_unique_and_counted(void **state) {
    (void)state;
    enum { HASHES = 32 };
    struct rng r = rng_for(__func__);
    const unsigned shards[] = {1, 4, 256};
    for (size_t k = 0; k < WIDTHS * 3; k++) {
        guira_shared *g = make(widths[k % WIDTHS], shards[k / WIDTHS], &r);
        uint64_t key[HASHES], hash[HASHES], copies[HASHES] = {0}, total = 0;
        for (size_t i = 0; i < HASHES; i++) {
            key[i] = key_that_ends(g, i, &r);
            hash[i] = guira_shared_hash(g, &key[i], sizeof key[i]);
        }
        for (unsigned step = 0; step < 2000; step++) {
            size_t i = rng_below(&r, HASHES);
            uint64_t counted = guira_shared_count_hash(g, hash[i]), what = rng_below(&r, 4);
            uint64_t buckets = shared_stats(g).buckets;
            bool present = guira_shared_contains_hash(g, hash[i]);
            assert_true(counted >= copies[i] && present == (counted > 0));
            assert_int_equal(guira_shared_count(g, &key[i], sizeof key[i]), counted);
            if (what == 0) {
                guira_status s = guira_shared_insert_unique_hash(g, hash[i]);
                assert_int_equal(s, present ? GUIRA_EEXIST : GUIRA_OK);
                if (present) continue;
            } else if (what == 1 && copies[i] < 4) {
                assert_int_equal(guira_shared_insert_hash(g, hash[i]), GUIRA_OK);
            } else if (copies[i] > 0) {
                assert_int_equal(guira_shared_remove_hash(g, hash[i]), GUIRA_OK);
                if (shared_stats(g).buckets == buckets)
                    assert_int_equal(guira_shared_count_hash(g, hash[i]), counted - 1);
                copies[i]--;
                total--;
                continue;
            } else continue;
            copies[i]++;
            total++;
            /* Growing and shrinking can make false positives. */
            if (shared_stats(g).buckets == buckets) assert_int_equal(guira_shared_count_hash(g, hash[i]), counted + 1);
        }
        assert_int_equal(shared_stats(g).items, total);
        assert_sound(g);
        guira_shared_destroy(g);
    }
    assert_int_equal(guira_shared_count_hash(NULL, 1), 0);
}

/* Clearing and shrinking give parts of the stable regions back, which must be empty when the filter grows again: also where
 * the bytes of a small table are no multiple of a machine word. */
static void test_what_was_cleared_or_removed_does_not_come_back(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    for (unsigned w = 12; w <= 32; w++) {
        guira_shared *g;
        struct model m = {0};
        if (guira_shared_create(&(guira_config){.slot_bits = w}, 2, &g) != GUIRA_OK) continue; /* no such width */
        for (unsigned round = 0; round < 40; round++) {
            for (uint64_t n = rng_below(&r, 200); n > 0; n--) {
                model_add(&m, rng_next(&r));
                assert_int_equal(guira_shared_insert_hash(g, m.hash[m.n - 1]), GUIRA_OK);
            }
            assert_int_equal(guira_shared_validate(g, NULL), GUIRA_OK);
            if (round % 2 == 0) assert_int_equal(guira_shared_clear(g), GUIRA_OK);
            while (m.n > 0) {
                uint64_t hash = model_take(&m, rng_below(&r, m.n));
                if (round % 2 == 1) assert_int_equal(guira_shared_remove_hash(g, hash), GUIRA_OK);
            }
            guira_stats s = GUIRA_STATS_INIT;
            assert_true(guira_shared_validate(g, NULL) == GUIRA_OK && guira_shared_stats_get(g, &s) == GUIRA_OK);
            assert_int_equal(s.items, 0);
        }
        guira_shared_destroy(g);
        model_free(&m);
    }
}

/* A shared filter made with the configuration of another can be merged with it, and the other way round. */
static void test_the_configuration_makes_a_filter_that_can_be_merged(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned shards[] = {1, 4, 64};
    for (size_t k = 0; k < WIDTHS * 3; k++) {
        guira_config c = {.slot_bits = widths[k % WIDTHS], .capacity = 10000, .max_kicks = 77, .max_load = 0.9};
        guira_config got = {.size = sizeof got}, again = {.size = sizeof again};
        guira_shared *g, *other;
        struct model m = {0};
        for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)rng_next(&r);
        assert_int_equal(guira_shared_create(&c, shards[k / WIDTHS], &g), GUIRA_OK);
        assert_int_equal(guira_shared_config_get(g, &got), GUIRA_OK);
        assert_true(got.size == sizeof got && got.kind == GUIRA_TIDAL && got.slot_bits == c.slot_bits);
        assert_true(got.max_kicks == 77 && got.max_load == 0.9 && got.min_load > 0.8 && got.min_load < 0.9);
        uint64_t room = got.capacity * shards[k / WIDTHS]; /* that of a shard, with some to spare */
        assert_true(room >= c.capacity && room < 4 * c.capacity);
        assert_memory_equal(got.seed, c.seed, sizeof c.seed);
        assert_int_equal(guira_shared_create(&got, shards[k / WIDTHS], &other), GUIRA_OK);
        insert_some(other, &m, 500, &r);
        assert_int_equal(guira_shared_merge(g, other), GUIRA_OK);
        assert_has(g, &m);
        assert_int_equal(guira_shared_config_get(g, &again), GUIRA_OK);
        assert_memory_equal(&got, &again, sizeof got);
        guira_shared_destroy(other);
        guira_shared_destroy(g);
        model_free(&m);
    }
    guira_config c = {.size = sizeof c};
    assert_int_equal(guira_shared_config_get(NULL, &c), GUIRA_EINVAL);
}

static void test_bad_arguments_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_shared *g = make(16, 2, &r), *other = make(16, 4, &r), *out = g;
    guira_config fixed = {.kind = GUIRA_CUCKOO, .capacity = 10}, wrong = {.slot_bits = 27};
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
    assert_int_equal(guira_shared_config_get(g, NULL), GUIRA_EINVAL);
    assert_false(guira_shared_contains(NULL, "a", 1));
    assert_int_equal(guira_shared_contains_hash_many(NULL, NULL, 1, NULL), 0);
    assert_int_equal(guira_shared_insert_hash_many(g, NULL, 1, NULL), 0);
    uint64_t two[2];
    assert_int_equal(guira_shared_hash_many(g, "abcdefgh12345678", 8, 2, two), GUIRA_OK);
    assert_true(two[0] == guira_shared_hash(g, "abcdefgh", 8) && two[1] == guira_shared_hash(g, "12345678", 8));
    assert_int_equal(guira_shared_hash_many(NULL, "a", 1, 1, two), GUIRA_EINVAL);
    assert_int_equal(guira_shared_hash_many(g, NULL, 1, 1, two), GUIRA_EINVAL);
    guira_shared_destroy(NULL);
    guira_shared_destroy(g);
    guira_shared_destroy(other);
}

static void test_the_false_positive_rate_is_as_predicted(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_shared *g = make(16, 16, &r);
    struct model m = {0};
    insert_some(g, &m, 200000, &r);
    enum { LOOKUPS = 1 << 20 };
    double expected = shared_stats(g).fpr * LOOKUPS, hits = 0;
    for (size_t i = 0; i < LOOKUPS; i++) hits += guira_shared_contains_hash(g, rng_next(&r));
    print_message("  %.0f false positives of %d, %.0f predicted\n", hits, LOOKUPS, expected);
    assert_true((hits - expected) * (hits - expected) < 25 * expected);
    guira_shared_destroy(g);
    model_free(&m);
}

/* Resident memory of this process, in bytes. */
static double resident_bytes(void) {
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL) return 0;
    if (fscanf(statm, "%*s %ld", &pages) != 1) pages = 0;
    fclose(statm);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* A shard keeps its address ranges while readers may use them, but gives the memory back. */
static void test_memory_follows_the_number_of_items(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    size_t n = quick_run() ? 300000 : 3000000;
    guira_shared *g = make(16, 16, &r);
    uint64_t seed = rng_next(&r);
    double empty = resident_bytes();
    struct rng in = {seed}, out = {seed};
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_shared_insert_hash(g, rng_next(&in)), GUIRA_OK);
    double full = resident_bytes(), bytes = (double)shared_stats(g).bytes;
    for (size_t i = 0; i < n; i++) assert_int_equal(guira_shared_remove_hash(g, rng_next(&out)), GUIRA_OK);
    double after = resident_bytes();
    uint64_t left = shared_stats(g).bytes;
    print_message("  %.0f bytes, %lu left; the system: %.0f full, %.0f empty again\n", bytes, left, full - empty,
                  after - empty);
    assert_true(bytes < (double)n * 2.4 + 200e3);
    assert_true(left <
                400000); /* 25 KB for each shard: directories, the stash, the smallest segments, maps of elders */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* sanitizers hold memory of their own */
    assert_true(full - empty < bytes * 1.1 + 1e6);
    assert_true(after - empty < 1e6);
#endif
    guira_shared_destroy(g);
}

/* Everything that works on copies, with each allocation failing in turn. */
static void test_operations_that_run_out_of_memory_change_nothing(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    memory_hook();
    guira_shared *g = make(12, 4, &r), *more = NULL;
    struct model m = {0};
    insert_some(g, &m, 3000, &r);
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

static struct bytes saved(const guira_shared *g) {
    struct bytes b = {0};
    assert_int_equal(guira_shared_save_to(g, append, &b), GUIRA_OK);
    return b;
}

static void test_a_loaded_filter_equals_the_saved_one(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    const unsigned shards[] = {1, 4, 64};
    for (size_t k = 0; k < 3; k++) {
        guira_shared *g = make(12, shards[k], &r), *again = NULL;
        struct model m = {0};
        insert_some(g, &m, 5000, &r);
        char path[] = "shared-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0 && close(fd) == 0);
        assert_int_equal(guira_shared_save(g, path), GUIRA_OK);
        assert_int_equal(guira_shared_load(path, &again), GUIRA_OK);
        assert_has(again, &m);
        assert_int_equal(guira_shared_hash(again, "a", 1), guira_shared_hash(g, "a", 1));
        struct bytes a = saved(g), b = saved(again);
        assert_true(a.n == b.n && memcmp(a.at, b.at, a.n) == 0);
        remove_some(again, &m, m.n, &r);
        guira *single = NULL;
        assert_int_equal(guira_load(path, &single), GUIRA_EFORMAT);
        assert_int_equal(truncate(path, (off_t)a.n - 1), 0);
        guira_shared_destroy(again);
        assert_int_equal(guira_shared_load(path, &again), GUIRA_ECORRUPT);
        assert_null(again);
        assert_int_equal(guira_shared_load("no such file", &again), GUIRA_ENOENT);
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
static void test_corrupt_bytes_are_refused(void **state) {
    (void)state;
    struct rng r = rng_for(__func__);
    guira_shared *g = make(16, 2, &r), *other = make(16, 2, &r), *loaded = NULL;
    struct model m = {0};
    insert_some(g, &m, 20, &r);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups_find_every_member_while_it_grows_and_shrinks),
        cmocka_unit_test(test_keys_are_added_counted_and_removed),
        cmocka_unit_test(test_hashed_keys_are_unique_and_counted),
        cmocka_unit_test(test_what_was_cleared_or_removed_does_not_come_back),
        cmocka_unit_test(test_the_configuration_makes_a_filter_that_can_be_merged),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_the_false_positive_rate_is_as_predicted),
        cmocka_unit_test(test_memory_follows_the_number_of_items),
        cmocka_unit_test(test_operations_that_run_out_of_memory_change_nothing),
        cmocka_unit_test(test_a_loaded_filter_equals_the_saved_one),
        cmocka_unit_test(test_corrupt_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
