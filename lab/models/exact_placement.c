/* Exact placement by augmenting paths; the contracts are in exact_placement.h. */
#include "exact_placement.h"

#include <stdlib.h>
#include <string.h>

#include "lab.h"

#define NONE UINT32_MAX

static void *allocate(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (p == NULL) lab_fatal("no memory for a model");
    return p;
}

struct placement placement_make(unsigned buckets, unsigned slots, unsigned candidates) {
    struct placement p = {.buckets = buckets, .slots = slots, .candidates = candidates, .capacity = buckets * slots};
    p.in = allocate(p.capacity, sizeof *p.in);
    memset(p.in, 0xff, p.capacity * sizeof *p.in);
    p.choice = allocate((size_t)p.capacity * candidates, sizeof *p.choice);
    p.queue = allocate(buckets, sizeof *p.queue);
    p.from_slot = allocate(buckets, sizeof *p.from_slot);
    p.seen = allocate(buckets, sizeof *p.seen);
    return p;
}

void placement_free(struct placement *p) {
    free(p->in);
    free(p->choice);
    free(p->queue);
    free(p->from_slot);
    free(p->seen);
}

static uint32_t *empty_in(const struct placement *p, uint32_t bucket) {
    for (uint32_t *slot = p->in + bucket * p->slots, *end = slot + p->slots; slot < end; slot++)
        if (*slot == NONE) return slot;
    return NULL;
}

/* Appends those candidates of an item to the queue that were not visited yet; returns the new end of the queue. from:
 * the slot of the item, or NONE for the new item. */
static uint32_t enqueue_candidates(struct placement *p, uint32_t item, uint32_t from, uint32_t end) {
    for (unsigned i = 0; i < p->candidates; i++) {
        uint32_t bucket = p->choice[item * p->candidates + i];
        if (p->seen[bucket] == p->search) continue;
        p->seen[bucket] = p->search;
        p->from_slot[bucket] = from;
        p->queue[end++] = bucket;
    }
    return end;
}

/* Moves every item on the path to the next slot of the path, the last one into the empty slot. */
static void move_along_path(struct placement *p, uint32_t bucket, uint32_t *empty, uint32_t item) {
    while (p->from_slot[bucket] != NONE) {
        uint32_t from = p->from_slot[bucket];
        *empty = p->in[from];
        empty = p->in + from;
        bucket = from / p->slots;
    }
    *empty = item;
}

bool placement_insert(struct placement *p, const uint32_t *choice) {
    if (p->items == p->capacity) return false;
    uint32_t item = p->items;
    memcpy(p->choice + (size_t)item * p->candidates, choice, p->candidates * sizeof *choice);
    p->search++;
    uint32_t end = enqueue_candidates(p, item, NONE, 0);
    for (uint32_t at = 0; at < end; at++) {
        uint32_t bucket = p->queue[at], *empty = empty_in(p, bucket);
        if (empty != NULL) {
            move_along_path(p, bucket, empty, item);
            p->items++;
            return true;
        }
        for (unsigned s = 0; s < p->slots; s++)
            end = enqueue_candidates(p, p->in[bucket * p->slots + s], bucket * p->slots + s, end);
    }
    return false;
}
