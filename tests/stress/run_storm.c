/* A shared filter with threads that survives kill -9 in its file. Threads change the filter while it is saved, so a file is
 * not one moment: each shard is. Yet of nearly every key one knows whether it must be in the file. Its thread counts its
 * changes: odd while one is under way. If that number is even when saving starts and still the same when it has ended (or
 * when the process was killed), no change came between, and the file has the key as often as the thread knew:
 *
 *     changes of a key    2          | save starts      save ends |        certain: as after change 2
 *                         2     3  4 |      5   6                 |        in doubt
 *                         2        3 |  4                         |        in doubt
 *
 * Which of two files it is, one key tells, of which a copy is inserted before each save. */
#include "lives.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, KEYS = 1500, MOST_COPIES = 3, MARK = THREADS * KEYS };

/* What is known of each key when a file is saved. */
struct edges {
    uint32_t count[THREADS * KEYS]; /* at its start */
    uint32_t start[THREADS * KEYS], end[THREADS * KEYS];
};

static struct kept {
    _Atomic uint32_t changes[THREADS * KEYS], count[THREADS * KEYS];
    struct edges file[2];
    _Atomic uint32_t good, tried; /* numbers of the last file that was saved and of the last that was tried; 0: none */
} * kept;

static struct {
    guira_config config;
    unsigned shards;
    guira_shared *g;
} run;

static const char *path(void) { return file_in("shared"); }
static uint64_t hash_of(uint64_t key) { return mix(key + UINT64_C(0x987654321)); }

/* -------------------------------------------------------------------------------------------------------------- threads */

struct thread {
    pthread_t id;
    unsigned number;
    struct rng rng;
};

static void change(uint64_t key, bool in) {
    kept->changes[key]++;
    guira_status s = in ? guira_shared_insert_hash(run.g, hash_of(key)) : guira_shared_remove_hash(run.g, hash_of(key));
    EXPECT(s == GUIRA_OK, "%s: %s", in ? "insert" : "remove", guira_strerror(s));
    kept->count[key] += in ? 1 : -1U;
    kept->changes[key]++;
    __atomic_fetch_add(&job.total->changes, 1, __ATOMIC_RELAXED);
}

static void *work(void *argument) {
    struct thread *t = argument;
    for (uint64_t i = 0;; i++) {
        uint64_t key = t->number * KEYS + rng_below(&t->rng, KEYS);
        uint32_t n = kept->count[key];
        EXPECT(n == 0 || guira_shared_contains_hash(run.g, hash_of(key)), "false negative: a thread's own key");
        bool up = i / KEYS % 2 == 0;
        if (n < MOST_COPIES && (n == 0 || up)) change(key, true);
        else if (!up) change(key, false);
    }
    return NULL;
}

/* --------------------------------------------------------------------------------------------------------------- saving */

static void note_start(struct edges *e) {
    for (unsigned i = 0; i < MARK; i++) {
        e->start[i] = kept->changes[i];
        e->count[i] = kept->count[i];
        if (e->start[i] != kept->changes[i]) e->start[i] = 1; /* odd: in doubt */
    }
}

static void note_end(struct edges *e) {
    for (unsigned i = 0; i < MARK; i++) e->end[i] = kept->changes[i];
}

static void save_it(void) {
    uint32_t number = kept->good + 1;
    struct edges *e = &kept->file[number % 2];
    EXPECT(guira_shared_insert_hash(run.g, hash_of(MARK)) == GUIRA_OK, "insert fails");
    note_start(e);
    kept->tried = number;
    guira_status s = guira_shared_save(run.g, path());
    EXPECT(s == GUIRA_OK, "saving: %s", guira_strerror(s));
    note_end(e);
    kept->good = number;
    counts.files++;
    counts_add();
}

/* ------------------------------------------------------------------------------------------------------------- checking */

/* Checks one key, and notes what it is from now on, in the file and outside. */
static uint64_t check_key(unsigned i, struct edges *e, bool ended) {
    uint64_t is = guira_shared_count_hash(run.g, hash_of(i));
    uint32_t end = ended ? e->end[i] : kept->changes[i];
    bool certain = e->start[i] % 2 == 0 && e->start[i] == end;
    EXPECT(!certain || is >= e->count[i], "%llu copies in the file instead of %u", (unsigned long long)is, e->count[i]);
    if (certain) is = e->count[i];
    kept->count[i] = e->count[i] = (uint32_t)is;
    kept->changes[i] = e->start[i] = e->end[i] = 0;
    return is;
}

/* With 32 bits a false positive, which would make a key in doubt a member, comes once in 10^8 lookups. */
static void check_file(void) {
    const char *reason = NULL;
    guira_stats stats = GUIRA_STATS_INIT;
    uint64_t number = guira_shared_count_hash(run.g, hash_of(MARK)), items = number;
    EXPECT(number == kept->good || number == kept->tried, "file %llu instead of %u or %u", (unsigned long long)number,
           kept->good, kept->tried);
    EXPECT(guira_shared_validate(run.g, &reason) == GUIRA_OK, "invalid: %s", reason);
    for (unsigned i = 0; i < MARK; i++) items += check_key(i, &kept->file[number % 2], number == kept->good);
    guira_shared_stats_get(run.g, &stats);
    EXPECT(stats.items == items, "%llu items in the file instead of %llu", (unsigned long long)stats.items,
           (unsigned long long)items);
    kept->good = kept->tried = (uint32_t)number;
    counts.lookups += MARK;
}

static void start_from_nothing(void) {
    EXPECT(guira_shared_create(&run.config, run.shards, &run.g) == GUIRA_OK, "create fails");
    memset(kept, 0, sizeof *kept);
}

static void life(struct rng *r) {
    static struct thread threads[THREADS];
    guira_status s = guira_shared_load(path(), &run.g);
    EXPECT(s == GUIRA_OK || (s == GUIRA_ENOENT && kept->good == 0), "after a kill the file is not loaded: %s",
           guira_strerror(s));
    if (s == GUIRA_OK) check_file();
    else start_from_nothing();
    counts_add();
    kill_in(rng_scaled(r, 8, 15));
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){.number = i, .rng = {rng_next(r)}};
        if (pthread_create(&threads[i].id, NULL, work, &threads[i]) != 0) abort();
    }
    __atomic_fetch_add(&job.total->threads, THREADS, __ATOMIC_RELAXED);
    for (;;) {
        usleep((useconds_t)rng_below(r, 1000));
        save_it();
    }
}

void run_storm(struct rng *r) {
    kept = kept_make(sizeof *kept);
    run.config = config_draw(GUIRA_TIDAL, r);
    run.config.fpr = 0;
    run.config.slot_bits = 32;
    describe(&run.config);
    run.shards = 1U << rng_below(r, 4);
    for (unsigned lives = 20; lives > 0; lives--) live(life, r, "shared");
    unlink(path());
}
