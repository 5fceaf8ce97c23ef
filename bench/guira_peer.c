/* guira's own filters, used as any program would use them: the public header, the hash-level API (the keys are uniform
 * 64-bit numbers already), calls into the library, nothing inlined.
 *
 * If a number of slots is given, the filter is created with this capacity at max_load 0.96, so that the 0.95 * slots
 * items of the benchmark fit without growing. Otherwise it has the default configuration: it starts at its smallest
 * size and grows above load 0.93. The seed is fixed, so every round does the same work; the hash-level API does not use
 * it.
 */
#include "guira.h"
#include "guira_shared.h"

#include "peers.h"

#include <stdbool.h>

enum { BATCH = 1024 }; /* a batch size that is realistic for applications */

static void *create(guira_kind kind, unsigned slot_bits, uint64_t slots) {
    guira_config c;
    guira_config_init(&c);
    c.kind = kind;
    c.slot_bits = slot_bits;
    for (size_t i = 0; i < sizeof c.seed; i++) c.seed[i] = (uint8_t)(i + 1);
    if (slots > 0) {
        c.max_load = 0.96;
        c.capacity = (uint64_t)((double)slots * c.max_load);
    }
    guira *f = NULL;
    return guira_create(&c, &f) == GUIRA_OK ? f : NULL;
}

static void *create_tidal_12(uint64_t slots) { return create(GUIRA_TIDAL, 12, slots); }

static void *create_tidal_16(uint64_t slots) { return create(GUIRA_TIDAL, 16, slots); }

static void *create_tidal_32(uint64_t slots) { return create(GUIRA_TIDAL, 32, slots); }

static void *create_cuckoo_16(uint64_t slots) { return slots > 0 ? create(GUIRA_CUCKOO, 16, slots) : NULL; }

static void destroy(void *f) { guira_destroy(f); }

static size_t insert(void *f, const uint64_t *key, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (guira_insert_hash(f, key[i]) != GUIRA_OK) return i;
    return n;
}

static size_t contains(void *f, const uint64_t *key, size_t n) {
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) hits += guira_contains_hash(f, key[i]);
    return hits;
}

static size_t contains_batch(void *f, const uint64_t *key, size_t n) {
    bool found[BATCH];
    size_t hits = 0;
    for (size_t i = 0; i < n; i += BATCH)
        hits += guira_contains_hash_many(f, key + i, n - i < BATCH ? n - i : BATCH, found);
    return hits;
}

static size_t erase(void *f, const uint64_t *key, size_t n) {
    size_t removed = 0;
    for (size_t i = 0; i < n; i++) removed += guira_remove_hash(f, key[i]) == GUIRA_OK;
    return removed;
}

static uint64_t bytes(void *f) {
    guira_stats s = GUIRA_STATS_INIT;
    return guira_stats_get(f, &s) == GUIRA_OK ? s.bytes : 0;
}

static const struct bench_peer tidal_12 = {
    "tidal-12", 1, create_tidal_12, destroy, insert, contains, contains_batch, erase, bytes,
};
const struct bench_peer guira_tidal_16 = {
    "tidal-16", 1, create_tidal_16, destroy, insert, contains, contains_batch, erase, bytes,
};
static const struct bench_peer tidal_32 = {
    "tidal-32", 1, create_tidal_32, destroy, insert, contains, contains_batch, erase, bytes,
};
static const struct bench_peer cuckoo_16 = {
    "cuckoo-16", 0, create_cuckoo_16, destroy, insert, contains, contains_batch, erase, bytes,
};

const struct bench_peer *const *guira_bench_peers(void) {
    static const struct bench_peer *const all[] = {&tidal_12,        &guira_tidal_16,
                                                   &tidal_32,        &cuckoo_16,
#ifdef GUIRA_BENCH_SHARED
                                                   &guira_shared_16,
#endif
                                                   &guira_locked_16, NULL};
    return all;
}
