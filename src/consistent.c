/* The consistent cuckoo filter: its entries, and when it changes its size. See consistent.h.
 *
 * WHERE DOES AN ENTRY GO? To the filter with the lowest load, moving others there if need be; else to any other with a
 * free slot among the candidates; else the filter grows.
 *
 * WHEN DOES IT GROW? When there was no place, or when the load is above max_load. By a bucket, to the filter with the
 * fewest (bucket level), or by a whole filter (filter level); both levels means buckets until the smallest filter has
 * GROWN of them, because a bucket more costs a pass over all the points of its filter.
 *
 * WHEN DOES IT SHRINK? When the load is below min_load and no more items are left than `calm` says. That number is set
 * when the filter grows, to a little less than there were, and when shrinking failed, to 1/64 less: so it neither goes
 * up and down at every step nor tries in vain at every removal. It never goes below what is reserved or was there in the
 * beginning. */
#include "consistent.h"

#include <string.h>

#define GROWN UINT64_C(16384)
#define SELF ((struct consistent *)head)
#define CONST_SELF ((const struct consistent *)head)

/* -------------------------------------------------------------------------------------------------------------- asking */

static bool contains(const guira *head, uint64_t hash) {
    const struct consistent *f = CONST_SELF;
    struct aim a = {.n = 0};
    for (uint64_t i = 0; i < f->filters; i++) {
        guira__aim_hash(&a, &f->list[i].shape, hash);
        if (guira__i2cf_contains(&f->list[i], &a)) return true;
    }
    return false;
}

static size_t contains_many(const guira *head, const uint64_t *hash, size_t n, bool *out) {
    size_t present = 0;
    for (size_t i = 0; i < n; i++) present += out[i] = contains(head, hash[i]);
    return present;
}

/* How many copies there are, and how many there could be with the buckets there are. */
static uint64_t count_places(const struct consistent *f, uint64_t hash, uint64_t *places) {
    uint64_t n = 0, all = 0;
    struct aim a = {.n = 0};
    for (uint64_t i = 0; i < f->filters; i++) {
        guira__aim_hash(&a, &f->list[i].shape, hash);
        n += guira__i2cf_count(&f->list[i], &a, places);
        all += *places;
    }
    *places = all;
    return n;
}

static uint64_t count(const guira *head, uint64_t hash) {
    uint64_t places;
    return count_places(CONST_SELF, hash, &places);
}

static void prefetch(const guira *head, uint64_t hash) { /* finding out what to fetch would take as long as using it */
    (void)head;
    (void)hash;
}

/* ------------------------------------------------------------------------------------------------------------- policies */

static double load(const struct consistent *f) {
    return (double)f->head.items / (double)guira__consistent_totals(f).slots;
}

static bool by_bucket(const struct consistent *f) {
    guira_policy policy = f->head.config.policy;
    if (policy != GUIRA_BOTH_LEVELS) return policy == GUIRA_BUCKET_LEVEL;
    return guira__consistent_smallest(f)->buckets < GROWN || f->filters >= f->head.config.max_filters;
}

static guira_status out_like_first(struct consistent *f) {
    const guira_config *c = &f->head.config;
    struct shape s = guira__consistent_shape(c);
    return guira__consistent_out(f, &s, c->buckets);
}

/* A whole filter, and the newcomer into it: empty as it is, it has room. */
static guira_status grow_out(struct consistent *f, const uint64_t *hash) {
    guira_status s = out_like_first(f);
    if (s != GUIRA_OK) return s == GUIRA_ELIMIT ? GUIRA_EFULL : s;
    if (hash == NULL) return GUIRA_OK;
    struct i2cf *fresh = &f->list[f->filters - 1];
    struct aim a = {.n = 0};
    struct i2cf_log log;
    log.n = 0;
    guira__aim_hash(&a, &fresh->shape, *hash);
    guira__i2cf_insert(fresh, &a, 0, &log, &f->head);
    return GUIRA_OK;
}

/* By one step, with a place for hash (NULL: for nobody). */
static guira_status grow(struct consistent *f, const uint64_t *hash) {
    const guira_config *c = &f->head.config;
    guira_status s = GUIRA_EFULL;
    if (by_bucket(f)) s = guira__consistent_up(f, hash);
    if (s != GUIRA_OK && s != GUIRA_ENOMEM && c->policy != GUIRA_BUCKET_LEVEL) s = grow_out(f, hash);
    if (s != GUIRA_OK) return s;
    double gap = c->min_load > 0 ? c->min_load / c->max_load : 0;
    f->calm = (uint64_t)((double)f->head.items * gap);
    return GUIRA_OK;
}

/* Whether that many slots fewer are still enough. */
static bool can_spare(const struct consistent *f, uint64_t slots) {
    const guira_config *c = &f->head.config;
    double left = (double)guira__consistent_totals(f).slots - (double)slots;
    return left >= (double)(c->buckets * c->bucket_slots) && left * c->max_load >= (double)f->reserved &&
           left * c->max_load >= (double)f->head.items;
}

static guira_status shrink(struct consistent *f) {
    const struct i2cf *whole = guira__consistent_dispensable(f);
    guira_status s = GUIRA_EFULL;
    if (f->head.config.policy != GUIRA_BUCKET_LEVEL && whole != NULL && can_spare(f, i2cf_slots(whole)))
        s = guira__consistent_compact(f);
    if (s != GUIRA_OK && f->head.config.policy != GUIRA_FILTER_LEVEL &&
        can_spare(f, guira__consistent_next_down(f)->shape.slots))
        s = guira__consistent_down(f);
    return s;
}

