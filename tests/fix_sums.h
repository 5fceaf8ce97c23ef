/* Makes the checksums of a file right whatever else is in it, and what must be zero zero: tests and fuzzers use it to get
 * past them. */
#ifndef GUIRA_TEST_FIX_SUMS_H
#define GUIRA_TEST_FIX_SUMS_H

#define XXH_INLINE_ALL
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "format.h"

static inline void fix_sum(uint8_t *from, uint8_t *sum) { put_u64(sum, XXH3_64bits(from, (size_t)(sum - from))); }

/* Sections are followed as long as their lengths fit. */
static inline void fix_sums(uint8_t *bytes, size_t n) {
    if (n < HEADER_BYTES) return;
    fix_sum(bytes, bytes + HEADER_BYTES - 8);
    for (size_t at = HEADER_BYTES; n - at >= 2 * SECTION_ALIGNMENT;) {
        uint8_t *head = bytes + at, *payload = head + SECTION_ALIGNMENT;
        uint64_t length = get_u64(head + 8), room = n - at - SECTION_ALIGNMENT;
        memset(head + 16, 0, SECTION_ALIGNMENT - 16);
        fix_sum(head, payload - 8);
        if (length > room || (length + 8 + 63) / 64 * 64 > room) return;
        uint8_t *sum = payload + (length + 8 + 63) / 64 * 64 - 8;
        memset(payload + length, 0, (size_t)(sum - payload) - (size_t)length);
        fix_sum(payload, sum);
        at = (size_t)(sum + 8 - bytes);
    }
}

#endif
