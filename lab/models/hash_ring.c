/* The model of CCF's hash ring; the contracts are in hash_ring.h. */
#include "hash_ring.h"

#include <stdlib.h>
#include <string.h>

/* The index of the first point at or after hash; ring->points if there is none. */
static uint32_t lower_bound(struct ring *ring, uint64_t hash) {
    uint32_t low = 0, high = ring->points;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        ring->steps++;
        if (ring->point[middle].at < hash) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void add_point(struct ring *ring, uint64_t at, uint32_t bucket) {
    if (ring->points == ring->capacity) {
        ring->capacity = ring->capacity * 2 + 64;
        ring->point = realloc(ring->point, ring->capacity * sizeof *ring->point);
        if (ring->point == NULL) lab_fatal("no memory for a ring");
    }
    uint32_t index = lower_bound(ring, at);
    memmove(ring->point + index + 1, ring->point + index, (ring->points - index) * sizeof *ring->point);
    ring->point[index] = (struct ring_point){at, bucket};
    ring->points++;
}

uint32_t ring_add(struct ring *ring, struct lab_rng *r, uint32_t *successor) {
    uint64_t at[1024] = {0};
    for (unsigned i = 0; i < ring->virtual_nodes; i++) {
        at[i] = 1 + lab_rng_below(r, ring->size - 1);
        if (successor != NULL) successor[i] = ring_find(ring, at[i]); /* before any new point is added */
    }
    for (unsigned i = 0; i < ring->virtual_nodes; i++) add_point(ring, at[i], ring->buckets);
    return ring->buckets++;
}

static int by_position(const void *a, const void *b) {
    const struct ring_point *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

struct ring ring_make(uint32_t buckets, unsigned virtual_nodes, struct lab_rng *r) {
    struct ring ring = {.buckets = buckets, .virtual_nodes = virtual_nodes, .size = UINT64_C(50000000000)};
    ring.points = ring.capacity = buckets * virtual_nodes;
    ring.point = malloc(ring.capacity * sizeof *ring.point + 1);
    if (ring.point == NULL) lab_fatal("no memory for a ring");
    for (uint32_t i = 0; i < ring.points; i++)
        ring.point[i] = (struct ring_point){1 + lab_rng_below(r, ring.size - 1), i / virtual_nodes};
    qsort(ring.point, ring.points, sizeof *ring.point, by_position);
    return ring;
}

void ring_free(struct ring *ring) { free(ring->point); }

uint32_t ring_find(struct ring *ring, uint64_t hash) {
    uint32_t index = lower_bound(ring, hash);
    return ring->point[index == ring->points ? 0 : index].bucket;
}

uint64_t ring_hash(const struct ring *ring, uint64_t fingerprint, unsigned i) {
    return 1 + mix(fingerprint * 64 + i + 1) % (ring->size - 1);
}
