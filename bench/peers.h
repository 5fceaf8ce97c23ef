/* The filters of a run: guira's own and those of shared objects. */
#ifndef GUIRA_BENCH_PEERS_H
#define GUIRA_BENCH_PEERS_H

#include "options.h"
#include "peer.h"

enum { MAX_PEERS = 128 };

struct peers {
    const struct bench_peer *peer[MAX_PEERS];
    size_t count;
};

extern const struct bench_peer *const guira_tidal_16;
extern const struct bench_peer guira_shared_16; /* bench/shared_peer.c */
extern const struct bench_peer guira_locked_16; /* bench/locked_peer.c */
extern const struct bench_peer memory_limit;    /* bench/memory_peer.c */
const struct bench_peer *inline_peer(void);     /* bench/inline_peer.c */
const struct bench_peer *inline_peer_avx512(void);

/* guira's own filters (bench/guira_peer.c): those of a run that selects none, and the others, which --filters and --widths
 * can select. The last element is NULL. */
const struct bench_peer *const *guira_bench_peers(void);
const struct bench_peer *const *guira_bench_more(void);

/* Loads and selects the filters. False: a file or a name is invalid; a message was printed to stderr. Shared objects
 * stay loaded. */
bool peers_load(const struct options *o, struct peers *out);

#endif
