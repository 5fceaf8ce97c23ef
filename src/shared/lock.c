/* See lock.h. */
#define _GNU_SOURCE
#include "shared/lock.h"

#include <sched.h>
#include <time.h>

bool guira__lock_init(struct lock *l) {
    if (pthread_mutex_init(&l->queue, NULL) != 0) return false;
    if (pthread_spin_init(&l->held, PTHREAD_PROCESS_PRIVATE) == 0) return true;
    pthread_mutex_destroy(&l->queue);
    return false;
}

void guira__lock_destroy(struct lock *l) {
    pthread_spin_destroy(&l->held);
    pthread_mutex_destroy(&l->queue);
}

/* Most threads hold it for less than a microsecond. But one may be copying a filter, or may have lost its processor. So
 * after some tries this thread sleeps, which lets the holder run whatever the priorities are. */
void guira__lock_wait(struct lock *l) {
    enum { TRIES = 50 };
    const struct timespec pause = {.tv_nsec = 20000};
    pthread_mutex_lock(&l->queue);
    for (unsigned tries = 0; pthread_spin_trylock(&l->held) != 0; tries++) {
        if (tries < TRIES) sched_yield();
        else nanosleep(&pause, NULL);
    }
    pthread_mutex_unlock(&l->queue);
}
