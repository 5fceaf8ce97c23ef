/* Limbo: memory that is in use no more, but that somebody may be looking at still.
 *
 * Filters of one thread have none: what they give up is freed at once. The shards of guira_shared have one each; when
 * it is full, it waits until every reader that was there has gone on, and frees everything in it. */
#ifndef GUIRA_LIMBO_H
#define GUIRA_LIMBO_H

#include <stddef.h>
#include <stdint.h>

enum { LIMBO_SIZE = 32, LIMBO_BYTES = 4 << 20 };

struct limbo {
    void (*wait)(void); /* until all that read now have finished */
    size_t bytes;       /* what is in it */
    unsigned n;
    struct {
        void *start;
        size_t size;
        void (*end)(void *start, size_t size);
    } item[LIMBO_SIZE];
};

/* Frees a block, closes a region, ends something of any kind, once nobody can be looking. limbo NULL: at once. NULL
 * instead of a block is fine. */
void guira__discard(struct limbo *limbo, void *block, size_t size);
void guira__discard_region(struct limbo *limbo, uint8_t *region, size_t size);
void guira__discard_by(struct limbo *limbo, void *start, size_t size, void (*end)(void *start, size_t size));

/* Waits and frees everything. */
void guira__limbo_empty(struct limbo *limbo);

#endif
