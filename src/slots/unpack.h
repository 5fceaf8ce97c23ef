/* How to bring the eight slots of a narrow or wide bucket into eight 32-bit lanes with SIMD.
 *
 *     bucket, `bits` bytes   [ slots 0..3 .......... | slots 4..7 .......... ]
 *     two loads              [ first bytes ......]   [ ......... last bytes ]      never a byte beyond the bucket
 *     shuffle                each lane gets the four bytes that its slot begins in
 *     shift                  by 0 to 7 bits; then the bits above the slot are masked off
 *
 * With 16 bits and more a load has 16 bytes, so that the two make one 32-byte register; below it has 8, and the two make
 * one 16-byte register (below 8 bits: 4 and 8). Shuffle and shift are there twice, for two buckets in one register. */
#ifndef GUIRA_SLOTS_UNPACK_H
#define GUIRA_SLOTS_UNPACK_H

#include "slots/layout.h"

struct unpack {
    uint8_t shuffle[64];  /* for lanes 0..3 in the first 16 bytes, for lanes 4..7 in the next; 0x80: a zero byte */
    uint32_t shift[16];   /* to the right */
    uint32_t multiply[8]; /* by a power of two: a shift to the left, for instruction sets without variable shifts */
    /* For tidal filters: what brings down the number of a bucket from an address that was shifted until its tail ends
     * above the lowest bit, as the count of a vector shift; the tail of such an address; see tidal/slot.h. */
    uint64_t tail_end[2];
    uint64_t tail;
    uint32_t bits; /* of a slot, all 1 */
} __attribute__((aligned(64)));

/* By the width of a slot. */
extern IN_LIBRARY const struct unpack guira__unpack[MAX_WIDTH + 1];

#endif
