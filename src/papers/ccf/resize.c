/* How a CCF changes its size: up and down by a bucket, out and compact by a filter. See ccf.h.
 *
 * WHEN DOES IT GROW? When an entry found no room, or when the load is above max_load. By a bucket of the filter with the
 * fewest that can have one more (bucket level), or by a filter (filter level). Both levels means buckets, unless the
 * smallest filter has MANY_BUCKETS of them, because each bucket more costs a pass over all the points of its filter, or
 * the growth is dramatic. If one way fails, the other one is tried.
 *
 * WHAT IS DRAMATIC GROWTH? Let n0 be the items when it began, or what the first filter was made for if that is more. It is
 * dramatic when there are DRAMATIC * n0 items and no more than n0 / CALM were removed meanwhile. If more were removed, the
 * growth begins anew with the items of that moment. A filter of half as many buckets as there are comes then, and the
 * growth begins anew as well.
 *
 * WHEN DOES IT SHRINK? When the load is below min_load and there are no more items than `shrink_below`. That number is set
 * when the filter grows, to a little less than there were, and when shrinking failed, to 1/64 less: so it neither goes up
 * and down at every step nor fails again at every removal. It never goes below what is reserved or was there at first. */
#include <math.h>

#include "base/alloc.h"
#include "papers/ccf/ccf.h"

#define MANY_BUCKETS UINT64_C(16384)

enum { DRAMATIC = 4, CALM = 8 };

struct ccf_totals guira__ccf_totals(const struct ccf *f) {
    struct ccf_totals t = {0, 0, 0};
    for (uint64_t i = 0; i < f->filters; i++) {
        t.slots += table_slots(&f->list[i].table);
        t.buckets += f->list[i].table.buckets;
        t.bytes += guira__i2cf_bytes(&f->list[i]);
    }
    return t;
}

struct i2cf *guira__ccf_least_loaded(const struct ccf *f) {
    struct i2cf *least = &f->list[0];
    for (uint64_t i = 1; i < f->filters; i++)
        if (i2cf_load(&f->list[i]) < i2cf_load(least)) least = &f->list[i];
    return least;
}

/* The filters in the order of their size, those of the same size in the order of the list. NULL: the first one; after the
 * last comes NULL. */
static struct i2cf *next_larger(const struct ccf *f, const struct i2cf *after) {
    struct i2cf *next = NULL;
    for (struct i2cf *it = f->list; it < f->list + f->filters; it++) {
        bool larger = after == NULL || it->table.buckets > after->table.buckets ||
                      (it->table.buckets == after->table.buckets && it > after);
        if (larger && (next == NULL || it->table.buckets < next->table.buckets)) next = it;
    }
    return next;
}

static struct i2cf *smallest(const struct ccf *f) { return next_larger(f, NULL); }

/* Of two reasons why nothing was possible, the one to report. */
static guira_status worse(guira_status a, guira_status b) { return a == GUIRA_ENOMEM ? a : b; }

/* -------------------------------------------------------------------------------------------------------- single buckets */

guira_status guira__ccf_up_at(struct ccf *f, struct i2cf *to, const uint64_t *hash, unsigned kicks) {
    uint64_t fingerprint = hash != NULL ? i2cf_fingerprint(to, *hash) : 0, before = to->table.buckets;
    guira_status s = kicks > 0 ? guira__i2cf_scale_up_moving(to, fingerprint, kicks, &f->base)
                               : guira__i2cf_scale_up(to, fingerprint, &f->base);
    f->head.grows += to->table.buckets - before;
    if (s == GUIRA_OK) ccf_changed(f);
    return s;
}

guira_status guira__ccf_up(struct ccf *f, const uint64_t *hash, unsigned kicks) {
    guira_status s = GUIRA_EFULL;
    for (struct i2cf *to = smallest(f); to != NULL; to = next_larger(f, to)) {
        guira_status tried = guira__ccf_up_at(f, to, hash, kicks);
        if (tried == GUIRA_OK) return GUIRA_OK;
        s = worse(s, tried);
    }
    return s;
}

