/* Loads and stores of memory that other threads may read or write at the same time, with the memory orders of C11.
 *
 * They work on plain integers and pointers, because most filters have no concurrent readers: there a relaxed store
 * compiles to a plain one. */
#ifndef GUIRA_BASE_ATOMICS_H
#define GUIRA_BASE_ATOMICS_H

/* With GUIRA_INTERLEAVE, a test can switch between a reader and a writer before each of these accesses: see
 * tests/test_interleaving.c. */
#if defined(GUIRA_INTERLEAVE)
void guira__interleave(void);
#define INTERLEAVE_POINT() guira__interleave()
#else
#define INTERLEAVE_POINT() ((void)0)
#endif

#define load_relaxed(place) (INTERLEAVE_POINT(), __atomic_load_n(&(place), __ATOMIC_RELAXED))
#define load_acquire(place) (INTERLEAVE_POINT(), __atomic_load_n(&(place), __ATOMIC_ACQUIRE))
#define store_relaxed(place, value) (INTERLEAVE_POINT(), __atomic_store_n(&(place), (value), __ATOMIC_RELAXED))
#define store_release(place, value) (INTERLEAVE_POINT(), __atomic_store_n(&(place), (value), __ATOMIC_RELEASE))

/* ThreadSanitizer does not model fences. It looks for data races, and all accesses here are atomic. */
#if defined(__SANITIZE_THREAD__)
#define fence_acquire() ((void)0)
#define fence_release() ((void)0)
#else
#define fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

#endif
