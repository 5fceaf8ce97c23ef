/* Merging two tidal filters, and their union.
 *
 * Both filters see the same addresses, so an entry of one means in the other what it means in its own filter: these
 * leading bits of an address, that core. It needs no key to move over; it only knows no more than it did.
 *
 *     from  [a b][c ][d e][f ]          level 2
 *     into  [ ][ ][ ][ ][ ][ ][ ][ ]    level 3: a needs one bit of its tail to say which of two buckets
 *
 * An entry without that bit becomes an elder, as it would have if it had been there while the filter grew.
 *
 * WHAT IF THE SLOTS HAVE DIFFERENT WIDTHS? Then tails have different lengths, which changes nothing: what does not fit into
 * the slots of `into` is dropped, and an entry that knows less than fits is like an old one.
 *
 * The core must have the same length, because it decides which addresses are partners. With 12 bits it is shorter. Take an
 * entry of a 12-bit filter at address P with core c. Its key has the address P or P ^ D[c], and a core of c or c + 32 in the
 * other filter. There it would have to match P, P ^ D[c], P ^ D[c + 32] and P ^ D[c] ^ D[c + 32], which no entry does.
 * One that did (an elder of another kind) would not be nested with the others, so that removal could not tell which of two
 * to take: see docs/tidal.md, "Which entry does removal take?". */
#include "tidal/elders.h"
#include "tidal/table.h"

struct merge {
    struct tidal *into;
    bool only_new; /* leave out what `into` has already */
};

/* ---------------------------------------------------------------------------------------- what the filter has already
 *
 * Two entries may be those of one key if one is the beginning of the other; the shorter one then stands for both. The filter
 * has it already, or an entry of the filter is shortened:
 *
 *     into   0110 1011        from   0110 10        after the union   0110 10
 *
 * If they were two keys, these cannot be told apart any more. guira_insert_unique does the same to a false positive. */

static bool begins(struct entry shorter, struct entry e, struct layout l) {
    uint64_t mask = leading(known_of(shorter)) | core_mask(l);
    return known_of(shorter) <= known_of(e) && ((shorter.where ^ e.where) & mask) == 0;
}

/* From one side of e. */
static bool bucket_covers(const struct tidal *f, struct entry e, struct layout l) {
    unsigned side = side_of(f, e.where), level = level_of(f, side);
    if (known_of(e) < level) return false;
    uint64_t number = e.where >> (64 - level);
    const uint8_t *bucket = bucket_at(f, side, number, l);
    for (unsigned j = 0; j < l.slots; j++) {
        uint64_t slot = slot_get(bucket, j, l);
        if (slot != 0 && begins(slot_decode(slot, number, level, l), e, l)) return true;
    }
    return false;
}

static bool covers(const struct tidal *f, struct entry e) {
    struct layout l = tidal_layout(f);
    struct entry other = e;
    entry_turn(&other, l);
    if (bucket_covers(f, e, l) || bucket_covers(f, other, l)) return true;
    for (unsigned i = 0; i < f->stash->n; i++)
        if (begins(f->stash->entry[i], e, l) || begins(f->stash->entry[i], other, l)) return true;
    return guira__elders_cover(f, e);
}

/* Shortens an entry that e is the beginning of, from one side of e. There are no concurrent readers: `into` is a copy. */
static bool bucket_shorten(struct tidal *f, struct entry e, struct layout l) {
    unsigned side = side_of(f, e.where), level = level_of(f, side);
    if (known_of(e) < level) return false;
    uint64_t number = e.where >> (64 - level);
    uint8_t *bucket = bucket_at(f, side, number, l);
    for (unsigned j = 0; j < l.slots; j++) {
        uint64_t slot = slot_get(bucket, j, l);
        if (slot == 0) continue;
        struct entry there = slot_decode(slot, number, level, l);
        if (!begins(e, there, l)) continue;
        slot_set(bucket, j, slot_encode(e, level, l), l);
        f->head.weight += weight_of(known_of(e)) - weight_of(known_of(there));
        return true;
    }
    return false;
}

static bool stash_shorten(struct tidal *f, struct entry e, struct layout l) {
    for (unsigned i = 0; i < f->stash->n; i++) {
        struct entry there = f->stash->entry[i];
        if (!begins(e, there, l)) continue;
        stash_write(f->stash, i, e);
        f->head.weight += weight_of(known_of(e)) - weight_of(known_of(there));
        return true;
    }
    return false;
}

