/* A guira_shared as a whole. Changes that readers must not see half done are made to copies:
 *
 *     all shards locked     copy each, change the copies       if one fails, the copies are freed and nothing has changed
 *                           publish each in its shard          from here on readers find the new ones
 *                           wait for a grace period, destroy the old ones
 *                           move the new ones to the stable regions of their shards, which are free now
 *     all shards unlocked */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "shared/shared.h"

static void lock_all(guira_shared *g) {
    for (unsigned i = 0; i < g->shards; i++) shard_lock(g, i);
}

static void unlock_all(guira_shared *g) {
    for (unsigned i = 0; i < g->shards; i++) shard_unlock(g, i);
}

static void destroy_all(guira **f, unsigned n) {
    for (unsigned i = 0; i < n; i++) guira_destroy(f[i]);
}

/* The copies take the places of the filters; `copy` has the old filters then. */
static void replace_all(guira_shared *g, guira **copy) {
    for (unsigned i = 0; i < g->shards; i++) {
        guira *old = g->root[i].filter;
        guira__shard_publish(g, i, copy[i]);
        copy[i] = old;
    }
}

static void destroy_old(guira **old, unsigned n) {
    guira__wait_grace_period();
    for (unsigned i = 0; i < n; i++)
        if (old[i] != NULL) guira__shard_detach(old[i]);
    destroy_all(old, n);
}

static void move_all_to_regions(guira_shared *g) {
    guira *old[MAX_SHARDS];
    for (unsigned i = 0; i < g->shards; i++) old[i] = guira__shard_move_to_regions(g, i);
    destroy_old(old, (unsigned)g->shards);
}

/* A change to a copy of shard i; with: what it takes. */
typedef guira_status change_copy(const guira_shared *g, unsigned i, const void *with, guira **copy);

static guira_status change_all(guira_shared *g, change_copy *how, const void *with) {
    guira *copy[MAX_SHARDS];
    guira_status s = GUIRA_OK;
    unsigned n = 0;
    lock_all(g);
    for (; n < g->shards; n++)
        if ((s = how(g, n, with, &copy[n])) != GUIRA_OK) break;
    if (s == GUIRA_OK) {
        replace_all(g, copy);
        destroy_old(copy, n);
        move_all_to_regions(g);
    } else {
        destroy_all(copy, n);
    }
    unlock_all(g);
    return s;
}

/* Destroys the copy if the change to it failed. */
static guira_status keep_if(guira_status s, guira *copy) {
    if (s != GUIRA_OK) guira_destroy(copy);
    return s;
}

/* ---------------------------------------------------------------------------------------------------------------- size */

static guira_status reserve_copy(const guira_shared *g, unsigned i, const void *with, guira **copy) {
    guira_status s = guira_clone(g->root[i].filter, copy);
    if (s != GUIRA_OK) return s;
    return keep_if(guira_reserve(*copy, guira__shard_share(*(const uint64_t *)with, g->shards)), *copy);
}

guira_status guira_shared_reserve(guira_shared *g, uint64_t items) {
    return g == NULL ? GUIRA_EINVAL : change_all(g, reserve_copy, &items);
}

/* Bucket by bucket, as removals do it, which is safe for concurrent readers. */
guira_status guira_shared_shrink_to_fit(guira_shared *g) {
    if (g == NULL) return GUIRA_EINVAL;
    for (unsigned i = 0; i < g->shards; i++) {
        shard_lock(g, i);
        guira__tidal_shrink_steps(tidal_of(g->root[i].filter));
        shard_unlock(g, i);
    }
    return GUIRA_OK;
}

/* An empty one of the size that was reserved, with the counters of the old one. */
static guira_status clear_copy(const guira_shared *g, unsigned i, const void *with, guira **copy) {
    (void)with;
    return guira__tidal_clone_empty(g->root[i].filter, tidal_floor(tidal_of(g->root[i].filter)), copy);
}

guira_status guira_shared_clear(guira_shared *g) { return g == NULL ? GUIRA_EINVAL : change_all(g, clear_copy, NULL); }

