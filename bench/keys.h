/* The keys every filter gets: key i of a seed is splitmix64's i-th output. The generator is a bijection of its counter,
 * so keys of different indices differ, and members and strangers are kept apart by where they are counted from. */
#ifndef GUIRA_BENCH_KEYS_H
#define GUIRA_BENCH_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* Members are counted from 0; keys that are in no filter from here on. */
#define KEYS_STRANGERS ((uint64_t)1 << 40)

uint64_t keys_at(uint64_t seed, uint64_t index);

/* Writes keys first .. first + n - 1. */
void keys_fill(uint64_t seed, uint64_t first, uint64_t *key, size_t n);

/* As keys_fill into memory of its own, which the caller frees; ends the program when there is none. */
uint64_t *keys_range(uint64_t seed, uint64_t first, size_t n);

/* A copy of key[0..n) in random order, which the caller frees. */
uint64_t *keys_shuffled(uint64_t seed, const uint64_t *key, size_t n);

#endif
