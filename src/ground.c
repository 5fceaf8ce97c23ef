/* See ground.h. */
#include "ground.h"

#include "alloc.h"

/* Any address shifted by 63 is one of the tail's bits, and the bucket before it number 0. */
static const uint64_t nothing[8] __attribute__((aligned(64)));
const struct flat guira__nowhere = {{(uintptr_t)nothing, (uintptr_t)nothing}, {63, 63}, 0};

static size_t region_bytes(const struct ground *g, unsigned level) { return (size_t)1 << (level + g->log2_bucket); }

uint8_t *guira__ground_region(struct ground *g, unsigned level) {
    if (g->region[level] == NULL) g->region[level] = guira__region_open(region_bytes(g, level));
    return g->region[level];
}

void guira__ground_close(struct ground *g) {
    for (unsigned i = 0; i < GROUND_LEVELS; i++)
        if (g->region[i] != NULL) guira__region_close(g->region[i], region_bytes(g, i));
}
