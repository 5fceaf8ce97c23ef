/* A filter or a window that survives kill -9 in its file. A life loads the file, checks it, continues, saves it from time to
 * time, and is killed at a random moment: after some microseconds, or at or within one of the calls that save.
 *
 *     life 1   steps... save 1  steps...  save 2  steps.. KILL
 *     life 2                              load    steps.. steps...  save 3 .. KILL (in it)
 *     life 3                              load 2 or 3 ...
 *
 * Before it saves, a life notes what the file will be: digest, counts of every key, and the state of its random generator.
 * After a kill the file is the last one that was saved, or the one that was being saved, and nothing else. As a life
 * continues with the generator of the file, it repeats the steps after it, and each must give the same result as in the life
 * before: a loaded filter continues exactly as the saved one would have. */
#include "faults.h"
#include "lives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 2048, TRACE = 1 << 16 };

/* What there should be at one moment. */
struct moment {
    struct rng rng;
    uint64_t step, digest, now; /* now: of a window */
    uint64_t live;
    uint32_t count[KEYS];
    uint64_t at[KEYS]; /* of a window: when a key was recorded, plus 1 */
};

static struct kept {
    struct moment file[2];        /* what was saved, alternately */
    unsigned good, tried;         /* numbers of the last file that was saved and of the last that was tried; 0: none */
    uint64_t trace[TRACE], steps; /* the results of steps, and how many there are */
} * kept;

static struct {
    guira_config config;
    guira_window_config window_config;
    bool is_window;
    unsigned per_save; /* steps from one save to the next, on average */
    guira *f;
    guira_window *w;
    struct moment m; /* now */
} run;

static const char *path(void) { return file_in("filter"); }

/* --------------------------------------------------------------------------------------------------- filter or window */

static uint64_t digest_of_it(void) { return run.is_window ? window_digest(run.w) : digest(run.f); }

static guira_status save(void) { return run.is_window ? guira_window_save(run.w, path()) : guira_save(run.f, path()); }

static guira_status load(void) {
    return run.is_window ? guira_window_load(path(), &run.w) : guira_load(path(), &run.f);
}

static void create(void) {
    guira_status s =
        run.is_window ? guira_window_create(&run.window_config, &run.w) : guira_create(&run.config, &run.f);
    EXPECT(s == GUIRA_OK, "create: %s", guira_strerror(s));
}

static void destroy(void) {
    guira_destroy(run.f);
    guira_window_destroy(run.w);
    run.f = NULL;
    run.w = NULL;
}

static uint64_t hash_of(uint64_t key) { return mix(key + UINT64_C(0x123456789)); }

static void check_key(uint64_t key) {
    bool seen = true;
    if (run.is_window) {
        if (run.m.at[key] == 0 || run.m.now - (run.m.at[key] - 1) > run.window_config.length) return;
        guira_window_contains_hash(run.w, hash_of(key), run.m.now, &seen);
    } else {
        seen = guira_count_hash(run.f, hash_of(key)) >= run.m.count[key];
    }
    counts.lookups++;
    EXPECT(seen, "false negative after %llu steps", (unsigned long long)run.m.step);
}

static void check_all(void) {
    const char *reason = NULL;
    guira_status s = run.is_window ? guira_window_validate(run.w, &reason) : guira_validate(run.f, &reason);
    EXPECT(s == GUIRA_OK, "invalid: %s", reason);
    EXPECT(run.is_window || run.f->items == run.m.live, "%llu items instead of %llu", (unsigned long long)run.f->items,
           (unsigned long long)run.m.live);
    for (uint64_t key = 0; key < KEYS; key++) check_key(key);
}

/* ---------------------------------------------------------------------------------------------------------------- steps */

static uint64_t step_window(struct rng *r) {
    uint64_t key = rng_below(r, KEYS);
    bool seen = false;
    run.m.now += rng_below(r, 3);
    guira_status s = guira_window_seen_hash(run.w, hash_of(key), run.m.now, &seen);
    if (s == GUIRA_OK && (!seen || run.window_config.slides)) run.m.at[key] = run.m.now + 1;
    return (uint64_t)(2 * -(int)s + seen);
}

static uint64_t step_filter(struct rng *r) {
    uint64_t key = rng_below(r, KEYS);
    bool up = run.m.step / (KEYS / 2) % 3 < 2, in = chance(r, 4) ? !up : up;
    guira_status s = GUIRA_OK;
    if (chance(r, 500)) {
        s = chance(r, 2) ? guira_reserve(run.f, rng_below(r, KEYS)) : guira_shrink_to_fit(run.f);
    } else if (in) {
        s = guira_insert_hash(run.f, hash_of(key));
        EXPECT(s == GUIRA_OK || run.config.kind != GUIRA_TIDAL, "insert: %s", guira_strerror(s));
        run.m.count[key] += s == GUIRA_OK;
        run.m.live += s == GUIRA_OK;
    } else if (run.m.count[key] > 0) {
        s = guira_remove_hash(run.f, hash_of(key));
        EXPECT(s == GUIRA_OK, "removing a member: %s", guira_strerror(s));
        run.m.count[key]--;
        run.m.live--;
    }
    return (uint64_t) - (int)s + 16 * run.f->items;
}

