/* guira_shared as a filter of the benchmark. In workloads with one thread it shows the overhead of sharing. The
 * configuration is explained in guira_peer.c. */
#include "guira.h"
#include "guira_shared.h"

#include "peers.h"

#include <stdbool.h>

enum { BATCH = 1024 };

static void *create(uint64_t slots) {
    guira_config c;
    guira_config_init(&c);
    c.slot_bits = 16;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)(i + 1);
    if (slots > 0) {
        c.max_load = 0.96;
        c.capacity = (uint64_t)((double)slots * c.max_load);
    }
    guira_shared *g = NULL;
    return guira_shared_create(&c, 0, &g) == GUIRA_OK ? g : NULL;
}

static void destroy(void *g) { guira_shared_destroy(g); }

static size_t insert(void *g, const uint64_t *key, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (guira_shared_insert_hash(g, key[i]) != GUIRA_OK) return i;
    return n;
}

static size_t contains(void *g, const uint64_t *key, size_t n) {
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) hits += guira_shared_contains_hash(g, key[i]);
    return hits;
}

static size_t contains_batch(void *g, const uint64_t *key, size_t n) {
    bool found[BATCH];
    size_t hits = 0;
    for (size_t i = 0; i < n; i += BATCH)
        hits += guira_shared_contains_hash_many(g, key + i, n - i < BATCH ? n - i : BATCH, found);
    return hits;
}

static size_t erase(void *g, const uint64_t *key, size_t n) {
    size_t removed = 0;
    for (size_t i = 0; i < n; i++) removed += guira_shared_remove_hash(g, key[i]) == GUIRA_OK;
    return removed;
}

static uint64_t bytes(void *g) {
    guira_stats s = GUIRA_STATS_INIT;
    return guira_shared_stats_get(g, &s) == GUIRA_OK ? s.bytes : 0;
}

static uint64_t count(void *g, uint64_t key) { return guira_shared_count_hash(g, key); }

const struct bench_peer guira_shared_16 = {
    "shared-16", 1, create, destroy, insert, contains, contains_batch, erase, bytes, count,
};
