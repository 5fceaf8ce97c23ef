/* A model of CCF's hash ring (consistent hashing): positions 1..M-1, v points (virtual nodes) per bucket. A hash
 * belongs to the bucket of the next point clockwise.
 *
 *     ---B2----B0--------B1--B2------B0---        points are random, so arcs have different lengths
 */
#ifndef GUIRA_LAB_HASH_RING_H
#define GUIRA_LAB_HASH_RING_H

#include <stdint.h>

#include "lab.h"

struct ring_point {
    uint64_t at;
    uint32_t bucket;
};

struct ring {
    struct ring_point *point; /* sorted */
    uint32_t points, capacity;
    uint32_t buckets;
    unsigned virtual_nodes;
    uint64_t size;  /* M */
    uint64_t steps; /* comparisons made by all binary searches so far */
};

struct ring ring_make(uint32_t buckets, unsigned virtual_nodes, struct lab_rng *r);
void ring_free(struct ring *ring);

/* Adds a bucket and returns its number. successor, if not NULL, has v elements: the buckets that followed the new
 * points before they were added. */
uint32_t ring_add(struct ring *ring, struct lab_rng *r, uint32_t *successor);

uint32_t ring_find(struct ring *ring, uint64_t hash); /* the bucket of a hash in 1..M-1 */
uint64_t ring_hash(const struct ring *ring, uint64_t fingerprint, unsigned i);

#endif
