/* See unpack.h. */
#include "slots/unpack.h"

/* Bytes of one load, for slots of w bits. */
#define LOAD(w) ((w) < 8 ? 4 : (w) < 16 ? 8 : 16)

/* Where slot j begins, in bits from the start of its load. */
#define BIT(w, j) ((j) < 4 ? (j) * (w) : (j) * (w)-8 * ((w)-LOAD(w)))

/* The byte of the register that lane j gets as its byte k. Below 16 bits both loads are in one register. */
#define IN_LOAD(w, j, k) (BIT(w, j) / 8 + (k))
#define BYTE(w, j, k) \
    (uint8_t)(IN_LOAD(w, j, k) >= LOAD(w) ? 0x80 : IN_LOAD(w, j, k) + ((j) >= 4 && (w) < 16 ? LOAD(w) : 0))

#define LANE(w, j) BYTE(w, j, 0), BYTE(w, j, 1), BYTE(w, j, 2), BYTE(w, j, 3)
#define SHIFT(w, j) BIT(w, j) % 8
#define MULTIPLY(w, j) UINT32_C(1) << (32 - (w)-SHIFT(w, j))
#define EIGHT(macro, w) \
    macro(w, 0), macro(w, 1), macro(w, 2), macro(w, 3), macro(w, 4), macro(w, 5), macro(w, 6), macro(w, 7)

/* Bits of a slot that are neither core nor mark, and the mark. */
#define TAIL_END(w) ((w) < 7 ? 1 : (w)-6)

#define UNPACK(w)                                                                                                     \
    {                                                                                                                 \
        {EIGHT(LANE, w), EIGHT(LANE, w)}, {EIGHT(SHIFT, w), EIGHT(SHIFT, w)}, {EIGHT(MULTIPLY, w)}, {TAIL_END(w), 0}, \
            (UINT64_C(1) << TAIL_END(w)) - 2, (uint32_t)(((UINT64_C(1) << (w)) - 1))                                  \
    }
#define NO_SLOTS \
    { .tail = 0 }

const struct unpack guira__unpack[MAX_WIDTH + 1] = {
    NO_SLOTS,   NO_SLOTS,   NO_SLOTS,   NO_SLOTS,   NO_SLOTS,   NO_SLOTS,   UNPACK(6),  UNPACK(7),  UNPACK(8),
    UNPACK(9),  UNPACK(10), UNPACK(11), UNPACK(12), UNPACK(13), UNPACK(14), UNPACK(15), UNPACK(16), UNPACK(17),
    UNPACK(18), UNPACK(19), UNPACK(20), UNPACK(21), UNPACK(22), UNPACK(23), UNPACK(24), UNPACK(25), UNPACK(26),
    NO_SLOTS,   UNPACK(28), NO_SLOTS,   NO_SLOTS,   NO_SLOTS,   UNPACK(32),
};
