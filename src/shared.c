/* guira_shared: a filter for any number of threads.
 *
 *     hash ... | 4 bits | core        which shard
 *
 *     shard 0   [ sight | ground | lock | tidal filter | limbo ]      who changes a shard has its lock;
 *     shard 1   [ sight | ground | lock | tidal filter | limbo ]      who asks has nothing, and waits for nobody
 *     ...
 *
 * HOW CAN ASKING GO WELL WHILE SOMEBODY WRITES? A tidal filter puts down what it moves before it picks it up, and counts
 * its moves: see visible.h. Its arrays lie where anybody may look at any time: see ground.h. All other memory that it gives
 * up stays in limbo until every reader who asked for it has gone on, which liburcu tells.
 * What a filter cannot do under the eyes of readers, because everything in it changes at once, is done to a copy, and the
 * copy takes its place: reserving, clearing, merging.
 *
 * The bits that choose the shard lie right above the core. No entry knows them until a shard has 2^28 buckets at 32
 * bits, so within a shard entries tell as much apart as in a filter of their own. */
#define _GNU_SOURCE
#include "shared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "isa.h"
#include "tidal_whole.h"

enum { DEFAULT_SHARDS = 16 };

#if defined(__SANITIZE_THREAD__)
char guira__gate;
#endif

void guira__wait_for_readers(void) {
    urcu_bp_synchronize_rcu();
    GATE_WAITED();
}

/* For readers who are in doubt: see ground.h. They have looked at the table and need not do so again, if nothing has moved
 * since and they were not blind. */
static bool look_again(const struct sight *s, uint64_t hash, uint64_t before) {
    readers_enter();
    const guira *f = FOLLOW(s->filter);
    bool found = f->ops->beside_shared(f, hash);
    if (!found && !visible_same(&s->moves, before)) found = f->ops->contains_shared(f, hash);
    readers_leave();
    return found;
}

/* ------------------------------------------------------------------------------------------------------- life and death */

/* Sights and shards in one block. */
size_t guira__shared_bytes(unsigned shards) {
    return sizeof(guira_shared) + shards * (sizeof(struct sight) + sizeof(struct shard));
}

static void shard_init(guira_shared *g, unsigned i, unsigned slot_bits) {
    g->shard[i].limbo.wait = guira__wait_for_readers;
    g->shard[i].ground.log2_bucket = (uint8_t)bucket_shift(slot_bits);
    g->sight[i].flat = &guira__nowhere;
}

guira_status guira__shared_alloc(unsigned shards, const guira_config *c, guira_shared **out) {
    const struct guira__ops *ops = guira__isa_ops(NULL, c->kind, c->slot_bits);
    if (ops == NULL || ops->glance == NULL) return GUIRA_EINVAL;
    guira_shared *g = guira__zalloc(guira__shared_bytes(shards));
    if (g == NULL) return GUIRA_ENOMEM;
    g->sights = (struct sights){shard_choice(shards), g->sight, look_again};
    g->glance = ops->glance;
    g->glance_many = ops->glance_many;
    g->shard = (struct shard *)(g->sight + shards);
    for (; g->shards < shards; g->shards++) {
        shard_init(g, (unsigned)g->shards, c->slot_bits);
        if (guira__lock_init(&g->shard[g->shards].lock)) continue;
        guira_shared_destroy(g);
        return GUIRA_ENOMEM;
    }
    *out = g;
    return GUIRA_OK;
}

void guira__shard_show(guira_shared *g, unsigned shard, guira *f) {
    guira__tidal_show(f, &g->sight[shard], &g->shard[shard].limbo);
}

guira *guira__shard_settle(guira_shared *g, unsigned shard) {
    guira *old = g->sight[shard].filter, *f;
    if (guira__tidal_clone_on(&g->shard[shard].ground, old, &f) != GUIRA_OK) return NULL;
    guira__shard_show(g, shard, f);
    return old;
}

/* With four sigma to spare: hashes do not share out evenly. */
uint64_t guira__share_of(uint64_t items, uint64_t shards) {
    if (items == 0 || shards == 1) return items;
    double mean = (double)items / (double)shards;
    double share = ceil(mean + 4 * sqrt(mean));
    return share < (double)items ? (uint64_t)share : items;
}

