/* The functions that guira.wasm exports: libguira's, with structs as arrays of doubles (../js/flat.h), so that JavaScript
 * knows nothing of the layout of structs. Pointers are numbers there; a key is written to the buffer that `key_buffer`
 * names, a longer one to memory from `allocate`.
 *
 * Functions that make something return NULL if they fail, and `last_status` tells why. Questions return 0 or 1, everything
 * else a guira_status. */
#include <stdlib.h>

#include "../js/flat.h"

#define EXPORT(name) __attribute__((export_name(#name)))

enum { KEY_BYTES = 4096 };

static uint8_t key_bytes[KEY_BYTES];
static guira_status status;

EXPORT(key_buffer) uint8_t *key_buffer(void) { return key_bytes; }
EXPORT(key_buffer_bytes) size_t key_buffer_bytes(void) { return KEY_BYTES; }
EXPORT(allocate) void *allocate(size_t n) { return malloc(n > 0 ? n : 1); }
EXPORT(release) void release(void *p) { free(p); }
EXPORT(last_status) guira_status last_status(void) { return status; }
EXPORT(version) const char *version(void) { return guira_version(); }
EXPORT(status_text) const char *status_text(guira_status s) { return guira_strerror(s); }

/* Where saving writes. There is room for all, because the size is known before. */
struct place {
    uint8_t *at;
};

static bool put(void *to, const void *bytes, size_t n) {
    struct place *p = to;
    memcpy(p->at, bytes, n);
    p->at += n;
    return true;
}

/* --------------------------------------------------------------------------------------------------------------- filters */

EXPORT(filter_create) guira *filter_create(const double *config, const uint8_t *seed) {
    guira_config c;
    guira *f = NULL;
    status = flat_config_in(config, seed, &c);
    if (status == GUIRA_OK) status = guira_create(&c, &f);
    return f;
}

EXPORT(filter_load) guira *filter_load(const uint8_t *bytes, size_t n) {
    guira *f = NULL;
    status = guira_load_from(bytes, n, &f);
    return f;
}

EXPORT(filter_clone) guira *filter_clone(const guira *f) {
    guira *g = NULL;
    status = guira_clone(f, &g);
    return g;
}

EXPORT(filter_destroy) void filter_destroy(guira *f) { guira_destroy(f); }

EXPORT(filter_insert) guira_status filter_insert(guira *f, const uint8_t *key, size_t n) {
    return guira_insert(f, key, n);
}
EXPORT(filter_insert_unique) guira_status filter_insert_unique(guira *f, const uint8_t *key, size_t n) {
    return guira_insert_unique(f, key, n);
}
EXPORT(filter_contains) int filter_contains(const guira *f, const uint8_t *key, size_t n) {
    return guira_contains(f, key, n);
}
EXPORT(filter_remove) guira_status filter_remove(guira *f, const uint8_t *key, size_t n) {
    return guira_remove(f, key, n);
}
EXPORT(filter_count) double filter_count(const guira *f, const uint8_t *key, size_t n) {
    return (double)guira_count(f, key, n);
}
EXPORT(filter_hash) uint64_t filter_hash(const guira *f, const uint8_t *key, size_t n) { return guira_hash(f, key, n); }

EXPORT(filter_insert_hash) guira_status filter_insert_hash(guira *f, uint64_t h) { return guira_insert_hash(f, h); }
EXPORT(filter_insert_unique_hash) guira_status filter_insert_unique_hash(guira *f, uint64_t h) {
    return guira_insert_unique_hash(f, h);
}
EXPORT(filter_contains_hash) int filter_contains_hash(const guira *f, uint64_t h) { return guira_contains_hash(f, h); }
EXPORT(filter_remove_hash) guira_status filter_remove_hash(guira *f, uint64_t h) { return guira_remove_hash(f, h); }
EXPORT(filter_count_hash) double filter_count_hash(const guira *f, uint64_t h) {
    return (double)guira_count_hash(f, h);
}

EXPORT(filter_contains_many) size_t filter_contains_many(const guira *f, const uint64_t *h, size_t n, bool *out) {
    return guira_contains_hash_many(f, h, n, out);
}
EXPORT(filter_insert_many) size_t filter_insert_many(guira *f, const uint64_t *h, size_t n, guira_status *out) {
    return guira_insert_hash_many(f, h, n, out);
}
EXPORT(filter_remove_many) size_t filter_remove_many(guira *f, const uint64_t *h, size_t n, guira_status *out) {
    return guira_remove_hash_many(f, h, n, out);
}

EXPORT(filter_reserve) guira_status filter_reserve(guira *f, double items) {
    uint64_t n;
    return flat_u64(items, &n) ? guira_reserve(f, n) : GUIRA_EINVAL;
}
EXPORT(filter_shrink_to_fit) guira_status filter_shrink_to_fit(guira *f) { return guira_shrink_to_fit(f); }
EXPORT(filter_clear) guira_status filter_clear(guira *f) { return guira_clear(f); }
EXPORT(filter_merge) guira_status filter_merge(guira *into, const guira *from) { return guira_merge(into, from); }
EXPORT(filter_union) guira_status filter_union(guira *into, const guira *from) { return guira_union(into, from); }

EXPORT(filter_stats) guira_status filter_stats(const guira *f, double *out) {
    guira_stats s = GUIRA_STATS_INIT;
    guira_status result = guira_stats_get(f, &s);
    if (result == GUIRA_OK) flat_stats_out(&s, out);
    return result;
}

