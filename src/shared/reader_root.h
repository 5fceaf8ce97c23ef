/* What a lock-free lookup reads first.
 *
 *     READER ROOT   one for each shard, in a cache line of its own      [ version and flags | flat table | filter ]
 *     FLAT TABLE    how to find a bucket at a level of the table        [ starts and shifts | split address ]
 *
 * The arrays of a shard lie in stable regions (base/region.h), so a lookup can read buckets at any time without telling
 * the writer. All other memory (directory, stash, elders) can be freed: a lookup that needs it enters a read-side critical
 * section of liburcu first, through `recheck`. */
#ifndef GUIRA_SHARED_READER_ROOT_H
#define GUIRA_SHARED_READER_ROOT_H

#include <assert.h>

#include "base/region.h"
#include "format/contents.h"
#include "tidal/tidal.h"

/* For arrays that lie in one piece: the start of the unsplit and of the split array, packed as in struct tidal (enum flat).
 * There is one for each level, and nothing in it changes any more but the split address. The split array may be there only
 * when that is no longer 0. */
struct flat_table {
    uint64_t packed[2];
    uint64_t split_address;
};

struct reader_root {
    uint64_t version __attribute__((aligned(64))); /* see base/version.h */
    const struct flat_table *flat; /* one without entries: the arrays lie in segments, see VERSION_NOT_FLAT */
    guira *filter;
};

/* Which shard a hash belongs to is chosen by the bits right above the core. A reader root has 64 bytes, so these bits,
 * where they are, give the distance of the shard's root from the first one. */
enum { AFTER_CORE = 6 };
static_assert(sizeof(struct reader_root) == 1 << AFTER_CORE, "the bits that choose a shard are a distance in bytes");

struct lockfree_ops;

struct reader_roots {
    uint64_t mask; /* of the bits that choose */
    struct reader_root *first;
    const struct lockfree_ops *lookups; /* see lookup.h */
    /* The same lookup in the filter, in a read-side critical section. before: the version at which the flat table did not
     * have the key. */
    bool (*recheck)(const struct reader_roots *roots, uint64_t hash, uint64_t before);
};

static inline uint64_t shard_mask(uint64_t shards) { return (shards - 1) << AFTER_CORE; }
static inline uint64_t shard_count(const struct reader_roots *r) { return (r->mask >> AFTER_CORE) + 1; }
static inline uint64_t shard_number(const struct reader_roots *r, uint64_t hash) {
    return (hash & r->mask) >> AFTER_CORE;
}
static inline const struct reader_root *root_of(const struct reader_roots *r, uint64_t hash) {
    return (const struct reader_root *)((const char *)r->first + (hash & r->mask));
}

#endif
