/* DCF, the dynamic cuckoo filter: a list of equal cuckoo filters.
 *
 *     list     [#### full]  [####  full]  [#.#. active]       insertions go to the active one
 *                  ^             ^             ^
 *     key ---------+-------------+-------------+              a question goes to all of them, to the same two buckets
 *
 * ALL FULL? When the active filter has reached max_load the emptiest of the list becomes active; if that one is full too,
 * a new one is added. After removals the emptiest is merged into the others as soon as those have room for it.
 *
 * WHICH ONE TO REMOVE FROM? Any. All filters have the same size and see the same fingerprint and buckets, so an entry
 * means the same wherever in the list it lies: equal ones are interchangeable, and merging is no more than moving.
 *
 * HOW MANY COPIES? Copies of one key take what room there is in its two buckets of the filters that are there. A filter
 * is never added for a key that has as many copies as two buckets can hold: that would go on without end. */
#include <math.h>

#include "alloc.h"
#include "buckets.h"
#include "format.h"

struct part {
    uint8_t *table;
    uint64_t items;
};

struct dynamic {
    guira head;
    struct grid grid; /* of every part, all but the table */
    struct part *part;
    uint64_t parts, room; /* room: of the array */
    uint64_t active;
    uint64_t least; /* parts that are kept even if they are not needed */
    uint64_t again; /* a merge that failed is tried again when there are no more items than this */
    bool is_view;   /* the tables are part of a file: not ours */
};

/* --------------------------------------------------------------------------------------------- fingerprints and buckets */

static uint64_t scale(uint64_t half_hash, uint64_t n) { return half_hash * n >> 32; }

static struct entry entry_of(const struct dynamic *f, uint64_t hash) {
    return (struct entry){scale(hash >> 32, f->grid.buckets), fingerprint_in(hash & UINT32_MAX, f->grid.bits)};
}

/* Subtracting from the same number twice gives the first bucket again, whatever their number: see cuckoo.c. */
static uint64_t partner(const guira *head, uint64_t bucket, uint64_t what) {
    uint64_t buckets = ((const struct dynamic *)head)->grid.buckets;
    uint64_t h = scale(what * UINT64_C(0x9e3779b97f4a7c15) >> 32, buckets);
    return h >= bucket ? h - bucket : h + buckets - bucket;
}

static unsigned room(const guira *head, const struct grid *g, uint64_t bucket) {
    (void)head;
    return grid_mask(g, bucket, 0);
}

static struct grid grid_of(const struct dynamic *f, uint64_t i) {
    struct grid g = f->grid;
    g.table = f->part[i].table;
    return g;
}

static double slots_of_one(const struct dynamic *f) { return (double)(f->grid.buckets * f->grid.slots); }

/* What so many parts hold at that load. */
static double content(const struct dynamic *f, double load, uint64_t parts) {
    return load * slots_of_one(f) * (double)parts;
}

static bool has_room(const struct dynamic *f, uint64_t i) {
    return (double)f->part[i].items + 1 <= content(f, f->head.config.max_load, 1);
}

/* The one with the fewest items but for `other`; the last one of several, which is the easiest to take out. */
static uint64_t emptiest(const struct dynamic *f, uint64_t other) {
    uint64_t best = UINT64_MAX;
    for (uint64_t i = 0; i < f->parts; i++)
        if (i != other && (best == UINT64_MAX || f->part[i].items <= f->part[best].items)) best = i;
    return best;
}

/* ------------------------------------------------------------------------------------------------------------- asking */

static bool contains(const guira *head, uint64_t hash) {
    const struct dynamic *f = (const struct dynamic *)head;
    struct entry e = entry_of(f, hash);
    uint64_t other = partner(head, e.where, e.what);
    for (uint64_t i = f->parts; i-- > 0;) {
        struct grid g = grid_of(f, i);
        if ((grid_mask(&g, e.where, e.what) | grid_mask(&g, other, e.what)) != 0) return true;
    }
    return head->stash.n > 0 && guira__stash_mask(&head->stash, e, other) != 0;
}

