/* A window against the times at which its keys were reported as new. T is its length:
 *
 *     recorded at x          x + T              x + T * 17/16
 *     |----- must be seen ---|---- may be seen ---|---- is not seen, but for false positives */
#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct timed {
    guira_window *w;
    guira_window_config config;
    struct rng *r;
    uint64_t keys, salt, now;
    uint64_t *at; /* when each key was recorded, plus 1; 0: never */
    bool faulty, faults_are_on;
    uint64_t gone, hits; /* lookups of keys that must be gone; those that were seen */
};

static uint64_t hash_at(const struct timed *s, uint64_t key) { return mix(key ^ s->salt); }

static bool must_be_seen(const struct timed *s, uint64_t key) {
    return s->at[key] > 0 && s->now - (s->at[key] - 1) <= s->config.length;
}

static bool must_be_gone(const struct timed *s, uint64_t key) {
    uint64_t t = s->config.length;
    return s->at[key] == 0 || s->now - (s->at[key] - 1) >= t + (t + 15) / 16;
}

/* What the window answered for a key, and what that means for the model. */
static void judge(struct timed *s, uint64_t key, bool seen) {
    counts.lookups++;
    EXPECT(seen || !must_be_seen(s, key), "false negative: key %llu of time %llu at %llu", (unsigned long long)key,
           (unsigned long long)s->at[key] - 1, (unsigned long long)s->now);
    if (!must_be_gone(s, key)) return;
    s->gone++;
    s->hits += seen;
}

static void record(struct timed *s, uint64_t key, guira_status status, bool seen) {
    EXPECT(status == GUIRA_OK || (s->faults_are_on && status == GUIRA_ENOMEM && !seen), "window_seen: %s",
           guira_strerror(status));
    judge(s, key, seen);
    counts.changes++;
    counts.refusals += status != GUIRA_OK;
    if (status == GUIRA_OK && (!seen || s->config.slides)) s->at[key] = s->now + 1;
}

static void see_one(struct timed *s) {
    uint64_t key = rng_below(s->r, s->keys);
    bool seen = false;
    guira_status status = guira_window_seen_hash(s->w, hash_at(s, key), s->now, &seen);
    record(s, key, status, seen);
}

/* The keys of a batch follow each other, so that no two are equal. With faults one does not know which have failed. */
static void see_many(struct timed *s) {
    enum { MANY = 50 };
    uint64_t hash[MANY], n = 1 + rng_below(s->r, MANY < s->keys ? MANY : s->keys), first = rng_below(s->r, s->keys);
    bool seen[MANY];
    for (uint64_t i = 0; i < n; i++) hash[i] = hash_at(s, (first + i) % s->keys);
    guira_status status = guira_window_seen_hash_many(s->w, hash, n, s->now, seen);
    for (uint64_t i = 0; i < n; i++) record(s, (first + i) % s->keys, status, seen[i]);
}

static void look(struct timed *s, uint64_t key) {
    bool seen = false;
    EXPECT(guira_window_contains_hash(s->w, hash_at(s, key), s->now, &seen) == GUIRA_OK, "window_contains fails");
    judge(s, key, seen);
}

static void check_all(struct timed *s) {
    const char *reason = NULL;
    EXPECT(guira_window_validate(s->w, &reason) == GUIRA_OK, "invalid: %s", reason);
    for (uint64_t key = 0; key < s->keys; key++) look(s, key);
}

static void replace_by(struct timed *s, guira_status status, guira_window *w) {
    EXPECT(status == GUIRA_OK || s->faults_are_on, "a clone or a loaded window: %s", guira_strerror(status));
    EXPECT((status == GUIRA_OK) == (w != NULL), "a failure returns a window");
    if (w == NULL) return;
    EXPECT(window_digest(w) == window_digest(s->w), "a clone or a loaded window differs");
    guira_window_destroy(s->w);
    s->w = w;
}

