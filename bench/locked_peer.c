/* A plain filter protected by one mutex: the simple alternative to guira_shared, and the cost of the lock alone. */
#include "guira.h"
#include "guira_shared.h"

#include "peers.h"

#include <pthread.h>
#include <stdlib.h>

struct locked {
    pthread_mutex_t lock;
    guira *f;
};

static void *create(uint64_t slots) {
    struct locked *l = malloc(sizeof *l);
    if (l == NULL) return NULL;
    l->f = guira_tidal_16->create(slots);
    if (l->f != NULL && pthread_mutex_init(&l->lock, NULL) == 0) return l;
    guira_destroy(l->f);
    free(l);
    return NULL;
}

static void destroy(void *f) {
    struct locked *l = f;
    pthread_mutex_destroy(&l->lock);
    guira_destroy(l->f);
    free(l);
}

static guira_status locked_call(struct locked *l, uint64_t key, guira_status (*call)(guira *, uint64_t)) {
    pthread_mutex_lock(&l->lock);
    guira_status s = call(l->f, key);
    pthread_mutex_unlock(&l->lock);
    return s;
}

static size_t insert(void *f, const uint64_t *key, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (locked_call(f, key[i], guira_insert_hash) != GUIRA_OK) return i;
    return n;
}

static size_t contains(void *f, const uint64_t *key, size_t n) {
    struct locked *l = f;
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) {
        pthread_mutex_lock(&l->lock);
        hits += guira_contains_hash(l->f, key[i]);
        pthread_mutex_unlock(&l->lock);
    }
    return hits;
}

static size_t contains_batch(void *f, const uint64_t *key, size_t n) {
    struct locked *l = f;
    pthread_mutex_lock(&l->lock);
    size_t hits = guira_tidal_16->contains_batch(l->f, key, n);
    pthread_mutex_unlock(&l->lock);
    return hits;
}

static size_t erase(void *f, const uint64_t *key, size_t n) {
    size_t removed = 0;
    for (size_t i = 0; i < n; i++) removed += locked_call(f, key[i], guira_remove_hash) == GUIRA_OK;
    return removed;
}

static uint64_t bytes(void *f) { return guira_tidal_16->bytes(((struct locked *)f)->f); }

static uint64_t count(void *f, uint64_t key) {
    struct locked *l = f;
    pthread_mutex_lock(&l->lock);
    uint64_t n = guira_count_hash(l->f, key);
    pthread_mutex_unlock(&l->lock);
    return n;
}

const struct bench_peer guira_locked_16 = {
    "locked-16", 1, create, destroy, insert, contains, contains_batch, erase, bytes, count,
};
