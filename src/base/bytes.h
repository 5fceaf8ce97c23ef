/* Numbers as bytes, little-endian whatever the machine is. */
#ifndef GUIRA_BYTES_H
#define GUIRA_BYTES_H

#include <stdint.h>

static inline void put_u64(uint8_t *p, uint64_t v) {
    for (unsigned i = 0; i < 8; i++) p[i] = (uint8_t)(v >> (8 * i));
}

static inline uint64_t get_u64(const uint8_t *p) {
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* A number as it is in memory, to or from how it is in a file. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint16_t le16(uint16_t v) { return v; }
static inline uint32_t le32(uint32_t v) { return v; }
static inline uint64_t le64(uint64_t v) { return v; }
#else
static inline uint16_t le16(uint16_t v) { return __builtin_bswap16(v); }
static inline uint32_t le32(uint32_t v) { return __builtin_bswap32(v); }
static inline uint64_t le64(uint64_t v) { return __builtin_bswap64(v); }
#endif

#endif
