/* The tidal filter as a file. Its sections, those of the elders only if there are any:
 *
 *     head     counters and stash                 (filter/head.c)
 *     tide     level, split pointer, floor, what there is of elders: the values below
 *     table    the buckets in the order of their addresses: the split side, then the other
 *     elders   log2 of the map's words, then how many there are of level 0, 1, ... 63
 *     map      and, while one of twice or half the size is being filled,
 *     filled   up to which name it is
 *     map
 *     head     the names, a filter like any other: without elders, and of a configuration that follows
 *     tide
 *     table
 *     counts   log2 of the slots, the same of the old array (0: none), how far that was moved, names, copies
 *     counted  the slots; and again, those of the old array
 *
 * A view finds its buckets as a filter whose arrays lie in one piece does. */
#include "base/alloc.h"
#include "filter/head.h"
#include "tidal/config.h"
#include "tidal/elders.h"
#include "tidal/table.h"

enum { TIDE_BYTES = 4 * 8, ELDERS_BYTES = 65 * 8, FILLED_BYTES = 8, COUNTS_BYTES = 5 * 8 };

/* What the section tide says of elders. One of the last two is added to ELDERS or ELDERS_COUNTED while a larger or a smaller
 * map is being filled. */
enum { NO_ELDERS = 0, ELDERS = 1, ELDERS_COUNTED = 2, FILLING_LARGER = 2, FILLING_SMALLER = 4 };

static bool is_filling(const struct tidal *f) { return f->elders != NULL && f->elders->next != NULL; }

static unsigned what_of_elders(const struct tidal *f) {
    if (f->elders == NULL) return NO_ELDERS;
    unsigned what = tidal_counted(f) == 0 ? ELDERS : ELDERS_COUNTED;
    if (!is_filling(f)) return what;
    return what + (f->elders->next->bits > f->elders->map->bits ? FILLING_LARGER : FILLING_SMALLER);
}

/* -------------------------------------------------------------------------------------------------------------- saving */

/* The buckets from..to of a side, segment by segment. */
static void put_buckets(const struct tidal *f, unsigned side, uint64_t from, uint64_t to, struct guira__writer *w) {
    unsigned in_segment = in_one_piece(f) ? 63 : big_of(f)->array[side].log2_buckets;
    struct layout l = tidal_layout(f);
    for (uint64_t end; from < to; from = end) {
        end = ((from >> in_segment) + 1) << in_segment;
        if (end > to) end = to;
        guira__section_put(w, bucket_at(f, side, from, l), (size_t)(end - from) * l.bucket_bytes);
    }
}

static void put_table(const struct tidal *f, struct guira__writer *w) {
    guira__section_start(w, "tide", TIDE_BYTES);
    guira__section_put_u64(w, f->level);
    guira__section_put_u64(w, tidal_split(f));
    guira__section_put_u64(w, tidal_floor(f));
    guira__section_put_u64(w, what_of_elders(f));
    guira__section_start(w, "table", bucket_count(f) * tidal_layout(f).bucket_bytes);
    put_buckets(f, SPLIT, 0, 2 * tidal_split(f), w);
    put_buckets(f, UNSPLIT, tidal_split(f), UINT64_C(1) << f->level, w);
}

static void put_map(const struct elder_map *map, struct guira__writer *w) {
    guira__section_start(w, "map", UINT64_C(8) << map->bits);
    guira__section_put(w, map->word, (size_t)8 << map->bits);
}

static void put_elders(const struct elders *e, struct guira__writer *w) {
    guira__section_start(w, "elders", ELDERS_BYTES);
    guira__section_put_u64(w, e->map->bits);
    for (unsigned k = 0; k < 64; k++) guira__section_put_u64(w, e->count[k]);
    put_map(e->map, w);
    if (e->next != NULL) {
        guira__section_start(w, "filled", FILLED_BYTES);
        guira__section_put_u64(w, e->filled);
        put_map(e->next, w);
    }
    guira__tidal_save(e->names, w);
}

