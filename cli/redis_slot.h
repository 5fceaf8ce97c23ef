/* Slots of a cluster and shards of a filter: which key an item belongs to.
 *
 *     slots   0 ............ 16383           defined by Redis: CRC16 of the key, or of the part in braces
 *     shards  |  0  |  1  |  2  |            ours: each of N shards covers an equal range of slots
 *     keys    seen{12}:3 ...                 12: the smallest number whose slot is in the range of the shard
 *
 * This depends neither on the machine nor on the servers of the cluster, so all processes that use the same N use the
 * same keys. */
#ifndef GUIRA_CLI_REDIS_SLOT_H
#define GUIRA_CLI_REDIS_SLOT_H

#include <stddef.h>
#include <stdint.h>

enum { SLOTS = 16384, MAX_SHARDS = SLOTS };

/* The slot of a key. */
unsigned slot_of(const char *key, size_t n);

/* Computes the number in braces for the keys of n shards. */
void shard_tags(unsigned n, unsigned *tag);

/* The hash of an item, and the shard (of n) that it belongs to. */
uint64_t shard_hash(const void *item, size_t n);
static inline unsigned shard_of(uint64_t hash, unsigned n) { return (unsigned)((hash >> 32) * n >> 32); }

#endif
