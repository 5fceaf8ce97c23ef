/* The lock of a shard's writer.
 *
 * If it is free, taking it costs one atomic instruction. A mutex takes two, and each of them waits for all stores before
 * it, which is most of what guira_shared costs a single writer. A thread that finds it held waits in a queue, which is a
 * mutex, and only the first thread of the queue tries again. */
#ifndef GUIRA_SHARED_LOCK_H
#define GUIRA_SHARED_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct lock {
    pthread_spinlock_t held;
    pthread_mutex_t queue;
};

bool guira__lock_init(struct lock *l); /* false: the system has no more */
void guira__lock_destroy(struct lock *l);
void guira__lock_wait(struct lock *l);

static inline void lock_acquire(struct lock *l) {
    if (pthread_spin_trylock(&l->held) != 0) guira__lock_wait(l);
}

static inline void lock_release(struct lock *l) { pthread_spin_unlock(&l->held); }

#endif