EXPORT(filter_config) guira_status filter_config(const guira *f, double *out, uint8_t *seed) {
    guira_config c = {.size = sizeof c};
    guira_status result = guira_config_get(f, &c);
    if (result == GUIRA_OK) flat_config_out(&c, out, seed);
    return result;
}

/* NULL: everything is as it should be. */
EXPORT(filter_validate) const char *filter_validate(const guira *f) {
    const char *reason = NULL;
    return guira_validate(f, &reason) == GUIRA_OK ? NULL : reason;
}

EXPORT(filter_saved_size) double filter_saved_size(const guira *f) { return (double)guira_saved_size(f); }
EXPORT(filter_save) guira_status filter_save(const guira *f, uint8_t *to) {
    return guira_save_to(f, put, &(struct place){to});
}

/* --------------------------------------------------------------------------------------------------------------- windows */

EXPORT(window_create) guira_window *window_create(const double *config, const uint8_t *seed) {
    guira_window_config c;
    guira_window *w = NULL;
    status = flat_window_in(config, seed, &c);
    if (status == GUIRA_OK) status = guira_window_create(&c, &w);
    return w;
}

EXPORT(window_load) guira_window *window_load(const uint8_t *bytes, size_t n) {
    guira_window *w = NULL;
    status = guira_window_load_from(bytes, n, &w);
    return w;
}

EXPORT(window_clone) guira_window *window_clone(const guira_window *w) {
    guira_window *v = NULL;
    status = guira_window_clone(w, &v);
    return v;
}

EXPORT(window_destroy) void window_destroy(guira_window *w) { guira_window_destroy(w); }

/* 0 or 1; below 0: a status. */
EXPORT(window_seen) int window_seen(guira_window *w, const uint8_t *key, size_t n, double now) {
    uint64_t time;
    bool seen = false;
    if (!flat_u64(now, &time)) return GUIRA_EINVAL;
    guira_status s = guira_window_seen(w, key, n, time, &seen);
    return s == GUIRA_OK ? seen : (int)s;
}

EXPORT(window_contains) int window_contains(const guira_window *w, const uint8_t *key, size_t n, double now) {
    uint64_t time;
    bool seen = false;
    if (!flat_u64(now, &time)) return GUIRA_EINVAL;
    guira_status s = guira_window_contains(w, key, n, time, &seen);
    return s == GUIRA_OK ? seen : (int)s;
}

EXPORT(window_hash) uint64_t window_hash(const guira_window *w, const uint8_t *key, size_t n) {
    return guira_window_hash(w, key, n);
}

EXPORT(window_seen_many)
guira_status window_seen_many(guira_window *w, const uint64_t *h, size_t n, double now, bool *seen) {
    uint64_t time;
    return flat_u64(now, &time) ? guira_window_seen_hash_many(w, h, n, time, seen) : GUIRA_EINVAL;
}

EXPORT(window_tick) guira_status window_tick(guira_window *w, double now) {
    uint64_t time;
    return flat_u64(now, &time) ? guira_window_tick(w, time) : GUIRA_EINVAL;
}
EXPORT(window_now) double window_now(const guira_window *w) { return (double)guira_window_now(w); }
EXPORT(window_clear) guira_status window_clear(guira_window *w) { return guira_window_clear(w); }

EXPORT(window_stats) guira_status window_stats(const guira_window *w, double *out) {
    guira_stats s = GUIRA_STATS_INIT;
    guira_status result = guira_window_stats_get(w, &s);
    if (result == GUIRA_OK) flat_stats_out(&s, out);
    return result;
}

EXPORT(window_config) guira_status window_config(const guira_window *w, double *out, uint8_t *seed) {
    guira_window_config c = GUIRA_WINDOW_CONFIG_INIT;
    guira_status result = guira_window_config_get(w, &c);
    if (result == GUIRA_OK) flat_window_out(&c, out, seed);
    return result;
}

EXPORT(window_validate) const char *window_validate(const guira_window *w) {
    const char *reason = NULL;
    return guira_window_validate(w, &reason) == GUIRA_OK ? NULL : reason;
}

EXPORT(window_saved_size) double window_saved_size(const guira_window *w) { return (double)guira_window_saved_size(w); }
EXPORT(window_save) guira_status window_save(const guira_window *w, uint8_t *to) {
    return guira_window_save_to(w, put, &(struct place){to});
}

/* -------------------------------------------------------------------------------------------------------------- planning */

/* out: GUIRA_PLAN_ROWS rows of FLAT_PLAN numbers, then the number of the smallest. */
EXPORT(plan) guira_status plan(double items, double fpr, double growth, double *out) {
    guira_plan_row rows[GUIRA_PLAN_ROWS] = {{.size = sizeof *rows}};
    uint64_t n;
    size_t smallest;
    if (!flat_u64(items, &n)) return GUIRA_EINVAL;
    guira_status result = guira_plan(n, fpr, growth, rows, &smallest);
    for (size_t i = 0; result == GUIRA_OK && i < GUIRA_PLAN_ROWS; i++) flat_plan_out(&rows[i], out + i * FLAT_PLAN);
    if (result == GUIRA_OK) out[GUIRA_PLAN_ROWS * FLAT_PLAN] = (double)smallest;
    return result;
}
