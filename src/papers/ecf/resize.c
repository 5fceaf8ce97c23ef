/* How an ECF changes its size: see ecf.h.
 *
 *     extend       the table is copied factor times; stale copies are erased later, group by group
 *     rebuild      every entry moves to its place in a table of another shape: for halving and folding back, and for
 *                  reservations, which may take several extensions at once
 *     restart      an empty filter forgets all its steps
 *
 * A rebuild moves other entries before it uses the stash: the paper's rule, straight to the stash if the bucket is full,
 * would put one entry of seven there at load 0.9. */
#include <math.h>

#include "base/alloc.h"
#include "papers/ecf/ecf.h"

guira_status guira__ecf_alloc(struct ecf *f) {
    f->is_view = false;
    f->table.buckets = f->shape.buckets;
    f->table.bytes = f->pending = NULL;
    if (guira__table_alloc(&f->table) && f->groups > 0) f->pending = (uint8_t *)guira__alloc(ecf_pending_bytes(f));
    if (f->table.bytes != NULL && (f->groups == 0 || f->pending != NULL)) return GUIRA_OK;
    guira__ecf_free(f);
    f->table.bytes = f->pending = NULL;
    return GUIRA_ENOMEM;
}

void guira__ecf_free(struct ecf *f) {
    if (f->is_view) return;
    guira__free(f->table.bytes);
    guira__free(f->pending);
}

/* Makes *g an empty filter of another shape, which will replace f or be given up. */
static guira_status make_replacement(const struct ecf *f, const struct ecf_shape *shape, uint64_t groups,
                                     struct ecf *g) {
    *g = *f;
    g->shape = *shape;
    g->groups = g->left = groups;
    g->base.stash = (struct stash){0};
    return guira__ecf_alloc(g);
}

static void replace(struct ecf *f, struct ecf *g) {
    uint64_t before = f->table.buckets, now = g->table.buckets;
    if (now > before) g->head.grows += now - before;
    else g->head.shrinks += before - now;
    guira__ecf_free(f);
    *f = *g;
    f->retry_below = UINT64_MAX;
}

/* The entry of f where it belongs in g. */
static struct entry carry(const struct ecf *f, const struct ecf *g, struct entry e) {
    uint64_t from = guira__ecf_range(&f->shape, e.what).start, to = guira__ecf_range(&g->shape, e.what).start;
    uint64_t distance = ecf_distance(&f->shape, from, e.where) >> (f->shape.range - g->shape.range);
    return (struct entry){ecf_bucket(&g->shape, to, distance), e.what};
}

/* ------------------------------------------------------------------------------------------------------------ rebuild */

static bool move(const struct ecf *f, struct ecf *g, struct entry e) {
    e = carry(f, g, e);
    return guira__papers_place(&g->base, &g->table, e, g->base.config.max_kicks, NULL) ||
           stash_push(&g->base.stash, e, STASH_GROW);
}

static bool move_all(const struct ecf *f, struct ecf *g) {
    const unsigned slots = f->table.layout.slots;
    for (uint64_t i = 0; i < f->table.buckets; i++)
        for (unsigned left = guira__ecf_taken(f, i); left != 0; left &= left - 1) {
            uint64_t slot = i * slots + (unsigned)__builtin_ctz(left);
            if (!move(f, g, (struct entry){i, table_get(&f->table, slot)})) return false;
        }
    for (unsigned i = 0; i < f->base.stash.n; i++)
        if (!move(f, g, f->base.stash.entry[i])) return false;
    return true;
}

guira_status guira__ecf_rebuild(struct ecf *f, const struct ecf_shape *shape) {
    struct ecf g;
    guira_status s = make_replacement(f, shape, 0, &g);
    if (s != GUIRA_OK) return s;
    if (move_all(f, &g)) {
        replace(f, &g);
        return GUIRA_OK;
    }
    guira__ecf_free(&g);
    return GUIRA_EFULL;
}

/* ------------------------------------------------------------------------------------------------------------- extend */

guira_status guira__ecf_extend(struct ecf *f, unsigned factor) {
    struct ecf_shape shape = f->shape;
    struct ecf g;
    if (!guira__ecf_shape_extend(&shape, factor, f->table.layout.bits)) return GUIRA_ELIMIT;
    guira_status s = make_replacement(f, &shape, f->table.buckets, &g);
    if (s != GUIRA_OK) return s;
    for (uint64_t i = 0; i < f->groups; i++) guira__ecf_open(&f->head, i); /* those that the last extension left */
    uint64_t n = table_slots(&f->table);
    for (uint64_t i = 0; i < table_slots(&g.table); i++) table_set(&g.table, i, table_get(&f->table, i % n));
    memset(g.pending, 0xff, ecf_pending_bytes(&g));
    if (g.groups % 8 != 0) g.pending[g.groups / 8] = (uint8_t)packed_mask(g.groups % 8);
    for (unsigned i = 0; i < f->base.stash.n; i++)
        stash_push(&g.base.stash, carry(f, &g, f->base.stash.entry[i]), STASH_LAST);
    replace(f, &g);
    guira__papers_unstash(&f->base, &f->table, f->base.config.max_kicks);
    return GUIRA_OK;
}

/* ------------------------------------------------------------------------------------------------------------ restart */

