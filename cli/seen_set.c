/* See seen_set.h. Almost every function here has two cases: a filter, or a window of the library. */
#include "seen_set.h"

#include "file_save.h"
#include "filter_file.h"
#include "report.h"
#include "units.h"

/* ----------------------------------------------------------------------------------------------- opening and saving */

/* Creates an empty window, or exits with the option that is wrong. */
static guira_window *window_new(const struct seen_set *set) {
    guira_window_config c = {.length = set->window_ms + set->step, .fpr = set->spec.fpr, .capacity = set->spec.items};
    guira_window *w;
    guira_status s = guira_window_create(&c, &w);
    if (s == GUIRA_ELIMIT) trouble("--fpr: too low for a window; the lowest rate is about 5e-6");
    if (s != GUIRA_OK) trouble("--window: %s", guira_strerror(s));
    return w;
}

/* A state with another window length would drop too many or too few lines. One from a server ('guira pull') has exactly the
 * requested length, and goes on with its granularity of 1. */
static void require_same_window(struct seen_set *set, const char *state) {
    guira_window_config c = GUIRA_WINDOW_CONFIG_INIT;
    char text[UNIT_TEXT];
    guira_window_config_get(set->window, &c);
    if (c.length == set->window_ms) set->step = 1;
    else if (c.length != set->window_ms + set->step)
        trouble("%s: was created with a different --window (about %s); use the same value or another file", state,
                write_duration(c.length, text));
}

static void load(struct seen_set *set, const char *state) {
    if (set->window_ms == 0) {
        set->filter = filter_load(state);
        return;
    }
    set->window = window_load(state);
    require_same_window(set, state);
}

static struct saved_content content(const struct seen_set *set) {
    return (struct saved_content){.filter = set->filter, .window = set->window};
}

static void create(struct seen_set *set) {
    if (set->window_ms > 0) set->window = window_new(set);
    else set->filter = filter_new(&set->spec);
}

/* The file is created at once: so it fails now, not after hours of input, if it cannot be written. If another process
 * creates it in the same moment, that process has the lock. */
void seen_set_open(struct seen_set *set, const char *state) {
    set->step = window_step(set->window_ms);
    if (state != NULL) must_be_regular(state);
    if (state != NULL && file_exists(state)) {
        must_be_writable(state);
        file_lock(state, false);
        load(set, state);
        return;
    }
    create(set);
    if (state == NULL || file_create(state, content(set))) return;
    seen_set_close(set);
    file_lock(state, false);
    load(set, state);
}

void seen_set_save(const struct seen_set *set, const char *state) { file_replace(state, content(set)); }

void seen_set_close(struct seen_set *set) {
    guira_destroy(set->filter);
    for (unsigned i = 1; i < set->parts; i++) guira_destroy(set->part[i]);
    guira_window_destroy(set->window);
}

/* ---------------------------------------------------------------------------------------------------- time and size */

uint64_t seen_set_time(const struct seen_set *set, int64_t ms, uint64_t last) {
    uint64_t now = ms < 0 ? 0 : (uint64_t)ms / set->step * set->step;
    return now < last ? last : now;
}

uint64_t seen_set_last_time(const struct seen_set *set) { return guira_window_now(set->window); }

void seen_set_tick(struct seen_set *set, uint64_t now) { guira_window_tick(set->window, now); }

guira_stats seen_set_stats(const struct seen_set *set) {
    guira_stats s = GUIRA_STATS_INIT;
    if (set->window != NULL) guira_window_stats_get(set->window, &s);
    else guira_stats_get(set->filter, &s);
    for (unsigned i = 1; i < set->parts; i++) {
        guira_stats more = GUIRA_STATS_INIT;
        guira_stats_get(set->part[i], &more);
        s.items += more.items;
        s.bytes += more.bytes;
        if (more.fpr > s.fpr) s.fpr = more.fpr;
    }
    return s;
}

/* ---------------------------------------------------------------------------------------------------------- lookups */

struct hasher seen_set_hasher(const struct seen_set *set, unsigned jobs) {
    if (set->window != NULL) return jobs > 1 ? hasher_twin_of_window(set->window) : hasher_of_window(set->window);
    return jobs > 1 ? hasher_twin_of_filter(set->filter) : hasher_of_filter(set->filter);
}

/* Would `bytes` more exceed --max-memory? */
static bool is_near_limit(const struct seen_set *set, uint64_t bytes) {
    return set->max_bytes > 0 && seen_set_stats(set).bytes + bytes >= set->max_bytes;
}

/* The hashes that were inserted since a batch was looked up: a hash table in the first cache, at most half full. */
enum { NEW_SLOTS = 2 * BATCH };
struct new_hashes {
    uint64_t slot[NEW_SLOTS]; /* 0: free */
};

