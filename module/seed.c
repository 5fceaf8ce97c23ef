/* See seed.h. */
#include "seed.h"

#include <string.h>

#include "redis.h"

static uint8_t server_seed[16];
static bool has_seed;

bool seed_is_valid(const char *bytes, size_t n) {
    static const char zero[sizeof server_seed];
    return n == sizeof zero && memcmp(bytes, zero, n) != 0;
}

void seed_get(uint8_t seed[16]) {
    if (!has_seed) redis.GetRandomBytes(server_seed, sizeof server_seed);
    has_seed = true;
    memcpy(seed, server_seed, sizeof server_seed);
}

bool seed_is_own(const uint8_t seed[16]) { return has_seed && memcmp(seed, server_seed, sizeof server_seed) == 0; }

void seed_adopt_saved(const uint8_t seed[16], int flags) {
    if (!has_seed || (flags & REDIS_CTX_MASTER) == 0) seed_adopt(seed, flags & ~REDIS_CTX_REPLICATED);
}

void seed_adopt(const uint8_t seed[16], int flags) {
    if ((flags & (REDIS_CTX_LOADING | REDIS_CTX_ASYNC_LOADING | REDIS_CTX_REPLICATED)) == 0) return;
    memcpy(server_seed, seed, sizeof server_seed);
    has_seed = true;
}
