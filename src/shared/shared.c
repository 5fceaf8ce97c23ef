/* guira_shared: making one, and single operations. shared.h says how it works. */
#define _GNU_SOURCE
#include "shared/shared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "kinds/kinds.h"

enum { DEFAULT_SHARDS = 16 };

#if defined(__SANITIZE_THREAD__)
char guira__tsan_readers;
#endif

void guira__wait_grace_period(void) {
    urcu_bp_synchronize_rcu();
    TSAN_GRACE_PERIOD_OVER();
}

/* The filter decides when the reader root is in doubt. Its table need not be read again if nothing was moved since, and
 * the flat table was the table. */
static bool recheck(const struct reader_roots *roots, uint64_t hash, uint64_t before) {
    const struct reader_root *root = root_of(roots, hash);
    read_section_enter();
    const struct tidal *f = const_tidal_of(load_acquire(root->filter));
    bool found = roots->lookups->contains_outside(f, hash);
    if (!found && !version_is(&root->version, before)) found = roots->lookups->contains_in_filter(f, hash);
    read_section_leave();
    return found;
}

/* -------------------------------------------------------------------------------------------------- create, destroy */

/* Roots and shards in one block. */
size_t guira__shared_bytes(unsigned shards) {
    return sizeof(guira_shared) + shards * (sizeof(struct reader_root) + sizeof(struct shard));
}

static void shard_init(guira_shared *g, uint64_t i, unsigned slot_bits) {
    g->shard[i].retired.wait = guira__wait_grace_period;
    g->shard[i].regions.bucket_bytes = layout_of_width(slot_bits).bucket_bytes;
    guira__shard_init_readers(&g->shard[i], &g->root[i]);
}

static void destroy(guira_shared *g) {
    for (unsigned i = 0; i < g->shards; i++) {
        guira *f = g->root[i].filter;
        guira__retired_free(&g->shard[i].retired);
        if (f != NULL) guira__shard_detach(f);
        guira_destroy(f);
        guira__stable_regions_close(&g->shard[i].regions);
        guira__lock_destroy(&g->shard[i].lock);
    }
    guira__free(g);
}

guira_status guira__shared_alloc(unsigned shards, const guira_config *c, guira_shared **out) {
    const struct lockfree_ops *lookups = guira__lockfree_ops(c->slot_bits);
    if (lookups == NULL) return GUIRA_EINVAL;
    guira_shared *g = guira__zalloc(guira__shared_bytes(shards));
    if (g == NULL) return GUIRA_ENOMEM;
    g->roots = (struct reader_roots){shard_mask(shards), g->root, lookups, recheck};
    g->shard = (struct shard *)(g->root + shards);
    for (; g->shards < shards; g->shards++) {
        shard_init(g, g->shards, c->slot_bits);
        if (guira__lock_init(&g->shard[g->shards].lock)) continue;
        destroy(g);
        return GUIRA_ENOMEM;
    }
    if (!guira__fork_register(g)) {
        destroy(g);
        return GUIRA_ENOMEM;
    }
    *out = g;
    return GUIRA_OK;
}

guira *guira__shard_move_to_regions(guira_shared *g, unsigned shard) {
    guira *old = g->root[shard].filter, *f;
    if (guira__tidal_clone_in(&g->shard[shard].regions, old, &f) != GUIRA_OK) return NULL;
    guira__shard_publish(g, shard, f);
    return old;
}

/* With four standard deviations to spare: hashes do not distribute evenly. */
uint64_t guira__shard_share(uint64_t items, uint64_t shards) {
    if (items == 0 || shards == 1) return items;
    double mean = (double)items / (double)shards;
    double share = ceil(mean + 4 * sqrt(mean));
    return share < (double)items ? (uint64_t)share : items;
}

static guira_status make_filters(guira_shared *g, const guira_config *c) {
    const struct guira__ops *ops = guira__kind_ops(ISA_BEST, c);
    guira_status s = GUIRA_OK;
    guira__secret_derive(c->seed, g->secret);
    for (unsigned i = 0; s == GUIRA_OK && i < g->shards; i++) {
        guira *f;
        s = guira__tidal_create_in(&g->shard[i].regions, ops, c, &f);
        if (s == GUIRA_OK) guira__shard_publish(g, i, f);
    }
    return s;
}

