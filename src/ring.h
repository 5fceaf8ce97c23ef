/* The consistent hash ring: which bucket a position belongs to.
 *
 *          1        M-1
 *          .---+----.          Each bucket has v points on the ring. A position belongs to the bucket of the first
 *       B2 +        + B0       point at or after it, clockwise; after the last point comes the first again.
 *          |   x -> |
 *          + B0     + B1       Adding a bucket takes v arcs away from those that had them, and nothing else changes:
 *          '----+---'          that is all there is to consistent hashing.
 *              B2
 *
 * The points are a sorted array, so a position is found in log2(m v) steps; a bucket comes or goes in one pass over it,
 * all its points at once. The memory belongs to the caller. */
#ifndef GUIRA_RING_H
#define GUIRA_RING_H

#include <stdbool.h>
#include <stdint.h>

struct ring {
    uint64_t *point; /* ascending, no two the same */
    uint32_t *owner; /* owner[i]: the bucket of point[i] */
    uint64_t n;
    uint64_t size; /* M: points and positions are 1..M-1 */
};

/* The first point at or after position. There must be one. */
static inline uint64_t ring_find(const struct ring *r, uint64_t position) {
    const uint64_t *from = r->point;
    for (uint64_t n = r->n; n > 1; n -= n / 2) from += from[n / 2 - 1] < position ? n / 2 : 0;
    uint64_t i = (uint64_t)(from - r->point) + (*from < position);
    return i == r->n ? 0 : i;
}

static inline uint32_t ring_owner(const struct ring *r, uint64_t position) { return r->owner[ring_find(r, position)]; }

static inline bool ring_has_point(const struct ring *r, uint64_t p) {
    return r->n > 0 && r->point[ring_find(r, p)] == p;
}

/* How far it is from a position clockwise to a point. */
static inline uint64_t ring_distance(const struct ring *r, uint64_t from, uint64_t to) {
    return to >= from ? to - from : to + (r->size - 1) - from;
}

/* Puts the n points, which must be new and in ascending order, on the ring for a bucket. There must be room. */
void guira__ring_add(struct ring *r, const uint64_t *point, uint64_t n, uint32_t owner);

/* Takes all points of a bucket away and writes them to `point`, ascending. */
void guira__ring_remove(struct ring *r, uint32_t owner, uint64_t *point);

void guira__ring_rename(struct ring *r, uint32_t from, uint32_t to);

/* Puts points that were written in any order, some perhaps twice, in order and makes them all different.
 * At most half of the ring may be taken. */
void guira__ring_sort(struct ring *r);

/* The first thing wrong with a ring of so many buckets with v points each, or NULL. */
const char *guira__ring_check(const struct ring *r, uint64_t buckets, unsigned v);

#endif