static void in_file(struct timed *s) {
    char path[512];
    guira_window *w = NULL;
    snprintf(path, sizeof path, "%s", file_in("window"));
    guira_status status = guira_window_save(s->w, path);
    if (status == GUIRA_OK) status = guira_window_load(path, &w);
    unlink(path);
    counts.files++;
    replace_by(s, status, w);
}

static void clear(struct timed *s) {
    guira_status status = guira_window_clear(s->w);
    EXPECT(status == GUIRA_OK || (s->faults_are_on && status == GUIRA_ENOMEM), "clear: %s", guira_strerror(status));
    for (uint64_t i = 0; status == GUIRA_OK && i < s->keys; i++) s->at[i] = 0;
}

/* Times before the last one are refused. */
static void go_back(struct timed *s) {
    uint64_t last = guira_window_now(s->w), before = window_digest(s->w);
    if (last == 0) return;
    EXPECT(guira_window_tick(s->w, last - 1) == GUIRA_EINVAL, "a time before the last one is accepted");
    EXPECT(window_digest(s->w) == before, "a call that failed has changed the window");
}

static void whole(struct timed *s) {
    guira_window *w;
    guira_status status;
    switch (rng_below(s->r, 16)) {
    case 0: clear(s); break;
    case 1:
    case 2:
    case 3:
    case 4:
        status = guira_window_clone(s->w, &w);
        replace_by(s, status, w);
        break;
    case 5:
    case 6:
    case 7:
    case 8: in_file(s); break;
    case 9:
    case 10: EXPECT(guira_window_tick(s->w, s->now) == GUIRA_OK, "tick fails"); break;
    case 11: go_back(s); break;
    default: check_all(s);
    }
}

/* Mostly small steps, sometimes a pause in which much or everything expires. */
static void let_time_pass(struct timed *s, uint64_t pace) {
    if (chance(s->r, 4)) s->now += rng_below(s->r, pace + 1);
    if (chance(s->r, 5000)) s->now += rng_below(s->r, 2 * s->config.length + 1);
}

static void one_step(struct timed *s) {
    s->faults_are_on = s->faulty && chance(s->r, 16);
    if (s->faults_are_on) fault_memory(1 + rng_below(s->r, 4), chance(s->r, 2));
    if (rng_below(s->r, 200 + s->keys) == 0) whole(s);
    else if (!s->faults_are_on && chance(s->r, 50)) see_many(s);
    else see_one(s);
    fault_end();
    s->faults_are_on = false;
    look(s, rng_below(s->r, s->keys));
}

void run_window(struct rng *r) {
    struct timed s = {.r = r, .faulty = chance(r, 2), .keys = rng_scaled(r, 2, 15), .salt = rng_next(r)};
    if (chance(r, 2)) faults_hook();
    guira_status status;
    do {
        s.config = window_config_draw(r);
        status = guira_window_create(&s.config, &s.w);
        EXPECT(status == GUIRA_OK || status == GUIRA_ELIMIT, "window_create: %s", guira_strerror(status));
    } while (status != GUIRA_OK);
    s.at = calloc(s.keys, sizeof *s.at);
    if (s.at == NULL) abort();
    uint64_t pace = s.config.length / (1 + rng_below(r, s.keys)) + chance(r, 2);
    for (uint64_t steps = rng_scaled(r, 10, 18); steps > 0; steps--) {
        let_time_pass(&s, pace);
        one_step(&s);
    }
    check_all(&s);
    /* At most 5 % are false positives, but the same keys again and again. That half of 64 keys are: less than 10^-20. */
    EXPECT(s.keys < 64 || 2 * s.hits <= s.gone + 1000, "%llu of %llu lookups find keys that have expired",
           (unsigned long long)s.hits, (unsigned long long)s.gone);
    guira_window_destroy(s.w);
    free(s.at);
    EXPECT(faults_blocks() == 0, "%llu blocks were not released", (unsigned long long)faults_blocks());
}
