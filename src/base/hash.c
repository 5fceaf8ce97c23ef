/* See hash.h. */
#define _GNU_SOURCE
#define XXH_INLINE_ALL
#include "base/hash.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#include "base/bytes.h"

guira_status guira__seed_draw(uint8_t seed[16]) {
    const uint8_t none[16] = {0};
    if (memcmp(seed, none, 16) != 0) return GUIRA_OK;
    return getentropy(seed, 16) == 0 ? GUIRA_OK : GUIRA_EIO;
}

/* XXH64 in counter mode. XXH3_generateSecret would do as well, but is not promised to give the same bytes in every
 * version of the library, and a filter saved today must be read by the xxHash in ten years. */
void guira__secret_derive(const uint8_t seed[16], uint8_t secret[SECRET_BYTES]) {
    for (unsigned i = 0; i < SECRET_BYTES / 8; i++) put_u64(secret + (size_t)i * 8, XXH64(seed, 16, i));
}

uint64_t guira__hash(const uint8_t secret[SECRET_BYTES], const void *key, size_t len) {
    return XXH3_64bits_withSecret(len > 0 ? key : "", len, secret, SECRET_BYTES); /* key may be NULL then */
}

uint64_t guira__hash_pair(uint64_t a, uint64_t b) {
    uint8_t bytes[16];
    put_u64(bytes, a);
    put_u64(bytes + 8, b);
    return XXH3_64bits(bytes, sizeof bytes);
}
