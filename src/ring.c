/* See ring.h. */
#include "ring.h"

#include <string.h>

#include "hash.h"

static void move(struct ring *r, uint64_t to, uint64_t from, uint64_t n) {
    memmove(r->point + to, r->point + from, n * sizeof *r->point);
    memmove(r->owner + to, r->owner + from, n * sizeof *r->owner);
}

static void put(struct ring *r, uint64_t i, uint64_t point, uint32_t owner) {
    r->point[i] = point;
    r->owner[i] = owner;
}

/* From the end: what lies above the last new point moves up by n, what lies above the one before it by n - 1, ... */
void guira__ring_add(struct ring *r, const uint64_t *point, uint64_t n, uint32_t owner) {
    uint64_t end = r->n;
    r->n += n;
    for (uint64_t left = n; left > 0; left--) {
        struct ring below = {r->point, r->owner, end, r->size};
        uint64_t p = point[left - 1], at = 0;
        if (end > 0 && r->point[end - 1] < p) at = end;
        else if (end > 0) at = ring_find(&below, p);
        move(r, at + left, at, end - at);
        put(r, at + left - 1, p, owner);
        end = at;
    }
}

void guira__ring_remove(struct ring *r, uint32_t owner, uint64_t *point) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        if (r->owner[i] == owner) *point++ = r->point[i];
        else put(r, kept++, r->point[i], r->owner[i]);
    }
    r->n = kept;
}

void guira__ring_rename(struct ring *r, uint32_t from, uint32_t to) {
    for (uint64_t i = 0; i < r->n; i++)
        if (r->owner[i] == from) r->owner[i] = to;
}

/* ------------------------------------------------------------------------------------------------------------ sorting */

/* The largest of the heap's first n comes to the top, if it is right but for entry i. */
static void sift(struct ring *r, uint64_t i, uint64_t n) {
    uint64_t point = r->point[i];
    uint32_t owner = r->owner[i];
    for (uint64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && r->point[child + 1] > r->point[child]) child++;
        if (r->point[child] <= point) break;
        put(r, i, r->point[child], r->owner[child]);
    }
    put(r, i, point, owner);
}

/* Heapsort, because it needs no memory: the C library's qsort may want some, and not from our hook. */
static void sort(struct ring *r) {
    for (uint64_t i = r->n / 2; i-- > 0;) sift(r, i, r->n);
    for (uint64_t n = r->n; n-- > 1;) {
        uint64_t point = r->point[n];
        uint32_t owner = r->owner[n];
        put(r, n, r->point[0], r->owner[0]);
        put(r, 0, point, owner);
        sift(r, 0, n);
    }
}

/* Twins step forward to the next free place; those pushed over the end step back. */
void guira__ring_sort(struct ring *r) {
    sort(r);
    for (uint64_t i = 1; i < r->n; i++)
        if (r->point[i] <= r->point[i - 1]) r->point[i] = r->point[i - 1] + 1;
    for (uint64_t last = r->size - 1, i = r->n; i-- > 0 && r->point[i] > last; last--) r->point[i] = last;
}

/* ----------------------------------------------------------------------------------------------------------- checking */

/* That every bucket has v points is seen from a sum of hashes: counting would take memory, which there may be none of. */
const char *guira__ring_check(const struct ring *r, uint64_t buckets, unsigned v) {
    uint64_t sum = 0;
    if (r->n != buckets * v) return "ring: not v points per bucket";
    for (uint64_t i = 0; i < r->n; i++) {
        if (r->point[i] == 0 || r->point[i] >= r->size) return "ring: a point outside";
        if (i > 0 && r->point[i] <= r->point[i - 1]) return "ring: points not in order";
        if (r->owner[i] >= buckets) return "ring: a point of no bucket";
        sum += guira__hash_pair(r->owner[i], 0);
    }
    for (uint64_t i = 0; i < buckets; i++) sum -= v * guira__hash_pair(i, 0);
    return sum == 0 ? NULL : "ring: a bucket with more or fewer points than v";
}
