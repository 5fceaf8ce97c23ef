/* The invariants of a CCF. */
#include "papers/ccf/ccf.h"

const char *guira__i2cf_check(const struct i2cf *f) {
    const struct table *t = &f->table;
    struct candidates c;
    if (t->buckets == 0 || t->buckets > f->room) return "table: no buckets, or more than there is memory for";
    const char *broken = guira__ring_check(&f->ring, t->buckets, f->nodes);
    if (broken != NULL) return broken;
    uint64_t taken = guira__table_count_taken(t, i2cf_slot_bytes(f));
    if (taken == UINT64_MAX) return "table: bits after its end";
    if (taken != t->items) return "counters: items of a filter";
    for (uint64_t slot = 0; slot < table_slots(t); slot++) {
        uint64_t entry = table_get(t, slot);
        if (entry == 0) continue;
        guira__i2cf_candidates(f, entry, &c);
        unsigned i = 0;
        while (i < c.n && c.bucket[i] != slot / t->layout.slots) i++;
        if (i == c.n) return "table: an entry in a bucket that is no candidate";
    }
    return NULL;
}

const char *guira__ccf_check(const guira *head) {
    const struct ccf *f = const_ccf_of(head);
    uint64_t items = 0;
    if (f->filters == 0 || f->filters > f->room) return "list: no filter, or more than there is memory for";
    for (uint64_t i = 0; i < f->filters; i++) {
        const char *broken = guira__i2cf_check(&f->list[i]);
        if (broken != NULL) return broken;
        items += f->list[i].table.items;
    }
    if (f->base.stash.n > 0) return "stash: this kind has none";
    if (f->reserved > guira__ccf_totals(f).slots) return "counters: more reserved than there is room for";
    return items == head->items ? NULL : "counters: items";
}
