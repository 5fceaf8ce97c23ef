/* Merging two tidal filters.
 *
 * Both filters see the same addresses, so an entry of one means in the other what it means in its own filter: these
 * leading bits of an address, that core. It needs no key to move over; it only knows no more than it did.
 *
 *     from  [a b][c ][d e][f ]          level 2
 *     into  [ ][ ][ ][ ][ ][ ][ ][ ]    level 3: a needs one bit of its tail to say which of two buckets
 *
 * An entry without that bit becomes an elder, as it would have if it had been there while the filter grew. */
#include "tidal/elders.h"
#include "tidal/table.h"

/* One entry more, with the steps of growth that it takes. A filter that is not full refuses only what has too many
 * copies, and those more room does not help for long. */
static guira_status take_in(struct tidal *f, struct entry e) {
    enum { TRIES = 64 };
    guira_status s = tidal_ops(f)->insert_entry(f, e);
    for (unsigned i = 0; s == GUIRA_EFULL && i < TRIES; i++) {
        s = tidal_ops(f)->grow(f);
        if (s == GUIRA_OK) s = tidal_ops(f)->insert_entry(f, e);
    }
    while (s == GUIRA_OK && f->head.items > f->grow_at) s = tidal_ops(f)->grow(f);
    return s;
}

/* Everything in table and stash; as: what an entry stands for. */
static guira_status take_all(struct tidal *into, const struct tidal *from, struct entry (*as)(struct entry)) {
    struct layout l = tidal_layout(from);
    struct bucket_walk walk = walk_start(from);
    guira_status s = GUIRA_OK;
    for (const uint8_t *bucket; s == GUIRA_OK && (bucket = walk_next(&walk)) != NULL;)
        for (unsigned j = 0; s == GUIRA_OK && j < l.slots; j++) {
            uint64_t slot = slot_get(bucket, j, l);
            if (slot == 0) continue;
            s = take_in(into, as(walk_entry(&walk, slot)));
        }
    for (unsigned i = 0; s == GUIRA_OK && i < from->stash->n; i++) s = take_in(into, as(from->stash->entry[i]));
    return s;
}

static struct entry itself(struct entry e) { return e; }

static guira_status take_everything(struct tidal *into, const struct tidal *from) {
    guira_status s = take_all(into, from, itself);
    if (s != GUIRA_OK || from->elders == NULL) return s;
    if (!guira__elders_reserve(into, from->elders->names->items)) return GUIRA_ENOMEM;
    s = take_all(into, const_tidal_of(from->elders->names), guira__elder_read);
    guira__elders_fit(into); /* in a small table some are no elders any more */
    return s;
}

/* Into a copy, which takes the filter's place if all went well. It is made large enough first: to grow while the entries
 * come in the order of their addresses would crowd them where they are. */
guira_status guira__tidal_merge(guira *into, const guira *from) {
    struct tidal *f = tidal_of(into);
    uint64_t buckets = guira__table_needs(f, into->items + from->items);
    guira *copy;
    guira_status s = guira__tidal_clone(into, &copy);
    if (s != GUIRA_OK) return s;
    struct tidal *g = tidal_of(copy);
    while (s == GUIRA_OK && bucket_count(g) < buckets) s = tidal_ops(g)->grow(g);
    if (s == GUIRA_OK) s = take_everything(g, const_tidal_of(from));
    if (s == GUIRA_OK) guira__tidal_take_over(f, g);
    else guira__tidal_destroy(copy);
    return s;
}
