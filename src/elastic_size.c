/* How an elastic filter changes its size: see elastic.h.
 *
 *     extend       the table is copied factor times; which copies are wrong is found out later, bucket by bucket
 *     rebuild      every entry moves to its place in a table of another shape: for halving and folding back, and for
 *                  reservations, which may take several extensions at once
 *     restart      an empty filter forgets all its steps
 *
 * A rebuild relocates before it uses the stash: the paper's rule, straight to the stash if the one bucket is full, would
 * put one entry of seven there at load 0.9. */
#include <math.h>

#include "alloc.h"
#include "elastic.h"

/* pending only if f->groups says so. */
guira_status guira__elastic_table(struct elastic *f) {
    f->grid.buckets = f->shape.buckets;
    f->pending = NULL;
    f->is_view = false;
    if (!guira__grid_make(&f->grid)) return GUIRA_ENOMEM;
    if (f->groups > 0) f->pending = guira__alloc(pending_bytes(f));
    if (f->groups > 0 && f->pending == NULL) {
        guira__free(f->grid.table);
        return GUIRA_ENOMEM;
    }
    f->head.bytes = guira__alloc_cost(sizeof *f) + guira__alloc_cost(grid_bytes(&f->grid));
    if (f->groups > 0) f->head.bytes += guira__alloc_cost(pending_bytes(f));
    return GUIRA_OK;
}

void guira__elastic_free(struct elastic *f) {
    if (f->is_view) return;
    guira__free(f->grid.table);
    guira__free(f->pending);
}

/* A second filter in the making, empty and of another shape: replaces f or is given up. */
static guira_status begin(const struct elastic *f, const struct shape *shape, uint64_t groups, struct elastic *g) {
    *g = *f;
    g->shape = *shape;
    g->groups = g->waiting = groups;
    g->head.stash = (struct stash){0};
    return guira__elastic_table(g);
}

static void replace(struct elastic *f, const struct elastic *g) {
    if (g->grid.buckets > f->grid.buckets) f->head.grows += g->grid.buckets - f->grid.buckets;
    else f->head.shrinks += f->grid.buckets - g->grid.buckets;
    uint64_t grows = f->head.grows, shrinks = f->head.shrinks;
    guira__elastic_free(f);
    *f = *g;
    f->head.grows = grows;
    f->head.shrinks = shrinks;
    f->again = UINT64_MAX;
}

/* The entry of f where it belongs in g. */
static struct entry carry(const struct elastic *f, const struct elastic *g, struct entry e) {
    struct window from = guira__window_of(&f->shape, e.what), to = guira__window_of(&g->shape, e.what);
    uint64_t distance = distance_of(&f->shape, from.start, e.where) >> (f->shape.reach - g->shape.reach);
    return (struct entry){bucket_at(&g->shape, to.start, distance), e.what};
}

/* ------------------------------------------------------------------------------------------------------------ rebuild */

static bool settle(const struct elastic *f, struct elastic *g, struct entry e) {
    struct walker w = guira__elastic_walker(g);
    e = carry(f, g, e);
    return guira__place(&w, e, true) || stash_push(&g->head.stash, e, STASH_EASY);
}

static bool settle_all(const struct elastic *f, struct elastic *g) {
    for (uint64_t i = 0; i < f->grid.buckets; i++)
        for (unsigned left = guira__elastic_taken(f, i); left != 0; left &= left - 1)
            if (!settle(f, g, (struct entry){i, grid_get(&f->grid, i, (unsigned)__builtin_ctz(left))})) return false;
    for (unsigned i = 0; i < f->head.stash.n; i++)
        if (!settle(f, g, f->head.stash.entry[i])) return false;
    return true;
}

guira_status guira__elastic_rebuild(struct elastic *f, const struct shape *shape) {
    struct elastic g;
    guira_status s = begin(f, shape, 0, &g);
    if (s != GUIRA_OK) return s;
    if (!settle_all(f, &g)) {
        guira__elastic_free(&g);
        return GUIRA_EFULL;
    }
    replace(f, &g);
    return GUIRA_OK;
}

/* ------------------------------------------------------------------------------------------------------------- extend */

/* Every slot of the old table to the same place of each of its copies. */
static void copy_table(const struct grid *from, const struct grid *to) {
    uint64_t n = from->buckets * from->slots;
    for (uint64_t i = 0; i < to->buckets * to->slots; i++)
        packed_set(to->table, i, to->bits, packed_get(from->table, i % n, from->bits));
}

static void set_all_pending(struct elastic *f) {
    memset(f->pending, 0xff, pending_bytes(f));
    if (f->groups % 8 != 0) f->pending[f->groups / 8] = (uint8_t)packed_mask(f->groups % 8);
}