guira_status guira_shared_create(const guira_config *c, unsigned shards, guira_shared **out) {
    guira_config config;
    guira_shared *g;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (shards == 0) shards = DEFAULT_SHARDS;
    if (shards > MAX_SHARDS || (shards & (shards - 1)) != 0) return GUIRA_EINVAL;
    guira_status s = guira__config_read(c, &config);
    if (s == GUIRA_OK && config.kind != GUIRA_TIDAL) s = GUIRA_EINVAL;
    config.capacity = guira__shard_share(config.capacity, shards);
    if (s == GUIRA_OK) s = guira__config_resolve(&config);
    if (s == GUIRA_OK) s = guira__shared_alloc(shards, &config, &g);
    if (s != GUIRA_OK) return s;
    s = make_filters(g, &config);
    if (s == GUIRA_OK) *out = g;
    else guira_shared_destroy(g);
    return s;
}

void guira_shared_destroy(guira_shared *g) {
    if (g == NULL) return;
    guira__fork_unregister(g);
    destroy(g);
}

guira_status guira_shared_config_get(const guira_shared *g, guira_config *out) {
    if (g == NULL || out == NULL) return GUIRA_EINVAL;
    read_section_enter();
    guira_status s = guira_config_get(load_acquire(g->root[0].filter), out);
    read_section_leave();
    return s;
}

/* --------------------------------------------------------------------------------------------------------- one by one */

static bool is_key(const guira_shared *g, const void *key, size_t len) {
    return g != NULL && (key != NULL || len == 0);
}

uint64_t guira_shared_hash(const guira_shared *g, const void *key, size_t len) {
    return is_key(g, key, len) ? guira__hash(g->secret, key, len) : 0;
}

guira_status guira_shared_hash_many(const guira_shared *g, const void *keys, size_t size, size_t n, uint64_t *out) {
    return g != NULL ? guira__hash_many(g->secret, keys, size, n, out) : GUIRA_EINVAL;
}

bool guira_shared_contains_hash(const guira_shared *g, uint64_t hash) {
    return g != NULL && g->roots.lookups->contains(&g->roots, hash);
}

uint64_t guira_shared_count_hash(const guira_shared *g, uint64_t hash) {
    if (g == NULL) return 0;
    read_section_enter();
    uint64_t n = g->roots.lookups->count(const_tidal_of(load_acquire(root_of(&g->roots, hash)->filter)), hash);
    read_section_leave();
    return n;
}

/* A change under the lock of the shard. */
static guira_status change(guira_shared *g, uint64_t hash, guira_status (*how)(guira *, uint64_t)) {
    if (g == NULL) return GUIRA_EINVAL;
    uint64_t i = shard_number(&g->roots, hash);
    shard_lock(g, i);
    guira_status s = how(g->root[i].filter, hash);
    shard_unlock(g, i);
    return s;
}

guira_status guira_shared_insert_hash(guira_shared *g, uint64_t hash) { return change(g, hash, guira_insert_hash); }
guira_status guira_shared_remove_hash(guira_shared *g, uint64_t hash) { return change(g, hash, guira_remove_hash); }

/* A key that is present needs no lock. One that is not is looked up once more under the lock. */
guira_status guira_shared_insert_unique_hash(guira_shared *g, uint64_t hash) {
    return guira_shared_contains_hash(g, hash) ? GUIRA_EEXIST : change(g, hash, guira_insert_unique_hash);
}

guira_status guira_shared_insert(guira_shared *g, const void *key, size_t len) {
    return is_key(g, key, len) ? guira_shared_insert_hash(g, guira_shared_hash(g, key, len)) : GUIRA_EINVAL;
}

guira_status guira_shared_insert_unique(guira_shared *g, const void *key, size_t len) {
    return is_key(g, key, len) ? guira_shared_insert_unique_hash(g, guira_shared_hash(g, key, len)) : GUIRA_EINVAL;
}

bool guira_shared_contains(const guira_shared *g, const void *key, size_t len) {
    return is_key(g, key, len) && guira_shared_contains_hash(g, guira_shared_hash(g, key, len));
}

guira_status guira_shared_remove(guira_shared *g, const void *key, size_t len) {
    return is_key(g, key, len) ? guira_shared_remove_hash(g, guira_shared_hash(g, key, len)) : GUIRA_EINVAL;
}

uint64_t guira_shared_count(const guira_shared *g, const void *key, size_t len) {
    return is_key(g, key, len) ? guira_shared_count_hash(g, guira_shared_hash(g, key, len)) : 0;
}
