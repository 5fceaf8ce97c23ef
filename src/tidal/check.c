/* The invariants of a tidal filter. */
#include "tidal/elders.h"
#include "tidal/table.h"

/* What was found in the table. */
struct tally {
    uint64_t items, weight;
};

/* A name knows all of itself. One that did not would match other names. */
static bool knows_enough(unsigned known, struct layout l) { return known >= (knows_all(l) ? ALL_KNOWN : 1); }

ALWAYS_INLINE const char *check_bucket(const uint8_t *bucket, unsigned level, struct layout l, struct tally *sum) {
    for (unsigned j = 0; j < l.slots; j++) {
        uint64_t s = slot_get(bucket, j, l);
        if (s == 0) continue;
        if ((unsigned)__builtin_ctzll(s) > tail_bits(l)) return "table: a slot without a mark";
        unsigned known = slot_known(s, level, l);
        if (known > ALL_KNOWN) return "table: an entry with an impossible number of known bits";
        if (!knows_enough(known, l)) return "table: a name that is cut short";
        sum->items++;
        sum->weight += weight_of(known);
    }
    if (l.form == FORM_PACKED && bucket[15] != 0) return "table: the byte between two buckets is not 0";
    return NULL;
}

ALWAYS_INLINE const char *check_buckets_of(const struct tidal *f, struct layout l, struct tally *sum) {
    struct bucket_walk walk = walk_start(f);
    const char *broken = NULL;
    for (const uint8_t *bucket; broken == NULL && (bucket = walk_next(&walk)) != NULL;)
        broken = check_bucket(bucket, level_of(f, walk.side), l, sum);
    return broken;
}

/* One for each layout: loading waits for this, and a layout that the compiler knows makes it four times as fast. */
static const char *check_buckets(const struct tidal *f, struct tally *sum) {
    struct layout l = tidal_layout(f);
    if (l.stamp_bits > 0) return check_buckets_of(f, l, sum);
    switch (l.bits) {
    case 12: return check_buckets_of(f, LAYOUT_12, sum);
    case 16: return check_buckets_of(f, LAYOUT_16, sum);
    case 32: return check_buckets_of(f, LAYOUT_32, sum);
    case 64: return check_buckets_of(f, LAYOUT_64, sum);
    default: return check_buckets_of(f, l, sum);
    }
}

static const char *check_shape(const struct tidal *f) {
    if (f->level < 1 || f->level + 1U > max_level(tidal_layout(f))) return "split pointer: an impossible level";
    if (f->split_address != tidal_split(f) << (64 - f->level)) return "split pointer: between two buckets";
    if (table_is_view(f)) return NULL;
    const struct big *b = big_of(f);
    if (b == NULL) return NULL;
    if (b->array[UNSPLIT].level != f->level || !b->array[UNSPLIT].open)
        return "split pointer: no unsplit array of its level";
    if (b->array[SPLIT].open != (tidal_split(f) > 0)) return "split pointer: a split array that is not needed, or none";
    if (tidal_split(f) > 0 && b->array[SPLIT].level != f->level + 1)
        return "split pointer: a split array of the wrong level";
    if (f->to_segment != b->directory->to_segment) return "directory: lookups use a wrong shift";
    return NULL;
}

/* Each pair of the directory must have what is on its side of the split pointer, and nothing beyond it. */
static const char *check_directory(const struct tidal *f) {
    if (in_one_piece(f)) return NULL;
    const struct array *unsplit = &big_of(f)->array[UNSPLIT], *split = &big_of(f)->array[SPLIT];
    for (uint64_t i = 0; i < UINT64_C(1) << directory_bits(f); i++) {
        uint64_t r = i >> (directory_bits(f) + unsplit->log2_buckets - unsplit->level);
        bool needs_unsplit = (r + 1) << unsplit->log2_buckets > tidal_split(f);
        if (array_has(unsplit, r) != needs_unsplit) return "directory: wrong about the unsplit side";
        uint64_t l = split->open ? i >> (directory_bits(f) + split->log2_buckets - split->level) : 0;
        bool needs_split = split->open && l << split->log2_buckets < 2 * tidal_split(f);
        if (array_has(split, l) != needs_split) return "directory: wrong about the split side";
        if (needs_unsplit && f->segment[2 * i + UNSPLIT] == 0) return "directory: no segment on the unsplit side";
        if (needs_split && f->segment[2 * i + SPLIT] == 0) return "directory: no segment on the split side";
    }
    return NULL;
}

static const char *check_stash(const struct tidal *f, struct tally *sum) {
    const struct stash *s = f->stash;
    if (s->n > (knows_all(tidal_layout(f)) ? STASH_SIZE : STASH_LAST)) return "stash: more than it can hold";
    for (unsigned i = 0; i < s->n; i++) {
        unsigned known = known_of(s->entry[i]);
        if (stamp_of(s->entry[i]) >> tidal_layout(f).stamp_bits != 0) return "stash: an impossible stamp";
        if (known > ALL_KNOWN || !knows_enough(known, tidal_layout(f)))
            return "stash: an entry with an impossible number of known bits";
        sum->items++;
        sum->weight += weight_of(known);
    }
    unsigned outside = (s->n > 0 ? OUTSIDE_STASH : 0) | (f->elders != NULL ? OUTSIDE_ELDERS : 0);
    if (f->has_outside != outside) return "stash: has_outside is wrong";
    return NULL;
}

const char *guira__tidal_check_frame(const struct tidal *f) {
    struct tally stashed = {0, 0};
    const char *broken = check_shape(f);
    if (broken == NULL) broken = check_stash(f, &stashed);
    if (broken == NULL) broken = guira__elders_check_levels(f);
    uint64_t elders = broken == NULL ? guira__elders_total(f) : 0, slots = bucket_count(f) * tidal_layout(f).slots;
    if (broken == NULL && (f->head.items < elders || f->head.items - elders > slots + stashed.items))
        return "counters: more items than places";
    return broken;
}

const char *guira__tidal_check(const guira *head) {
    const struct tidal *f = const_tidal_of(head);
    struct tally sum = {0, 0};
    const char *broken = check_shape(f);
    if (broken == NULL) broken = check_directory(f);
    if (broken == NULL) broken = check_buckets(f, &sum);
    if (broken == NULL) broken = check_stash(f, &sum);
    if (broken == NULL) broken = guira__elders_check(f);
    if (broken == NULL && sum.items + guira__elders_total(f) != head->items) return "counters: items";
    if (broken == NULL && sum.weight != f->head.weight) return "counters: weight";
    return broken;
}

void guira__tidal_dump(const guira *head, guira__sink *sink, void *to) {
    const struct tidal *f = const_tidal_of(head);
    guira__head_dump(head, sink, to);
    const uint64_t shape[] = {f->level, tidal_split(f), tidal_floor(f)};
    sink(to, shape, sizeof shape);
    struct bucket_walk walk = walk_start(f);
    for (const uint8_t *bucket; (bucket = walk_next(&walk)) != NULL;) sink(to, bucket, tidal_layout(f).bucket_bytes);
    guira__elders_dump(f, sink, to);
}
