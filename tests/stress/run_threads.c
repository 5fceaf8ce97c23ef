/* A shared filter and real threads. Each key belongs to one thread, which knows exactly how often it is in. Keys
 * that belong to no thread are members all the time, and every thread looks them up. One thread more changes the filter as a whole. */
#include "faults.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 4, PERMANENT = 500, GUESTS = 2000 };

static struct {
    guira_shared *g;
    guira_config config;
    unsigned shards, threads;
    uint64_t salt, keys; /* of each thread */
    bool faulty;
    atomic_uint running;
    uint64_t guests; /* merged so far */
} all;

struct thread {
    pthread_t id;
    unsigned number; /* from 1 on */
    struct rng rng;
    uint64_t steps, changes, lookups, live;
    uint32_t *count;
};

/* Owner 0: the permanent members. */
static uint64_t hash_of(unsigned owner, uint64_t key) { return mix((key * 16 + owner) ^ all.salt); }

static void look_up_permanent(struct rng *r) {
    EXPECT(guira_shared_contains_hash(all.g, hash_of(0, rng_below(r, PERMANENT))),
           "false negative: a permanent member");
}

static void look_up_many(struct thread *t) {
    uint64_t hash[40], n = 1 + rng_below(&t->rng, 40);
    for (uint64_t i = 0; i < n; i++) hash[i] = hash_of(0, rng_below(&t->rng, PERMANENT));
    EXPECT(guira_shared_contains_hash_many(all.g, hash, n, (bool[40]){0}) == n, "false negative in a batch");
    t->lookups += n;
}

static void check_own(struct thread *t, uint64_t key) {
    uint64_t hash = hash_of(t->number, key);
    t->lookups++;
    if (t->count[key] == 0) return;
    EXPECT(guira_shared_contains_hash(all.g, hash), "false negative: a thread's own key");
    if (key % 8 == 0) EXPECT(guira_shared_count_hash(all.g, hash) >= t->count[key], "too few copies are counted");
}

static void change_own(struct thread *t, uint64_t key, bool in) {
    uint64_t hash = hash_of(t->number, key);
    guira_status s = in ? guira_shared_insert_hash(all.g, hash) : guira_shared_remove_hash(all.g, hash);
    t->changes++;
    EXPECT(s == GUIRA_OK || (in && all.faulty && s == GUIRA_ENOMEM), "%s: %s", in ? "insert" : "remove",
           guira_strerror(s));
    if (s != GUIRA_OK) return;
    t->count[key] += in ? 1 : -1U;
    t->live += in ? 1 : -UINT64_C(1);
}

