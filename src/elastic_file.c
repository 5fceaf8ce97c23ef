/* An elastic filter as a file, and whether one is what it should be: see format.h and elastic.h.
 *
 *     head | shape: numbers, steps | table | pending, if there is any
 *
 * Of the shape only the first size and the steps are written. Everything else follows from them, and so nothing a file
 * says about it has to be believed. */
#include "alloc.h"
#include "elastic.h"
#include "format.h"

enum { SHAPE_NUMBERS = 6 };

/* -------------------------------------------------------------------------------------------------------------- checking */

/* What the steps make of the first size. False: they are impossible. */
static bool replay(const struct elastic *f, struct shape *out) {
    const struct shape *s = &f->shape;
    if (s->first < 2 || s->first > GUIRA__MOST_BUCKETS || s->steps > MAX_STEPS) return false;
    *out = guira__shape_make(s->first);
    for (uint32_t i = 0; i < s->steps; i++) {
        bool halved = s->step[i] == HALVED;
        if (!halved && s->step[i] != f->head.config.factor) return false;
        if (!(halved ? guira__shape_halve(out) : guira__shape_extend(out, s->step[i], f->grid.bits))) return false;
    }
    return memcmp(out->step, s->step, sizeof s->step) == 0; /* zeros after the last */
}

static bool in_window(const struct shape *s, struct entry e) {
    return distance_of(s, guira__window_of(s, e.what).start, e.where) >> s->reach == 0;
}

static bool stash_sound(const struct elastic *f) {
    if (!guira__stash_sound(&f->head.stash, &f->grid)) return false;
    for (unsigned i = 0; i < f->head.stash.n; i++)
        if (!in_window(&f->shape, f->head.stash.entry[i])) return false;
    return true;
}

/* What is small; enough that asking is safe. */
static const char *check_shape(const struct elastic *f) {
    struct shape s;
    if (!replay(f, &s)) return "shape: an impossible step";
    if (s.buckets != f->grid.buckets || s.buckets != f->shape.buckets || s.reach != f->shape.reach ||
        s.first_reach != f->shape.first_reach)
        return "shape: its size";
    bool extended = s.steps > 0 && s.step[s.steps - 1] != HALVED;
    if (f->groups != 0 && !(extended && f->groups * s.step[s.steps - 1] == s.buckets)) return "pending: its size";
    if (f->waiting > f->groups) return "pending: more than there are";
    return stash_sound(f) ? NULL : "stash: an impossible entry";
}

/* Copies of a pending group are all the same, and one of each is right; elsewhere every entry is in its window. */
static const char *check_group(const struct elastic *f, uint64_t group, uint64_t step, uint64_t *items) {
    const unsigned all = (1U << f->grid.slots) - 1;
    unsigned right = 0, any = 0;
    for (uint64_t i = group; i < f->grid.buckets; i += step) {
        unsigned taken = guira__elastic_taken(f, i), there = grid_mask(&f->grid, i, 0) ^ all;
        *items += (uint64_t)__builtin_popcount(taken);
        right |= taken;
        any |= there;
        for (unsigned j = 0; j < f->grid.slots; j++) {
            uint64_t what = grid_get(&f->grid, i, j);
            if (is_pending(f, group)) {
                if (what != grid_get(&f->grid, group, j)) return "pending: copies that are not the same";
            } else if (what != 0 && !in_window(&f->shape, (struct entry){i, what})) {
                return "table: an entry outside its window";
            }
        }
    }
    return right == any ? NULL : "pending: no copy is right";
}

static const char *check_table(const struct elastic *f) {
    uint64_t items = f->head.stash.n, waiting = 0, groups = f->groups > 0 ? f->groups : f->grid.buckets;
    for (uint64_t group = 0; group < groups; group++) {
        waiting += is_pending(f, group);
        const char *broken = check_group(f, group, groups, &items);
        if (broken != NULL) return broken;
    }
    if (waiting != f->waiting) return "pending: how many are left";
    if (f->groups % 8 != 0 && f->pending[f->groups / 8] >> f->groups % 8 != 0) return "pending: beyond its end";
    if (guira__grid_count(&f->grid) == UINT64_MAX) return "table: something beyond its end";
    return items == f->head.items ? NULL : "counters: items";
}

const char *guira__elastic_check(const guira *head) {
    const struct elastic *f = (const struct elastic *)head;
    const char *broken = check_shape(f);
    return broken != NULL ? broken : check_table(f);
}

/* -------------------------------------------------------------------------------------------------------------- as a file */

void guira__elastic_save(const guira *head, struct guira__writer *to) {
    const struct elastic *f = (const struct elastic *)head;
    const uint64_t number[SHAPE_NUMBERS] = {f->shape.first, f->shape.steps, f->groups, f->waiting, f->least, f->again};
    guira__head_write(to, head);
    guira__section_start(to, "shape", 8 * SHAPE_NUMBERS + MAX_STEPS);
    for (size_t i = 0; i < SHAPE_NUMBERS; i++) guira__section_put_u64(to, number[i]);
    guira__section_put(to, f->shape.step, MAX_STEPS);
    guira__section_start(to, "table", grid_bytes(&f->grid));
    guira__section_put(to, f->grid.table, grid_bytes(&f->grid));
    if (f->groups == 0) return;
    guira__section_start(to, "pending", pending_bytes(f));
    guira__section_put(to, f->pending, pending_bytes(f));
}

static bool view_shape(struct elastic *f, struct guira__reader *from) {
    uint64_t steps = 0;
    uint64_t *const number[SHAPE_NUMBERS] = {&f->shape.first, &steps, &f->groups, &f->waiting, &f->least, &f->again};
    const uint8_t *p = guira__section_expect(from, "shape", 8 * SHAPE_NUMBERS + MAX_STEPS);
    if (p == NULL) return false;
    for (size_t i = 0; i < SHAPE_NUMBERS; i++, p += 8) *number[i] = get_u64(p);
    if (steps > MAX_STEPS) return false;
    f->shape.steps = (uint32_t)steps;
    memcpy(f->shape.step, p, MAX_STEPS);
    struct shape s;
    if (!replay(f, &s)) return false;
    f->shape = s;
    f->grid.buckets = s.buckets;
    return f->least <= s.buckets && check_shape(f) == NULL;
}

static bool view_tables(struct elastic *f, struct guira__reader *from) {
    f->grid.table = (uint8_t *)(uintptr_t)guira__section_expect(from, "table", grid_bytes(&f->grid));
    if (f->groups > 0) f->pending = (uint8_t *)(uintptr_t)guira__section_expect(from, "pending", pending_bytes(f));
    return f->grid.table != NULL && (f->groups == 0 || f->pending != NULL);
}

guira_status guira__elastic_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                                 guira **out) {
    struct elastic *f = guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    bool good = guira__head_read(from, ops, c, &f->head);
    f->grid = (struct grid){.slots = c->bucket_slots, .bits = c->slot_bits};
    f->is_view = true;
    f->head.bytes = guira__alloc_cost(sizeof *f);
    if (good && view_shape(f, from) && view_tables(f, from)) {
        *out = &f->head;
        return GUIRA_OK;
    }
    guira__free(f);
    return GUIRA_ECORRUPT;
}
