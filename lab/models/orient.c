/* See orient.h. */
#include "orient.h"

#include <stdlib.h>
#include <string.h>

#include "lab.h"

#define NOBODY UINT32_MAX

static void *make(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (p == NULL) lab_die("no memory for a model");
    return p;
}

struct orient orient_make(unsigned buckets, unsigned slots, unsigned candidates) {
    struct orient o = {.buckets = buckets, .slots = slots, .candidates = candidates, .room = buckets * slots};
    o.in = make(o.room, sizeof *o.in);
    memset(o.in, 0xff, o.room * sizeof *o.in);
    o.choice = make((size_t)o.room * candidates, sizeof *o.choice);
    o.queue = make(buckets, sizeof *o.queue);
    o.from_slot = make(buckets, sizeof *o.from_slot);
    o.seen = make(buckets, sizeof *o.seen);
    return o;
}

void orient_free(struct orient *o) {
    free(o->in);
    free(o->choice);
    free(o->queue);
    free(o->from_slot);
    free(o->seen);
}

static uint32_t *empty_in(const struct orient *o, uint32_t bucket) {
    for (uint32_t *slot = o->in + bucket * o->slots, *end = slot + o->slots; slot < end; slot++)
        if (*slot == NOBODY) return slot;
    return NULL;
}

/* Puts the candidates of an item that were not seen yet into the queue. from: its slot, or NOBODY for the new item. */
static uint32_t reach(struct orient *o, uint32_t item, uint32_t from, uint32_t end) {
    for (unsigned i = 0; i < o->candidates; i++) {
        uint32_t bucket = o->choice[item * o->candidates + i];
        if (o->seen[bucket] == o->search) continue;
        o->seen[bucket] = o->search;
        o->from_slot[bucket] = from;
        o->queue[end++] = bucket;
    }
    return end;
}

/* Moves everybody on the way one step along, the last one into the empty slot. */
static void shift(struct orient *o, uint32_t bucket, uint32_t *empty, uint32_t item) {
    while (o->from_slot[bucket] != NOBODY) {
        uint32_t from = o->from_slot[bucket];
        *empty = o->in[from];
        empty = o->in + from;
        bucket = from / o->slots;
    }
    *empty = item;
}

bool orient_insert(struct orient *o, const uint32_t *choice) {
    if (o->items == o->room) return false;
    uint32_t item = o->items;
    memcpy(o->choice + (size_t)item * o->candidates, choice, o->candidates * sizeof *choice);
    o->search++;
    uint32_t end = reach(o, item, NOBODY, 0);
    for (uint32_t at = 0; at < end; at++) {
        uint32_t bucket = o->queue[at], *empty = empty_in(o, bucket);
        if (empty != NULL) {
            shift(o, bucket, empty, item);
            o->items++;
            return true;
        }
        for (unsigned s = 0; s < o->slots; s++)
            end = reach(o, o->in[bucket * o->slots + s], bucket * o->slots + s, end);
    }
    return false;
}
