/* Memory: everything the library allocates goes through here, and through the hook of guira_set_allocator.
 *
 * A block is aligned to 64 bytes, so that buckets never straddle a cache line. Callers remember what they
 * hold, which is how each filter can tell its bytes without asking anybody.
 */
#ifndef GUIRA_ALLOC_H
#define GUIRA_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *guira__alloc(size_t size);  /* not cleared; NULL: no memory */
void *guira__zalloc(size_t size); /* all zero */
void guira__free(void *p);

/* What a block of this size really takes, the hook's bytes counted. */
size_t guira__alloc_cost(size_t size);

/* A segment: a block whose size is a power of two. A hook's memory is taken as it comes: with 64 bytes on top jemalloc,
 * like many others, would add a quarter. So it may be aligned to 16 bytes only. */
void *guira__segment_alloc(size_t size, bool cleared);
void guira__segment_free(void *p); /* not NULL */
size_t guira__segment_cost(size_t size);

/* Whether the machine has that much memory at all. Systems promise more than they have and end who believes it. */
bool guira__memory_has(double bytes);

/* A region: addresses for a big array whose memory comes when it is touched, all zero, and can be given back in parts.
 * Huge pages are for those made at full size: a lookup in a big table is two cache misses either way, but with pages of
 * 4 KiB it is up to two page walks as well. Below REGION_WORTH bytes blocks are better, but where addresses have to last.
 * NULL: there are none to be had (a hook is set, another system), use blocks. */
#define REGION_WORTH ((size_t)2 << 20)
uint8_t *guira__region_open(size_t size);
void guira__region_close(uint8_t *region, size_t size);
void guira__region_drop(uint8_t *region, size_t from,
                        size_t to); /* gives the memory back; reads as zeros from now on */

/* All of this will be in use: let it have huge pages from the first touch. For memory that has been touched already it
 * is too late: gathering 2 MiB into a huge page takes the system 5 to 7 ms, and whoever touches a new page waits. */
void guira__region_expect(uint8_t *region, size_t from, size_t to);

#endif
