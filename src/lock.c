/* See lock.h. */
#define _GNU_SOURCE
#include "lock.h"

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

/* Most hold it for less than a microsecond. Some copy a filter meanwhile, and some have lost their processor: for those,
 * naps, so that whoever has it can go on whatever the priorities. */
void guira__lock_wait(struct lock *l) {
    enum { TURNS = 50 };
    const struct timespec nap = {.tv_nsec = 20000};
    pthread_mutex_lock(&l->queue);
    for (unsigned turn = 0; pthread_spin_trylock(&l->held) != 0; turn++) {
        if (turn < TURNS) sched_yield();
        else nanosleep(&nap, NULL);
    }
    pthread_mutex_unlock(&l->queue);
}
