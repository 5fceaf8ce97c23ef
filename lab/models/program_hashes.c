/* Hash functions of the documents' programs; the contracts are in program_hashes.h. */
#include "program_hashes.h"

#include <string.h>

uint64_t fnv1a_64(const char *s, size_t n) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)s[i]) * UINT64_C(1099511628211);
    return h;
}

uint64_t guide_java_hash(const char *s, size_t n) {
    uint64_t h = UINT64_C(1125899906842597);
    for (size_t i = 0; i < n; i++) h = 31 * h + (uint8_t)s[i];
    h = (h ^ (h >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ (h >> 33);
}

/* ----------------------------------------------------------------------------------------------------------- Python */

static uint64_t rotate(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

static void sip_round(uint64_t v[4]) {
    v[0] += v[1], v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0], v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2], v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

/* Up to eight bytes, least significant first. */
static uint64_t word_at(const char *s, size_t n) {
    uint64_t w = 0;
    for (size_t i = 0; i < n; i++) w |= (uint64_t)(uint8_t)s[i] << (8 * i);
    return w;
}

static uint64_t siphash_1_3(struct python_key key, const char *s, size_t n) {
    uint64_t v[4] = {key.k0 ^ UINT64_C(0x736f6d6570736575), key.k1 ^ UINT64_C(0x646f72616e646f6d),
                     key.k0 ^ UINT64_C(0x6c7967656e657261), key.k1 ^ UINT64_C(0x7465646279746573)};
    for (size_t at = 0; at <= n; at += 8) { /* the last word has the length in its top byte */
        uint64_t w = at + 8 <= n ? word_at(s + at, 8) : word_at(s + at, n - at) | (uint64_t)n << 56;
        v[3] ^= w;
        sip_round(v);
        v[0] ^= w;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t python_str_hash(struct python_key key, const char *s, size_t n) {
    uint64_t h = n == 0 ? 0 : siphash_1_3(key, s, n);
    return h == UINT64_MAX ? UINT64_MAX - 1 : h; /* -1 means an error in CPython */
}

uint64_t guide_python_hash(struct python_key key, const char *s, size_t n) {
    static const uint64_t p1 = UINT64_C(11400714785074694791), p2 = UINT64_C(14029467366897019727),
                          p5 = UINT64_C(2870177450012600261);
    uint64_t h = p5, lane[2] = {python_str_hash(key, "seed", 4), python_str_hash(key, s, n)};
    for (int i = 0; i < 2; i++) h = rotate(h + lane[i] * p2, 31) * p1;
    h += 2 ^ (p5 ^ UINT64_C(3527539));
    return h == UINT64_MAX ? UINT64_C(1546275796) : h;
}
