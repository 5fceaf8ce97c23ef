/* How many items fit at all: exact placement, with augmenting paths instead of luck.
 *
 * Every item has k candidate buckets of b slots. An insertion searches, breadth first, for a chain of moves that ends
 * at an empty slot; it fails only if there is none, that is if no filter could hold these items. This is what
 * thresholds are about, and what a filter that kicks at random can at best reach. */
#ifndef GUIRA_LAB_ORIENT_H
#define GUIRA_LAB_ORIENT_H

#include <stdbool.h>
#include <stdint.h>

struct orient {
    unsigned buckets, slots, candidates;
    uint32_t *in;     /* the item in each slot, or NOBODY */
    uint32_t *choice; /* the candidates of each item */
    uint32_t items, room;
    uint32_t *queue, *from_slot, *seen; /* of the search, one per bucket */
    uint32_t search;
};

struct orient orient_make(unsigned buckets, unsigned slots, unsigned candidates);
void orient_free(struct orient *o);

/* False: it cannot be placed; nothing has changed. */
bool orient_insert(struct orient *o, const uint32_t *choice);

#endif
