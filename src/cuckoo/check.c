/* The invariants of a fixed cuckoo filter. */
#include "cuckoo/cuckoo.h"

const char *guira__cuckoo_check_stash(const struct cuckoo *f) {
    const struct stash *s = &f->stash;
    if (s->n > STASH_SIZE) return "stash: more than it can hold";
    for (unsigned i = 0; i < s->n; i++) {
        struct entry e = s->entry[i];
        if (e.where >= f->buckets) return "stash: an entry of a bucket that is not there";
        if (e.what == 0 || e.what >> f->layout.bits != 0) return "stash: an impossible fingerprint";
    }
    return NULL;
}

/* An odd number of buckets of four slots leaves half of the last row unused. */
static bool spare_half_is_empty(const struct cuckoo *f) {
    struct layout l = f->layout;
    const uint8_t *row = f->table + (cuckoo_rows(f) - 1) * l.bucket_bytes;
    bool spare = l.slots == HALF_ROW && f->buckets % 2 == 1;
    for (unsigned j = 0; spare && j < HALF_ROW; j++)
        if (slot_get(row, HALF_ROW + j, l) != 0) return false;
    return true;
}

const char *guira__cuckoo_check(const guira *head) {
    const struct cuckoo *f = const_cuckoo_of(head);
    uint64_t items = f->stash.n;
    struct layout l = f->layout;
    const char *broken = guira__cuckoo_check_stash(f);
    if (broken != NULL) return broken;
    for (uint64_t i = 0; i < f->buckets; i++) {
        const uint8_t *row = f->table + layout_row(i, l) * l.bucket_bytes;
        for (unsigned j = 0; j < l.slots; j++) items += slot_get(row, layout_first(i, l) + j, l) != 0;
        if (l.form == FORM_PACKED && row[15] != 0) return "table: the byte between two buckets is not 0";
    }
    if (!spare_half_is_empty(f)) return "table: the half row after the last bucket is not 0";
    return items == head->items ? NULL : "counters: items";
}

void guira__cuckoo_dump(const guira *head, guira__sink *sink, void *to) {
    const struct cuckoo *f = const_cuckoo_of(head);
    guira__head_dump(head, sink, to);
    sink(to, &f->buckets, sizeof f->buckets);
    sink(to, f->table, cuckoo_table_bytes(f));
}
