/* What the benchmark asks of a filter. Ours is bench/guira_peer.c; others are shared objects built elsewhere
 * that export bench_peers() and are named with `--peer FILE.so`.
 *
 * Keys are uniform random 64-bit numbers. Calls take arrays and loop inside, so that a filter that is a C++ template
 * gets its code inlined into the loop as it would in its own users' programs.
 */
#ifndef GUIRA_BENCH_PEER_H
#define GUIRA_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the loop in contains(): each answer is wanted before the next question is asked. Without it a compiler may turn
 * eight or sixteen lookups into one with vector gathers, which is a batch by another name. */
#define BENCH_ONE_AT_A_TIME(answer) __asm__ volatile("" : "+r"(answer))

struct bench_peer {
    const char *name;
    int grows; /* create() may be given 0 and insert goes on */

    /* Room for 0.95 * slots items; slots is a power of two, or 0 when the filter grows. NULL: cannot be made. */
    void *(*create)(uint64_t slots);
    void (*destroy)(void *f);

    /* One after the other. Insert stops at the first refusal. They return how many went in, are positive, went out. */
    size_t (*insert)(void *f, const uint64_t *key, size_t n);
    size_t (*contains)(void *f, const uint64_t *key, size_t n);
    size_t (*contains_batch)(void *f, const uint64_t *key, size_t n); /* with prefetching; NULL: has none */
    size_t (*remove)(void *f, const uint64_t *key, size_t n);         /* NULL: cannot */

    uint64_t (*bytes)(void *f); /* all the memory it holds */
};

const struct bench_peer *const *bench_peers(void); /* ends with NULL */

#ifdef __cplusplus
}
#endif

#endif
