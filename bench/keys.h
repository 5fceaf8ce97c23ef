/* The keys of all filters: key i of a seed is the i-th output of splitmix64. The generator is a bijection of its
 * counter, so keys with different indices differ. Members and non-members have different ranges of indices. */
#ifndef GUIRA_BENCH_KEYS_H
#define GUIRA_BENCH_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* Indices of members start at 0, those of keys that are in no filter start here. */
#define KEYS_NON_MEMBERS ((uint64_t)1 << 40)

uint64_t keys_at(uint64_t seed, uint64_t index);

/* Uniform in [0, bound) if `random` is uniform, except for a bias of bound / 2^64. */
size_t keys_below(uint64_t random, size_t bound);

/* Writes keys first .. first + n - 1. */
void keys_fill(uint64_t seed, uint64_t first, uint64_t *key, size_t n);

/* The same in newly allocated memory, which the caller frees. Exits if memory runs out. */
uint64_t *keys_range(uint64_t seed, uint64_t first, size_t n);

/* A copy of key[0..n) in random order, which the caller frees. Exits if memory runs out. */
uint64_t *keys_shuffled(uint64_t seed, const uint64_t *key, size_t n);

#endif
