/* Retired memory: no longer in use, but concurrent readers may still be reading it.
 *
 * Each shard of a guira_shared has a list of it. When the list is full, it waits for a grace period, which is over when
 * every reader that was active at its start has finished, and frees everything in it. */
#ifndef GUIRA_SHARED_RETIRE_H
#define GUIRA_SHARED_RETIRE_H

#include <stddef.h>
#include <stdint.h>

enum { RETIRED_BLOCKS = 32, RETIRED_BYTES = 4 << 20 };

struct retired {
    void (*wait)(void); /* for a grace period */
    size_t bytes;       /* in the list */
    unsigned n;
    struct {
        void *start;
        size_t size;
        void (*end)(void *start, size_t size);
    } block[RETIRED_BLOCKS];
};

/* Calls end(start, size) after a grace period, some time later. */
void guira__retire(struct retired *r, void *start, size_t size, void (*end)(void *start, size_t size));

/* Waits for a grace period and frees everything in the list. */
void guira__retired_free(struct retired *r);

#endif