static size_t contains_many(const guira *head, const uint64_t *hash, size_t n, bool *out) {
    size_t present = 0;
    for (size_t i = 0; i < n; i++) present += out[i] = contains(head, hash[i]);
    return present;
}

static uint64_t count_entry(const struct dynamic *f, struct entry e) {
    uint64_t other = partner(&f->head, e.where, e.what);
    uint64_t n = (uint64_t)__builtin_popcount(guira__stash_mask(&f->head.stash, e, other));
    for (uint64_t i = 0; i < f->parts; i++) {
        struct grid g = grid_of(f, i);
        n += (uint64_t)__builtin_popcount(grid_mask(&g, e.where, e.what));
        if (other != e.where) n += (uint64_t)__builtin_popcount(grid_mask(&g, other, e.what));
    }
    return n;
}

static uint64_t count(const guira *head, uint64_t hash) {
    const struct dynamic *f = (const struct dynamic *)head;
    return count_entry(f, entry_of(f, hash));
}

static void prefetch(const guira *head, uint64_t hash) {
    const struct dynamic *f = (const struct dynamic *)head;
    struct entry e = entry_of(f, hash);
    const uint64_t bits = (uint64_t)f->grid.slots * f->grid.bits;
    __builtin_prefetch(f->part[f->active].table + e.where * bits / 8, 1);
    __builtin_prefetch(f->part[f->active].table + partner(head, e.where, e.what) * bits / 8, 1);
}

/* ----------------------------------------------------------------------------------------------- more and fewer filters */

static void free_tables(struct part *part, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++) guira__free(part[i].table);
}

/* Of the array: the power of two from parts on, so that equal lists take equal memory. */
static uint64_t places_for(uint64_t parts) {
    uint64_t places = 1;
    while (places < parts) places *= 2;
    return places;
}

/* Gives the list another array, into which its filters have been copied. */
static void replace_array(struct dynamic *f, struct part *part, uint64_t places) {
    if (f->part != NULL) f->head.bytes -= guira__alloc_cost(f->room * sizeof *part);
    f->head.bytes += guira__alloc_cost(places * sizeof *part);
    guira__free(f->part);
    f->part = part;
    f->room = places;
}

static bool make_tables(const struct dynamic *f, struct part *part, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++) {
        struct grid g = f->grid;
        if (!guira__grid_make(&g)) {
            free_tables(part, from, i);
            return false;
        }
        part[i] = (struct part){g.table, 0};
    }
    return true;
}

/* Makes n more filters, or changes nothing. */
static guira_status add(struct dynamic *f, uint64_t n) {
    uint64_t parts = f->parts + n, places = places_for(parts);
    if (parts > f->head.config.max_filters) return GUIRA_ELIMIT;
    if (!guira__memory_has((double)grid_bytes(&f->grid) * (double)n)) return GUIRA_ENOMEM;
    bool longer = places > f->room;
    struct part *part = longer ? guira__zalloc(places * sizeof *part) : f->part;
    if (part == NULL) return GUIRA_ENOMEM;
    if (longer && f->parts > 0) memcpy(part, f->part, f->parts * sizeof *part);
    if (!make_tables(f, part, f->parts, parts)) {
        if (longer) guira__free(part);
        return GUIRA_ENOMEM;
    }
    if (longer) replace_array(f, part, places);
    f->head.bytes += n * guira__alloc_cost(grid_bytes(&f->grid));
    f->parts = parts;
    return GUIRA_OK;
}

/* Gives back what the array has too much; without memory for a shorter one it stays as it is. */
static void trim_array(struct dynamic *f) {
    uint64_t places = places_for(f->parts);
    struct part *part = places < f->room ? guira__zalloc(places * sizeof *part) : NULL;
    if (part == NULL) return;
    memcpy(part, f->part, f->parts * sizeof *part);
    replace_array(f, part, places);
}

/* Takes filter i, whose entries are elsewhere by now, out of the list. */
static void drop(struct dynamic *f, uint64_t i) {
    guira__free(f->part[i].table);
    f->part[i] = f->part[--f->parts];
    f->part[f->parts] = (struct part){0};
    if (f->active == i) f->active = emptiest(f, UINT64_MAX);
    else if (f->active == f->parts) f->active = i;
    f->head.bytes -= guira__alloc_cost(grid_bytes(&f->grid));
    f->head.shrinks += f->grid.buckets;
    trim_array(f);
}