static void shrink_if_due(struct consistent *f) {
    if (f->head.items > f->calm || load(f) >= f->head.config.min_load) return;
    if (shrink(f) != GUIRA_OK) f->calm = f->head.items - f->head.items / 64 - (f->head.items > 0);
}

/* ------------------------------------------------------------------------------------------------------------- changing */

/* Without growing. */
static bool insert_as_it_is(struct consistent *f, uint64_t hash) {
    struct i2cf *active = guira__consistent_least_loaded(f);
    struct aim a = {.n = 0};
    struct i2cf_log log;
    log.n = 0;
    guira__aim_hash(&a, &active->shape, hash);
    if (guira__i2cf_insert(active, &a, f->head.config.max_kicks, &log, &f->head)) return true;
    for (uint64_t i = 0; i < f->filters; i++) {
        guira__aim_hash(&a, &f->list[i].shape, hash);
        if (guira__i2cf_insert(&f->list[i], &a, 0, &log, &f->head)) return true;
    }
    return false;
}

/* Whether copies are what is in the way: they have all the places there are, or as many as one filter could give them.
 * More of them may go where there is room, but they do not make the filter grow, or a single key could do so for ever. */
static bool has_too_many_copies(const struct consistent *f, uint64_t hash) {
    uint64_t places, copies = count_places(f, hash, &places);
    return copies == places || copies >= (uint64_t)f->head.config.candidates * f->head.config.bucket_slots;
}

static guira_status insert(guira *head, uint64_t hash) {
    struct consistent *f = SELF;
    if (!insert_as_it_is(f, hash)) {
        if (has_too_many_copies(f, hash)) return GUIRA_EDUPLICATE;
        guira_status s = grow(f, &hash);
        if (s != GUIRA_OK) return s == GUIRA_ELIMIT ? GUIRA_EFULL : s;
    }
    f->head.items++;
    if (load(f) > f->head.config.max_load) (void)grow(f, NULL); /* if not now, then when there is no place */
    return GUIRA_OK;
}

static guira_status remove_one(guira *head, uint64_t hash) {
    struct consistent *f = SELF;
    struct i2cf *longest = NULL;
    struct aim a = {.n = 0};
    for (uint64_t i = 0; i < f->filters; i++) {
        struct i2cf *it = &f->list[i];
        if (longest != NULL && it->shape.bits <= longest->shape.bits) continue;
        guira__aim_hash(&a, &it->shape, hash);
        if (guira__i2cf_contains(it, &a)) longest = it;
    }
    if (longest == NULL) return GUIRA_ENOTFOUND;
    guira__aim_hash(&a, &longest->shape, hash);
    guira__i2cf_remove(longest, &a);
    f->head.items--;
    shrink_if_due(f);
    return GUIRA_OK;
}

/* ------------------------------------------------------------------------------------------------- single steps, on demand */

/* A mapped filter, which cannot be changed, has other functions. */
static guira_status is_ours(const guira *head) {
    if (head == NULL) return GUIRA_EINVAL;
    return head->ops == &guira__consistent_ops ? GUIRA_OK : GUIRA_EUNSUPPORTED;
}

/* Who asks for less room does not want what was reserved. */
static void give_up_reservation(struct consistent *f) {
    double room = (double)guira__consistent_totals(f).slots * f->head.config.max_load;
    if ((double)f->reserved > room) f->reserved = (uint64_t)room;
}

guira_status guira_consistent_scale_up(guira *head) {
    guira_status s = is_ours(head);
    return s == GUIRA_OK ? guira__consistent_up(SELF, NULL) : s;
}

guira_status guira_consistent_scale_down(guira *head) {
    guira_status s = is_ours(head);
    if (s == GUIRA_OK) s = guira__consistent_down(SELF);
    if (s == GUIRA_OK) give_up_reservation(SELF);
    return s;
}

guira_status guira_consistent_scale_out(guira *head, const guira_config *c) {
    guira_status s = is_ours(head);
    if (s != GUIRA_OK) return s;
    if (c == NULL) return out_like_first(SELF);
    guira_config resolved = *c;
    resolved.kind = GUIRA_CONSISTENT;
    memcpy(resolved.seed, head->config.seed, sizeof resolved.seed); /* so that none is drawn: the hash is the same */
    s = guira__config_resolve(&resolved);
    if (s != GUIRA_OK) return s;
    struct shape shape = guira__consistent_shape(&resolved);
    uint64_t buckets = guira__consistent_buckets_for(&resolved, resolved.capacity);
    return guira__consistent_out(SELF, &shape, buckets);
}

guira_status guira_consistent_compact(guira *head) {
    guira_status s = is_ours(head), first;
    if (s != GUIRA_OK) return s;
    for (first = s = guira__consistent_compact(SELF); s == GUIRA_OK;) s = guira__consistent_compact(SELF);
    if (first == GUIRA_OK) give_up_reservation(SELF);
    return first;
}

const struct guira__ops guira__consistent_ops = {
    .create = guira__consistent_create,
    .destroy = guira__consistent_destroy,
    .insert = insert,
    .contains = contains,
    .remove = remove_one,
    .count = count,
    .contains_many = contains_many,
    .prefetch = prefetch,
    .reserve = guira__consistent_reserve,
    .shrink_to_fit = guira__consistent_shrink_to_fit,
    .clear = guira__consistent_clear,
    .clone = guira__consistent_clone,
    .stats = guira__consistent_stats,
    .check = guira__consistent_check,
    .dump = guira__consistent_dump,
    .save = guira__consistent_save,
    .view = guira__consistent_view,
};
