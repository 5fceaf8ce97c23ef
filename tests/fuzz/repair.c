/* See repair.h. */
#include "repair.h"

#include "../repair_checksums.h"

void repair_checksums_of(uint8_t *bytes, size_t n) { repair_checksums(bytes, n); }

void repair_length_and_checksums(uint8_t *bytes, size_t n) {
    if (n >= HEADER_BYTES) put_u64(bytes + 24, n);
    repair_checksums(bytes, n);
}
