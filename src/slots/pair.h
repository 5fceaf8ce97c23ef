/* Constants of slots/match_pair_x86.inc, as they lie in memory: an instruction takes its operand from there, where the
 * compiler would build the constant in a register first, with two instructions and for every lookup. */
#ifndef GUIRA_SLOTS_PAIR_H
#define GUIRA_SLOTS_PAIR_H

#include "base/compiler.h"

struct pair_constants {
    uint16_t ones[16];      /* 1 in every lane */
    uint16_t spread[16];    /* the first lane of 16 bits to eight lanes, the fifth to the others */
    uint32_t spread_32[16]; /* the first lane of 32 bits to eight lanes, the third to the others */
    uint16_t spread_12[32]; /* the first lane of 16 bits to sixteen lanes, the fifth to the others */
    uint32_t halves_32[16]; /* the first lane of 32 bits to eight lanes, the second to the others */
    uint16_t halves_12[32]; /* the first lane of 16 bits to sixteen lanes, the third to the others */
    uint16_t first_two[16]; /* of bytes: the first two of each half to all of it */
    /* For both lanes: 1; the shift in a packed start; of a shifted address: tail, bucket. */
    uint64_t one[2], shift[2], tail_16[2], bucket_16[2];
};

extern IN_LIBRARY const struct pair_constants guira__pair;

#endif