static void put_counts(const struct tidal *f, struct guira__writer *w) {
    const struct counts *c = &f->elders->counts;
    guira__section_start(w, "counts", COUNTS_BYTES);
    guira__section_put_u64(w, c->now->bits);
    guira__section_put_u64(w, c->old == NULL ? 0 : c->old->bits);
    guira__section_put_u64(w, c->moved);
    guira__section_put_u64(w, c->names);
    guira__section_put_u64(w, f->elders->counted);
    for (unsigned i = 0; i < 2; i++) {
        const struct count_array *a = i == 0 ? c->now : c->old;
        if (a == NULL) continue;
        guira__section_start(w, "counted", (uint64_t)sizeof *a->slot << a->bits);
        guira__section_put(w, a->slot, sizeof *a->slot << a->bits);
    }
}

void guira__tidal_save(const guira *head, struct guira__writer *w) {
    const struct tidal *f = (const struct tidal *)head;
    guira__head_write(w, head);
    put_table(f, w);
    if (f->elders != NULL) put_elders(f->elders, w);
    if (tidal_counted(f) > 0) put_counts(f, w);
}

/* Format 1 has no counts, no second map, and elders only of entries that the table could split no further. */
unsigned guira__tidal_format(const guira *head) {
    const struct tidal *f = const_tidal_of(head);
    bool high = f->elders != NULL && f->elders->levels >> max_level(tidal_layout(f)) > 1;
    return tidal_counted(f) > 0 || is_filling(f) || high ? 2 : 1;
}

/* ------------------------------------------------------------------------------------------------------------- viewing */

/* A table of so many levels has more bytes than any file. */
enum { MOST_LEVELS = 48 };

static guira_status view_table(struct tidal *f, struct guira__reader *r, uint64_t *elders) {
    const uint8_t *tide = guira__section_expect(r, "tide", TIDE_BYTES);
    if (tide == NULL) return GUIRA_ECORRUPT;
    uint64_t level = get_u64(tide), split = get_u64(tide + 8), there = get_u64(tide + 24);
    if (level < 1 || level > MOST_LEVELS || split >> level != 0 || there > ELDERS_COUNTED + FILLING_SMALLER)
        return GUIRA_ECORRUPT;
    uint64_t buckets = (UINT64_C(1) << level) + split;
    const uint8_t *table = guira__section_expect(r, "table", buckets * tidal_layout(f).bucket_bytes);
    uint64_t floor = get_u64(tide + 16);
    if (table == NULL || floor > buckets) return GUIRA_ECORRUPT; /* clear() makes a table of that size */
    if (floor > 0 && !guira__rare_make(&f->head)) return GUIRA_ENOMEM;
    if (floor > 0) f->head.rare->floor = floor;
    *elders = there;
    return guira__table_view(f, (unsigned)level, split, table);
}

static guira_status view_map(struct guira__reader *r, uint64_t bits, struct elder_map **out) {
    if (bits < MAP_FIRST_BITS || bits > MAP_MAX_BITS) return GUIRA_ECORRUPT;
    const uint8_t *words = guira__section_expect(r, "map", UINT64_C(8) << bits);
    if (words == NULL) return GUIRA_ECORRUPT;
    *out = guira__map_view(words, bits);
    return *out == NULL ? GUIRA_ENOMEM : GUIRA_OK;
}

static guira_status view_next_map(struct elders *e, uint64_t bits, struct guira__reader *r) {
    const uint8_t *p = guira__section_expect(r, "filled", FILLED_BYTES);
    if (p == NULL) return GUIRA_ECORRUPT;
    e->filled = get_u64(p);
    return view_map(r, bits, &e->next);
}

