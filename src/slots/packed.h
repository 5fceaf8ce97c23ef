/* Slots of any width from 1 to 57 bits, one after the other without a gap: for kinds whose geometry is known only at run
 * time.
 *
 *     bits = 12   | slot 0     | slot 1     | slot 2     | ...      slot i begins at bit i * bits
 *     bytes       |   0   |   1   |   2   |   3   |   4   | ...     bit k is bit k % 8 of byte k / 8
 *
 * A slot is read and written through the eight bytes from the one it begins in, so a table ends with seven spare bytes
 * that are always 0. The bytes are little-endian on every machine: a filter has the same bytes everywhere.
 *
 * 0 is an empty slot. The kinds that use this keep fingerprints in 1..2^bits - 1: see fingerprint_in(). */
#ifndef GUIRA_SLOTS_PACKED_H
#define GUIRA_SLOTS_PACKED_H

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"

enum { PACKED_SPARE = 7 };

static inline uint64_t packed_mask(unsigned bits) { return (UINT64_C(1) << bits) - 1; }

/* The bytes of a table of so many slots. The caller has checked that the number is not absurd. */
static inline uint64_t packed_bytes(uint64_t slots, unsigned bits) { return (slots * bits + 7) / 8 + PACKED_SPARE; }

static inline uint64_t packed_load(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64(v);
}

static inline uint64_t packed_get(const uint8_t *table, uint64_t slot, unsigned bits) {
    uint64_t at = slot * bits;
    return packed_load(table + at / 8) >> (at % 8) & packed_mask(bits);
}

static inline void packed_set(uint8_t *table, uint64_t slot, unsigned bits, uint64_t value) {
    uint64_t at = slot * bits;
    uint8_t *p = table + at / 8;
    uint64_t v = le64((packed_load(p) & ~(packed_mask(bits) << (at % 8))) | value << (at % 8));
    memcpy(p, &v, sizeof v);
}

/* The other way round: the first 32 bits that are scaled to i of n. Less than 2^32, because i is less than n. */
static inline uint64_t half_hash_of(uint64_t i, uint64_t n) { return ((i << 32) + n - 1) / n; }

/* 32 uniform bits to a fingerprint. Scaling leaves 0 out; folding 0 onto 1 would double one fingerprint's odds. */
static inline uint64_t fingerprint_in(uint64_t half_hash, unsigned bits) {
    return 1 + (half_hash * packed_mask(bits) >> 32);
}

#endif
