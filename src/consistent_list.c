/* The list of filters and the four ways to change its size: up, down, out, compact. See consistent.h. */
#include <string.h>

#include "alloc.h"
#include "consistent.h"

struct totals guira__consistent_totals(const struct consistent *f) {
    struct totals t = {0, 0, 0};
    for (uint64_t i = 0; i < f->filters; i++) {
        t.slots += i2cf_slots(&f->list[i]);
        t.buckets += f->list[i].buckets;
        t.bytes += guira__i2cf_bytes(&f->list[i]);
    }
    return t;
}

struct i2cf *guira__consistent_least_loaded(const struct consistent *f) {
    struct i2cf *least = &f->list[0];
    for (uint64_t i = 1; i < f->filters; i++)
        if (i2cf_load(&f->list[i]) < i2cf_load(least)) least = &f->list[i];
    return least;
}

struct i2cf *guira__consistent_smallest(const struct consistent *f) {
    struct i2cf *smallest = &f->list[0];
    for (uint64_t i = 1; i < f->filters; i++)
        if (f->list[i].buckets < smallest->buckets) smallest = &f->list[i];
    return smallest;
}

struct shape guira__consistent_shape(const guira_config *c) {
    return (struct shape){c->slot_bits, c->bucket_slots, c->candidates, c->virtual_nodes, c->ring};
}

/* -------------------------------------------------------------------------------------------------------- single buckets */

guira_status guira__consistent_up(struct consistent *f, const uint64_t *hash) {
    struct i2cf *to = guira__consistent_smallest(f);
    struct aim a = {.n = 0};
    if (hash != NULL) guira__aim_hash(&a, &to->shape, *hash);
    guira_status s = guira__i2cf_scale_up(to, hash != NULL ? &a : NULL, &f->head);
    f->head.grows += s == GUIRA_OK;
    return s;
}

struct i2cf *guira__consistent_next_down(const struct consistent *f) {
    struct i2cf *from = guira__consistent_least_loaded(f);
    for (uint64_t i = 0; from->buckets == 1 && i < f->filters; i++) from = &f->list[i];
    return from;
}

guira_status guira__consistent_down(struct consistent *f) {
    struct i2cf *from = guira__consistent_next_down(f);
    guira_status s = guira__i2cf_scale_down(from, f->head.config.max_kicks, &f->head);
    f->head.shrinks += s == GUIRA_OK;
    return s;
}

/* --------------------------------------------------------------------------------------------------------- whole filters */

uint64_t guira__consistent_list_room(uint64_t filters) {
    uint64_t room = 0;
    while (room < filters) room += room / 2 + 1;
    return room;
}

static guira_status list_resize(struct consistent *f, uint64_t filters) {
    uint64_t room = guira__consistent_list_room(filters);
    if (room == f->room) return GUIRA_OK;
    struct i2cf *list = guira__alloc(room * sizeof *list);
    if (list == NULL) return GUIRA_ENOMEM;
    if (f->filters > 0) memcpy(list, f->list, f->filters * sizeof *list);
    guira__free(f->list);
    f->list = list;
    f->room = room;
    return GUIRA_OK;
}

guira_status guira__consistent_out(struct consistent *f, const struct shape *shape, uint64_t buckets) {
    struct i2cf fresh;
    uint64_t rng = f->head.rng;
    if (f->filters >= f->head.config.max_filters) return GUIRA_ELIMIT;
    guira_status s = f->filters < f->room ? GUIRA_OK : list_resize(f, f->filters + 1);
    if (s == GUIRA_OK) s = guira__i2cf_make(&fresh, shape, buckets, &f->head);
    if (s != GUIRA_OK) {
        f->head.rng = rng;
        return s;
    }
    f->list[f->filters++] = fresh;
    f->head.grows += buckets;
    return GUIRA_OK;
}

void guira__consistent_replace(struct consistent *f, struct i2cf *old, const struct i2cf *by) {
    if (by->buckets > old->buckets) f->head.grows += by->buckets - old->buckets;
    else f->head.shrinks += old->buckets - by->buckets;
    guira__i2cf_free(old);
    *old = *by;
}

