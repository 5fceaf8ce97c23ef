/* How a DCF changes its size: filters are added, or merged into others.
 *
 *     merge    [####]  [###.]  [#...]   ->   [####]  [####]        the entries of the emptiest go to the others
 *
 * A merge happens or changes nothing: a table is copied before its first change, and restored if an entry finds no room.
 * It never uses the insertion that adds filters, and one filter always stays. */
#include <math.h>

#include "base/alloc.h"
#include "papers/dcf/dcf.h"

uint64_t guira__dcf_emptiest(const struct dcf *f, uint64_t other) {
    uint64_t best = UINT64_MAX;
    for (uint64_t i = 0; i < f->filters; i++)
        if (i != other && (best == UINT64_MAX || f->list[i].items <= f->list[best].items)) best = i;
    return best;
}

/* The capacity has decided the size of one filter, so the quotient may be off by a rounding error. */
double guira__dcf_filters_for(const guira_config *c, uint64_t items) {
    return fmax(1, ceil((double)items / dcf_capacity(c, c->max_load, 1) - 1e-9));
}

guira_status guira__dcf_add(struct dcf *f, uint64_t n) {
    struct table t = table_of_config(&f->base.config, f->base.config.buckets);
    if (f->filters + n > f->base.config.max_filters) return GUIRA_ELIMIT;
    if (!guira__memory_has((double)(table_bytes(&t) + sizeof t) * (double)(f->filters + n))) return GUIRA_ENOMEM;
    struct table *list = (struct table *)guira__alloc((f->filters + n) * sizeof *list);
    if (list == NULL) return GUIRA_ENOMEM;
    if (f->filters > 0) memcpy(list, f->list, f->filters * sizeof *list);
    uint64_t made = 0;
    for (; made < n && guira__table_alloc(&t); made++) list[f->filters + made] = t;
    if (made < n) {
        while (made-- > 0) guira__free(list[f->filters + made].bytes);
        guira__free(list);
        return GUIRA_ENOMEM;
    }
    guira__free(f->list);
    f->list = list;
    f->room = f->filters += n;
    return GUIRA_OK;
}

/* Without memory for a shorter array it stays as it is. */
void guira__dcf_drop(struct dcf *f, uint64_t i) {
    guira__free(f->list[i].bytes);
    f->list[i] = f->list[--f->filters];
    if (f->active == i) f->active = guira__dcf_emptiest(f, UINT64_MAX);
    else if (f->active == f->filters) f->active = i;
    f->head.shrinks += f->base.config.buckets;
    struct table *list = (struct table *)guira__alloc(f->filters * sizeof *list);
    if (list == NULL) return;
    memcpy(list, f->list, f->filters * sizeof *list);
    guira__free(f->list);
    f->list = list;
    f->room = f->filters;
}

/* ------------------------------------------------------------------------------------------------------------ merging */

/* Into any filter but `from`, starting with *to, which becomes the next one when that has no room. */
static bool place_elsewhere(struct dcf *f, uint64_t from, struct entry e, uint64_t *to, struct table *saved) {
    for (uint64_t tried = 0; tried < f->filters; tried++, *to = (*to + 1) % f->filters)
        if (*to != from && dcf_has_room(f, *to) && guira__table_save(&f->list[*to], &saved[*to]) &&
            guira__dcf_place(f, *to, e, f->base.config.max_kicks))
            return true;
    return false;
}

static bool move_all(struct dcf *f, uint64_t from, struct table *saved) {
    const struct table *t = &f->list[from];
    uint64_t to = guira__dcf_emptiest(f, from);
    for (uint64_t slot = 0; slot < table_slots(t); slot++) {
        struct entry e = {slot / t->layout.slots, table_get(t, slot)};
        if (e.what != 0 && !place_elsewhere(f, from, e, &to, saved)) return false;
    }
    return true;
}

/* Moves the entries of the emptiest filter to the others and drops it. False: nothing has changed. */
static bool merge(struct dcf *f) {
    uint64_t from = guira__dcf_emptiest(f, UINT64_MAX), filters = f->filters;
    struct evict_state before = f->head.evict;
    struct table *saved = (struct table *)guira__zalloc(filters * sizeof *saved);
    if (saved == NULL) return false;
    bool moved = move_all(f, from, saved);
    for (uint64_t i = 0; i < filters; i++) {
        if (!moved) guira__table_restore(&f->list[i], &saved[i]);
        guira__free(saved[i].bytes);
    }
    guira__free(saved);
    if (moved) guira__dcf_drop(f, from);
    else f->head.evict = before;
    return moved;
}

/* Whether one filter less would hold everything at this load. */
static bool fits_fewer(const struct dcf *f, double load) {
    return f->filters > f->min_filters &&
           (double)f->head.items <= dcf_capacity(&f->base.config, load, (double)(f->filters - 1));
}

void guira__dcf_merge_if_sparse(struct dcf *f) {
    const double load = f->base.config.min_load;
    if (load < 0 || f->head.items > f->retry_below || !fits_fewer(f, load)) return;
    f->retry_below = merge(f) ? UINT64_MAX : f->head.items - f->head.items / 16;
}

guira_status guira__dcf_reserve(guira *head, uint64_t items) {
    struct dcf *f = dcf_of(head);
    double needed = guira__dcf_filters_for(&f->base.config, items);
    if (needed > f->base.config.max_filters) return GUIRA_ELIMIT;
    uint64_t more = (uint64_t)needed > f->filters ? (uint64_t)needed - f->filters : 0;
    guira_status s = more > 0 ? guira__dcf_add(f, more) : GUIRA_OK;
    if (s != GUIRA_OK) return s;
    head->grows += more * f->base.config.buckets;
    f->min_filters = (uint64_t)needed;
    return GUIRA_OK;
}

guira_status guira__dcf_shrink_to_fit(guira *head) {
    struct dcf *f = dcf_of(head);
    f->min_filters = 1;
    while (fits_fewer(f, f->base.config.max_load) && merge(f)) {
    }
    return GUIRA_OK;
}
