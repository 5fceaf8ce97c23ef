/* Compiler hints: inlining, branch hints, and a choice without a branch. */
#ifndef GUIRA_BASE_COMPILER_H
#define GUIRA_BASE_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#if defined(GUIRA_SMALL) /* the build for WebAssembly: 176 KB instead of 263 KB */
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

/* yes if condition, else no, by arithmetic: for conditions that no branch predictor can guess. */
ALWAYS_INLINE uint64_t choose(bool condition, uint64_t yes, uint64_t no) {
    return no ^ ((yes ^ no) & (0 - (uint64_t)condition));
}

#endif