static void list_drop(struct consistent *f, struct i2cf *gone) {
    f->head.shrinks += gone->buckets;
    guira__i2cf_free(gone);
    struct i2cf *end = f->list + --f->filters;
    memmove(gone, gone + 1, (size_t)(end - gone) * sizeof *gone);
    (void)list_resize(f, f->filters); /* if not, we keep what we have */
}

/* ------------------------------------------------------------------------------------------------------------- compacting */

/* Whether entries can go from one to the other: fingerprints can be cut, not made longer. */
static bool can_take(const struct i2cf *to, const struct i2cf *from) {
    return to != from && to->shape.bits <= from->shape.bits;
}

/* Slots that are free for the entries of a filter. */
static uint64_t room_for(const struct consistent *f, const struct i2cf *from) {
    uint64_t room = 0;
    for (uint64_t i = 0; i < f->filters; i++)
        if (can_take(&f->list[i], from)) room += i2cf_slots(&f->list[i]) - f->list[i].items;
    return room;
}

static bool has_takers(const struct consistent *f, const struct i2cf *from) {
    for (uint64_t i = 0; i < f->filters; i++)
        if (can_take(&f->list[i], from)) return true;
    return false;
}

struct i2cf *guira__consistent_dispensable(const struct consistent *f) {
    struct i2cf *least = NULL;
    for (uint64_t i = 0; i < f->filters; i++) {
        struct i2cf *it = &f->list[i];
        if ((least == NULL || i2cf_load(it) < i2cf_load(least)) && has_takers(f, it)) least = it;
    }
    return least;
}

/* What compacting may change of the others: their numbers of items and their slots. */
static size_t backup_bytes(const struct consistent *f) {
    size_t bytes = 0;
    for (uint64_t i = 0; i < f->filters; i++) bytes += sizeof(uint64_t) + guira__i2cf_table_bytes(&f->list[i]);
    return bytes;
}

static uint8_t *backup_take(const struct consistent *f) {
    uint8_t *backup = guira__alloc(backup_bytes(f)), *p = backup;
    for (uint64_t i = 0; backup != NULL && i < f->filters; i++) {
        const struct i2cf *it = &f->list[i];
        memcpy(p, &it->items, sizeof it->items);
        memcpy(p + sizeof it->items, it->table, guira__i2cf_table_bytes(it));
        p += sizeof it->items + guira__i2cf_table_bytes(it);
    }
    return backup;
}

static void backup_restore(struct consistent *f, const uint8_t *p) {
    for (uint64_t i = 0; i < f->filters; i++) {
        struct i2cf *it = &f->list[i];
        memcpy(&it->items, p, sizeof it->items);
        memcpy(it->table, p + sizeof it->items, guira__i2cf_table_bytes(it));
        p += sizeof it->items + guira__i2cf_table_bytes(it);
    }
}

/* An insertion that never extends: into a free slot of any filter, else by moving others in any. */
static bool rehouse(struct consistent *f, const struct i2cf *from, uint64_t entry) {
    for (unsigned turn = 0; turn < 2; turn++)
        for (uint64_t i = 0; i < f->filters; i++) {
            struct i2cf *to = &f->list[i];
            struct aim a;
            struct i2cf_log log;
            if (!can_take(to, from)) continue;
            guira__aim_fingerprint(&a, &to->shape, fingerprint_cut(entry, from->shape.bits, to->shape.bits));
            log.n = 0;
            if (guira__i2cf_insert(to, &a, turn == 0 ? 0 : f->head.config.max_kicks, &log, &f->head)) return true;
        }
    return false;
}

guira_status guira__consistent_compact(struct consistent *f) {
    struct i2cf *from = guira__consistent_dispensable(f);
    if (from == NULL || room_for(f, from) < from->items) return GUIRA_EFULL;
    uint64_t rng = f->head.rng, kicks = f->head.kicks;
    uint8_t *backup = backup_take(f);
    if (backup == NULL) return GUIRA_ENOMEM;
    bool done = true;
    for (uint64_t slot = 0; done && slot < i2cf_slots(from); slot++) {
        uint64_t entry = guira__i2cf_entry(from, slot);
        done = entry == 0 || rehouse(f, from, entry);
    }
    if (done) {
        list_drop(f, from);
    } else {
        backup_restore(f, backup);
        f->head.rng = rng;
        f->head.kicks = kicks;
    }
    guira__free(backup);
    return done ? GUIRA_OK : GUIRA_EFULL;
}
