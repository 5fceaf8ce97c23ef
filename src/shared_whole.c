/* What concerns a guira_shared as a whole. What would change a filter in ways that readers must not see is done to copies:
 *
 *     all shards locked     copy each, change the copies       one fails: the copies go, nothing has happened
 *                           put each in its shard's place      from here on readers find the new one
 *                           wait for readers, end the old ones
 *                           move the new ones to the grounds of their shards, which are free now
 *     all shards unlocked */
#define _GNU_SOURCE
#include "alloc.h"
#include "shared.h"
#include "tidal_whole.h"

static void lock_all(guira_shared *g) {
    for (unsigned i = 0; i < g->shards; i++) lock_take(&g->shard[i].lock);
}

static void unlock_all(guira_shared *g) {
    for (unsigned i = 0; i < g->shards; i++) lock_leave(&g->shard[i].lock);
}

/* Locks for reading what only its writer may: the shard itself stays as it is. */
static void lock(const guira_shared *g, unsigned i) { lock_take((struct lock *)&g->shard[i].lock); }
static void unlock(const guira_shared *g, unsigned i) { lock_leave((struct lock *)&g->shard[i].lock); }

static void end_all(guira **f, unsigned n) {
    for (unsigned i = 0; i < n; i++) guira_destroy(f[i]);
}

/* The copies take the places of the filters, which end up where the copies were. */
static void replace_all(guira_shared *g, guira **copy) {
    for (unsigned i = 0; i < g->shards; i++) {
        guira *old = g->sight[i].filter;
        guira__shard_show(g, i, copy[i]);
        copy[i] = old;
    }
}

static void end_old(guira **old, unsigned n) {
    guira__wait_for_readers();
    for (unsigned i = 0; i < n; i++)
        if (old[i] != NULL) guira__tidal_hide(old[i]);
    end_all(old, n);
}

static void settle_all(guira_shared *g) {
    guira *elsewhere[MAX_SHARDS];
    for (unsigned i = 0; i < g->shards; i++) elsewhere[i] = guira__shard_settle(g, i);
    end_old(elsewhere, (unsigned)g->shards);
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
        end_old(copy, n);
        settle_all(g);
    } else {
        end_all(copy, n);
    }
    unlock_all(g);
    return s;
}

/* What became of a change to a copy; without success it goes. */
static guira_status keep_if(guira_status s, guira *copy) {
    if (s != GUIRA_OK) guira_destroy(copy);
    return s;
}

/* ---------------------------------------------------------------------------------------------------------------- size */

static guira_status reserve_copy(const guira_shared *g, unsigned i, const void *with, guira **copy) {
    guira_status s = guira_clone(g->sight[i].filter, copy);
    if (s != GUIRA_OK) return s;
    return keep_if(guira_reserve(*copy, guira__share_of(*(const uint64_t *)with, g->shards)), *copy);
}

guira_status guira_shared_reserve(guira_shared *g, uint64_t items) {
    return g == NULL ? GUIRA_EINVAL : change_all(g, reserve_copy, &items);
}

/* Bucket by bucket, as removals do it, so readers may look on. */
guira_status guira_shared_shrink_to_fit(guira_shared *g) {
    if (g == NULL) return GUIRA_EINVAL;
    for (unsigned i = 0; i < g->shards; i++) {
        lock(g, i);
        guira__tidal_ebb_to_fit(g->sight[i].filter);
        unlock(g, i);
    }
    return GUIRA_OK;
}

/* An empty one of the size that was reserved, which goes on counting where the old one was. */
static guira_status clear_copy(const guira_shared *g, unsigned i, const void *with, guira **copy) {
    (void)with;
    return guira__tidal_clone_empty(g->sight[i].filter, copy);
}

guira_status guira_shared_clear(guira_shared *g) { return g == NULL ? GUIRA_EINVAL : change_all(g, clear_copy, NULL); }

/* --------------------------------------------------------------------------------------------------------------- merging */

static guira_status merge_copy(const guira_shared *g, unsigned i, const void *with, guira **copy) {
    guira *const *from = with;
    guira_status s = guira_clone(g->sight[i].filter, copy);
    return s == GUIRA_OK ? keep_if(guira_merge(*copy, from[i]), *copy) : s;
}

guira_status guira__shard_copy(const guira_shared *g, unsigned shard, guira **out) {
    lock(g, shard);
    guira_status s = guira_clone(g->sight[shard].filter, out);
    unlock(g, shard);
    return s;
}

static guira_status snapshot(const guira_shared *g, guira **copy) {
    for (unsigned i = 0; i < g->shards; i++) {
        guira_status s = guira__shard_copy(g, i, &copy[i]);
        if (s == GUIRA_OK) continue;
        end_all(copy, i);
        return s;
    }
    return GUIRA_OK;
}

guira_status guira_shared_merge(guira_shared *into, const guira_shared *from) {
    guira *copy[MAX_SHARDS];
    if (into == NULL || from == NULL || into->shards != from->shards) return GUIRA_EINVAL;
    guira_status s = snapshot(from, copy);
    if (s != GUIRA_OK) return s;
    s = change_all(into, merge_copy, copy);
    end_all(copy, (unsigned)from->shards);
    return s;
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
}

guira_status guira_shared_stats_get(const guira_shared *g, guira_stats *out) {
    guira_stats sum = {0}, s;
    if (g == NULL || out == NULL) return GUIRA_EINVAL;
    for (unsigned i = 0; i < g->shards; i++) {
        lock(g, i);
        guira_stats_get(g->sight[i].filter, &s);
        s.bytes += g->shard[i].limbo.bytes;
        unlock(g, i);
        add(&sum, &s);
    }
    sum.bytes += guira__alloc_cost(guira__shared_bytes((unsigned)g->shards));
    sum.load = (double)sum.items / (double)sum.slots;
    sum.filters = g->shards;
    sum.fpr /= (double)g->shards; /* a key asks one shard, each as likely as the others */
    *out = sum;
    return GUIRA_OK;
}

guira_status guira_shared_validate(const guira_shared *g, const char **reason) {
    if (g == NULL) return GUIRA_EINVAL;
    guira_status s = GUIRA_OK;
    for (unsigned i = 0; s == GUIRA_OK && i < g->shards; i++) {
        lock(g, i);
        s = guira_validate(g->sight[i].filter, reason);
        unlock(g, i);
    }
    return s;
}