static struct walker walker_of(struct dynamic *f, struct grid *g, uint64_t i) {
    *g = grid_of(f, i);
    return (struct walker){.grid = g, .head = &f->head, .partner = partner, .room = room};
}

/* Puts e into filter i. False: nothing has changed. */
static bool place_in(struct dynamic *f, uint64_t i, struct entry e, bool with_kicks) {
    struct line line[LOG_LINES];
    struct log log = {line, 0};
    struct grid g;
    struct walker w = walker_of(f, &g, i);
    bool placed = with_kicks ? guira__place(&w, e, &log) : guira__place_at_once(&w, e, &log);
    f->part[i].items += placed;
    return placed;
}

/* Brings home into filter i what waits in the stash. */
static void bring_home(struct dynamic *f, uint64_t i, bool with_kicks) {
    struct grid g;
    struct walker w = walker_of(f, &g, i);
    if (f->head.stash.n > 0) f->part[i].items += guira__bring_home(&w, with_kicks);
}

/* ------------------------------------------------------------------------------------------------------------- merging
 * Filters as they were before the merge wait in `saved`, each copied when it is written to for the first time. */

static bool save(struct dynamic *f, uint64_t i, struct part *saved) {
    if (saved[i].table != NULL) return true;
    uint8_t *copy = guira__alloc(grid_bytes(&f->grid));
    if (copy == NULL) return false;
    memcpy(copy, f->part[i].table, grid_bytes(&f->grid));
    saved[i] = (struct part){copy, f->part[i].items};
    return true;
}

/* Into any filter but `from`, starting with *to, which moves on when that one does not take it. */
static bool place_elsewhere(struct dynamic *f, uint64_t from, struct entry e, uint64_t *to, struct part *saved) {
    for (uint64_t tried = 0; tried < f->parts; tried++, *to = (*to + 1) % f->parts)
        if (*to != from && has_room(f, *to) && save(f, *to, saved) && place_in(f, *to, e, true)) return true;
    return false;
}

static bool move_all(struct dynamic *f, uint64_t from, struct part *saved) {
    struct grid g = grid_of(f, from);
    uint64_t to = emptiest(f, from);
    for (uint64_t bucket = 0; bucket < g.buckets; bucket++)
        for (unsigned j = 0; j < g.slots; j++) {
            struct entry e = {bucket, grid_get(&g, bucket, j)};
            if (e.what != 0 && !place_elsewhere(f, from, e, &to, saved)) return false;
        }
    return true;
}

/* Moves the entries of the emptiest filter to the others and drops it. False: nothing has changed. */
static bool merge(struct dynamic *f) {
    uint64_t from = emptiest(f, UINT64_MAX), rng = f->head.rng, kicks = f->head.kicks;
    struct part *saved = guira__zalloc(f->parts * sizeof *saved);
    if (saved == NULL) return false;
    bool moved = move_all(f, from, saved);
    for (uint64_t i = 0; i < f->parts; i++) {
        if (saved[i].table == NULL) continue;
        guira__free(moved ? saved[i].table : f->part[i].table);
        if (!moved) f->part[i] = saved[i];
    }
    guira__free(saved);
    if (moved) {
        drop(f, from);
        return true;
    }
    f->head.rng = rng;
    f->head.kicks = kicks;
    return false;
}

/* Whether one filter less would hold everything at this load. */
static bool fits_fewer(const struct dynamic *f, double load) {
    return f->parts > f->least && (double)f->head.items <= content(f, load, f->parts - 1);
}

static void merge_if_sparse(struct dynamic *f) {
    const double load = f->head.config.min_load;
    if (load < 0 || f->head.items > f->again || !fits_fewer(f, load)) return;
    f->again = merge(f) ? UINT64_MAX : f->head.items - f->head.items / 16;
}

