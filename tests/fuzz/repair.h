/* Repairs bytes that a fuzzer has changed, so that they get past the checks of their checksums. For fuzzers that cannot include
 * headers of the library, whose names are those of headers that they test. */
#ifndef GUIRA_FUZZ_REPAIR_H
#define GUIRA_FUZZ_REPAIR_H

#include <stddef.h>
#include <stdint.h>

/* The checksums of a file of n bytes, or of its first sections if there is something else in it. */
void repair_checksums_of(uint8_t *bytes, size_t n);

/* And its length in the header. */
void repair_length_and_checksums(uint8_t *bytes, size_t n);

#endif
