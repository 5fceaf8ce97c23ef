/* Not a filter: the memory's limit. A lookup loads a word from each of two random places of a table and compares
 * nothing, so no cuckoo filter of this size that reads both buckets can be faster. It answers yes to everything. */
#include "peers.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 16, GROUP = 16 };

struct table {
    unsigned char *bytes; /* of 16-bit slots */
    size_t units;         /* a power of two */
};

static void *create(uint64_t slots) {
    struct table *t = malloc(sizeof *t);
    if (t == NULL) return NULL;
    t->units = (size_t)slots * 2 / UNIT;
    t->bytes = aligned_alloc(64, t->units * UNIT);
    if (t->bytes == NULL) {
        free(t);
        return NULL;
    }
    memset(t->bytes, 1, t->units * UNIT);
    return t;
}

static void destroy(void *f) {
    struct table *t = f;
    free(t->bytes);
    free(t);
}

static size_t insert(void *f, const uint64_t *key, size_t n) {
    (void)f;
    (void)key;
    return n;
}

static const unsigned char *first(const struct table *t, uint64_t key) {
    return t->bytes + (key & (t->units - 1)) * UNIT;
}

static const unsigned char *second(const struct table *t, uint64_t key) {
    return t->bytes + ((key >> 32) & (t->units - 1)) * UNIT;
}

/* 1, which the compiler cannot know. */
static size_t load(const struct table *t, uint64_t key) {
    uint64_t a = 0;
    uint64_t b = 0;
    memcpy(&a, first(t, key), sizeof a);
    memcpy(&b, second(t, key), sizeof b);
    return (a & b) != 0;
}

static size_t contains(void *f, const uint64_t *key, size_t n) {
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) {
        size_t answer = load(f, key[i]);
        BENCH_ONE_AT_A_TIME(answer);
        hits += answer;
    }
    return hits;
}

static size_t contains_batch(void *f, const uint64_t *key, size_t n) {
    size_t hits = 0;
    for (size_t i = 0; i < n; i += GROUP) {
        size_t end = n - i < GROUP ? n : i + GROUP;
        for (size_t k = i; k < end; k++) {
            __builtin_prefetch(first(f, key[k]));
            __builtin_prefetch(second(f, key[k]));
        }
        for (size_t k = i; k < end; k++) hits += load(f, key[k]);
    }
    return hits;
}

static uint64_t bytes(void *f) { return ((struct table *)f)->units * UNIT; }

const struct bench_peer memory_limit = {
    .name = "two-loads",
    .create = create,
    .destroy = destroy,
    .insert = insert,
    .contains = contains,
    .contains_batch = contains_batch,
    .bytes = bytes,
};
