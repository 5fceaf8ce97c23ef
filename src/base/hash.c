/* See hash.h. */
#define _GNU_SOURCE
#define XXH_INLINE_ALL
#include "base/hash.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#include "base/bytes.h"
#include "base/compiler.h"

guira_status guira__seed_draw(uint8_t seed[16]) {
    const uint8_t none[16] = {0};
    if (memcmp(seed, none, 16) != 0) return GUIRA_OK;
    return getentropy(seed, 16) == 0 ? GUIRA_OK : GUIRA_EIO;
}

/* XXH64 in counter mode. XXH3_generateSecret would do as well, but is not promised to give the same bytes in every
 * version of the library, and a filter saved today must be read by the xxHash in ten years. */
static void derive_words(const uint8_t seed[16], unsigned from, unsigned to, uint8_t secret[SECRET_BYTES]) {
    for (unsigned i = from; i < to; i++) put_u64(secret + (size_t)i * 8, XXH64(seed, 16, i));
}

void guira__secret_derive(const uint8_t seed[16], uint8_t secret[SECRET_BYTES]) {
    derive_words(seed, 0, SECRET_BYTES / 8, secret);
}

/* The words of the secret that XXH3 uses for a key of this length. */
static void derive_used(const uint8_t seed[16], size_t len, uint8_t secret[SECRET_BYTES]) {
    if (len == 0) derive_words(seed, 7, 9, secret);
    else if (len <= 3) derive_words(seed, 0, 1, secret);
    else if (len <= 8) derive_words(seed, 1, 3, secret);
    else if (len <= 16) derive_words(seed, 3, 7, secret);
    else if (len <= 128) derive_words(seed, 0, 4 * (unsigned)((len + 31) / 32), secret);
    else guira__secret_derive(seed, secret);
}

/* With all of XXH3 inlined: for a short key a second call is a third of the time. XXH3 does not look at a key without bytes, which
 * may be NULL. */
__attribute__((flatten)) uint64_t guira__hash(const uint8_t secret[SECRET_BYTES], const void *key, size_t len) {
    return XXH3_64bits_withSecret(key, len, secret, SECRET_BYTES);
}

/* With a constant length XXH3 is a dozen instructions. */
__attribute__((flatten)) static void hash_words(const uint8_t secret[SECRET_BYTES], const uint8_t *keys, size_t n,
                                                uint64_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = XXH3_64bits_withSecret(keys + 8 * i, 8, secret, SECRET_BYTES);
}

guira_status guira__hash_many(const uint8_t secret[SECRET_BYTES], const void *keys, size_t size, size_t n,
                              uint64_t *out) {
    const uint8_t *key = (const uint8_t *)keys;
    if (out == NULL || (keys == NULL && size > 0)) return GUIRA_EINVAL;
    if (size == 8) hash_words(secret, key, n, out);
    else
        for (size_t i = 0; i < n; i++) out[i] = guira__hash(secret, size > 0 ? key + i * size : key, size);
    return GUIRA_OK;
}

static uint64_t NOINLINE hash_by_part(const uint8_t seed[16], const void *key, size_t len) {
    uint8_t secret[SECRET_BYTES];
    derive_used(seed, len, secret);
    return guira__hash(secret, key, len);
}

/* The last secret of this thread. The part that a short key needs is derived in a tenth of the time that a whole secret
 * takes. So where every call is for another filter only that is derived; but a seed that came so often in a row gets its
 * whole secret, which serves all further keys. */
enum { OFTEN = 8 };

struct last_secret {
    bool derived;
    uint8_t seed[16]; /* of the secret */
    uint8_t secret[SECRET_BYTES];
    uint8_t other[16]; /* the seed that came last, if it was another one */
    unsigned times;    /* in a row */
};
static __thread struct last_secret last;

/* Whether last.secret is now that of this seed. */
static bool NOINLINE derive_if_often(const uint8_t seed[16]) {
    struct last_secret *l = &last;
    bool again = memcmp(l->other, seed, 16) == 0;
    l->times = again ? l->times + 1 : 1;
    memcpy(l->other, seed, 16);
    if (l->times < OFTEN) return false;
    guira__secret_derive(seed, l->secret);
    memcpy(l->seed, seed, 16);
    l->derived = true;
    l->times = 0;
    return true;
}

uint64_t guira__hash_by_seed(const uint8_t seed[16], const void *key, size_t len) {
    const struct last_secret *l = &last;
    bool known = l->derived && memcmp(l->seed, seed, 16) == 0;
    if (UNLIKELY(!known) && !derive_if_often(seed)) return hash_by_part(seed, key, len);
    return guira__hash(l->secret, key, len);
}

uint64_t guira__number_of_seed(const uint8_t seed[16]) { return hash_by_part(seed, NULL, 0); }

uint64_t guira__hash_pair(uint64_t a, uint64_t b) {
    uint8_t bytes[16];
    put_u64(bytes, a);
    put_u64(bytes + 8, b);
    return XXH3_64bits(bytes, sizeof bytes);
}
