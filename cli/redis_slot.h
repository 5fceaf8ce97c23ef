/* Slots of a cluster, and the shards of a filter: which key an item belongs to.
 *
 *     slots   0 ............ 16383           the server's: CRC16 of the key, or of what is in its {}
 *     shards  |  0  |  1  |  2  |            ours: N of them share the slots evenly
 *     keys    seen{12}:3 ...                 12: the smallest number whose slot is in the shard's part
 *
 * Nothing here depends on the machine or on the servers there are, so everybody who says the same N finds the same keys. */
#ifndef GUIRA_CLI_REDIS_SLOT_H
#define GUIRA_CLI_REDIS_SLOT_H

#include <stddef.h>
#include <stdint.h>

enum { SLOTS = 16384, MOST_SHARDS = 1024 };

/* The slot of a key. */
unsigned slot_of(const char *key, size_t n);

/* What goes between the braces, for each of n shards. */
void shard_tags(unsigned n, unsigned *tag);

/* The hash that places items, and the one of n shards that it means. */
uint64_t shard_hash(const void *item, size_t n);
static inline unsigned shard_of(uint64_t hash, unsigned n) { return (unsigned)((hash >> 32) * n >> 32); }

#endif