/* The filter that loses a bucket next. */
static struct i2cf *next_down(const struct ccf *f) {
    struct i2cf *from = guira__ccf_least_loaded(f);
    for (uint64_t i = 0; from->table.buckets == 1 && i < f->filters; i++) from = &f->list[i];
    return from;
}

guira_status guira__ccf_down_at(struct ccf *f, struct i2cf *from) {
    guira_status s = guira__i2cf_scale_down(from, f->base.config.max_kicks, &f->base);
    f->head.shrinks += s == GUIRA_OK;
    if (s == GUIRA_OK) ccf_changed(f);
    return s;
}

guira_status guira__ccf_down(struct ccf *f) { return guira__ccf_down_at(f, next_down(f)); }

/* --------------------------------------------------------------------------------------------------------- whole filters */

static guira_status list_resize(struct ccf *f, uint64_t filters) {
    struct i2cf *list = (struct i2cf *)guira__alloc(filters * sizeof *list);
    if (list == NULL) return GUIRA_ENOMEM;
    if (f->filters > 0) memcpy(list, f->list, (filters < f->filters ? filters : f->filters) * sizeof *list);
    guira__free(f->list);
    f->list = list;
    f->room = filters;
    return GUIRA_OK;
}

guira_status guira__ccf_out(struct ccf *f, const struct i2cf *like, uint64_t buckets) {
    struct i2cf fresh;
    struct evict_state before = f->head.evict;
    if (f->filters >= f->base.config.max_filters) return GUIRA_ELIMIT;
    guira_status s = f->filters < f->room ? GUIRA_OK : list_resize(f, f->filters + 1);
    if (s == GUIRA_OK) s = guira__i2cf_make(&fresh, like, buckets, &f->base);
    if (s != GUIRA_OK) {
        f->head.evict = before;
        return s;
    }
    f->list[f->filters++] = fresh;
    f->head.grows += buckets;
    ccf_changed(f);
    return GUIRA_OK;
}

/* Whether entries can go from one to the other: fingerprints can be cut, not made longer. */
static bool can_take(const struct i2cf *to, const struct i2cf *from) {
    return to != from && to->table.layout.bits <= from->table.layout.bits;
}

bool guira__ccf_may_fit_elsewhere(const struct ccf *f, const struct i2cf *from) {
    uint64_t room = 0;
    for (uint64_t i = 0; i < f->filters; i++)
        if (can_take(&f->list[i], from)) room += table_slots(&f->list[i].table) - f->list[i].table.items;
    return f->filters > 1 && room >= from->table.items;
}

/* How much a filter has of the configured shape: all of it, all but the number of buckets, or not all. */
static unsigned likeness(const struct ccf *f, const struct i2cf *it) {
    const guira_config *c = &f->base.config;
    struct i2cf like = guira__i2cf_like(c);
    bool same = it->table.layout.bits == like.table.layout.bits && it->table.layout.slots == like.table.layout.slots &&
                it->candidates == like.candidates && it->nodes == like.nodes && it->ring.size == like.ring.size;
    return !same ? 0 : it->table.buckets == guira__ccf_buckets_for(c, c->capacity) ? 2 : 1;
}

/* Whether `a` is compacted rather than b: the less loaded one. Of two empty ones the one of the configured shape stays. */
static bool compacts_first(const struct ccf *f, const struct i2cf *a, const struct i2cf *b) {
    double load = i2cf_load(a), other = i2cf_load(b);
    return load < other || (load == 0 && other == 0 && likeness(f, a) < likeness(f, b));
}

/* The first of those whose entries may fit into others. */
struct i2cf *guira__ccf_next_compact(const struct ccf *f) {
    struct i2cf *first = NULL;
    for (struct i2cf *it = f->list; it < f->list + f->filters; it++)
        if ((first == NULL || compacts_first(f, it, first)) && guira__ccf_may_fit_elsewhere(f, it)) first = it;
    return first;
}

