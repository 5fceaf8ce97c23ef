/* Recomputes the checksums of a file and clears its padding, so that tests and fuzzers can change bytes and still get past
 * the checksums. */
#ifndef GUIRA_TEST_REPAIR_CHECKSUMS_H
#define GUIRA_TEST_REPAIR_CHECKSUMS_H

#define XXH_INLINE_ALL
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "format/sections.h"
#include "io/header.h"

static inline void repair_checksum(uint8_t *from, uint8_t *sum) {
    put_u64(sum, XXH3_64bits(from, (size_t)(sum - from)));
}

/* Goes from section to section as long as their lengths fit into the n bytes. */
static inline void repair_checksums(uint8_t *bytes, size_t n) {
    if (n < HEADER_BYTES) return;
    repair_checksum(bytes, bytes + HEADER_BYTES - 8);
    for (size_t at = HEADER_BYTES; n - at >= 2 * SECTION_ALIGNMENT;) {
        uint8_t *head = bytes + at, *payload = head + SECTION_ALIGNMENT;
        uint64_t length = get_u64(head + 8), room = n - at - SECTION_ALIGNMENT;
        memset(head + 16, 0, SECTION_ALIGNMENT - 16);
        repair_checksum(head, payload - 8);
        if (length > room || (length + 8 + 63) / 64 * 64 > room) return;
        uint8_t *sum = payload + (length + 8 + 63) / 64 * 64 - 8;
        memset(payload + length, 0, (size_t)(sum - payload) - (size_t)length);
        repair_checksum(payload, sum);
        at = (size_t)(sum + 8 - bytes);
    }
}

#endif
