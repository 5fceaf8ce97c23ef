/* See seed.h. */
#include "seed.h"

#include <string.h>

#include "redis.h"

static uint8_t ours[16];
static bool known;

bool seed_is(const char *bytes, size_t n) {
    static const char zero[sizeof ours];
    return n == sizeof zero && memcmp(bytes, zero, n) != 0;
}

void seed_get(uint8_t seed[16]) {
    if (!known) redis.GetRandomBytes(ours, sizeof ours);
    known = true;
    memcpy(seed, ours, sizeof ours);
}

void seed_adopt(const uint8_t seed[16], int flags) {
    if (known && (flags & (REDIS_CTX_LOADING | REDIS_CTX_ASYNC_LOADING | REDIS_CTX_REPLICATED)) == 0) return;
    memcpy(ours, seed, sizeof ours);
    known = true;
}
