/* Exact placement: finds out whether a set of items fits into a table at all, by augmenting paths instead of random
 * kicks.
 *
 * Every item has k candidate buckets of b slots. An insertion searches, breadth first, for a path of moves that ends at
 * an empty slot. It fails only if no such path exists, that is, if no placement of these items exists. The load at the
 * first failure is the threshold of the literature, an upper bound for any filter that kicks at random. */
#ifndef GUIRA_LAB_EXACT_PLACEMENT_H
#define GUIRA_LAB_EXACT_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

struct placement {
    unsigned buckets, slots, candidates;
    uint32_t *in;     /* the item in each slot, or NONE */
    uint32_t *choice; /* the candidates of each item */
    uint32_t items, capacity;
    uint32_t *queue, *from_slot, *seen; /* state of the search, one element per bucket */
    uint32_t search;
};

struct placement placement_make(unsigned buckets, unsigned slots, unsigned candidates);
void placement_free(struct placement *p);

/* False: the item cannot be placed; nothing has changed. */
bool placement_insert(struct placement *p, const uint32_t *choice);

#endif
