/* tidal-16 with lookups that are inlined (guira_inline.h). What counts is the instruction set of the caller, so this is
 * compiled twice: as it is, and for AVX-512 with GUIRA_BENCH_AVX512. */
#include "guira_inline.h"

#include "peers.h"

static size_t contains(void *f, const uint64_t *key, size_t n) {
    guira_inline_table t = GUIRA_INLINE_TABLE_INIT;
    size_t hits = 0;
    if (guira_inline_table_get(f, &t) != GUIRA_OK) return 0;
    for (size_t i = 0; i < n; i++) {
        size_t answer = guira_inline_contains_hash(&t, key[i]);
        BENCH_ONE_AT_A_TIME(answer);
        hits += answer;
    }
    return hits;
}

static const struct bench_peer *peer_named(const char *name) {
    static struct bench_peer peer;
    peer = *guira_tidal_16;
    peer.name = name;
    peer.contains = contains;
    return &peer;
}

#ifdef GUIRA_BENCH_AVX512
const struct bench_peer *inline_peer_avx512(void) { return peer_named("tidal-16-inline-avx512"); }
#else
const struct bench_peer *inline_peer(void) { return peer_named("tidal-16-inline"); }
#endif