/* The result must be that of the life before, as far as that came. */
static void one_step(void) {
    uint64_t result = run.is_window ? step_window(&run.m.rng) : step_filter(&run.m.rng);
    if (run.m.step % 64 == 0) result ^= mix(digest_of_it());
    if (run.m.step < kept->steps)
        EXPECT(kept->trace[run.m.step] == result, "step %llu differs from that before the kill",
               (unsigned long long)run.m.step);
    kept->trace[run.m.step++] = result;
    if (run.m.step > kept->steps) kept->steps = run.m.step;
    counts.changes++;
    check_key(rng_below(&run.m.rng, KEYS));
}

/* --------------------------------------------------------------------------------------------------------------- saving */

/* Which of the two files it is, by its digest. */
static unsigned file_number(uint64_t is) {
    unsigned n = kept->tried > kept->good && is == kept->file[kept->tried % 2].digest ? kept->tried : kept->good;
    EXPECT(n > 0 && is == kept->file[n % 2].digest, "the file is neither the old one nor the new one");
    return n;
}

static uint64_t digest_of_file(void) {
    guira *f = NULL;
    guira_window *w = NULL;
    guira_status s = run.is_window ? guira_window_load(path(), &w) : guira_load(path(), &f);
    if (s == GUIRA_ENOENT && kept->good == 0) return 0;
    EXPECT(s == GUIRA_OK, "after a failed save the file is not loaded: %s", guira_strerror(s));
    uint64_t is = run.is_window ? window_digest(w) : digest(f);
    guira_destroy(f);
    guira_window_destroy(w);
    return is;
}

/* Notes what the file will be, and saves. If that fails, the file may still be the new one: only its directory was not
 * flushed. */
static void save_it(void) {
    struct moment *m = &kept->file[(kept->good + 1) % 2];
    kept->tried = kept->good;
    run.m.digest = digest_of_it();
    *m = run.m;
    __atomic_store_n(&kept->tried, kept->good + 1, __ATOMIC_SEQ_CST);
    guira_status s = save();
    counts.files++;
    bool fault = fault_end() > 0;
    EXPECT(s == GUIRA_OK || fault, "saving: %s", guira_strerror(s));
    uint64_t is = s == GUIRA_OK ? m->digest : digest_of_file();
    if (is != 0) __atomic_store_n(&kept->good, file_number(is), __ATOMIC_SEQ_CST);
}

/* Every fourth save meets something: a fault, the end of the disk, or a kill. */
static void save_with_fault(struct rng *r) {
    if (chance(r, 4)) fault_disk(1 + rng_below(r, 9), (enum disk_fault)rng_below(r, DISK_FAULTS));
    else if (chance(r, 8)) kill_in(rng_below(r, 300));
    save_it();
}

/* The file that the life before has left. */
static void continue_from_file(void) {
    guira_status s = load();
    EXPECT(s == GUIRA_OK || (kept->good == 0 && s == GUIRA_ENOENT), "after a kill the file is not loaded: %s",
           guira_strerror(s));
    if (s != GUIRA_OK) {
        create();
        run.m = kept->file[0];
        return;
    }
    unsigned n = file_number(digest_of_it());
    kept->good = kept->tried = n;
    run.m = kept->file[n % 2];
    check_all();
}

static void life(struct rng *r) {
    continue_from_file();
    kill_in(rng_scaled(r, 4, 14)); /* up to 32 ms */
    while (run.m.step < TRACE) {
        one_step();
        if (chance(r, run.per_save)) save_with_fault(r);
        if (run.m.step % 256 == 0) counts_add();
    }
    destroy();
}

void run_lives(struct rng *r) {
    const guira_kind kinds[] = {GUIRA_TIDAL, GUIRA_TIDAL, GUIRA_CUCKOO, GUIRA_DYNAMIC, GUIRA_ELASTIC, GUIRA_CONSISTENT};
    kept = kept_make(sizeof *kept);
    run.is_window = chance(r, 4);
    if (run.is_window) {
        do run.window_config = window_config_draw(r);
        while (guira_window_create(&run.window_config, &run.w) != GUIRA_OK);
        guira_window_destroy(run.w);
    } else {
        run.config = config_draw(kinds[rng_below(r, sizeof kinds / sizeof *kinds)], r);
    }
    run.f = NULL;
    run.w = NULL;
    run.per_save = (unsigned)rng_scaled(r, 3, 9);
    kept->file[0].rng.state = rng_next(r);
    for (unsigned lives = 25; lives > 0 && live(life, r, "filter"); lives--) {
    }
    unlink(path());
}
