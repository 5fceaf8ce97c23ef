/* The hash ring of CCF as the paper draws it: points 1..M-1, v of them to a bucket; a hash belongs to the bucket of the
 * next point clockwise.
 *
 *     ---B2----B0--------B1--B2------B0---        an arc is as long as chance made it
 */
#ifndef GUIRA_LAB_RING_H
#define GUIRA_LAB_RING_H

#include <stdint.h>

#include "lab.h"

struct ring_point {
    uint64_t at;
    uint32_t bucket;
};

struct ring {
    struct ring_point *point; /* sorted */
    uint32_t points, room;
    uint32_t buckets;
    unsigned virtual_nodes;
    uint64_t size;  /* M */
    uint64_t steps; /* comparisons so far, of binary search */
};

struct ring ring_make(uint32_t buckets, unsigned virtual_nodes, struct dice *r);
void ring_free(struct ring *ring);

/* Adds a bucket; its number. successor (if not NULL, room for v) gets the bucket behind each new point. */
uint32_t ring_add(struct ring *ring, struct dice *r, uint32_t *successor);

uint32_t ring_find(struct ring *ring, uint64_t hash); /* the bucket of a hash in 1..M-1 */
uint64_t ring_hash(const struct ring *ring, uint64_t fingerprint, unsigned i);

#endif