/* ------------------------------------------------------------------------------------------------------------ changing */

/* Into the active filter, or into the emptiest, which becomes active then. */
static bool place_below(struct dynamic *f, struct entry e) {
    if (has_room(f, f->active) && place_in(f, f->active, e, true)) return true;
    uint64_t other = emptiest(f, UINT64_MAX);
    if (other == f->active || !has_room(f, other) || !place_in(f, other, e, true)) return false;
    f->active = other;
    return true;
}

/* Into a filter of its own. */
static guira_status place_new(struct dynamic *f, struct entry e) {
    guira_status s = add(f, 1);
    if (s != GUIRA_OK) return s;
    f->active = f->parts - 1;
    f->head.grows += f->grid.buckets;
    place_in(f, f->active, e, false); /* it is empty */
    bring_home(f, f->active, true);
    return GUIRA_OK;
}

static bool place_anywhere(struct dynamic *f, struct entry e, bool with_kicks) {
    for (uint64_t i = f->parts; i-- > 0;)
        if (place_in(f, i, e, with_kicks)) return true;
    return false;
}

/* The active filter has no free slot for it, or is as full as it should get. */
static guira_status insert_crowded(guira *head, uint64_t hash) {
    struct dynamic *f = (struct dynamic *)head;
    struct entry e = entry_of(f, hash);
    uint64_t places = f->grid.slots * (partner(head, e.where, e.what) == e.where ? 1U : 2U);
    if (count_entry(f, e) >= places) {
        if (!place_anywhere(f, e, false)) return GUIRA_EDUPLICATE;
    } else if (!place_below(f, e)) {
        guira_status s = place_new(f, e);
        /* The list cannot become longer: max_load is a wish then, and the stash takes what it can. */
        if (s != GUIRA_OK && !place_in(f, f->active, e, true) && !place_anywhere(f, e, false) &&
            !stash_push(&head->stash, e, STASH_SIZE))
            return s == GUIRA_ELIMIT ? GUIRA_EFULL : s;
    }
    head->items++;
    return GUIRA_OK;
}

static guira_status insert(guira *head, uint64_t hash) {
    struct dynamic *f = (struct dynamic *)head;
    if (!has_room(f, f->active) || !place_in(f, f->active, entry_of(f, hash), false)) return insert_crowded(head, hash);
    head->items++;
    return GUIRA_OK;
}

/* Takes e out of filter i. False: it is not there. */
static bool take_from(struct dynamic *f, uint64_t i, struct entry e) {
    struct grid g = grid_of(f, i);
    for (unsigned turn = 0; turn < 2; turn++) {
        unsigned found = grid_mask(&g, e.where, e.what);
        if (found != 0) {
            grid_set(&g, e.where, (unsigned)__builtin_ctz(found), 0);
            f->part[i].items--;
            return true;
        }
        e.where = partner(&f->head, e.where, e.what);
    }
    return false;
}

static guira_status remove_one(guira *head, uint64_t hash) {
    struct dynamic *f = (struct dynamic *)head;
    struct entry e = entry_of(f, hash);
    uint64_t i = f->parts;
    while (i > 0 && !take_from(f, i - 1, e)) i--;
    if (i > 0) {
        bring_home(f, i - 1, false);
    } else {
        unsigned stashed = guira__stash_mask(&head->stash, e, partner(head, e.where, e.what));
        if (stashed == 0) return GUIRA_ENOTFOUND;
        stash_drop(&head->stash, (unsigned)__builtin_ctz(stashed));
    }
    head->items--;
    merge_if_sparse(f);
    return GUIRA_OK;
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static void destroy(guira *head) {
    struct dynamic *f = (struct dynamic *)head;
    if (!f->is_view) free_tables(f->part, 0, f->parts);
    guira__free(f->part);
    guira__free(f);
}

/* How many filters hold so many items. The capacity made the size of one, so it may be off by a rounding error. */
static double parts_for(const struct dynamic *f, uint64_t items) {
    return fmax(1, ceil((double)items / content(f, f->head.config.max_load, 1) - 1e-9));
}

static guira_status create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    struct dynamic start = {.head = {.ops = ops, .contains = contains, .config = *c}, .again = UINT64_MAX};
    start.grid = (struct grid){.buckets = c->buckets, .slots = c->bucket_slots, .bits = c->slot_bits};
    if (parts_for(&start, c->capacity) > c->max_filters) return GUIRA_ELIMIT;
    start.least = (uint64_t)parts_for(&start, c->capacity);
    struct dynamic *f = guira__alloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    *f = start;
    f->head.bytes = guira__alloc_cost(sizeof *f);
    guira_status s = add(f, f->least);
    if (s != GUIRA_OK) {
        guira__free(f);
        return s;
    }
    guira__secret_derive(c->seed, f->head.secret);
    f->head.rng = guira__hash(f->head.secret, NULL, 0);
    *out = &f->head;
    return GUIRA_OK;
}