/* --------------------------------------------------------------------------------------------------------------- merging */

static guira_status merge_copy(const guira_shared *g, unsigned i, const void *with, guira **copy) {
    guira *const *from = with;
    guira_status s = guira_clone(g->root[i].filter, copy);
    return s == GUIRA_OK ? keep_if(guira_merge(*copy, from[i]), *copy) : s;
}

static guira_status unite_copy(const guira_shared *g, unsigned i, const void *with, guira **copy) {
    guira *const *from = with;
    guira_status s = guira_clone(g->root[i].filter, copy);
    return s == GUIRA_OK ? keep_if(guira_union(*copy, from[i]), *copy) : s;
}

guira_status guira__shard_copy(const guira_shared *g, unsigned shard, guira **out) {
    shard_lock(g, shard);
    guira_status s = guira_clone(g->root[shard].filter, out);
    shard_unlock(g, shard);
    return s;
}

static guira_status snapshot(const guira_shared *g, guira **copy) {
    for (unsigned i = 0; i < g->shards; i++) {
        guira_status s = guira__shard_copy(g, i, &copy[i]);
        if (s == GUIRA_OK) continue;
        destroy_all(copy, i);
        return s;
    }
    return GUIRA_OK;
}

static guira_status combine(guira_shared *into, const guira_shared *from, change_copy *how) {
    guira *copy[MAX_SHARDS];
    if (into == NULL || from == NULL || into->shards != from->shards) return GUIRA_EINVAL;
    guira_status s = snapshot(from, copy);
    if (s != GUIRA_OK) return s;
    s = change_all(into, how, copy);
    destroy_all(copy, (unsigned)from->shards);
    return s;
}

guira_status guira_shared_merge(guira_shared *into, const guira_shared *from) {
    return combine(into, from, merge_copy);
}

guira_status guira_shared_union(guira_shared *into, const guira_shared *from) {
    return combine(into, from, unite_copy);
}

/* --------------------------------------------------------------------------------------------------------------- looking */

static void add(guira_stats *sum, const guira_stats *s) {
    sum->items += s->items;
    sum->slots += s->slots;
    sum->buckets += s->buckets;
    sum->bytes += s->bytes;
    sum->stash += s->stash;
    sum->elders += s->elders;
    sum->kicks += s->kicks;
    sum->evictions += s->evictions;
    sum->failures += s->failures;
    sum->grows += s->grows;
    sum->shrinks += s->shrinks;
    sum->fpr += s->fpr;
    if (s->fpr_kept > 0) sum->fpr_kept = s->fpr_kept; /* that of the configuration, which all shards have */
    sum->load += s->load * (double)s->slots;
}

guira_status guira_shared_stats_get(const guira_shared *g, guira_stats *out) {
    guira_stats sum = {.size = sizeof sum}, s = {.size = sizeof s};
    if (g == NULL || out == NULL) return GUIRA_EINVAL;
    for (unsigned i = 0; i < g->shards; i++) {
        shard_lock(g, i);
        guira_stats_get(g->root[i].filter, &s);
        s.bytes += g->shard[i].retired.bytes;
        shard_unlock(g, i);
        add(&sum, &s);
    }
    sum.bytes += guira__alloc_cost(guira__shared_bytes((unsigned)g->shards));
    sum.load /= (double)sum.slots;
    sum.filters = g->shards;
    sum.fpr /= (double)g->shards; /* a lookup reads one shard, each as likely as the others */
    if (sum.fpr > sum.fpr_kept) sum.fpr_kept = 0;
    return guira__struct_out(out, &sum, STATS_FIRST_SIZE, sizeof sum);
}

guira_status guira_shared_validate(const guira_shared *g, const char **reason) {
    if (g == NULL) return GUIRA_EINVAL;
    guira_status s = GUIRA_OK;
    for (unsigned i = 0; s == GUIRA_OK && i < g->shards; i++) {
        shard_lock(g, i);
        s = guira_validate(g->root[i].filter, reason);
        shard_unlock(g, i);
    }
    return s;
}
