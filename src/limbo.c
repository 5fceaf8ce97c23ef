/* See limbo.h. */
#include "limbo.h"

#include "alloc.h"

static void end_block(void *start, size_t size) {
    (void)size;
    guira__free(start);
}

static void end_region(void *start, size_t size) { guira__region_close(start, size); }

void guira__limbo_empty(struct limbo *limbo) {
    if (limbo->n > 0) limbo->wait();
    while (limbo->n > 0) {
        limbo->n--;
        limbo->item[limbo->n].end(limbo->item[limbo->n].start, limbo->item[limbo->n].size);
    }
    limbo->bytes = 0;
}

void guira__discard_by(struct limbo *limbo, void *start, size_t size, void (*end)(void *start, size_t size)) {
    if (start == NULL) return;
    if (limbo == NULL) {
        end(start, size);
        return;
    }
    if (limbo->n == LIMBO_SIZE || limbo->bytes > LIMBO_BYTES) guira__limbo_empty(limbo);
    limbo->item[limbo->n].start = start;
    limbo->item[limbo->n].size = size;
    limbo->item[limbo->n].end = end;
    limbo->n++;
    limbo->bytes += size;
}

void guira__discard(struct limbo *limbo, void *block, size_t size) { guira__discard_by(limbo, block, size, end_block); }

/* A region that is closed holds no memory any more, only addresses. */
void guira__discard_region(struct limbo *limbo, uint8_t *region, size_t size) {
    guira__discard_by(limbo, region, size, end_region);
}