static guira_status clone(const guira *head, guira **out) {
    const struct dynamic *f = (const struct dynamic *)head;
    struct dynamic *g = guira__alloc(sizeof *g);
    if (g == NULL) return GUIRA_ENOMEM;
    *g = *f;
    g->is_view = false;
    g->part = NULL;
    g->parts = g->room = 0;
    g->head.bytes = guira__alloc_cost(sizeof *g);
    guira_status s = add(g, f->parts);
    if (s != GUIRA_OK) {
        guira__free(g);
        return s;
    }
    for (uint64_t i = 0; i < f->parts; i++) {
        memcpy(g->part[i].table, f->part[i].table, grid_bytes(&f->grid));
        g->part[i].items = f->part[i].items;
    }
    *out = &g->head;
    return GUIRA_OK;
}

static guira_status reserve(guira *head, uint64_t items) {
    struct dynamic *f = (struct dynamic *)head;
    double needed = parts_for(f, items);
    if (needed > head->config.max_filters) return GUIRA_ELIMIT;
    uint64_t parts = (uint64_t)needed, before = f->parts;
    guira_status s = parts > before ? add(f, parts - before) : GUIRA_OK;
    if (s != GUIRA_OK) return s;
    head->grows += (f->parts - before) * f->grid.buckets;
    f->least = parts;
    return GUIRA_OK;
}

static guira_status shrink_to_fit(guira *head) {
    struct dynamic *f = (struct dynamic *)head;
    f->least = 1;
    while (fits_fewer(f, head->config.max_load) && merge(f)) {
    }
    return GUIRA_OK;
}

static guira_status clear(guira *head) {
    struct dynamic *f = (struct dynamic *)head;
    while (f->parts > f->least) drop(f, f->parts - 1);
    for (uint64_t i = 0; i < f->parts; i++) {
        memset(f->part[i].table, 0, grid_bytes(&f->grid));
        f->part[i].items = 0;
    }
    f->active = 0;
    f->again = UINT64_MAX;
    head->stash = (struct stash){0};
    head->items = 0;
    return GUIRA_OK;
}

/* A random key has one fingerprint of 2^f - 1 and meets the entries of two buckets of every filter. */
static void stats(const guira *head, guira_stats *out) {
    const struct dynamic *f = (const struct dynamic *)head;
    out->buckets = f->parts * f->grid.buckets;
    out->slots = out->buckets * f->grid.slots;
    out->bytes = head->bytes;
    out->fpr = -expm1(-2.0 * (double)head->items / (double)f->grid.buckets / (double)packed_mask(f->grid.bits));
}

/* What is small. */
static const char *check_list(const struct dynamic *f) {
    if (f->parts == 0 || f->parts > f->room || f->parts > f->head.config.max_filters) return "list: its length";
    if (f->active >= f->parts) return "list: the active filter is not there";
    if (f->least == 0 || f->least > f->parts) return "list: shorter than what is reserved";
    return guira__stash_sound(&f->head.stash, &f->grid) ? NULL : "stash: an impossible entry";
}

