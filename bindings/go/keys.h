/* The functions that take a key, with `char` instead of `void`. cgo searches what a `void *` points to for pointers of Go, by
 * the allocator's tables: a removal took 91 ns, and takes 73 like this. What cannot have pointers is not searched. */
#ifndef GUIRA_GO_KEYS_H
#define GUIRA_GO_KEYS_H

#include <guira.h>
#include <guira_shared.h>
#include <guira_window.h>

static inline guira_status go_insert(guira *f, const char *key, size_t n) { return guira_insert(f, key, n); }
static inline guira_status go_insert_unique(guira *f, const char *key, size_t n) {
    return guira_insert_unique(f, key, n);
}
static inline bool go_contains(const guira *f, const char *key, size_t n) { return guira_contains(f, key, n); }
static inline guira_status go_remove(guira *f, const char *key, size_t n) { return guira_remove(f, key, n); }
static inline uint64_t go_count(const guira *f, const char *key, size_t n) { return guira_count(f, key, n); }
static inline uint64_t go_hash(const guira *f, const char *key, size_t n) { return guira_hash(f, key, n); }
static inline guira_status go_load_from(const char *bytes, size_t n, guira **out) {
    return guira_load_from(bytes, n, out);
}

static inline guira_status go_shared_insert(guira_shared *g, const char *key, size_t n) {
    return guira_shared_insert(g, key, n);
}
static inline guira_status go_shared_insert_unique(guira_shared *g, const char *key, size_t n) {
    return guira_shared_insert_unique(g, key, n);
}
static inline bool go_shared_contains(const guira_shared *g, const char *key, size_t n) {
    return guira_shared_contains(g, key, n);
}
static inline guira_status go_shared_remove(guira_shared *g, const char *key, size_t n) {
    return guira_shared_remove(g, key, n);
}
static inline uint64_t go_shared_count(const guira_shared *g, const char *key, size_t n) {
    return guira_shared_count(g, key, n);
}
static inline uint64_t go_shared_hash(const guira_shared *g, const char *key, size_t n) {
    return guira_shared_hash(g, key, n);
}

static inline guira_status go_window_seen(guira_window *w, const char *key, size_t n, uint64_t now, bool *seen) {
    return guira_window_seen(w, key, n, now, seen);
}
static inline guira_status go_window_contains(const guira_window *w, const char *key, size_t n, uint64_t now,
                                              bool *seen) {
    return guira_window_contains(w, key, n, now, seen);
}

#endif
