/* The lines that uniq has seen: a filter of all lines so far, or a window of the recent ones.
 *
 *     seen_set_add([a b a c]) -> [no no yes no], and a, b, c are in the set
 *
 * Time in a window advances in steps of a thousandth of its length, so that lines of nearly the same time can be looked
 * up together. */
#ifndef GUIRA_CLI_SEEN_SET_H
#define GUIRA_CLI_SEEN_SET_H

#include <guira.h>
#include <guira_window.h>
#include <stdbool.h>

#include "filter_new.h"
#include "line_work.h"

struct seen_set {
    struct filter_spec spec;
    uint64_t window_ms;  /* length of the window in milliseconds; 0: a filter, which never forgets */
    uint64_t step;       /* granularity of its time, in milliseconds */
    uint64_t max_bytes;  /* 0: no limit */
    bool pass_when_full; /* continue without adding lines when there is no memory */
    bool full;           /* the last seen_set_add found no memory; a window can recover from it */
    guira *filter;       /* exactly one of filter and window is set */
    unsigned parts;      /* 0, or that many filters, see seen_set_divide */
    guira *part[MAX_PARTS];
    guira_window *window;
};

/* The default granularity of a window. A window in a file is by one step longer than requested: rounding times down to steps
 * must not let a line expire too early. */
static inline uint64_t window_step(uint64_t ms) { return ms < 1000 ? 1 : ms / 1000; }

/* Creates an empty set, or loads the state file of an earlier run. state NULL: no file. Takes the lock on the file.
 * Exits if the file cannot be read or written, is in use by another process, or was saved with a different window. */
void seen_set_open(struct seen_set *set, const char *state);

/* Divides an empty set without limit and window into n filters, so that threads can look up different lines at the same time.
 * It cannot be saved then, and seen_set_add is not for it. */
void seen_set_divide(struct seen_set *set, unsigned n);

/* For lines_config.look_up: adds the lines of a chunk that belong to the part, and sets seen[] for them. */
void seen_set_look_up(struct seen_set *set, unsigned part, struct chunk *c);

/* Saves to the state file and keeps the lock. */
void seen_set_save(const struct seen_set *set, const char *state);

void seen_set_close(struct seen_set *set);

/* The hash function; with several jobs it can be used by other threads. */
struct hasher seen_set_hasher(const struct seen_set *set, unsigned jobs);

/* Rounds a time in milliseconds down to a step of the window; the result is not before `last`. */
uint64_t seen_set_time(const struct seen_set *set, int64_t ms, uint64_t last);

/* The latest time that the window was used with; 0 without a window. */
uint64_t seen_set_last_time(const struct seen_set *set);

/* Advances the time of a window, which frees the memory of expired entries. */
void seen_set_tick(struct seen_set *set, uint64_t now);

/* Sets seen[i] if hash[i] was added before, in this call or an earlier one, and adds it otherwise. `now` is for
 * windows. Returns the number of hashes that were handled: less than n if there is no memory for the next one and
 * pass_when_full is false. */
size_t seen_set_add(struct seen_set *set, const uint64_t *hash, size_t n, uint64_t now, bool *seen);

/* Items, bytes, the false-positive rate and the other statistics of the library. */
guira_stats seen_set_stats(const struct seen_set *set);

#endif