guira_status guira__elastic_extend(struct elastic *f) {
    struct shape shape = f->shape;
    struct elastic g;
    if (!guira__shape_extend(&shape, f->head.config.factor, f->grid.bits)) return GUIRA_ELIMIT;
    guira_status s = begin(f, &shape, f->grid.buckets, &g);
    if (s != GUIRA_OK) return s;
    for (uint64_t i = 0; i < f->groups; i++) guira__elastic_open(&f->head, i, NULL); /* what the last one left to do */
    copy_table(&f->grid, &g.grid);
    set_all_pending(&g);
    g.head.stash.n = f->head.stash.n;
    for (unsigned i = 0; i < f->head.stash.n; i++) g.head.stash.entry[i] = carry(f, &g, f->head.stash.entry[i]);
    replace(f, &g);
    struct walker w = guira__elastic_walker(f);
    if (f->head.stash.n > 0) guira__bring_home(&w, true);
    return GUIRA_OK;
}

/* ------------------------------------------------------------------------------------------------------------ restart */

/* Also without memory for a new table if the old one has the right shape. */
static guira_status restart(struct elastic *f, uint64_t buckets) {
    struct shape shape = guira__shape_make(buckets);
    struct elastic g;
    if (f->shape.steps == 0 && f->shape.first == buckets) {
        memset(f->grid.table, 0, grid_bytes(&f->grid));
        f->head.stash = (struct stash){0};
        f->again = UINT64_MAX;
    } else {
        guira_status s = begin(f, &shape, 0, &g);
        if (s != GUIRA_OK) return s;
        replace(f, &g);
    }
    f->head.items = 0;
    return GUIRA_OK;
}

static uint64_t fresh_size(const struct elastic *f) {
    uint64_t small = UINT64_C(1) << KEPT_REACH, start = f->head.config.buckets;
    if (start < small) small = start;
    return f->least > small ? f->least : small;
}

guira_status guira__elastic_restart(struct elastic *f) { return restart(f, fresh_size(f)); }

/* -------------------------------------------------------------------------------------------------- larger and smaller */

guira_status guira__elastic_reserve(guira *head, uint64_t items) {
    struct elastic *f = (struct elastic *)head;
    double needed = ceil((double)items / elastic_content(f, head->config.max_load, 1));
    if (needed > (double)GUIRA__MOST_BUCKETS) return GUIRA_ELIMIT;
    uint64_t buckets = (uint64_t)needed;
    struct shape shape = f->shape;
    while (head->items > 0 && shape.buckets < buckets)
        if (!guira__shape_extend(&shape, head->config.factor, f->grid.bits)) return GUIRA_ELIMIT;
    guira_status s = GUIRA_OK;
    if (buckets > f->grid.buckets) s = head->items > 0 ? guira__elastic_rebuild(f, &shape) : restart(f, buckets);
    if (s != GUIRA_OK) return s == GUIRA_EFULL ? GUIRA_ELIMIT : s;
    f->least = buckets;
    f->again = UINT64_MAX;
    return GUIRA_OK;
}

static bool shrink_to(struct elastic *f, const struct shape *shape, double load) {
    if (shape->buckets < f->least) return false;
    return (double)f->head.items <= elastic_content(f, load, shape->buckets) &&
           guira__elastic_rebuild(f, shape) == GUIRA_OK;
}

/* Folding back is better than halving: it undoes what the extension did to the rate. */
static bool shrink(struct elastic *f, double load) {
    struct shape folded = f->shape, halved = f->shape;
    if (guira__shape_fold(&folded) && shrink_to(f, &folded, load)) return true;
    return guira__shape_halve(&halved) && shrink_to(f, &halved, load);
}

guira_status guira__elastic_shrink_to_fit(guira *head) {
    struct elastic *f = (struct elastic *)head;
    f->least = 0;
    f->again = UINT64_MAX;
    if (head->items == 0 && fresh_size(f) <= f->grid.buckets) (void)guira__elastic_restart(f);
    while (shrink(f, head->config.max_load)) {
    }
    return GUIRA_OK;
}

/* It must be some time before it wants to grow again, hence three quarters. */
void guira__elastic_shrink_if_sparse(struct elastic *f) {
    const guira_config *c = &f->head.config;
    if (c->min_load < 0 || f->head.items > f->again) return;
    if (f->head.items == 0 && f->shape.steps > 0 && guira__elastic_restart(f) == GUIRA_OK) return;
    if ((double)f->head.items >= elastic_content(f, c->min_load, f->grid.buckets)) return;
    if (!shrink(f, 0.75 * c->max_load)) f->again = f->head.items - f->head.items / 8;
}
