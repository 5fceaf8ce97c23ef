/* Memory: everything the library allocates goes through here, and through the hook of guira_set_allocator.
 *
 * A block is aligned to 64 bytes, so that buckets never straddle a cache line. Callers remember sizes; freeing takes
 * the size back, which is how each filter can tell how many bytes it holds without asking anybody.
 */
#ifndef GUIRA_ALLOC_H
#define GUIRA_ALLOC_H

#include <stddef.h>
#include <stdint.h>

void *guira__alloc(size_t size);  /* not cleared; NULL: no memory */
void *guira__zalloc(size_t size); /* all zero */
void guira__free(void *p, size_t size);

/* What a block of this size really takes, the hook's bytes counted. */
size_t guira__alloc_cost(size_t size);

#endif