/* filling: 0, FILLING_LARGER or FILLING_SMALLER. */
static guira_status view_elders(struct tidal *f, struct guira__reader *r, unsigned filling) {
    const uint8_t *p = guira__section_expect(r, "elders", ELDERS_BYTES);
    if (p == NULL) return GUIRA_ECORRUPT;
    struct elders *e = f->elders = (struct elders *)guira__zalloc(sizeof *e);
    if (e == NULL) return GUIRA_ENOMEM;
    guira_status s = view_map(r, get_u64(p), &e->map);
    if (s == GUIRA_OK && filling != 0)
        s = view_next_map(e, filling == FILLING_LARGER ? e->map->bits + 1 : e->map->bits - 1, r);
    if (s != GUIRA_OK) return s;
    for (unsigned k = 0; k < 64; k++) {
        e->count[k] = get_u64(p + 8 + (size_t)8 * k);
        if (e->count[k] > 0) e->levels |= UINT64_C(1) << k;
    }
    guira_config c = guira__config_of(&f->head);
    c.capacity = 0;
    return guira__tidal_view(&tidal_ops(f)->names->common, &c, r, &e->names);
}

static guira_status view_counted(struct guira__reader *r, uint64_t bits, struct count_array **out) {
    if (bits < COUNTS_FIRST_BITS || bits > COUNTS_MAX_BITS) return GUIRA_ECORRUPT;
    const uint8_t *p = guira__section_expect(r, "counted", (uint64_t)sizeof(struct count_slot) << bits);
    if (p == NULL) return GUIRA_ECORRUPT;
    *out = guira__count_array_view(p, bits);
    return *out == NULL ? GUIRA_ENOMEM : GUIRA_OK;
}

static guira_status view_counts(struct tidal *f, struct guira__reader *r) {
    struct counts *c = &f->elders->counts;
    const uint8_t *p = guira__section_expect(r, "counts", COUNTS_BYTES);
    if (p == NULL) return GUIRA_ECORRUPT;
    c->moved = get_u64(p + 16);
    c->names = get_u64(p + 24);
    f->elders->counted = get_u64(p + 32);
    if (f->elders->counted == 0 || f->elders->counted > MAX_COUNTED) return GUIRA_ECORRUPT;
    guira_status s = view_counted(r, get_u64(p), &c->now);
    if (s == GUIRA_OK && get_u64(p + 8) != 0) s = view_counted(r, get_u64(p + 8), &c->old);
    return s;
}

static guira_status view_read(struct tidal *f, const struct guira__ops *ops, const guira_config *c,
                              struct guira__reader *r) {
    uint64_t elders;
    if (!guira__head_read(r, ops, c, &f->head, f->stash)) return GUIRA_ECORRUPT;
    if (guira__buckets_for(c->capacity, c->max_load, tidal_layout(f)) > MAX_BUCKETS) return GUIRA_ECORRUPT;
    if (!guira__tidal_set_config(f, c)) return GUIRA_ENOMEM;
    guira_status s = view_table(f, r, &elders);
    if (s != GUIRA_OK) return s;
    if (elders != NO_ELDERS && tidal_ops(f)->names == NULL)
        return GUIRA_ECORRUPT; /* names have no elders of their own */
    unsigned filling = elders > ELDERS_COUNTED ? (unsigned)(elders - 1) & ~1U : 0;
    elders -= filling;
    if (elders != NO_ELDERS) s = view_elders(f, r, filling);
    if (s == GUIRA_OK && elders == ELDERS_COUNTED) s = view_counts(f, r);
    update_has_outside(f);
    if (s == GUIRA_OK && guira__tidal_check_frame(f) != NULL) s = GUIRA_ECORRUPT;
    return s;
}

guira_status guira__tidal_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                               guira **out) {
    struct tidal *f = guira__tidal_struct_make(ops);
    if (f == NULL) return GUIRA_ENOMEM;
    guira_status s = guira__stash_make_room(f, STASH_LAST) ? view_read(f, ops, c, from) : GUIRA_ENOMEM;
    if (s == GUIRA_OK) *out = &f->head;
    else guira__tidal_destroy(&f->head);
    return s;
}