static const char *check(const guira *head) {
    const struct dynamic *f = (const struct dynamic *)head;
    uint64_t items = head->stash.n;
    const char *broken = check_list(f);
    for (uint64_t i = 0; broken == NULL && i < f->parts; i++) {
        struct grid g = grid_of(f, i);
        if (guira__grid_count(&g) != f->part[i].items) broken = "list: the items of a filter";
        items += f->part[i].items;
    }
    if (broken != NULL) return broken;
    return items == head->items ? NULL : "counters: items";
}

static void dump(const guira *head, guira__sink *sink, void *to) {
    const struct dynamic *f = (const struct dynamic *)head;
    const uint64_t number[] = {f->parts, f->active, f->least, f->again};
    guira__head_dump(head, sink, to);
    sink(to, number, sizeof number);
    for (uint64_t i = 0; i < f->parts; i++) {
        sink(to, &f->part[i].items, sizeof f->part[i].items);
        sink(to, f->part[i].table, grid_bytes(&f->grid));
    }
}

/* -------------------------------------------------------------------------------------------------------------- as a file */

enum { LIST_NUMBERS = 4 };

static void save_as(const guira *head, struct guira__writer *to) {
    const struct dynamic *f = (const struct dynamic *)head;
    const uint64_t number[LIST_NUMBERS] = {f->parts, f->active, f->least, f->again};
    guira__head_write(to, head);
    guira__section_start(to, "list", 8 * (LIST_NUMBERS + f->parts));
    for (size_t i = 0; i < LIST_NUMBERS; i++) guira__section_put_u64(to, number[i]);
    for (uint64_t i = 0; i < f->parts; i++) guira__section_put_u64(to, f->part[i].items);
    for (uint64_t i = 0; i < f->parts; i++) {
        guira__section_start(to, "table", grid_bytes(&f->grid));
        guira__section_put(to, f->part[i].table, grid_bytes(&f->grid));
    }
}

static guira_status view_list(struct dynamic *f, struct guira__reader *from) {
    uint64_t length, *const number[LIST_NUMBERS] = {&f->parts, &f->active, &f->least, &f->again};
    const uint8_t *p = guira__section_get(from, "list", &length);
    if (p == NULL || length < 8 * LIST_NUMBERS) return GUIRA_ECORRUPT;
    for (size_t i = 0; i < LIST_NUMBERS; i++, p += 8) *number[i] = get_u64(p);
    f->room = f->parts;
    if (check_list(f) != NULL || length != 8 * (LIST_NUMBERS + f->parts)) return GUIRA_ECORRUPT;
    f->part = guira__zalloc(f->parts * sizeof *f->part);
    if (f->part == NULL) return GUIRA_ENOMEM;
    for (uint64_t i = 0; i < f->parts; i++, p += 8) {
        const uint8_t *table = guira__section_expect(from, "table", grid_bytes(&f->grid));
        if (table == NULL) return GUIRA_ECORRUPT;
        f->part[i] = (struct part){(uint8_t *)(uintptr_t)table, get_u64(p)};
    }
    f->head.bytes = guira__alloc_cost(sizeof *f) + guira__alloc_cost(f->parts * sizeof *f->part);
    return GUIRA_OK;
}

static guira_status view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from, guira **out) {
    struct dynamic *f = guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    guira_status s = guira__head_read(from, ops, c, &f->head) ? GUIRA_OK : GUIRA_ECORRUPT;
    f->grid = (struct grid){.buckets = c->buckets, .slots = c->bucket_slots, .bits = c->slot_bits};
    f->is_view = true;
    if (s == GUIRA_OK) s = view_list(f, from);
    if (s == GUIRA_OK) *out = &f->head;
    else destroy(&f->head);
    return s;
}

extern const struct guira__ops guira__dynamic_ops;
const struct guira__ops guira__dynamic_ops = {
    .create = create,
    .destroy = destroy,
    .insert = insert,
    .insert_crowded = insert_crowded,
    .contains = contains,
    .remove = remove_one,
    .count = count,
    .contains_many = contains_many,
    .prefetch = prefetch,
    .reserve = reserve,
    .shrink_to_fit = shrink_to_fit,
    .clear = clear,
    .clone = clone,
    .stats = stats,
    .check = check,
    .dump = dump,
    .save = save_as,
    .view = view,
};
