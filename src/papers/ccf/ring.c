/* See ring.h. */
#include "papers/ccf/ring.h"

#include <string.h>

#include "base/hash.h"

static void put(struct ring *r, uint64_t i, uint64_t point, uint32_t owner) {
    r->point[i] = le64(point);
    r->owner[i] = le32(owner);
}

static void copy(struct ring *r, uint64_t to, uint64_t from) {
    r->point[to] = r->point[from];
    r->owner[to] = r->owner[from];
}

/* How many of the first n points lie before p, which is none of them. */
static uint64_t points_before(const struct ring *r, uint64_t n, uint64_t p) {
    struct ring first = {r->point, r->owner, n, r->size};
    if (n == 0 || le64(r->point[n - 1]) < p) return n;
    return ring_find(&first, p);
}

static void move(struct ring *r, uint64_t to, uint64_t from, uint64_t n) {
    memmove(r->point + to, r->point + from, n * sizeof *r->point);
    memmove(r->owner + to, r->owner + from, n * sizeof *r->owner);
}

/* From the end on: points above the last new one move up by n, those above the one before it by n - 1, ... */
void guira__ring_add(struct ring *r, const ring64 *point, uint64_t n, uint32_t owner) {
    uint64_t end = r->n;
    r->n += n;
    for (uint64_t left = n; left > 0; left--) {
        uint64_t p = le64(point[left - 1]), at = points_before(r, end, p);
        move(r, at + left, at, end - at);
        put(r, at + left - 1, p, owner);
        end = at;
    }
}

void guira__ring_remove(struct ring *r, uint32_t owner, ring64 *point) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        if (le32(r->owner[i]) == owner) *point++ = r->point[i];
        else copy(r, kept++, i);
    }
    r->n = kept;
}

void guira__ring_rename(struct ring *r, uint32_t from, uint32_t to) {
    for (uint64_t i = 0; i < r->n; i++)
        if (le32(r->owner[i]) == from) r->owner[i] = le32(to);
}

/* ------------------------------------------------------------------------------------------------------------ sorting */

/* Restores the heap of the first n points, which is in order but for point i. */
static void sift(struct ring *r, uint64_t i, uint64_t n) {
    uint64_t point = le64(r->point[i]);
    uint32_t owner = le32(r->owner[i]);
    for (uint64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && le64(r->point[child + 1]) > le64(r->point[child])) child++;
        if (le64(r->point[child]) <= point) break;
        copy(r, i, child);
    }
    put(r, i, point, owner);
}

/* Heapsort needs no memory; the C library's qsort may allocate some, and not through our hook. Points that are equal move
 * forward to the next free place; those moved over the end move back. */
void guira__ring_sort(struct ring *r) {
    for (uint64_t i = r->n / 2; i-- > 0;) sift(r, i, r->n);
    for (uint64_t n = r->n; n-- > 1;) {
        uint64_t point = le64(r->point[n]);
        uint32_t owner = le32(r->owner[n]);
        copy(r, n, 0);
        put(r, 0, point, owner);
        sift(r, 0, n);
    }
    for (uint64_t i = 1; i < r->n; i++)
        if (le64(r->point[i]) <= le64(r->point[i - 1])) r->point[i] = le64(le64(r->point[i - 1]) + 1);
    for (uint64_t last = r->size - 1, i = r->n; i-- > 0 && le64(r->point[i]) > last; last--) r->point[i] = le64(last);
}

/* That every bucket has v points is seen from a sum of hashes: counting would take memory, which there may be none of. */
const char *guira__ring_check(const struct ring *r, uint64_t buckets, unsigned v) {
    uint64_t sum = 0;
    if (r->n != buckets * v) return "ring: not v points per bucket";
    for (uint64_t i = 0; i < r->n; i++) {
        uint64_t p = le64(r->point[i]);
        if (p == 0 || p >= r->size) return "ring: a point outside";
        if (i > 0 && p <= le64(r->point[i - 1])) return "ring: points not in order";
        if (le32(r->owner[i]) >= buckets) return "ring: a point of no bucket";
        sum += guira__hash_pair(le32(r->owner[i]), 0);
    }
    for (uint64_t i = 0; i < buckets; i++) sum -= v * guira__hash_pair(i, 0);
    return sum == 0 ? NULL : "ring: a bucket with more or fewer points than v";
}