/* An insertion that never grows: into a free slot of any filter, else by moving others in any. */
static bool move_entry(struct ccf *f, const struct i2cf *from, uint64_t entry) {
    for (unsigned kicks = 0;; kicks = f->base.config.max_kicks) {
        for (uint64_t i = 0; i < f->filters; i++) {
            struct i2cf *to = &f->list[i];
            if (!can_take(to, from)) continue;
            uint64_t cut = fingerprint_cut(entry, from->table.layout.bits, to->table.layout.bits);
            if (guira__i2cf_insert(to, cut, kicks, &f->base)) return true;
        }
        if (kicks > 0) return false;
    }
}

static bool move_all(struct ccf *f, const struct i2cf *from) {
    for (uint64_t slot = 0; slot < table_slots(&from->table); slot++) {
        uint64_t entry = table_get(&from->table, slot);
        if (entry != 0 && !move_entry(f, from, entry)) return false;
    }
    return true;
}

/* Moves the entries of one filter to others. On failure nothing has changed. */
static guira_status empty_out(struct ccf *f, const struct i2cf *from) {
    bool saved = true;
    struct evict_state before = f->head.evict;
    struct table *copy = (struct table *)guira__zalloc(f->filters * sizeof *copy);
    if (copy == NULL) return GUIRA_ENOMEM;
    for (uint64_t i = 0; saved && i < f->filters; i++) saved = guira__table_save(&f->list[i].table, &copy[i]);
    bool moved = saved && move_all(f, from);
    for (uint64_t i = 0; i < f->filters; i++) {
        if (!moved) guira__table_restore(&f->list[i].table, &copy[i]);
        guira__free(copy[i].bytes);
    }
    guira__free(copy);
    if (!moved) f->head.evict = before;
    return moved ? GUIRA_OK : saved ? GUIRA_EFULL : GUIRA_ENOMEM;
}

static void replace(struct ccf *f, struct i2cf *old, const struct i2cf *fresh) {
    if (fresh->table.buckets < old->table.buckets) f->head.shrinks += old->table.buckets - fresh->table.buckets;
    else f->head.grows += fresh->table.buckets - old->table.buckets;
    guira__i2cf_free(old);
    *old = *fresh;
    ccf_changed(f);
}

/* Gives an empty filter the configured shape, large enough for what it keeps of a reservation. */
static guira_status reshape(struct ccf *f, struct i2cf *it) {
    const guira_config *c = &f->base.config;
    struct i2cf fresh, like = guira__i2cf_like(c);
    struct evict_state before = f->head.evict;
    bool keeps = f->reserved > c->capacity && (double)f->reserved <= (double)table_slots(&it->table) * c->max_load;
    guira_status s =
        guira__i2cf_make(&fresh, &like, guira__ccf_buckets_for(c, keeps ? f->reserved : c->capacity), &f->base);
    if (s == GUIRA_OK) replace(f, it, &fresh);
    else f->head.evict = before;
    return s;
}

guira_status guira__ccf_compact(struct ccf *f, struct i2cf *from) {
    if (from == NULL || !guira__ccf_may_fit_elsewhere(f, from)) return GUIRA_EFULL;
    struct i2cf *other = &f->list[from == f->list];
    bool last_empty = f->filters == 2 && f->head.items == 0 && likeness(f, other) < 2;
    guira_status s = last_empty ? reshape(f, other) : empty_out(f, from);
    if (s != GUIRA_OK) return s;
    f->head.shrinks += from->table.buckets;
    ccf_changed(f);
    guira__i2cf_free(from);
    memmove(from, from + 1, (size_t)(f->list + --f->filters - from) * sizeof *from);
    (void)list_resize(f, f->filters); /* without memory it stays as it is */
    return GUIRA_OK;
}

/* Asking for less room gives up what was reserved. */
void guira__ccf_lower_reservation(struct ccf *f) {
    double room = (double)guira__ccf_totals(f).slots * f->base.config.max_load;
    if ((double)f->reserved > room) f->reserved = (uint64_t)room;
}

/* ------------------------------------------------------------------------------------------------------------- policies */

