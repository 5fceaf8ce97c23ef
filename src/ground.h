/* Ground: addresses that last. Where the arrays of a shard of guira_shared lie, so that asking it needs no permission.
 *
 *     level     0  1    2     ...        L          L+1
 *     region    .  [ ]  [   ]            [ ##### ]  [ ## ......... ]      opened when first needed, closed with the shard
 *
 * Memory comes into a region when it is touched and is given back when the table has moved on, but the addresses stay.
 * Whoever looks there too late finds zeros, or somebody else's entries, and the count of moves tells him so (visible.h):
 * a wrong answer that nobody takes, where freed memory would be the end of him.
 *
 *     SIGHT   what readers of a shard see first                 [ moves, doubt | flat | filter ]
 *     FLAT    how to find a bucket at a level of the table      [ start | to_tail | tide ]
 *
 * Readers who cannot be sure of what they found there look again, in the filter itself, and for that they do need
 * permission. How to get it is for shared.c to say: who has no threads needs no liburcu. */
#ifndef GUIRA_GROUND_H
#define GUIRA_GROUND_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "guira.h"

enum { GROUND_LEVELS = 48, MAX_SHARDS = 256 };

/* Like struct tidal's fields of these names, for arrays that lie in one piece. One for each level, and everything in it
 * but the tide is the same for ever. */
struct flat {
    uintptr_t start[2];  /* of the arrays on the right and the left */
    uint64_t to_tail[2]; /* for each of them */
    uint64_t tide;
};

/* In a cache line of its own. */
struct sight {
    uint64_t moves __attribute__((aligned(64)));
    const struct flat *flat; /* &guira__nowhere: the arrays lie in segments, which nobody finds without permission */
    guira *filter;
};

struct ground {
    struct flat flat[GROUND_LEVELS];
    uint8_t *region[GROUND_LEVELS];
    uint8_t log2_bucket; /* bytes */
};

/* Where there is nothing, at any address. */
extern const struct flat guira__nowhere;

/* The region for the array of a level, all zero if it is not in use; NULL: there are none to be had, see alloc.h. */
uint8_t *guira__ground_region(struct ground *g, unsigned level);

/* Closes all regions. Nobody may be looking any more. */
void guira__ground_close(struct ground *g);

/* Which shard a hash belongs to: the bits right above the core choose it. A sight has 64 bytes, so these bits where they
 * are tell how far the shard's is from the first. choice: all of them that choose. */
enum { AFTER_CORE = 6 };
static_assert(sizeof(struct sight) == 1 << AFTER_CORE, "hashes choose sights by their distance");

struct sights {
    uint64_t choice;
    struct sight *first;
    /* The same question to the filter, with permission; its table did not have it, if this is still the count of moves. */
    bool (*look_again)(const struct sight *s, uint64_t hash, uint64_t before);
};

static inline uint64_t shard_choice(uint64_t shards) { return (shards - 1) << AFTER_CORE; }
static inline uint64_t shards_of(const struct sights *of) { return (of->choice >> AFTER_CORE) + 1; }
static inline uint64_t shard_number(const struct sights *of, uint64_t hash) {
    return (hash & of->choice) >> AFTER_CORE;
}
static inline const struct sight *sight_of(const struct sights *of, uint64_t hash) {
    return (const struct sight *)((const char *)of->first + (hash & of->choice));
}

#endif
