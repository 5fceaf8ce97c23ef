/* See pair.h. */
#include "slots/pair.h"

#define LANES_8(x) (x), (x), (x), (x), (x), (x), (x), (x)

const struct pair_constants guira__pair __attribute__((aligned(64))) = {
    .ones = {LANES_8(1), LANES_8(1)},
    .spread = {LANES_8(0), LANES_8(4)},
    .spread_32 = {LANES_8(0), LANES_8(2)},
    .spread_12 = {LANES_8(0), LANES_8(0), LANES_8(4), LANES_8(4)},
    .halves_32 = {LANES_8(0), LANES_8(1)},
    .halves_12 = {LANES_8(0), LANES_8(0), LANES_8(2), LANES_8(2)},
    .first_two = {LANES_8(0x0100), LANES_8(0x0100)},
    .one = {1, 1},
    .shift = {63, 63},
    .tail_16 = {0x3fe, 0x3fe},
    .bucket_16 = {~UINT64_C(0x3ff), ~UINT64_C(0x3ff)},
};