/* The number of members goes up and down, with a period of four times the number of keys. */
static void *work(void *argument) {
    struct thread *t = argument;
    for (uint64_t i = 0; i < t->steps; i++) {
        uint64_t key = rng_below(&t->rng, t->number == 0 ? 1 : all.keys);
        bool up = i / (2 * all.keys) % 2 == 0, in = chance(&t->rng, 4) ? !up : up;
        if (in || t->count[key] > 0) change_own(t, key, in);
        check_own(t, key);
        look_up_permanent(&t->rng);
        t->lookups++;
        if (chance(&t->rng, 64)) look_up_many(t);
    }
    all.running--;
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------------ as a whole */

/* Members that no thread removes. */
static void merge_guests(struct rng *r, bool unite) {
    guira_shared *other;
    uint64_t n = rng_below(r, 100);
    if (all.guests + n > GUESTS || guira_shared_create(&all.config, all.shards, &other) != GUIRA_OK) return;
    guira_status s = GUIRA_OK;
    for (uint64_t i = 0; s == GUIRA_OK && i < n; i++) s = guira_shared_insert_hash(other, hash_of(15, all.guests + i));
    if (s == GUIRA_OK) s = (unite ? guira_shared_union : guira_shared_merge)(all.g, other);
    EXPECT(s == GUIRA_OK || (all.faulty && s == GUIRA_ENOMEM), "merge: %s", guira_strerror(s));
    if (s == GUIRA_OK) all.guests += n;
    guira_shared_destroy(other);
}

static void save_and_load(void) {
    char path[512];
    guira_shared *copy = NULL;
    snprintf(path, sizeof path, "%s", file_in("shared"));
    guira_status s = guira_shared_save(all.g, path);
    if (s == GUIRA_OK) s = guira_shared_load(path, &copy);
    EXPECT(s == GUIRA_OK || all.faulty, "save and load: %s", guira_strerror(s));
    for (uint64_t i = 0; s == GUIRA_OK && i < PERMANENT; i++)
        EXPECT(guira_shared_contains_hash(copy, hash_of(0, i)), "false negative in a file");
    guira_shared_destroy(copy);
    counts.files++;
    unlink(path);
}

/* Unions may take two keys for one, which then must not be removed: only at the end. */
static void change_all(struct rng *r) {
    const char *reason = NULL;
    guira_stats stats = GUIRA_STATS_INIT;
    guira_status s = GUIRA_OK;
    if (all.faulty && chance(r, 2)) fault_memory(1 + rng_below(r, 30), chance(r, 8));
    switch (rng_below(r, 8)) {
    case 0:
    case 1: s = guira_shared_reserve(all.g, rng_below(r, 2 * all.keys * all.threads)); break;
    case 2:
    case 3: s = guira_shared_shrink_to_fit(all.g); break;
    case 4:
    case 5: merge_guests(r, false); break;
    case 6: save_and_load(); break;
    default:
        EXPECT(guira_shared_validate(all.g, &reason) == GUIRA_OK, "invalid: %s", reason);
        guira_shared_stats_get(all.g, &stats);
    }
    EXPECT(s == GUIRA_OK || (all.faulty && s == GUIRA_ENOMEM), "reserve or shrink: %s", guira_strerror(s));
    usleep((useconds_t)rng_below(r, 1000));
    fault_end();
}

/* ------------------------------------------------------------------------------------------------------------- the run */

static void check_end(const struct thread *t) {
    uint64_t items = PERMANENT + all.guests;
    const char *reason = NULL;
    guira_stats stats = GUIRA_STATS_INIT;
    EXPECT(guira_shared_validate(all.g, &reason) == GUIRA_OK, "invalid: %s", reason);
    for (unsigned i = 0; i < all.threads; i++) {
        items += t[i].live;
        for (uint64_t key = 0; key < all.keys; key++)
            EXPECT(t[i].count[key] == 0 || guira_shared_count_hash(all.g, hash_of(i + 1, key)) >= t[i].count[key],
                   "false negative at the end");
    }
    for (uint64_t i = 0; i < all.guests; i++)
        EXPECT(guira_shared_contains_hash(all.g, hash_of(15, i)), "false negative: a merged member");
    EXPECT(guira_shared_stats_get(all.g, &stats) == GUIRA_OK && stats.items == items, "%llu items instead of %llu",
           (unsigned long long)stats.items, (unsigned long long)items);
}

/* What was there must not come back. */
static void clear_and_refill(struct rng *r) {
    const char *reason = NULL;
    guira_stats stats = GUIRA_STATS_INIT;
    uint64_t n = rng_below(r, 1000);
    EXPECT(guira_shared_clear(all.g) == GUIRA_OK, "clear fails");
    for (uint64_t i = 0; i < n; i++) EXPECT(guira_shared_insert_hash(all.g, rng_next(r)) == GUIRA_OK, "insert fails");
    EXPECT(guira_shared_validate(all.g, &reason) == GUIRA_OK, "invalid after clear: %s", reason);
    EXPECT(guira_shared_stats_get(all.g, &stats) == GUIRA_OK && stats.items == n, "%llu items instead of %llu",
           (unsigned long long)stats.items, (unsigned long long)n);
}

static void start(struct thread *t, struct rng *r, uint64_t steps) {
    t->rng.state = rng_next(r);
    t->steps = steps;
    t->count = calloc(all.keys, sizeof *t->count);
    all.running++;
    if (t->count == NULL || pthread_create(&t->id, NULL, work, t) != 0) abort();
}

static void finish(struct thread *t) {
    pthread_join(t->id, NULL);
    counts.changes += t->changes;
    counts.lookups += t->lookups;
    counts.threads++;
}

void run_threads(struct rng *r) {
    struct thread t[MOST_THREADS] = {0};
    if (chance(r, 3)) faults_hook();
    all.config = config_draw(GUIRA_TIDAL, r);
    all.shards = 1U << rng_below(r, 5);
    all.threads = (unsigned)(1 + rng_below(r, MOST_THREADS));
    all.keys = rng_scaled(r, 4, 13);
    all.salt = rng_next(r);
    all.faulty = chance(r, 2);
    EXPECT(guira_shared_create(&all.config, all.shards, &all.g) == GUIRA_OK, "guira_shared_create fails");
    for (uint64_t i = 0; i < PERMANENT; i++)
        EXPECT(guira_shared_insert_hash(all.g, hash_of(0, i)) == GUIRA_OK, "insert fails");
    uint64_t steps = rng_scaled(r, 10, 16);
    for (unsigned i = 0; i < all.threads; i++) {
        t[i].number = i + 1;
        start(&t[i], r, steps);
    }
    while (all.running > 0) change_all(r);
    for (unsigned i = 0; i < all.threads; i++) finish(&t[i]);
    check_end(t);
    all.faulty = false;
    uint64_t before = all.guests;
    merge_guests(r, true);
    for (uint64_t i = before; i < all.guests; i++)
        EXPECT(guira_shared_contains_hash(all.g, hash_of(15, i)), "false negative in a union");
    clear_and_refill(r);
    guira_shared_destroy(all.g);
    for (unsigned i = 0; i < all.threads; i++) free(t[i].count);
    EXPECT(faults_blocks() == 0, "%llu blocks were not released", (unsigned long long)faults_blocks());
}
