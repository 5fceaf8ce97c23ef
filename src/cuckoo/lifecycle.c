/* The life of a fixed cuckoo filter: making, copying, clearing, destroying; and its statistics. */
#include <math.h>

#include "base/alloc.h"
#include "base/region.h"
#include "cuckoo/config.h"
#include "cuckoo/cuckoo.h"

/* The table, all empty: in a region if it is big, so that it gets huge pages. */
static guira_status table_make(struct cuckoo *f) {
    if (!guira__memory_has((double)cuckoo_table_bytes(f))) return GUIRA_ENOMEM;
    f->table = cuckoo_table_bytes(f) < REGION_WORTH ? NULL : guira__region_open(cuckoo_table_bytes(f));
    f->in_region = f->table != NULL;
    if (f->in_region) guira__region_expect(f->table, 0, cuckoo_table_bytes(f));
    else f->table = (uint8_t *)guira__zalloc(cuckoo_table_bytes(f));
    f->bytes = guira__alloc_cost(sizeof *f) +
               (f->in_region ? cuckoo_table_bytes(f) : guira__alloc_cost(cuckoo_table_bytes(f)));
    return f->table != NULL ? GUIRA_OK : GUIRA_ENOMEM;
}

uint64_t guira__cuckoo_buckets(const guira_config *c) {
    if (c->buckets > 0) return c->buckets;
    double buckets = ceil((double)c->capacity / (c->max_load * cuckoo_layout(c).slots));
    return buckets > (double)CUCKOO_MAX_BUCKETS ? CUCKOO_MAX_BUCKETS + 1 : (uint64_t)buckets;
}

void guira__cuckoo_set_config(struct cuckoo *f, const guira_config *c) {
    f->config = *c;
    guira__secret_derive(c->seed, f->secret);
    f->head.secret = f->secret;
}

void guira__cuckoo_config_of(const guira *f, guira_config *out) { *out = const_cuckoo_of(f)->config; }

struct stash *guira__cuckoo_stash(const guira *f) {
    return (struct stash *)(uintptr_t)&const_cuckoo_of(f)->stash;
}

guira_status guira__cuckoo_create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    uint64_t buckets = guira__cuckoo_buckets(c);
    if (buckets > CUCKOO_MAX_BUCKETS) return GUIRA_ELIMIT;
    struct cuckoo *f = (struct cuckoo *)guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    guira__head_init(&f->head, ops, c);
    guira__cuckoo_set_config(f, c);
    f->buckets = buckets;
    f->shift = cuckoo_shift(c);
    f->layout = cuckoo_layout(c);
    if (table_make(f) != GUIRA_OK) {
        guira__free(f);
        return GUIRA_ENOMEM;
    }
    *out = &f->head;
    return GUIRA_OK;
}

void guira__cuckoo_destroy(guira *head) {
    struct cuckoo *f = cuckoo_of(head);
    if (f->in_region) guira__region_close(f->table, cuckoo_table_bytes(f));
    else if (!f->is_view) guira__free(f->table);
    guira__free(f);
}

guira_status guira__cuckoo_clone(const guira *head, guira **out) {
    const struct cuckoo *f = const_cuckoo_of(head);
    struct cuckoo *g = (struct cuckoo *)guira__alloc(sizeof *g);
    if (g == NULL) return GUIRA_ENOMEM;
    *g = *f;
    guira__head_copied(&g->head);
    g->head.secret = g->secret;
    g->is_view = false;
    if (table_make(g) != GUIRA_OK) {
        guira__free(g);
        return GUIRA_ENOMEM;
    }
    memcpy(g->table, f->table, cuckoo_table_bytes(f));
    *out = &g->head;
    return GUIRA_OK;
}

guira_status guira__cuckoo_reserve(guira *head, uint64_t items) {
    const struct cuckoo *f = const_cuckoo_of(head);
    double room = f->config.max_load * (double)(f->buckets * f->layout.slots);
    return (double)items <= room || items <= f->config.capacity ? GUIRA_OK : GUIRA_EUNSUPPORTED;
}

guira_status guira__cuckoo_shrink_to_fit(guira *head) {
    (void)head;
    return GUIRA_EUNSUPPORTED;
}

guira_status guira__cuckoo_clear(guira *head) {
    struct cuckoo *f = cuckoo_of(head);
    memset(f->table, 0, cuckoo_table_bytes(f));
    f->stash = (struct stash){0};
    head->items = 0;
    return GUIRA_OK;
}

/* A random key has one fingerprint of 2^w - 1 and meets the entries of two buckets. */
void guira__cuckoo_stats(const guira *head, guira_stats *out) {
    const struct cuckoo *f = const_cuckoo_of(head);
    out->buckets = f->buckets;
    out->slots = f->buckets * f->layout.slots;
    out->bytes = f->bytes;
    out->fpr = -expm1(-2.0 * (double)head->items / (double)f->buckets / (ldexp(1, (int)f->layout.bits) - 1));
    out->fpr_kept = guira__cuckoo_keeps_rate(&f->config) ? f->config.fpr : 0;
}
