/* The life of a CCF: making, copying, clearing, destroying; and its statistics. */
#include <math.h>

#include "base/alloc.h"
#include "papers/ccf/ccf.h"

uint64_t guira__ccf_buckets_for(const guira_config *c, uint64_t items) {
    double buckets = ceil((double)items / (c->max_load * c->bucket_slots));
    if (buckets >= 0x1p32) return UINT64_MAX;
    return buckets > (double)c->buckets ? (uint64_t)buckets : c->buckets;
}

static void list_free(struct ccf *f) {
    for (uint64_t i = 0; i < f->filters; i++) guira__i2cf_free(&f->list[i]);
    guira__free(f->list);
}

/* A list of one empty filter for what is reserved. Filters that are there at first do not count as growth. */
static guira_status list_make(struct ccf *f) {
    struct i2cf like = guira__i2cf_like(&f->base.config);
    uint64_t grows = f->head.grows;
    f->list = NULL;
    f->filters = f->room = 0;
    f->shrink_below = UINT64_MAX;
    f->calm = f->removed = 0;
    ccf_changed(f);
    guira_status s = guira__ccf_out(f, &like, guira__ccf_buckets_for(&f->base.config, f->reserved));
    f->head.grows = grows;
    return s;
}

guira_status guira__ccf_create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    struct ccf *f = (struct ccf *)guira__papers_alloc(sizeof *f, &guira__ccf_paper, c->candidates);
    if (f == NULL) return GUIRA_ENOMEM;
    guira__papers_init(&f->base, ops, c);
    f->reserved = c->capacity;
    return guira__papers_made(&f->head, list_make(f), guira__ccf_destroy, out);
}

void guira__ccf_destroy(guira *head) {
    list_free(ccf_of(head));
    guira__free(head);
}

guira_status guira__ccf_clone(const guira *head, guira **out) {
    const struct ccf *f = const_ccf_of(head);
    struct ccf *g = (struct ccf *)guira__papers_copy(&f->base, sizeof *g);
    if (g == NULL) return GUIRA_ENOMEM;
    g->list = (struct i2cf *)guira__alloc(f->room * sizeof *g->list);
    guira_status s = g->list != NULL ? GUIRA_OK : GUIRA_ENOMEM;
    for (g->filters = 0; s == GUIRA_OK && g->filters < f->filters; g->filters += s == GUIRA_OK)
        s = guira__i2cf_clone(&f->list[g->filters], &g->list[g->filters]);
    return guira__papers_made(&g->head, s, guira__ccf_destroy, out);
}

guira_status guira__ccf_clear(guira *head) {
    struct ccf *f = ccf_of(head), fresh = *f;
    guira_status s = list_make(&fresh);
    if (s != GUIRA_OK) {
        list_free(&fresh);
        return s;
    }
    list_free(f);
    *f = fresh;
    head->items = 0;
    return GUIRA_OK;
}

/* A key is found if any entry has its fingerprint: see i2cf.h. */
void guira__ccf_stats(const guira *head, guira_stats *out) {
    const struct ccf *f = const_ccf_of(head);
    struct ccf_totals t = guira__ccf_totals(f);
    double entries[33] = {0}, miss = 1; /* by bits */
    out->slots = t.slots;
    out->buckets = t.buckets;
    out->filters = f->filters;
    out->bytes = f->base.bytes + guira__alloc_cost(f->room * sizeof *f->list) + t.bytes;
    for (uint64_t i = 0; i < f->filters; i++) entries[f->list[i].table.layout.bits] += (double)f->list[i].table.items;
    for (unsigned bits = 4; bits <= 32; bits++) miss *= guira__i2cf_miss(bits, entries[bits]);
    out->fpr = head->items > 0 ? 1 - miss : 0;
}
