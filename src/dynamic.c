/* DCF, the dynamic cuckoo filter: its operations. dynamic.h says what it is, dynamic_list.c has the list. */
#include "dynamic.h"

#include <math.h>

#include "alloc.h"
#include "format.h"

static struct entry entry_of(const struct dynamic *f, uint64_t hash) {
    uint64_t bucket = (hash >> 32) * f->grid.buckets >> 32;
    return (struct entry){bucket, fingerprint_in(hash & UINT32_MAX, f->grid.bits)};
}

/* ------------------------------------------------------------------------------------------------------------- asking */

static bool contains(const guira *head, uint64_t hash) {
    const struct dynamic *f = (const struct dynamic *)head;
    struct entry e = entry_of(f, hash);
    uint64_t other = guira__dynamic_partner(head, e.where, e.what);
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
    uint64_t other = guira__dynamic_partner(&f->head, e.where, e.what);
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
    __builtin_prefetch(f->part[f->active].table + guira__dynamic_partner(head, e.where, e.what) * bits / 8, 1);
}

/* ------------------------------------------------------------------------------------------------------------ changing */

/* Into the active filter, or into the emptiest, which becomes active then. */
static bool place_below(struct dynamic *f, struct entry e) {
    if (has_room(f, f->active) && guira__dynamic_place(f, f->active, e, true)) return true;
    uint64_t other = guira__dynamic_emptiest(f, UINT64_MAX);
    if (other == f->active || !has_room(f, other) || !guira__dynamic_place(f, other, e, true)) return false;
    f->active = other;
    return true;
}

/* Into a filter of its own. */
static guira_status place_new(struct dynamic *f, struct entry e) {
    guira_status s = guira__dynamic_add(f, 1);
    if (s != GUIRA_OK) return s;
    f->active = f->parts - 1;
    f->head.grows += f->grid.buckets;
    guira__dynamic_place(f, f->active, e, false); /* it is empty */
    guira__dynamic_bring_home(f, f->active, true);
    return GUIRA_OK;
}

static bool place_anywhere(struct dynamic *f, struct entry e, bool with_kicks) {
    for (uint64_t i = f->parts; i-- > 0;)
        if (guira__dynamic_place(f, i, e, with_kicks)) return true;
    return false;
}

/* The active filter has no free slot for it, or is as full as it should get. */
static guira_status insert_crowded(guira *head, uint64_t hash) {
    struct dynamic *f = (struct dynamic *)head;
    struct entry e = entry_of(f, hash);
    uint64_t places = f->grid.slots * (guira__dynamic_partner(head, e.where, e.what) == e.where ? 1U : 2U);
    if (count_entry(f, e) >= places) {
        if (!place_anywhere(f, e, false)) return GUIRA_EDUPLICATE;
    } else if (!place_below(f, e)) {
        guira_status s = place_new(f, e);
        /* The list cannot become longer: max_load is a wish then, and the stash takes what it can. */
        if (s != GUIRA_OK && !guira__dynamic_place(f, f->active, e, true) && !place_anywhere(f, e, false) &&
            !stash_push(&head->stash, e, STASH_SIZE))
            return s == GUIRA_ELIMIT ? GUIRA_EFULL : s;
    }
    head->items++;
    return GUIRA_OK;
}

static guira_status insert(guira *head, uint64_t hash) {
    struct dynamic *f = (struct dynamic *)head;
    if (!has_room(f, f->active) || !guira__dynamic_place(f, f->active, entry_of(f, hash), false))
        return insert_crowded(head, hash);
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
        e.where = guira__dynamic_partner(&f->head, e.where, e.what);
    }
    return false;
}

static void merge_if_sparse(struct dynamic *f) {
    const double load = f->head.config.min_load;
    if (load < 0 || f->head.items > f->again || !fits_fewer(f, load)) return;
    f->again = guira__dynamic_merge(f) ? UINT64_MAX : f->head.items - f->head.items / 16;
}

static guira_status remove_one(guira *head, uint64_t hash) {
    struct dynamic *f = (struct dynamic *)head;
    struct entry e = entry_of(f, hash);
    uint64_t i = f->parts;
    while (i > 0 && !take_from(f, i - 1, e)) i--;
    if (i > 0) {
        guira__dynamic_bring_home(f, i - 1, false);
    } else {
        unsigned stashed = guira__stash_mask(&head->stash, e, guira__dynamic_partner(head, e.where, e.what));
        if (stashed == 0) return GUIRA_ENOTFOUND;
        stash_drop(&head->stash, (unsigned)__builtin_ctz(stashed), head->moves);
    }
    head->items--;
    merge_if_sparse(f);
    return GUIRA_OK;
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static void destroy(guira *head) {
    struct dynamic *f = (struct dynamic *)head;
    guira__dynamic_free(f);
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
    guira_status s = guira__dynamic_add(f, f->least);
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
    guira_status s = guira__dynamic_add(g, f->parts);
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
    guira_status s = parts > before ? guira__dynamic_add(f, parts - before) : GUIRA_OK;
    if (s != GUIRA_OK) return s;
    head->grows += (f->parts - before) * f->grid.buckets;
    f->least = parts;
    return GUIRA_OK;
}

static guira_status shrink_to_fit(guira *head) {
    struct dynamic *f = (struct dynamic *)head;
    f->least = 1;
    while (fits_fewer(f, head->config.max_load) && guira__dynamic_merge(f)) {
    }
    return GUIRA_OK;
}

static guira_status clear(guira *head) {
    struct dynamic *f = (struct dynamic *)head;
    while (f->parts > f->least) guira__dynamic_drop(f, f->parts - 1);
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
    out->filters = f->parts;
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
