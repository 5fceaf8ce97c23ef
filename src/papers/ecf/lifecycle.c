/* The life of an ECF: making, copying, clearing, destroying; and its statistics. */
#include <math.h>

#include "base/alloc.h"
#include "papers/ecf/ecf.h"

guira_status guira__ecf_create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    uint64_t needed = (uint64_t)ceil((double)c->capacity / (c->max_load * c->bucket_slots));
    struct ecf *f = (struct ecf *)guira__papers_alloc(sizeof *f, &guira__ecf_paper, 1);
    if (f == NULL) return GUIRA_ENOMEM;
    guira__papers_init(&f->base, ops, c);
    f->min_buckets = c->buckets > needed ? c->buckets : needed;
    f->retry_below = UINT64_MAX;
    f->shape = guira__ecf_shape(f->min_buckets);
    f->table = table_of_config(c, f->min_buckets);
    return guira__papers_made(&f->head, guira__ecf_alloc(f), guira__ecf_destroy, out);
}

void guira__ecf_destroy(guira *head) {
    guira__ecf_free(ecf_of(head));
    guira__free(head);
}

guira_status guira__ecf_clone(const guira *head, guira **out) {
    const struct ecf *f = const_ecf_of(head);
    struct ecf *g = (struct ecf *)guira__papers_copy(&f->base, sizeof *g);
    if (g == NULL) return GUIRA_ENOMEM;
    guira_status s = guira__ecf_alloc(g);
    if (s == GUIRA_OK) memcpy(g->table.bytes, f->table.bytes, table_bytes(&f->table));
    if (s == GUIRA_OK && f->groups > 0) memcpy(g->pending, f->pending, ecf_pending_bytes(f));
    return guira__papers_made(&g->head, s, guira__ecf_destroy, out);
}

guira_status guira__ecf_clear(guira *head) { return guira__ecf_restart(ecf_of(head)); }

/* Keys are told apart by fingerprint and pair of buckets: a range of 2^n buckets has 2^(n-1) pairs, in a table of any
 * size. */
double guira__ecf_rate(const struct ecf_shape *s, unsigned bits, double items) {
    double pairs = (double)packed_mask(bits) * ldexp(1, (int)s->range - 1);
    return -expm1(items * log1p(-1 / pairs));
}

void guira__ecf_stats(const guira *head, guira_stats *out) {
    const struct ecf *f = const_ecf_of(head);
    out->buckets = f->table.buckets;
    out->slots = table_slots(&f->table);
    out->bytes = f->base.bytes;
    if (!f->is_view) out->bytes += guira__alloc_cost(table_bytes(&f->table));
    if (!f->is_view && f->groups > 0) out->bytes += guira__alloc_cost(ecf_pending_bytes(f));
    out->fpr = guira__ecf_rate(&f->shape, f->table.layout.bits, (double)head->items);
}