static guira_status make_shards(guira_shared *g, const guira_config *c) {
    const struct guira__ops *ops = guira__isa_ops(NULL, c->kind, c->slot_bits);
    guira_status s = GUIRA_OK;
    guira__secret_derive(c->seed, g->secret);
    for (unsigned i = 0; s == GUIRA_OK && i < g->shards; i++) {
        guira *f;
        s = guira__tidal_create_on(&g->shard[i].ground, ops, c, &f);
        if (s == GUIRA_OK) guira__shard_show(g, i, f);
    }
    return s;
}

guira_status guira_shared_create(const guira_config *c, unsigned shards, guira_shared **out) {
    guira_config config;
    guira_config_init(&config);
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (c != NULL) config = *c;
    if (shards == 0) shards = DEFAULT_SHARDS;
    if (config.kind != GUIRA_TIDAL || shards > MAX_SHARDS || (shards & (shards - 1)) != 0) return GUIRA_EINVAL;
    config.capacity = guira__share_of(config.capacity, shards);
    guira_shared *g;
    guira_status s = guira__config_resolve(&config);
    if (s == GUIRA_OK) s = guira__shared_alloc(shards, &config, &g);
    if (s != GUIRA_OK) return s;
    s = make_shards(g, &config);
    if (s == GUIRA_OK) *out = g;
    else guira_shared_destroy(g);
    return s;
}

void guira_shared_destroy(guira_shared *g) {
    if (g == NULL) return;
    for (unsigned i = 0; i < g->shards; i++) {
        guira *f = g->sight[i].filter;
        guira__limbo_empty(&g->shard[i].limbo);
        if (f != NULL) guira__tidal_hide(f);
        guira_destroy(f);
        guira__ground_close(&g->shard[i].ground);
        guira__lock_destroy(&g->shard[i].lock);
    }
    guira__free(g);
}

guira_config guira__shared_config(const guira_shared *g) {
    readers_enter();
    guira_config c = FOLLOW(g->sight[0].filter)->config;
    readers_leave();
    return c;
}

/* --------------------------------------------------------------------------------------------------------- one by one */

static bool is_key(const guira_shared *g, const void *key, size_t len) {
    return g != NULL && (key != NULL || len == 0);
}

uint64_t guira_shared_hash(const guira_shared *g, const void *key, size_t len) {
    return is_key(g, key, len) ? guira__hash(g->secret, key, len) : 0;
}

bool guira_shared_contains_hash(const guira_shared *g, uint64_t hash) {
    return g != NULL && g->glance(&g->sights, hash);
}

static uint64_t count_hash(const guira_shared *g, uint64_t hash) {
    readers_enter();
    const guira *f = FOLLOW(sight_of(&g->sights, hash)->filter);
    uint64_t n = f->ops->count_shared(f, hash);
    readers_leave();
    return n;
}

/* A change under the lock of the shard. */
static guira_status change(guira_shared *g, uint64_t hash, guira_status (*how)(guira *, uint64_t)) {
    if (g == NULL) return GUIRA_EINVAL;
    uint64_t i = shard_number(&g->sights, hash);
    lock_take(&g->shard[i].lock);
    guira_status s = how(g->sight[i].filter, hash);
    lock_leave(&g->shard[i].lock);
    return s;
}

static guira_status insert_new(guira *f, uint64_t hash) {
    return f->contains(f, hash) ? GUIRA_EEXIST : guira_insert_hash(f, hash);
}

guira_status guira_shared_insert_hash(guira_shared *g, uint64_t hash) { return change(g, hash, guira_insert_hash); }
guira_status guira_shared_remove_hash(guira_shared *g, uint64_t hash) { return change(g, hash, guira_remove_hash); }

/* Who is there already needs no lock; who is not has to be asked for once more, with it. */
guira_status guira_shared_insert_unique_hash(guira_shared *g, uint64_t hash) {
    return guira_shared_contains_hash(g, hash) ? GUIRA_EEXIST : change(g, hash, insert_new);
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
    return is_key(g, key, len) ? count_hash(g, guira_shared_hash(g, key, len)) : 0;
}
