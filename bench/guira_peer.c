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

static uint64_t count(void *f, uint64_t key) { return guira_count_hash(f, key); }

/* ------------------------------------------------------------------------------------------------------ every width */

#define TIDAL_WIDTHS(X) \
    X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(28) X(32)
#define CUCKOO_WIDTHS(X) X(6) X(7) X(8) X(9) X(10) X(11) TIDAL_WIDTHS(X)

#define TIDAL(w) \
    static void *create_tidal_##w(uint64_t slots) { return create(GUIRA_TIDAL, w, slots); }
#define CUCKOO(w) \
    static void *create_cuckoo_##w(uint64_t slots) { return slots > 0 ? create(GUIRA_CUCKOO, w, slots) : NULL; }
TIDAL_WIDTHS(TIDAL)
CUCKOO_WIDTHS(CUCKOO)

#define FUNCTIONS destroy, insert, contains, contains_batch, erase, bytes, count

#define TIDAL_PEER(w) [w] = {"tidal-" #w, 1, create_tidal_##w, FUNCTIONS},
#define CUCKOO_PEER(w) [w] = {"cuckoo-" #w, 0, create_cuckoo_##w, FUNCTIONS},
static const struct bench_peer tidal[] = {TIDAL_WIDTHS(TIDAL_PEER)};
static const struct bench_peer cuckoo[] = {CUCKOO_WIDTHS(CUCKOO_PEER)};

const struct bench_peer *const guira_tidal_16 = &tidal[16];

const struct bench_peer *const *guira_bench_peers(void) {
    static const struct bench_peer *const all[] = {&tidal[12],       &tidal[16], &tidal[32], &cuckoo[16],
#ifdef GUIRA_BENCH_SHARED
                                                   &guira_shared_16,
#endif
                                                   &guira_locked_16, NULL};
    return all;
}

static bool runs_by_default(const struct bench_peer *peer) {
    for (const struct bench_peer *const *p = guira_bench_peers(); *p != NULL; p++)
        if (*p == peer) return true;
    return false;
}

const struct bench_peer *const *guira_bench_more(void) {
    enum { TIDALS = sizeof tidal / sizeof *tidal, CUCKOOS = sizeof cuckoo / sizeof *cuckoo };
    static const struct bench_peer *more[TIDALS + CUCKOOS + 4];
    size_t n = 0;
    for (size_t i = 0; i < TIDALS; i++)
        if (tidal[i].name != NULL && !runs_by_default(&tidal[i])) more[n++] = &tidal[i];
    for (size_t i = 0; i < CUCKOOS; i++)
        if (cuckoo[i].name != NULL && !runs_by_default(&cuckoo[i])) more[n++] = &cuckoo[i];
    more[n++] = &memory_limit;
    more[n++] = inline_peer();
#ifdef GUIRA_BENCH_AVX512
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) more[n++] = inline_peer_avx512();
#endif
    more[n] = NULL;
    return more;
}
