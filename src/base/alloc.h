/* Memory: everything the library allocates goes through here, and through the hook of guira_set_allocator.
 *
 * A block is aligned to 64 bytes, so that buckets never straddle a cache line. Callers add up what they hold: that is how
 * each filter knows its size. */
#ifndef GUIRA_ALLOC_H
#define GUIRA_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *guira__alloc(size_t size);  /* not cleared; NULL: no memory */
void *guira__zalloc(size_t size); /* all zero */
void guira__free(void *p);

/* What a block of this size takes, the hook's bytes included. */
size_t guira__alloc_cost(size_t size);

/* A segment: a block whose size is a power of two. With 64 bytes more, jemalloc and other allocators would add a quarter,
 * so a hook's memory is taken as it is, and may be aligned to 16 bytes only. */
void *guira__segment_alloc(size_t size, bool cleared);
void guira__segment_free(void *p); /* not NULL */
size_t guira__segment_cost(size_t size);

/* A small piece: the allocator's memory as it is, aligned to 16 bytes, not cleared. */
void *guira__small_alloc(size_t size);
void guira__small_free(void *p); /* not NULL */
/* What malloc takes for it: 8 bytes more, in steps of 16, at least 32. With a hook, what it is asked for. */
size_t guira__small_cost(size_t size);

/* Whether the machine has that much memory at all, and a size_t can hold the number. Linux grants more than it has, and later
 * kills the process. */
bool guira__memory_has(double bytes);

/* Whether guira_set_allocator has set a hook. */
bool guira__alloc_is_hooked(void);

#endif
