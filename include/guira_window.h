/* guira_window: "was this key seen in the last T?" Expired keys are removed automatically; memory follows the traffic.
 *
 *     guira_window_config c = {.length = 600};                     ten minutes, if the caller counts in seconds
 *     guira_window *w;
 *     bool seen;
 *     if (guira_window_create(&c, &w) != GUIRA_OK) return 1;
 *     guira_window_seen(w, "ana", 3, 1000, &seen);                 false, and is recorded as seen
 *     guira_window_seen(w, "ana", 3, 1600, &seen);                 true
 *     guira_window_seen(w, "ana", 3, 1640, &seen);                 false: that was more than ten minutes ago
 *
 * What holds, where T is the length: Let x be the time at which a key was reported as not seen (if the window slides: the
 * last time it was passed to guira_window_seen). Then:
 *   - until x + T, that included, it is seen;
 *   - from x + T * (1 + 1/16) on it is not seen, except for false positives, and unless it came again meanwhile. Its memory
 *     is freed by the calls that follow, about a sixteenth of T later.
 * The caller supplies the time: any unit, any start, but never backwards. A call with an earlier time than the one before
 * returns EINVAL and changes nothing. Choose a unit so that T is at least 100: if T is 1, every change of the time costs a
 * pass through the whole window.
 *
 * WHAT A CALL COSTS. It removes what has expired from at most 64 buckets, which is more than enough while calls keep coming.
 * After a pause of about 14/16 of T the next call goes through the whole window, about 0.2 s for ten million keys.
 * Calling guira_window_tick from time to time avoids that. After a pause of more than T (1 + 1/16) everything has expired,
 * and the window is emptied at once.
 *
 * Several threads may call guira_window_contains at once as long as none changes the window. */
#ifndef GUIRA_WINDOW_H
#define GUIRA_WINDOW_H

#include "guira.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct guira_window guira_window;

/* Zero in any field but length means the default. */
typedef struct {
    size_t size;       /* of this struct: see guira.h */
    uint64_t length;   /* T, in the caller's unit of time; required */
    double fpr;        /* false-positive rate to keep, in (0,1), at every size that `growth` allows; 0: 1e-5 */
    bool slides;       /* every time a key is seen starts T anew; false: only when it was reported as not seen */
    uint64_t capacity; /* number of keys expected in T * 17/16; 0: start at the smallest size */
    uint8_t seed[16];  /* all zero: drawn from the system */
    double
        growth; /* the most keys ever within T * 17/16, divided by `capacity`: see guira_config. 0: up to 10^10 keys */
} guira_window_config;

#define GUIRA_WINDOW_CONFIG_INIT \
    { .size = sizeof(guira_window_config) }

/* Makes an empty window at time 0. The bits of a slot follow from fpr and growth, as in a filter (docs/window.md has a
 * table), and 5 more are for the time: 25 in all for 10^-3, 32 for the default.
 * EINVAL: an argument is NULL, length is 0, fpr not in (0,1), or growth below 1. ELIMIT: an fpr that even the widest slots do
 * not keep (4.8e-6 without capacity and growth, 2.3e-7 with a growth of 1), or the capacity is beyond any machine. ENOMEM.
 * EIO: no random seed. On failure *out is NULL. */
GUIRA_API guira_status guira_window_create(const guira_window_config *c, guira_window **out);

/* Frees everything. w may be NULL. */
GUIRA_API void guira_window_destroy(guira_window *w);

/* Whether key was seen; it is recorded as seen. EINVAL: a time before the last one, or an argument is NULL: nothing has
 * changed. ENOMEM, EFULL: the key is new, but there is no room to remember it; *seen is false, the time is now, what has
 * expired may have been removed, and nothing else has changed. */
GUIRA_API guira_status guira_window_seen(guira_window *w, const void *key, size_t len, uint64_t now, bool *seen);

/* For callers that hash keys themselves: see guira_hash. */
GUIRA_API uint64_t guira_window_hash(const guira_window *w, const void *key, size_t len);
GUIRA_API guira_status guira_window_hash_many(const guira_window *w, const void *keys, size_t size, size_t n,
                                              uint64_t *out);
GUIRA_API guira_status guira_window_seen_hash(guira_window *w, uint64_t hash, uint64_t now, bool *seen);

/* Many hashes at one time: the same as one after the other, but faster beyond the cache. seen has n elements. Continues
 * after a failure, with seen false for that one, and returns the first. EINVAL: as above, nothing has changed. */
GUIRA_API guira_status guira_window_seen_hash_many(guira_window *w, const uint64_t *hash, size_t n, uint64_t now,
                                                   bool *seen);

/* The lookup alone: changes nothing, not even the time. EINVAL: as above. */
GUIRA_API guira_status guira_window_contains(const guira_window *w, const void *key, size_t len, uint64_t now,
                                             bool *seen);
GUIRA_API guira_status guira_window_contains_hash(const guira_window *w, uint64_t hash, uint64_t now, bool *seen);

/* Sets the time, removes everything that is due, and frees memory. For times without traffic. EINVAL: w is NULL, or a time
 * before the last one. */
GUIRA_API guira_status guira_window_tick(guira_window *w, uint64_t now);

/* The time of the last call. 0: w is NULL. A window that was loaded continues from there, so save a window only if the
 * times of the next process are later. */
GUIRA_API uint64_t guira_window_now(const guira_window *w);

/* As for filters. items are all entries: those that have expired and were not removed yet are counted (about one in
 * thirty), and an entry that was copied when its bucket was split, which takes growth by a factor of a million, is counted
 * twice. fpr counts all of them. */
GUIRA_API guira_status guira_window_stats_get(const guira_window *w, guira_stats *out);

/* How w was made, as guira_config_get; also for a window from a file. EINVAL: an argument is NULL, or out->size is
 * impossible. */
GUIRA_API guira_status guira_window_config_get(const guira_window *w, guira_window_config *out);
GUIRA_API guira_status guira_window_validate(const guira_window *w, const char **reason);

/* Removes all keys, keeps the time. ENOMEM. */
GUIRA_API guira_status guira_window_clear(guira_window *w);

/* A second window with the same bytes as w. ENOMEM. On failure *out is NULL. */
GUIRA_API guira_status guira_window_clone(const guira_window *w, guira_window **out);

/* As guira_save, guira_load and so on. guira_load returns EFORMAT for a window's file, and guira_window_load for that of a
 * filter. */
GUIRA_API guira_status guira_window_save(const guira_window *w, const char *path);
GUIRA_API guira_status guira_window_load(const char *path, guira_window **out);
GUIRA_API guira_status guira_window_save_fd(const guira_window *w, int fd);
GUIRA_API guira_status guira_window_load_fd(int fd, guira_window **out);
GUIRA_API guira_status guira_window_save_to(const guira_window *w, guira_write_fn *write, void *to);
GUIRA_API guira_status guira_window_load_from(const void *bytes, size_t n, guira_window **out);
GUIRA_API uint64_t guira_window_saved_size(const guira_window *w);

#ifdef __cplusplus
}
#endif

#endif
