/* Merging two fixed cuckoo filters, and halving one. Both insert the entries of one table into another without the keys.
 *
 * WHICH HASH? An entry is a bucket and a fingerprint. Any hash that leads to both stands for the key it was made of, so one
 * is computed and goes the usual way: eviction, stash and limits on copies are those of every insertion.
 *
 * WHY CAN A TABLE BE HALVED? The partner of bucket i is (h - i) mod m. If m' divides m, taking everything modulo m' keeps
 * that true, so buckets i and i + m' become one, and an entry in either of its buckets is in one of its two buckets again:
 *
 *     m = 6     [ 0 | 1 | 2 | 3 | 4 | 5 ]      partners sum to h mod 6: 1 and 4 for h = 5
 *     m' = 3    [ 0,3 | 1,4 | 2,5 ]            to h mod 3: 1 and 1
 *
 * A bucket of the upper half of a hash u is floor(u m / 2^32). Modulo m' = m / 2^t this is floor(v m' / 2^32), where v is u
 * without its first t bits: a halved filter shifts them out (cuckoo.h), and nothing else is different. An odd m has no half. */
#include "base/alloc.h"
#include "cuckoo/cuckoo.h"
#include "slots/packed.h"

/* A hash that leads to this entry. A bucket of the halved table has at least 2^shift halves of a hash, so one of them ends
 * with as many zeros. */
static uint64_t hash_of(const struct cuckoo *f, struct entry e) {
    uint64_t shifted = half_hash_of(e.where, f->buckets), step = UINT64_C(1) << f->shift;
    uint64_t upper = (shifted + step - 1) / step;
    return upper << 32 | half_hash_of(e.what - 1, (UINT64_C(1) << f->layout.bits) - 1);
}

static guira_status take(struct cuckoo *into, struct entry e) {
    e.where %= into->buckets;
    return into->head.ops->insert(&into->head, hash_of(into, e));
}

static guira_status take_all(struct cuckoo *into, const struct cuckoo *from) {
    guira_status s = GUIRA_OK;
    struct layout l = from->layout;
    for (uint64_t i = 0; s == GUIRA_OK && i < from->buckets; i++)
        for (unsigned j = 0; s == GUIRA_OK && j < l.slots; j++) {
            uint64_t what = slot_get(from->table + layout_row(i, l) * l.bucket_bytes, layout_first(i, l) + j, l);
            if (what != 0) s = take(into, (struct entry){i, what});
        }
    for (unsigned i = 0; s == GUIRA_OK && i < from->stash.n; i++) s = take(into, from->stash.entry[i]);
    return s;
}

/* *g, which was made from f, takes its place if s is OK, and is destroyed otherwise. */
static guira_status finish(struct cuckoo *f, struct cuckoo *g, guira_status s) {
    struct cuckoo old = *f;
    if (s == GUIRA_OK) {
        *f = *g;
        *g = old;
        guira__head_replaced(&f->head, &old.head, f->secret);
    }
    guira__cuckoo_destroy(&g->head);
    return s;
}

guira_status guira__cuckoo_merge(guira *into, const guira *from) {
    const struct cuckoo *a = const_cuckoo_of(into), *b = const_cuckoo_of(from);
    guira *copy;
    if (a->buckets != b->buckets || a->layout.slots != b->layout.slots || a->shift != b->shift) return GUIRA_EINVAL;
    guira_status s = guira__cuckoo_clone(into, &copy);
    return s == GUIRA_OK ? finish(cuckoo_of(into), cuckoo_of(copy), take_all(cuckoo_of(copy), b)) : s;
}

/* What a filter of half the buckets is made with. */
static guira_config half_of(const struct cuckoo *f) {
    guira_config c = f->config;
    double room = c.max_load * (double)(f->buckets / 2 * f->layout.slots);
    c.buckets = f->buckets / 2;
    c.factor = 2U << f->shift;
    if ((double)c.capacity > room) c.capacity = room < 1 ? 1 : (uint64_t)room;
    return c;
}

guira_status guira_cuckoo_halve(guira *head) {
    if (head == NULL) return GUIRA_EINVAL;
    if (guira__config_of(head).kind != GUIRA_CUCKOO || const_cuckoo_of(head)->is_view) return GUIRA_EUNSUPPORTED;
    struct cuckoo *f = cuckoo_of(head);
    if (f->buckets % 2 != 0) return GUIRA_ELIMIT;
    guira_config c = half_of(f);
    guira *half;
    guira_status s = guira__cuckoo_create(head->ops, &c, &half);
    if (s != GUIRA_OK) return s;
    struct cuckoo *g = cuckoo_of(half);
    g->head = f->head; /* counters, random numbers, timing */
    g->head.secret = g->secret;
    g->head.items = 0;
    g->head.shrinks += f->buckets - g->buckets;
    s = finish(f, g, take_all(g, f));
    return s == GUIRA_EDUPLICATE ? GUIRA_EFULL : s;
}
