/* Merging two DCFs: every entry of one is inserted into the other, without its key.
 *
 * The filters of both lists have the same buckets and fingerprints, so an entry means the same in each of them. It goes the
 * usual way of an insertion, by a hash that leads to it: into the active filter, or into a new one. */
#include "papers/dcf/dcf.h"

static guira_status take(struct dcf *into, struct entry e) {
    const guira_config *c = &into->base.config;
    uint64_t hash = half_hash_of(e.where, c->buckets) << 32 | half_hash_of(e.what - 1, packed_mask(c->slot_bits));
    return into->head.ops->insert(&into->head, hash);
}

static guira_status take_all(struct dcf *into, const struct dcf *from) {
    guira_status s = GUIRA_OK;
    for (uint64_t i = 0; i < from->filters; i++) {
        const struct table *t = &from->list[i];
        for (uint64_t slot = 0; s == GUIRA_OK && slot < table_slots(t); slot++) {
            struct entry e = {slot / t->layout.slots, table_get(t, slot)};
            if (e.what != 0) s = take(into, e);
        }
    }
    for (unsigned i = 0; s == GUIRA_OK && i < from->base.stash.n; i++) s = take(into, from->base.stash.entry[i]);
    return s;
}

/* Into a copy, which takes the filter's place if all went well. */
guira_status guira__dcf_merge(guira *into, const guira *from) {
    const guira_config *a = &const_dcf_of(into)->base.config, *b = &const_dcf_of(from)->base.config;
    guira *copy;
    if (a->buckets != b->buckets || a->bucket_slots != b->bucket_slots) return GUIRA_EINVAL;
    guira_status s = guira__dcf_clone(into, &copy);
    if (s != GUIRA_OK) return s;
    struct dcf *f = dcf_of(into), *g = dcf_of(copy), old = *f;
    s = take_all(g, const_dcf_of(from));
    if (s == GUIRA_OK) {
        *f = *g;
        *g = old;
        guira__head_replaced(&f->head, &old.head, f->base.secret);
    }
    guira__dcf_destroy(copy);
    return s;
}
