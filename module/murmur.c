/* See murmur.h. */
#include "murmur.h"

#include "serialize.h"

uint64_t murmur(const void *bytes, size_t n) {
    const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
    const uint8_t *p = bytes;
    uint64_t h = n * m, rest = 0;
    for (size_t left = n; left >= 8; left -= 8, p += 8) {
        uint64_t k = get_u64(p) * m;
        h = (h ^ (k ^ k >> 47) * m) * m;
    }
    for (unsigned i = 0; i < n % 8; i++) rest |= (uint64_t)p[i] << (8 * i);
    if (n % 8 != 0) h = (h ^ rest) * m;
    h = (h ^ h >> 47) * m;
    return h ^ h >> 47;
}