/* n0: see the top. */
static double growth_start(const struct ccf *f) {
    const guira_config *c = &f->base.config;
    double made_for = (double)guira__ccf_buckets_for(c, c->capacity) * c->bucket_slots * c->max_load;
    return fmax((double)f->calm, made_for);
}

static void begin_growth(struct ccf *f) {
    f->calm = f->head.items;
    f->removed = 0;
}

void guira__ccf_note_removal(struct ccf *f) {
    if (f->base.config.policy == GUIRA_BOTH_LEVELS && CALM * (double)++f->removed > growth_start(f)) begin_growth(f);
}

static bool grows_dramatically(const struct ccf *f) {
    return f->base.config.policy == GUIRA_BOTH_LEVELS && (double)f->head.items >= DRAMATIC * growth_start(f);
}

/* A new filter has room for the entry. */
static guira_status grow_out(struct ccf *f, const uint64_t *hash) {
    struct i2cf like = guira__i2cf_like(&f->base.config);
    bool dramatic = grows_dramatically(f);
    uint64_t half = guira__ccf_totals(f).buckets / 2, buckets = f->base.config.buckets;
    guira_status s = guira__ccf_out(f, &like, dramatic && half > buckets ? half : buckets);
    if (s == GUIRA_OK && dramatic) begin_growth(f);
    if (s != GUIRA_OK || hash == NULL) return s;
    struct i2cf *to = &f->list[f->filters - 1];
    guira__i2cf_insert(to, i2cf_fingerprint(to, *hash), 0, &f->base);
    return GUIRA_OK;
}

/* The way that the policy prefers, and if that fails the other one, as far as it allows them. */
static guira_status grow_either_way(struct ccf *f, const uint64_t *hash, bool filters_too) {
    const guira_policy policy = f->base.config.policy;
    bool may_up = policy != GUIRA_FILTER_LEVEL, may_out = filters_too && policy != GUIRA_BUCKET_LEVEL;
    bool out_first = smallest(f)->table.buckets >= MANY_BUCKETS || grows_dramatically(f);
    guira_status s = GUIRA_EFULL;
    for (unsigned turn = 0; turn < 2; turn++) {
        bool out = (turn == 0) == out_first;
        if (!(out ? may_out : may_up)) continue;
        guira_status tried = out ? grow_out(f, hash) : guira__ccf_up(f, hash, 0);
        if (tried == GUIRA_OK) return GUIRA_OK;
        s = worse(s, tried);
    }
    return s == GUIRA_ENOMEM ? s : GUIRA_EFULL;
}

static guira_status grown(struct ccf *f, guira_status s) {
    const guira_config *c = &f->base.config;
    if (s == GUIRA_OK) f->shrink_below = (uint64_t)((double)f->head.items * fmax(c->min_load, 0) / c->max_load);
    return s;
}

guira_status guira__ccf_grow(struct ccf *f, const uint64_t *hash, bool filters_too) {
    return grown(f, grow_either_way(f, hash, filters_too));
}

guira_status guira__ccf_grow_moving(struct ccf *f, const uint64_t *hash) {
    const guira_config *c = &f->base.config;
    return grown(f, c->policy != GUIRA_FILTER_LEVEL ? guira__ccf_up(f, hash, c->max_kicks) : GUIRA_EFULL);
}

/* Whether the rest is enough without that many slots. */
static bool can_spare(const struct ccf *f, uint64_t slots) {
    const guira_config *c = &f->base.config;
    double left = (double)guira__ccf_totals(f).slots - (double)slots;
    return left >= (double)(c->buckets * c->bucket_slots) && left * c->max_load >= (double)f->reserved &&
           left * c->max_load >= (double)f->head.items;
}

static guira_status shrink(struct ccf *f) {
    const guira_policy policy = f->base.config.policy;
    struct i2cf *whole = guira__ccf_next_compact(f);
    guira_status s = GUIRA_EFULL;
    if (policy != GUIRA_BUCKET_LEVEL && whole != NULL && can_spare(f, table_slots(&whole->table)))
        s = guira__ccf_compact(f, whole);
    if (s != GUIRA_OK && policy != GUIRA_FILTER_LEVEL && can_spare(f, next_down(f)->table.layout.slots))
        s = guira__ccf_down(f);
    return s;
}

