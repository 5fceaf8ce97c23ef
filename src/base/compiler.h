/* Compiler hints: inlining, branch hints, and a choice without a branch. */
#ifndef GUIRA_BASE_COMPILER_H
#define GUIRA_BASE_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#if defined(GUIRA_SMALL) /* WebAssembly: half as large again with inlining; tests: ten times as long to compile */
#define ALWAYS_INLINE static inline
#else
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#endif
#define NOINLINE __attribute__((noinline))
/* On the declaration of a table: it is part of the library, so that code finds it without asking the linker's tables. */
#define IN_LIBRARY __attribute__((visibility("hidden")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Before a loop over the slots of a bucket: gcc unrolls it completely if their number is a constant, also above 8. clang
 * does so by itself, and reports an error where it cannot. */
#if defined(__clang__)
#define UNROLL_SLOTS
#else
#define UNROLL_SLOTS _Pragma("GCC unroll 10")
#endif

/* yes if the condition is not 0, else no, without a branch: for conditions that no branch predictor can guess. (A compiler
 * may make a branch of ?: and by arithmetic it takes three instructions more, all of which wait for the condition.) */
ALWAYS_INLINE uint64_t choose(unsigned condition, uint64_t yes, uint64_t no) {
#ifdef __x86_64__
    __asm__("test %1, %1\n\tcmovne %2, %0" : "+r"(no) : "r"(condition), "r"(yes) : "cc");
    return no;
#else
    return no ^ ((yes ^ no) & (0 - (uint64_t)(condition != 0)));
#endif
}

/* The compiler finishes its stores before it goes on. Else it may combine the last of them with one to a neighbour in a
 * vector, and then the next reader of the neighbour waits for the data of both. */
#define STORES_DONE() __asm__ volatile("" : : : "memory")

#endif
