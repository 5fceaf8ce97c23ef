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
static inline uint64_t le64(uint64_t v) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return v;
#else
    return __builtin_bswap64(v);
#endif
}

#endif
