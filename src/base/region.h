/* Regions: address ranges for big arrays. Their memory is provided when it is first touched, all zero, and can be
 * returned to the system in parts while the addresses stay valid. */
#ifndef GUIRA_BASE_REGION_H
#define GUIRA_BASE_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Below this size blocks are better, except where addresses have to stay valid. */
#define REGION_WORTH ((size_t)2 << 20)

/* NULL: not available (an allocator hook is set, or another system than Linux); use blocks. */
uint8_t *guira__region_open(size_t size);
void guira__region_close(uint8_t *region, size_t size);

/* Returns the memory between from and to; it reads as zeros from now on. */
void guira__region_drop(uint8_t *region, size_t from, size_t to);

/* All of this will be in use: asks for huge pages from the first touch. A lookup in a big table costs two cache misses
 * either way, but with pages of 4 KiB up to two page walks as well. Only for memory that was not touched yet: gathering 2
 * MiB into a huge page takes the system 5 to 7 ms, during which every thread that touches a new page waits. */
void guira__region_expect(uint8_t *region, size_t from, size_t to);

/* ------------------------------------------------------------------------------------------------------ stable regions
 *
 *     level     0  1    2     ...        L          L+1
 *     region    .  [ ]  [   ]            [ ##### ]  [ ## ......... ]      opened when first used, closed all together
 *
 * Where the arrays of a table lie that threads read without a lock (src/shared/). The memory of a level is returned when
 * the table has moved on, but its addresses stay mapped. A reader that looks there too late reads zeros or other entries,
 * and the version counter tells it so (version.h). In freed memory it would fault. */

enum { STABLE_LEVELS = 48 };

struct stable_regions {
    uint8_t *region[STABLE_LEVELS];
    size_t bucket_bytes;
};

/* The region for the array of a level, all zero if it is not in use; NULL: not available. */
uint8_t *guira__stable_region(struct stable_regions *r, unsigned level);

/* Closes all of them. No thread may be reading any more. */
void guira__stable_regions_close(struct stable_regions *r);

#endif
