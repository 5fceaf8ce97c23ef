/* The life of a DCF: making, copying, clearing, destroying; and its statistics. */
#include <math.h>

#include "base/alloc.h"
#include "papers/dcf/dcf.h"

guira_status guira__dcf_create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    double filters = guira__dcf_filters_for(c, c->capacity);
    if (filters > c->max_filters) return GUIRA_ELIMIT;
    struct dcf *f = (struct dcf *)guira__papers_alloc(sizeof *f, &guira__dcf_paper, 1);
    if (f == NULL) return GUIRA_ENOMEM;
    guira__papers_init(&f->base, ops, c);
    f->min_filters = (uint64_t)filters;
    f->retry_below = UINT64_MAX;
    return guira__papers_made(&f->head, guira__dcf_add(f, f->min_filters), guira__dcf_destroy, out);
}

void guira__dcf_destroy(guira *head) {
    struct dcf *f = dcf_of(head);
    for (uint64_t i = 0; !f->is_view && i < f->filters; i++) guira__free(f->list[i].bytes);
    guira__free(f->list);
    guira__free(f);
}

guira_status guira__dcf_clone(const guira *head, guira **out) {
    const struct dcf *f = const_dcf_of(head);
    struct dcf *g = (struct dcf *)guira__papers_copy(&f->base, sizeof *g);
    if (g == NULL) return GUIRA_ENOMEM;
    g->is_view = false;
    g->list = NULL;
    g->filters = 0;
    guira_status s = guira__dcf_add(g, f->filters);
    for (uint64_t i = 0; s == GUIRA_OK && i < f->filters; i++) guira__table_restore(&g->list[i], &f->list[i]);
    return guira__papers_made(&g->head, s, guira__dcf_destroy, out);
}

guira_status guira__dcf_clear(guira *head) {
    struct dcf *f = dcf_of(head);
    while (f->filters > f->min_filters) guira__dcf_drop(f, f->filters - 1);
    for (uint64_t i = 0; i < f->filters; i++) {
        memset(f->list[i].bytes, 0, table_bytes(&f->list[i]));
        f->list[i].items = 0;
    }
    f->active = 0;
    f->retry_below = UINT64_MAX;
    f->base.stash = (struct stash){0};
    head->items = 0;
    return GUIRA_OK;
}

/* A random key has one fingerprint of 2^f - 1 and is compared with the entries of two buckets of every filter. */
double guira__dcf_rate(const guira_config *c, double items) {
    return -expm1(-2.0 * items / (double)c->buckets / (double)packed_mask(c->slot_bits));
}

void guira__dcf_stats(const guira *head, guira_stats *out) {
    const struct dcf *f = const_dcf_of(head);
    const guira_config *c = &f->base.config;
    out->filters = f->filters;
    out->buckets = f->filters * c->buckets;
    out->slots = out->buckets * c->bucket_slots;
    out->bytes = f->base.bytes + guira__alloc_cost(f->room * sizeof *f->list);
    if (!f->is_view) out->bytes += f->filters * guira__alloc_cost(table_bytes(&f->list[0]));
    out->fpr = guira__dcf_rate(c, (double)head->items);
}