void guira__ccf_shrink_if_sparse(struct ccf *f) {
    uint64_t items = f->head.items;
    if (items > f->shrink_below || ccf_load(f) >= f->base.config.min_load) return;
    if (shrink(f) != GUIRA_OK) f->shrink_below = items - items / 64 - (items > 0);
}

/* Gives a filter another number of buckets. */
static guira_status rebuild(struct ccf *f, struct i2cf *old, uint64_t buckets, bool only_if_smaller) {
    struct i2cf fresh;
    struct evict_state before = f->head.evict;
    guira_status s = guira__i2cf_rebuild(old, buckets, f->base.config.max_kicks, &f->base, &fresh);
    if (s == GUIRA_OK && only_if_smaller && fresh.table.buckets >= old->table.buckets) {
        guira__i2cf_free(&fresh);
        s = GUIRA_EFULL;
    }
    if (s != GUIRA_OK) {
        f->head.evict = before;
        return s;
    }
    replace(f, old, &fresh);
    return GUIRA_OK;
}

/* The missing buckets come as one filter, or, if no filter may be added, in a larger one instead of the smallest. */
guira_status guira__ccf_reserve(guira *head, uint64_t items) {
    struct ccf *f = ccf_of(head);
    const guira_config *c = &f->base.config;
    struct i2cf like = guira__i2cf_like(c), *least = smallest(f);
    double missing = (double)items / c->max_load - (double)guira__ccf_totals(f).slots;
    double buckets = ceil(missing / c->bucket_slots);
    if (buckets >= 0x1p32) return GUIRA_ELIMIT;
    guira_status s = GUIRA_OK;
    if (buckets > 0 && c->policy != GUIRA_BUCKET_LEVEL && f->filters < c->max_filters)
        s = guira__ccf_out(f, &like, (uint64_t)buckets);
    else if (buckets > 0 && c->policy == GUIRA_FILTER_LEVEL) s = GUIRA_ELIMIT;
    else if (buckets > 0)
        s = rebuild(f, least, least->table.buckets + (uint64_t)ceil(missing / least->table.layout.slots), false);
    if (s == GUIRA_OK) f->reserved = items;
    return s;
}

/* The buckets a filter needs for its items. At the filter level it never has fewer than configured. */
static uint64_t fitting(const struct ccf *f, const struct i2cf *it) {
    const guira_config *c = &f->base.config;
    double buckets = ceil((double)it->table.items / (c->max_load * it->table.layout.slots));
    return (uint64_t)fmax(buckets, c->policy == GUIRA_FILTER_LEVEL ? (double)c->buckets : 1);
}

/* And not so few that the load of all filters together is above max_load: others may be fuller. */
static uint64_t smallest_size(const struct ccf *f, const struct i2cf *it) {
    double needed = (double)f->head.items / f->base.config.max_load;
    double spare = floor(((double)guira__ccf_totals(f).slots - needed) / it->table.layout.slots);
    return (uint64_t)fmax((double)fitting(f, it), (double)it->table.buckets - fmax(spare, 0));
}

guira_status guira__ccf_shrink_to_fit(guira *head) {
    struct ccf *f = ccf_of(head);
    f->reserved = 0;
    for (guira_status s = GUIRA_OK; s == GUIRA_OK;) {
        struct i2cf *whole = guira__ccf_next_compact(f);
        double left = whole == NULL ? 0 : (double)(guira__ccf_totals(f).slots - table_slots(&whole->table));
        s = (double)head->items <= f->base.config.max_load * left ? guira__ccf_compact(f, whole) : GUIRA_EFULL;
    }
    for (uint64_t i = 0; i < f->filters; i++)
        if (smallest_size(f, &f->list[i]) < f->list[i].table.buckets)
            (void)rebuild(f, &f->list[i], smallest_size(f, &f->list[i]), true);
    return GUIRA_OK;
}
