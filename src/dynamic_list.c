/* The list of a dynamic filter, and the moves in it: see dynamic.h.
 *
 *     merge    [####]  [###.]  [#...]   ->   [####]  [####]        the emptiest one's entries into the others' free slots
 *
 * A merge happens or changes nothing: the tables it writes to are copied first, and put back if not everybody finds a
 * place. It never uses the insertion that adds filters, and there always is one left. */
#include "dynamic.h"

#include "alloc.h"

/* Subtracting from the same number twice gives the first bucket again, whatever their number: see cuckoo.c. */
uint64_t guira__dynamic_partner(const guira *head, uint64_t bucket, uint64_t what) {
    uint64_t buckets = ((const struct dynamic *)head)->grid.buckets;
    uint64_t h = (what * UINT64_C(0x9e3779b97f4a7c15) >> 32) * buckets >> 32;
    return h >= bucket ? h - bucket : h + buckets - bucket;
}

static unsigned room(const guira *head, const struct grid *g, uint64_t bucket) {
    (void)head;
    return grid_mask(g, bucket, 0);
}

uint64_t guira__dynamic_emptiest(const struct dynamic *f, uint64_t other) {
    uint64_t best = UINT64_MAX;
    for (uint64_t i = 0; i < f->parts; i++)
        if (i != other && (best == UINT64_MAX || f->part[i].items <= f->part[best].items)) best = i;
    return best;
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

guira_status guira__dynamic_add(struct dynamic *f, uint64_t n) {
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

void guira__dynamic_drop(struct dynamic *f, uint64_t i) {
    guira__free(f->part[i].table);
    f->part[i] = f->part[--f->parts];
    f->part[f->parts] = (struct part){0};
    if (f->active == i) f->active = guira__dynamic_emptiest(f, UINT64_MAX);
    else if (f->active == f->parts) f->active = i;
    f->head.bytes -= guira__alloc_cost(grid_bytes(&f->grid));
    f->head.shrinks += f->grid.buckets;
    trim_array(f);
}

static struct walker walker_of(struct dynamic *f, struct grid *g, uint64_t i) {
    *g = grid_of(f, i);
    return (struct walker){.grid = g, .head = &f->head, .partner = guira__dynamic_partner, .room = room};
}

bool guira__dynamic_place(struct dynamic *f, uint64_t i, struct entry e, bool with_kicks) {
    struct grid g;
    struct walker w = walker_of(f, &g, i);
    bool placed = guira__place(&w, e, with_kicks);
    f->part[i].items += placed;
    return placed;
}

void guira__dynamic_bring_home(struct dynamic *f, uint64_t i, bool with_kicks) {
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
        if (*to != from && has_room(f, *to) && save(f, *to, saved) && guira__dynamic_place(f, *to, e, true))
            return true;
    return false;
}

static bool move_all(struct dynamic *f, uint64_t from, struct part *saved) {
    struct grid g = grid_of(f, from);
    uint64_t to = guira__dynamic_emptiest(f, from);
    for (uint64_t bucket = 0; bucket < g.buckets; bucket++)
        for (unsigned j = 0; j < g.slots; j++) {
            struct entry e = {bucket, grid_get(&g, bucket, j)};
            if (e.what != 0 && !place_elsewhere(f, from, e, &to, saved)) return false;
        }
    return true;
}

bool guira__dynamic_merge(struct dynamic *f) {
    uint64_t from = guira__dynamic_emptiest(f, UINT64_MAX), rng = f->head.rng, kicks = f->head.kicks;
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
        guira__dynamic_drop(f, from);
        return true;
    }
    f->head.rng = rng;
    f->head.kicks = kicks;
    return false;
}

void guira__dynamic_free(struct dynamic *f) {
    if (!f->is_view) free_tables(f->part, 0, f->parts);
    guira__free(f->part);
}