static bool shorten(struct tidal *f, struct entry e) {
    struct layout l = tidal_layout(f);
    struct entry other = e;
    entry_turn(&other, l);
    return bucket_shorten(f, e, l) || bucket_shorten(f, other, l) || stash_shorten(f, e, l) ||
           stash_shorten(f, other, l);
}

/* ------------------------------------------------------------------------------------------------------------- merging */

/* One entry more, with the steps of growth that it takes. */
static guira_status take_in(const struct merge *m, struct entry e) {
    struct tidal *f = m->into;
    if (m->only_new && (covers(f, e) || shorten(f, e))) return GUIRA_OK;
    guira_status s = tidal_ops(f)->insert_entry(f, e);
    while (s == GUIRA_OK && f->head.items > f->grow_at) s = tidal_ops(f)->grow(f);
    return s;
}

/* Everything in table and stash; as: what an entry stands for. */
static guira_status take_all(const struct merge *m, const struct tidal *from, struct entry (*as)(struct entry)) {
    struct layout l = tidal_layout(from);
    struct bucket_walk walk = walk_start(from);
    guira_status s = GUIRA_OK;
    for (const uint8_t *bucket; s == GUIRA_OK && (bucket = walk_next(&walk)) != NULL;)
        for (unsigned j = 0; s == GUIRA_OK && j < l.slots; j++) {
            uint64_t slot = slot_get(bucket, j, l);
            if (slot == 0) continue;
            s = take_in(m, as(walk_entry(&walk, slot)));
        }
    for (unsigned i = 0; s == GUIRA_OK && i < from->stash->n; i++) s = take_in(m, as(from->stash->entry[i]));
    return s;
}

static struct entry itself(struct entry e) { return e; }

/* Copies that are counted stay counted. The slots of `into` may be narrower. */
static guira_status take_counts(struct tidal *into, const struct counts *from) {
    uint64_t at = 0;
    for (struct count_slot s; guira__counts_next(from, &at, &s);) {
        if (s.n > MAX_COUNTED - tidal_counted(into)) return GUIRA_ELIMIT;
        if (!guira__elders_ready(into, 1)) return GUIRA_ENOMEM;
        guira__elders_add(into, entry_for_elders(into, guira__elder_named(s.name), tidal_layout(into)), s.n);
        into->head.items += s.n;
    }
    return GUIRA_OK;
}

static guira_status take_everything(const struct merge *m, const struct tidal *from) {
    struct tidal *into = m->into;
    guira_status s = take_all(m, from, itself);
    if (s != GUIRA_OK || from->elders == NULL) return s;
    if (!guira__elders_reserve(into, from->elders->names->items)) return GUIRA_ENOMEM;
    s = take_all(m, const_tidal_of(from->elders->names), guira__elder_read);
    if (s == GUIRA_OK && !m->only_new) s = take_counts(into, &from->elders->counts);
    guira__elders_fit(into); /* in a small table some are no elders any more */
    return s;
}

/* The table that the items of both need, without the copies that are counted. A union may need less; what is too much is
 * given back. */
static uint64_t buckets_for_both(const struct tidal *f, const struct tidal *from) {
    return guira__table_needs(f, f->head.items - tidal_counted(f) + from->head.items - tidal_counted(from));
}

/* Into a copy, which takes the filter's place if all went well. It is made large enough first: to grow while the entries
 * come in the order of their addresses would crowd them where they are. */
static guira_status combine(guira *into, const guira *from, bool only_new) {
    struct tidal *f = tidal_of(into);
    if (core_bits(tidal_layout(f)) != core_bits(tidal_layout(const_tidal_of(from)))) return GUIRA_EINVAL;
    uint64_t buckets = buckets_for_both(f, const_tidal_of(from)), before = bucket_count(f);
    guira *copy;
    guira_status s = guira__tidal_clone(into, &copy);
    if (s != GUIRA_OK) return s;
    struct tidal *g = tidal_of(copy);
    while (s == GUIRA_OK && bucket_count(g) < buckets) s = tidal_ops(g)->grow(g);
    struct merge m = {g, only_new};
    if (s == GUIRA_OK) s = take_everything(&m, const_tidal_of(from));
    if (s == GUIRA_OK && only_new)
        while (bucket_count(g) > before && g->head.items < g->shrink_at && tidal_ops(g)->shrink(g) == GUIRA_OK)
            continue;
    if (s == GUIRA_OK) guira__tidal_take_over(f, g);
    else guira__tidal_destroy(copy);
    return s;
}

guira_status guira__tidal_merge(guira *into, const guira *from) { return combine(into, from, false); }

guira_status guira__tidal_unite(guira *into, const guira *from) { return combine(into, from, true); }
