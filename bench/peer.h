/* The interface between the benchmark and a filter. guira's own filters are in bench/guira_peer.c; others are shared
 * objects, built elsewhere, that export bench_peers() and are loaded with `--peer FILE.so`.
 *
 * Keys are uniform random 64-bit numbers. Functions take arrays and loop inside, so that the code of a C++ template can
 * be inlined into the loop, as in the programs of its users.
 */
#ifndef GUIRA_BENCH_PEER_H
#define GUIRA_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the loop in contains(): makes each result available before the next lookup begins. Without it a compiler may
 * combine eight or sixteen lookups with vector gathers, which would be a batch. */
#define BENCH_ONE_AT_A_TIME(answer) __asm__ volatile("" : "+r"(answer))

struct bench_peer {
    const char *name;
    int grows; /* 1: create(0) is allowed, and the filter grows when needed */

    /* Creates a filter for 0.95 * slots items; slots is a power of two, or 0 if the filter grows. NULL: failed. */
    void *(*create)(uint64_t slots);
    void (*destroy)(void *f);

    /* Each handles the keys in order and returns how many were inserted, found or removed. insert stops at the first
     * failure. */
    size_t (*insert)(void *f, const uint64_t *key, size_t n);
    size_t (*contains)(void *f, const uint64_t *key, size_t n);
    size_t (*contains_batch)(void *f, const uint64_t *key, size_t n); /* with prefetching; NULL: not supported */
    size_t (*remove)(void *f, const uint64_t *key, size_t n);         /* NULL: not supported */

    uint64_t (*bytes)(void *f); /* all memory that the filter uses */

    /* Copies of a key. NULL: not supported. */
    uint64_t (*count)(void *f, uint64_t key);
};

const struct bench_peer *const *bench_peers(void); /* the last element is NULL */

#ifdef __cplusplus
}
#endif

#endif
