/* fork() and guira_shared: a child has a filter that it can use like any other.
 *
 * Only the thread that calls fork() exists in the child. If another thread was in the middle of a change, its lock would
 * stay held forever, and the filter would stay half changed. So handlers take all locks of all shared filters before the
 * fork, when no change is under way, and release them in the parent; in the child the locks are made anew, because threads
 * that waited for them do not exist there. liburcu has handlers of its own for this, which are called as well. */
#define _GNU_SOURCE
#include <pthread.h>

#include "shared/shared.h"

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static guira_shared *registry; /* all shared filters */
static bool has_handlers;

static void before_fork(void) {
    pthread_mutex_lock(&registry_lock);
    for (guira_shared *g = registry; g != NULL; g = g->next)
        for (uint64_t i = 0; i < g->shards; i++) shard_lock(g, i);
    urcu_bp_before_fork();
}

static void after_fork_in_parent(void) {
    urcu_bp_after_fork_parent();
    for (guira_shared *g = registry; g != NULL; g = g->next)
        for (uint64_t i = 0; i < g->shards; i++) shard_unlock(g, i);
    pthread_mutex_unlock(&registry_lock);
}

static void after_fork_in_child(void) {
    urcu_bp_after_fork_child();
    for (guira_shared *g = registry; g != NULL; g = g->next)
        for (uint64_t i = 0; i < g->shards; i++) (void)guira__lock_init(&g->shard[i].lock); /* cannot fail on Linux */
    pthread_mutex_unlock(&registry_lock);
}

bool guira__fork_register(guira_shared *g) {
    pthread_mutex_lock(&registry_lock);
    if (!has_handlers) has_handlers = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
    bool done = has_handlers;
    if (done) {
        g->next = registry;
        if (registry != NULL) registry->previous = g;
        registry = g;
    }
    pthread_mutex_unlock(&registry_lock);
    return done;
}

void guira__fork_unregister(guira_shared *g) {
    pthread_mutex_lock(&registry_lock);
    if (g->previous != NULL) g->previous->next = g->next;
    if (g->next != NULL) g->next->previous = g->previous;
    if (registry == g) registry = g->next;
    pthread_mutex_unlock(&registry_lock);
}