/* Needs no memory if the table has the right shape. */
static guira_status restart(struct ecf *f, uint64_t buckets) {
    struct ecf_shape shape = guira__ecf_shape(buckets);
    struct ecf g;
    if (f->shape.steps == 0 && f->shape.first == buckets) {
        memset(f->table.bytes, 0, table_bytes(&f->table));
        f->base.stash = (struct stash){0};
        f->retry_below = UINT64_MAX;
    } else {
        guira_status s = make_replacement(f, &shape, 0, &g);
        if (s != GUIRA_OK) return s;
        replace(f, &g);
    }
    f->head.items = 0;
    return GUIRA_OK;
}

static uint64_t restart_buckets(const struct ecf *f) {
    uint64_t small = UINT64_C(1) << MIN_RANGE;
    if (f->base.config.buckets < small) small = f->base.config.buckets;
    return f->min_buckets > small ? f->min_buckets : small;
}

guira_status guira__ecf_restart(struct ecf *f) { return restart(f, restart_buckets(f)); }

/* ------------------------------------------------------------------------------------------------- larger and smaller */

guira_status guira__ecf_reserve(guira *head, uint64_t items) {
    struct ecf *f = ecf_of(head);
    double needed = ceil((double)items / ecf_capacity(f, f->base.config.max_load, 1));
    if (needed > (double)PAPERS_MAX_BUCKETS) return GUIRA_ELIMIT;
    uint64_t buckets = (uint64_t)needed;
    struct ecf_shape shape = f->shape;
    while (head->items > 0 && shape.buckets < buckets)
        if (!guira__ecf_shape_extend(&shape, f->base.config.factor, f->table.layout.bits)) return GUIRA_ELIMIT;
    guira_status s = GUIRA_OK;
    if (buckets > f->table.buckets) s = head->items > 0 ? guira__ecf_rebuild(f, &shape) : restart(f, buckets);
    if (s != GUIRA_OK) return s == GUIRA_EFULL ? GUIRA_ELIMIT : s;
    f->min_buckets = buckets;
    f->retry_below = UINT64_MAX;
    return GUIRA_OK;
}

static bool shrink_to(struct ecf *f, const struct ecf_shape *shape, double load) {
    return shape->buckets >= f->min_buckets && (double)f->head.items <= ecf_capacity(f, load, shape->buckets) &&
           guira__ecf_rebuild(f, shape) == GUIRA_OK;
}

/* Folding back is better than halving: it undoes what the extension did to the rate. */
static bool shrink(struct ecf *f, double load) {
    struct ecf_shape folded = f->shape, halved = f->shape;
    if (guira__ecf_shape_fold(&folded) && shrink_to(f, &folded, load)) return true;
    return guira__ecf_shape_halve(&halved, MIN_RANGE) && shrink_to(f, &halved, load);
}

guira_status guira__ecf_shrink_to_fit(guira *head) {
    struct ecf *f = ecf_of(head);
    f->min_buckets = 0;
    f->retry_below = UINT64_MAX;
    if (head->items == 0 && restart_buckets(f) <= f->table.buckets) (void)guira__ecf_restart(f);
    while (shrink(f, f->base.config.max_load)) {
    }
    return GUIRA_OK;
}

/* It must be some time before it has to grow again, hence three quarters. */
void guira__ecf_shrink_if_sparse(struct ecf *f) {
    const guira_config *c = &f->base.config;
    uint64_t items = f->head.items;
    if (c->min_load < 0 || items > f->retry_below) return;
    if (items == 0 && f->shape.steps > 0 && guira__ecf_restart(f) == GUIRA_OK) return;
    if ((double)items >= ecf_capacity(f, c->min_load, f->table.buckets)) return;
    if (!shrink(f, 0.75 * c->max_load)) f->retry_below = items - items / 8;
}

/* ------------------------------------------------------------------------------------------- single steps, on demand */

/* A view, which cannot be changed, has other functions. */
static guira_status check_is_ecf(const guira *head) {
    if (head == NULL) return GUIRA_EINVAL;
    return head->ops == &guira__ecf_ops ? GUIRA_OK : GUIRA_EUNSUPPORTED;
}

guira_status guira_elastic_extend(guira *head, unsigned factor) {
    guira_status s = check_is_ecf(head);
    if (s != GUIRA_OK) return s;
    if (factor < 2 || factor > MAX_FACTOR) return GUIRA_EINVAL;
    s = guira__ecf_extend(ecf_of(head), factor);
    if (s == GUIRA_OK) ecf_of(head)->min_buckets = ecf_of(head)->table.buckets;
    return s;
}

/* Undoing an extension by two is halving as well, and better: see shrink(). */
guira_status guira_elastic_halve(guira *head) {
    guira_status s = check_is_ecf(head);
    if (s != GUIRA_OK) return s;
    struct ecf *f = ecf_of(head);
    struct ecf_shape folded = f->shape, halved = f->shape;
    bool can_fold = guira__ecf_shape_fold(&folded) && 2 * folded.buckets == f->table.buckets;
    if (!can_fold && !guira__ecf_shape_halve(&halved, LAST_RANGE)) return GUIRA_ELIMIT;
    s = guira__ecf_rebuild(f, can_fold ? &folded : &halved);
    if (s == GUIRA_OK && f->min_buckets > f->table.buckets) f->min_buckets = f->table.buckets;
    return s;
}
