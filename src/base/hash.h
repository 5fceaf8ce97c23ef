/* Keys to 64-bit addresses: XXH3 with a secret of its own for every filter.
 *
 * The seed is random unless given, because an attacker who knows the hash can craft keys that all belong to the same two buckets. */
#ifndef GUIRA_HASH_H
#define GUIRA_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "guira.h"

enum { SECRET_BYTES = 192 }; /* XXH3's default size; the minimum is 136 */

/* Draws a seed from the system if it is all zero. EIO: not available. */
guira_status guira__seed_draw(uint8_t seed[16]);

void guira__secret_derive(const uint8_t seed[16], uint8_t secret[SECRET_BYTES]);
uint64_t guira__hash(const uint8_t secret[SECRET_BYTES], const void *key, size_t len);

/* Of n keys of `size` bytes each. EINVAL: keys or out is NULL. */
guira_status guira__hash_many(const uint8_t secret[SECRET_BYTES], const void *keys, size_t size, size_t n,
                              uint64_t *out);

/* The same hash from the seed, for filters that keep no secret. Each thread keeps the last secret that it used often. With
 * that it takes a nanosecond more; with another filter in each call, six times as long for a short key, and a tenth of a
 * microsecond more for a long one. */
uint64_t guira__hash_by_seed(const uint8_t seed[16], const void *key, size_t len);

/* A 64-bit number from a seed: the hash of the empty key. */
uint64_t guira__number_of_seed(const uint8_t seed[16]);

/* A 64-bit number from two, for uses inside the library. */
uint64_t guira__hash_pair(uint64_t a, uint64_t b);

#endif
