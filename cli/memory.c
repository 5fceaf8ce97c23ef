/* See memory.h. */
#include "memory.h"

#include "filter_file.h"
#include "report.h"
#include "units.h"

/* Of the window's time, and its length, in milliseconds. */
static uint64_t step(const struct memory *m) { return m->length < 1000 ? 1 : m->length / 1000; }
static uint64_t window_length(const struct memory *m) { return m->length + step(m); }

/* -------------------------------------------------------------------------------------------------- opening and saving */

static guira_window *window_new(const struct memory *m) {
    guira_window_config c = {.length = window_length(m), .fpr = m->wish.fpr, .capacity = m->wish.items};
    guira_window *w;
    guira_status s = guira_window_create(&c, &w);
    if (s == GUIRA_ELIMIT)
        trouble("--fpr, --items: no window can do that; the least rate is about 4e-6, with --items 3e-7");
    if (s != GUIRA_OK) trouble("no window: %s", guira_strerror(s));
    return w;
}

static void must_have_length(const struct memory *m, const char *state) {
    guira_window_config c;
    guira_window_config_get(m->window, &c);
    if (c.length != window_length(m))
        trouble("%s: was made with another --window; use that one, or another file", state);
}

static void load(struct memory *m, const char *state) {
    if (m->length == 0) {
        m->filter = filter_load(state);
        return;
    }
    m->window = window_load(state);
    must_have_length(m, state);
}

static void save(const struct memory *m, const char *state) {
    if (m->window != NULL) window_save(m->window, state);
    else filter_save(m->filter, state);
}

void memory_open(struct memory *m, const char *state) {
    bool old = state != NULL && file_exists(state);
    if (!old && m->length > 0) m->window = window_new(m);
    if (!old && m->length == 0) m->filter = filter_new(&m->wish);
    if (state == NULL) return;
    if (!old) save(m, state); /* now, not after hours of input: can it be written? */
    filter_lock(state, false);
    if (old) load(m, state);
}

void memory_save(const struct memory *m, const char *state) {
    save(m, state);
    filter_lock_again(state);
}

void memory_close(struct memory *m) {
    guira_destroy(m->filter);
    guira_window_destroy(m->window);
}

/* ---------------------------------------------------------------------------------------------------------- times, sizes */

uint64_t memory_time(const struct memory *m, int64_t ms, uint64_t last) {
    uint64_t now = ms < 0 ? 0 : (uint64_t)ms / step(m) * step(m);
    return now < last ? last : now;
}

uint64_t memory_last_time(const struct memory *m) { return guira_window_now(m->window); }

void memory_tick(struct memory *m, uint64_t now) { guira_window_tick(m->window, now); }

guira_stats memory_stats(const struct memory *m) {
    guira_stats s;
    if (m->window != NULL) guira_window_stats_get(m->window, &s);
    else guira_stats_get(m->filter, &s);
    return s;
}

/* ------------------------------------------------------------------------------------------------------------ questions */

void memory_hash(const struct memory *m, const struct key_options *k, const struct batch *b, uint64_t *hash) {
    if (m->window == NULL) {
        keys_hash(k, m->filter, b, hash);
        return;
    }
    for (size_t i = 0; i < b->n; i++) {
        struct piece key = key_of(k, b->line[i]);
        hash[i] = guira_window_hash(m->window, key.at, key.n);
    }
}

static bool has_limit_in_reach(const struct memory *m, uint64_t bytes) {
    return m->most > 0 && memory_stats(m).bytes + bytes >= m->most;
}

/* The first question brings the buckets of all into the cache. Its yes holds; its no has to be asked again, because the
 * same hash may have come in between. */
static size_t filter_seen(struct memory *m, const uint64_t *hash, size_t n, bool *seen) {
    bool near = has_limit_in_reach(m, (uint64_t)n * 64);
    guira_contains_hash_many(m->filter, hash, n, seen);
    for (size_t i = 0; i < n; i++) {
        if (seen[i]) continue;
        m->full = m->full || (near && has_limit_in_reach(m, 0));
        if (!m->full) {
            seen[i] = guira_contains_hash(m->filter, hash[i]);
            m->full = !seen[i] && guira_insert_hash(m->filter, hash[i]) != GUIRA_OK;
        }
        if (m->full && !m->pass_when_full) return i;
    }
    return n;
}

/* A full window is only asked. What has expired by then makes room, so the next lines may find it otherwise. */
static size_t window_seen(struct memory *m, const uint64_t *hash, size_t n, uint64_t now, bool *seen) {
    m->full = has_limit_in_reach(m, 0);
    if (m->full && !m->pass_when_full) return 0;
    if (!m->full) {
        m->full = guira_window_seen_hash_many(m->window, hash, n, now, seen) != GUIRA_OK;
        return n;
    }
    guira_window_tick(m->window, now);
    for (size_t i = 0; i < n; i++) guira_window_contains_hash(m->window, hash[i], now, &seen[i]);
    return n;
}

size_t memory_seen(struct memory *m, const uint64_t *hash, size_t n, uint64_t now, bool *seen) {
    return m->window != NULL ? window_seen(m, hash, n, now, seen) : filter_seen(m, hash, n, seen);
}
