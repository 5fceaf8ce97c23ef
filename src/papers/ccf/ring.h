/* The consistent hash ring: which bucket a position belongs to.
 *
 *          1        M-1
 *          .---+----.          Each bucket has v points on the ring. A position belongs to the bucket of the first
 *       B2 +        + B0       point at or after it, clockwise; after the last point comes the first again.
 *          |   x -> |
 *          + B0     + B1       A new bucket takes v arcs away from other buckets, and nothing else changes: that is
 *          '----+---'          the idea of consistent hashing.
 *              B2
 *
 * The points are a sorted array, so a position is found in log2(m v) steps; a bucket is added or removed in one pass over
 * it, all its points at once. The memory belongs to the caller. It is the same as in a file, little-endian and perhaps
 * not aligned, so that a mapped file is used where it is. */
#ifndef GUIRA_PAPERS_RING_H
#define GUIRA_PAPERS_RING_H

#include <stdbool.h>

#include "base/bytes.h"

typedef uint64_t ring64 __attribute__((aligned(1), may_alias));
typedef uint32_t ring32 __attribute__((aligned(1), may_alias));

struct ring {
    ring64 *point; /* ascending, no two the same */
    ring32 *owner; /* owner[i]: the bucket of point[i] */
    uint64_t n;
    uint64_t size; /* M: points and positions are 1..M-1 */
};

/* The first point at or after position. There must be one. */
static inline uint64_t ring_find(const struct ring *r, uint64_t position) {
    const ring64 *from = r->point;
    for (uint64_t n = r->n; n > 1; n -= n / 2) from += le64(from[n / 2 - 1]) < position ? n / 2 : 0;
    uint64_t i = (uint64_t)(from - r->point) + (le64(*from) < position);
    return i == r->n ? 0 : i;
}

static inline uint32_t ring_owner(const struct ring *r, uint64_t position) {
    return le32(r->owner[ring_find(r, position)]);
}

static inline bool ring_has_point(const struct ring *r, uint64_t p) {
    return r->n > 0 && le64(r->point[ring_find(r, p)]) == p;
}

/* How far it is clockwise from a position to the next point. */
static inline uint64_t ring_distance(const struct ring *r, uint64_t position) {
    uint64_t to = le64(r->point[ring_find(r, position)]);
    return to >= position ? to - position : to + (r->size - 1) - position;
}

/* Adds n points, which must be new and in ascending order, for a bucket. There must be room. */
void guira__ring_add(struct ring *r, const ring64 *point, uint64_t n, uint32_t owner);

/* Removes all points of a bucket and writes them to `point`, ascending. */
void guira__ring_remove(struct ring *r, uint32_t owner, ring64 *point);

void guira__ring_rename(struct ring *r, uint32_t from, uint32_t to);

/* Sorts points that were written in any order, and makes them all different. At most half of the ring may be taken. */
void guira__ring_sort(struct ring *r);

/* The first invariant that is broken in a ring of so many buckets with v points each, or NULL. */
const char *guira__ring_check(const struct ring *r, uint64_t buckets, unsigned v);

#endif
