/* The lock of a shard's writer.
 *
 * Who finds it free pays for one atomic instruction; a mutex takes two, and each of them waits for all that was stored
 * before. That is most of what guira_shared costs a lone writer. Who finds it held stands in a queue, which is a mutex, and
 * only the first one there tries again. */
#ifndef GUIRA_LOCK_H
#define GUIRA_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct lock {
    pthread_spinlock_t held;
    pthread_mutex_t queue;
};

bool guira__lock_init(struct lock *l); /* false: there are no more to be had */
void guira__lock_destroy(struct lock *l);
void guira__lock_wait(struct lock *l);

static inline void lock_take(struct lock *l) {
    if (pthread_spin_trylock(&l->held) != 0) guira__lock_wait(l);
}

static inline void lock_leave(struct lock *l) { pthread_spin_unlock(&l->held); }

#endif