/* Where the hash is, or could be. */
static uint64_t *new_slot(struct new_hashes *t, uint64_t hash) {
    size_t i = hash % NEW_SLOTS;
    while (t->slot[i] != 0 && t->slot[i] != hash) i = (i + 1) % NEW_SLOTS;
    return &t->slot[i];
}

/* Inserts a hash that was not found, unless it was inserted since. False: there is no memory. */
static bool insert_new(guira *f, struct new_hashes *t, uint64_t hash, bool *seen) {
    uint64_t *slot = new_slot(t, hash);
    *seen = hash != 0 ? *slot == hash : guira_contains_hash(f, hash);
    if (*seen) return true;
    if (guira_insert_hash(f, hash) != GUIRA_OK) return false;
    *slot = hash;
    return true;
}

/* The batch lookup overlaps the cache misses of all hashes. Its positive results are final. A hash that it did not find may have
 * been inserted since. To look it up in the filter again took 8 % of the whole time, so a small table has these hashes. The memory
 * in use is checked before each insertion only if the batch could reach the limit, at 64 bytes per line. */
static size_t filter_seen(struct seen_set *set, const uint64_t *hash, size_t n, bool *seen) {
    struct new_hashes inserted = {{0}};
    bool near = is_near_limit(set, (uint64_t)n * 64);
    guira_contains_hash_many(set->filter, hash, n, seen);
    for (size_t i = 0; i < n; i++) {
        if (seen[i]) continue;
        set->full = set->full || (near && is_near_limit(set, 0));
        if (!set->full) set->full = !insert_new(set->filter, &inserted, hash[i], &seen[i]);
        if (set->full && !set->pass_when_full) return i;
    }
    return n;
}

/* A full window is only searched. Entries that expire make room, so each call checks again whether it is full. */
static size_t window_seen(struct seen_set *set, const uint64_t *hash, size_t n, uint64_t now, bool *seen) {
    set->full = is_near_limit(set, 0);
    if (set->full && !set->pass_when_full) return 0;
    if (!set->full) {
        set->full = guira_window_seen_hash_many(set->window, hash, n, now, seen) != GUIRA_OK;
        return n;
    }
    guira_window_tick(set->window, now);
    for (size_t i = 0; i < n; i++) guira_window_contains_hash(set->window, hash[i], now, &seen[i]);
    return n;
}

size_t seen_set_add(struct seen_set *set, const uint64_t *hash, size_t n, uint64_t now, bool *seen) {
    return set->window != NULL ? window_seen(set, hash, n, now, seen) : filter_seen(set, hash, n, seen);
}

/* ------------------------------------------------------------------------------------------------------------ parts */

/* Mixes all bits of the hash, so that every address of a filter occurs in every part. */
static unsigned part_of(uint64_t hash, unsigned parts) {
    uint64_t mixed = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)((mixed >> 32) * parts >> 32);
}

void seen_set_divide(struct seen_set *set, unsigned n) {
    guira_config config = {.size = sizeof config};
    guira_config_get(set->filter, &config);
    set->part[0] = set->filter;
    for (set->parts = 1; set->parts < n; set->parts++)
        if (guira_create(&config, &set->part[set->parts]) != GUIRA_OK) trouble("not enough memory for --jobs %u", n);
}

/* Returns how many hashes were handled: fewer than n if there is no memory for the next one. */
static size_t part_seen(guira *f, const uint64_t *hash, size_t n, bool *seen) {
    struct new_hashes inserted = {{0}};
    guira_contains_hash_many(f, hash, n, seen);
    for (size_t i = 0; i < n; i++)
        if (!seen[i] && !insert_new(f, &inserted, hash[i], &seen[i])) return i;
    return n;
}

/* Collects up to BATCH lines of the part, from line *i on. */
static size_t lines_of_part(const struct seen_set *set, unsigned part, const struct chunk *c, size_t *i,
                            size_t *index) {
    size_t n = 0;
    for (; *i < c->n && n < BATCH; ++*i) {
        index[n] = *i;
        n += part_of(c->hash[*i], set->parts) == part;
    }
    return n;
}

/* Other threads are at other parts of the same chunk only before or after this one, so `answered` needs no lock. */
void seen_set_look_up(struct seen_set *set, unsigned part, struct chunk *c) {
    size_t index[BATCH + 1];
    uint64_t hash[BATCH];
    bool seen[BATCH];
    for (size_t i = 0; i < c->n;) {
        size_t n = lines_of_part(set, part, c, &i, index);
        for (size_t k = 0; k < n; k++) hash[k] = c->hash[index[k]];
        size_t done = part_seen(set->part[part], hash, n, seen);
        for (size_t k = 0; k < done; k++) c->seen[index[k]] = seen[k];
        if (done < n && index[done] < c->answered) c->answered = index[done];
        if (done < n) return;
    }
}
