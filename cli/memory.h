/* What uniq remembers: a filter of every line so far, or a window of the latest ones.
 *
 *     memory_seen([a b a c]) -> [no no yes no], and a, b, c are remembered
 *
 * A window's time goes in steps of a thousandth of its length, so that lines of about the same time can be asked for at
 * once; one step is added to the length, so that rounding never makes it forget too early. */
#ifndef GUIRA_CLI_MEMORY_H
#define GUIRA_CLI_MEMORY_H

#include <guira.h>
#include <stdbool.h>

#include "filter_new.h"
#include "keys.h"

struct memory {
    struct wish wish;
    uint64_t length;     /* of the window, in milliseconds; 0: a filter, which never forgets */
    uint64_t most;       /* bytes; 0: no limit */
    bool pass_when_full; /* go on without remembering more */
    bool full;           /* a window may recover from it */
    guira *filter;
    guira_window *window; /* one of both */
};

/* A new memory, or what the state file has of an earlier run; NULL: no file. */
void memory_open(struct memory *m, const char *state);

void memory_save(const struct memory *m, const char *state);

void memory_close(struct memory *m);

/* The hashes of the lines' keys. */
void memory_hash(const struct memory *m, const struct key_options *k, const struct batch *b, uint64_t *hash);

/* The window's time for a moment in milliseconds: never before the last one. */
uint64_t memory_time(const struct memory *m, int64_t ms, uint64_t last);

/* The time that it was at last. 0 without a window. */
uint64_t memory_last_time(const struct memory *m);

/* It is now: a window gives back what has expired. */
void memory_tick(struct memory *m, uint64_t now);

/* Which of the hashes were seen before, here or earlier; the others are remembered. now: for windows. Returns how many
 * were done: fewer than n if there is no room for the next one, unless what there is no room for is to be passed on. */
size_t memory_seen(struct memory *m, const uint64_t *hash, size_t n, uint64_t now, bool *seen);

/* Bytes it holds, members, the rate at which it takes new lines for old ones, and the rest. */
guira_stats memory_stats(const struct memory *m);

#endif
