/* match.h for one instruction set, behind pointers. Compiled once per set with GUIRA__ISA as its name, as src/tidal.c
 * is, so that test_match.c can hold them all against one reference. */
#include "match_kernel.h"

#include "match.h"

/* Widths are constants there, so they are here. */
#define FOR_WIDTH(call)       \
    switch (w) {              \
    case 12: return call(12); \
    case 16: return call(16); \
    case 32: return call(32); \
    case 27: return call(27); \
    default: return call(64); \
    }

#define MASK(w) (prefix ? match_mask(bucket, q, w, PREFIX) : match_mask(bucket, q, w, EXACT))
static unsigned mask(const uint8_t *bucket, uint64_t q, unsigned w, bool prefix) { FOR_WIDTH(MASK) }

#define EITHER(w) (prefix ? either_matches(a, qa, b, qb, w, PREFIX) : either_matches(a, qa, b, qb, w, EXACT))
static bool either(const uint8_t *a, uint64_t qa, const uint8_t *b, uint64_t qb, unsigned w, bool prefix) {
    FOR_WIDTH(EITHER)
}

#define EMPTY(w) empty_mask(bucket, w)
static unsigned empty(const uint8_t *bucket, unsigned w) { FOR_WIDTH(EMPTY) }

static unsigned range(const uint8_t *bucket, uint32_t from, uint32_t span) { return range_mask(bucket, from, span); }

#define NAME_(isa) match_kernel_##isa
#define NAME(isa) NAME_(isa)
extern const struct match_kernel NAME(GUIRA__ISA);
const struct match_kernel NAME(GUIRA__ISA) = {mask, either, empty, range};
