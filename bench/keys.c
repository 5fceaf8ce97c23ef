/* The keys of the benchmark: reproducible from the printed seed, in insertion order and in random order.
 *
 * Lookups need the random order. In insertion order they might find cache lines that are still loaded, or entries of
 * the same age next to each other, which would be faster than in real programs.
 */
#include "keys.h"

#include <stdio.h>
#include <stdlib.h>

#define GOLDEN 0x9e3779b97f4a7c15u /* 2^64 / golden ratio: splitmix64's step */

uint64_t keys_at(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * GOLDEN;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void keys_fill(uint64_t seed, uint64_t first, uint64_t *key, size_t n) {
    for (size_t i = 0; i < n; i++) key[i] = keys_at(seed, first + i);
}

static uint64_t *allocate(size_t n) {
    uint64_t *key = n <= SIZE_MAX / sizeof *key ? malloc(n * sizeof *key) : NULL;
    if (key == NULL) {
        fprintf(stderr, "guira-bench: out of memory for %zu keys\n", n);
        exit(1);
    }
    return key;
}

uint64_t *keys_range(uint64_t seed, uint64_t first, size_t n) {
    uint64_t *key = allocate(n);
    keys_fill(seed, first, key, n);
    return key;
}

size_t keys_below(uint64_t random, size_t bound) {
    __extension__ typedef unsigned __int128 wide;
    return (size_t)(((wide)random * bound) >> 64);
}

uint64_t *keys_shuffled(uint64_t seed, const uint64_t *key, size_t n) {
    uint64_t *out = allocate(n);
    for (size_t i = 0; i < n; i++) { /* Fisher-Yates shuffle, inside-out variant */
        size_t j = keys_below(keys_at(~seed, i), i + 1);
        if (j < i) out[i] = out[j];
        out[j] = key[i];
    }
    return out;
}
