/* A cuckoo filter that RedisBloom made, inside a filter of ours. It answers and takes deletions, and new items go into our
 * own part, until the old one is empty.
 *
 *     RedisBloom's filter     sub-filters of 8-bit fingerprints; 0: a free slot
 *         hash                MurmurHash64A of the item, seed 0
 *         fingerprint         hash % 255 + 1
 *         buckets             hash % buckets, and (hash ^ fingerprint * 0x5bd1e995) % buckets
 *
 * WHY NO MEMBER IS LOST. The filter cannot tell in which part an item is: each may have a false positive for it. Removing
 * from the wrong one would lose another item. So an item that matches the old part when it is added goes there too, as a
 * copy. It takes a slot, or a count in a table beside if both buckets are full. Such a copy matches no item that did not
 * match before. So the items that match the old part only become fewer, and no item of our own part is ever one of them:
 * an item that matches the old part is there, if it is anywhere.
 *
 * Within the old part, removal takes the sub-filter with the most buckets first. All numbers of buckets are powers of two:
 * two items that share a fingerprint and a bucket in a large sub-filter share them in the smaller ones as well, so that
 * each is found by the entry of the other. */
#ifndef GUIRA_MODULE_OLD_PART_H
#define GUIRA_MODULE_OLD_PART_H

#include <stddef.h>

#include "copies.h"
#include "guira.h"

enum { OLD_MAX_FILTERS = 255, OLD_HEADER = 38 };

struct old_part {
    uint64_t items; /* entries in slots and copies beside them */
    uint64_t bucket_size;
    struct copies copies;
    unsigned n;
    struct old_filter {
        uint64_t buckets;
        uint8_t *slots;
    } filter[];
};

/* The geometry that RedisBloom's files begin with. */
struct old_shape {
    uint64_t filters, buckets, bucket_size, max_iterations, expansion, deleted;
    uint64_t buckets_of[OLD_MAX_FILTERS];
};

/* The header of RedisBloom's CF.SCANDUMP. False: not valid. */
bool old_shape_parse(const uint8_t header[OLD_HEADER], struct old_shape *out);

/* Checks what does not depend on where the shape comes from. */
bool old_shape_valid(const struct old_shape *s);

/* How many bytes the slots of all filters take. */
uint64_t old_shape_bytes(const struct old_shape *s);

/* Without slots: filter[].slots are NULL, to be set to memory of memory_alloc. NULL: no memory. */
struct old_part *old_part_create(const struct old_shape *s);
/* With a copy of these slots, one filter after the other. NULL: no memory. */
struct old_part *old_part_of_slots(const struct old_shape *s, const uint8_t *slots);
/* Sets `items`, when all slots are there. */
void old_part_count_items(struct old_part *p);
void old_part_free(struct old_part *p); /* NULL is allowed */
struct old_part *old_part_clone(const struct old_part *p);

/* hash: murmur() of the item */
uint64_t old_part_count(const struct old_part *p, uint64_t hash);
static inline bool old_part_contains(const struct old_part *p, uint64_t hash) { return old_part_count(p, hash) > 0; }

/* Adds a copy of an item that the old part contains. False: no memory, nothing has changed. */
bool old_part_add(struct old_part *p, uint64_t hash);
/* False: it is not there. */
bool old_part_remove(struct old_part *p, uint64_t hash);

/* As bytes: [ bucket size | filters | buckets of each ... | slots of the table of copies ][ slots ... ][ table of copies ] */
uint64_t old_part_size(const struct old_part *p);
bool old_part_write(const struct old_part *p, guira_write_fn *write, void *to);
/* NULL: not valid, or no memory. */
struct old_part *old_part_parse(const uint8_t *bytes, uint64_t n);

#endif
