/* See tidal_table.h. Nothing here looks into a bucket. */
#include "tidal_table.h"

#include <math.h>
#include <stdlib.h>

#include "alloc.h"

static unsigned width(const struct tidal *f) { return f->head.ops->slot_bits; }

/* ---------------------------------------------------------------------------------------------------- shapes and sizes */

void guira__table_shape(uint64_t buckets, unsigned *level, uint64_t *line) {
    if (buckets < MIN_BUCKETS) buckets = MIN_BUCKETS;
    *level = 63U - (unsigned)__builtin_clzll(buckets);
    *line = buckets - (UINT64_C(1) << *level);
}

uint64_t guira__items_at(uint64_t buckets, double load, unsigned w) {
    return (uint64_t)(load * (double)(buckets * bucket_slots(w)));
}

uint64_t guira__buckets_for(uint64_t items, double load, unsigned w) {
    uint64_t buckets = (uint64_t)ceil((double)items / (load * bucket_slots(w)));
    while (guira__items_at(buckets, load, w) < items) buckets++; /* what rounding lost */
    return buckets < MIN_BUCKETS ? MIN_BUCKETS : buckets;
}

static void thresholds(struct tidal *f) {
    uint64_t buckets = bucket_count(f);
    double max_load = f->head.config.max_load, min_load = f->head.config.min_load;
    unsigned w = width(f);
    f->grow_at = guira__items_at(buckets, max_load, w);
    f->shrink_at = 0;
    if (min_load < 0 || buckets <= f->floor || buckets <= MIN_BUCKETS) return;
    uint64_t sparse = (uint64_t)ceil(min_load * (double)(buckets * bucket_slots(w)));
    uint64_t fits = guira__items_at(buckets - 1, max_load, w) + 1; /* small tables: not so far as to grow again */
    f->shrink_at = sparse < fits ? sparse : fits;
}

/* After the table has changed its shape: what lookups and policies derive from it. */
static void settle(struct tidal *f) {
    f->tide = f->line << (64 - f->level);
    for (unsigned side = RIGHT; side <= LEFT; side++) {
        const struct array *a = &f->array[f->line == 0 ? RIGHT : side]; /* no left: nobody asks, but shifts stay legal */
        f->segment[side] = a->segment;
        f->to_segment[side] = 64 - a->level + a->log2_buckets;
        f->to_tail[side] = width(f) == 64 ? 0 : 63 - a->level - tail_bits(width(f));
    }
    thresholds(f);
}

/* ---------------------------------------------------------------------------------------------------------- segments */

static size_t directory_bytes(const struct array *a) {
    return sizeof(uintptr_t) << (a->level - a->log2_buckets);
}

static size_t segment_bytes(const struct tidal *f, const struct array *a) {
    return (size_t)1 << (a->log2_buckets + bucket_shift(width(f)));
}

static void *take(struct tidal *f, size_t size, bool cleared) {
    void *p = cleared ? guira__zalloc(size) : guira__alloc(size);
    if (p != NULL) f->head.bytes += guira__alloc_cost(size);
    return p;
}

static void give_back(struct tidal *f, void *p, size_t size) {
    guira__free(p, size);
    f->head.bytes -= guira__alloc_cost(size);
}

static guira_status array_open(struct tidal *f, struct array *a, unsigned level) {
    unsigned shift = bucket_shift(width(f));
    unsigned log2_buckets = level > SEGMENTS ? level - SEGMENTS : 0;
    if (log2_buckets + shift < MIN_SEGMENT) log2_buckets = MIN_SEGMENT - shift;
    if (log2_buckets + shift > MAX_SEGMENT) log2_buckets = MAX_SEGMENT - shift;
    if (log2_buckets > level - 1) log2_buckets = level - 1; /* at least two, so that to_segment is a legal shift */
    struct array opened = {.level = level, .log2_buckets = log2_buckets};
    opened.segment = take(f, directory_bytes(&opened), true);
    if (opened.segment == NULL) return GUIRA_ENOMEM;
    *a = opened;
    return GUIRA_OK;
}

static bool has_segment(const struct array *a, uint64_t number) {
    return a->segment != NULL && number >> (a->level - a->log2_buckets) == 0 && a->segment[number] != 0;
}

static guira_status segment_make(struct tidal *f, struct array *a, uint64_t number, bool cleared) {
    if (has_segment(a, number)) return GUIRA_OK;
    size_t bytes = segment_bytes(f, a);
    void *p = take(f, bytes, cleared);
    if (p == NULL) return GUIRA_ENOMEM;
    a->segment[number] = (uintptr_t)p - (uintptr_t)number * bytes;
    return GUIRA_OK;
}

static void segment_drop(struct tidal *f, struct array *a, uint64_t number) {
    if (!has_segment(a, number)) return;
    size_t bytes = segment_bytes(f, a);
    give_back(f, (void *)(a->segment[number] + (uintptr_t)number * bytes), bytes);
    a->segment[number] = 0;
}

static void array_close(struct tidal *f, struct array *a) {
    if (a->segment == NULL) return;
    for (uint64_t i = 0; i < UINT64_C(1) << (a->level - a->log2_buckets); i++) segment_drop(f, a, i);
    give_back(f, a->segment, directory_bytes(a));
    *a = (struct array){0};
}

/* --------------------------------------------------------------------------------------------------------- the table */

static guira_status fill(struct tidal *f, unsigned side, uint64_t from, uint64_t to) {
    struct array *a = &f->array[side];
    for (uint64_t i = from >> a->log2_buckets; i << a->log2_buckets < to; i++)
        if (segment_make(f, a, i, true) != GUIRA_OK) return GUIRA_ENOMEM;
    return GUIRA_OK;
}

guira_status guira__table_create(struct tidal *f, unsigned level, uint64_t line) {
    f->level = level;
    f->line = line;
    guira_status s = array_open(f, &f->array[RIGHT], level);
    if (s == GUIRA_OK) s = fill(f, RIGHT, line, UINT64_C(1) << level);
    if (s == GUIRA_OK && line > 0) s = array_open(f, &f->array[LEFT], level + 1);
    if (s == GUIRA_OK && line > 0) s = fill(f, LEFT, 0, 2 * line);
    if (s != GUIRA_OK) guira__table_destroy(f);
    else settle(f);
    return s;
}

void guira__table_destroy(struct tidal *f) {
    array_close(f, &f->array[RIGHT]);
    array_close(f, &f->array[LEFT]);
}

guira_status guira__table_ready_to_rise(struct tidal *f) {
    struct array *left = &f->array[LEFT];
    guira_status s = left->segment == NULL ? array_open(f, left, f->level + 1) : GUIRA_OK;
    if (s == GUIRA_OK) s = segment_make(f, left, (2 * f->line) >> left->log2_buckets, false);
    if (s != GUIRA_OK) guira__table_trim(f);
    return s;
}

void guira__table_rise(struct tidal *f) {
    f->line++;
    if (f->line == UINT64_C(1) << f->level) {
        array_close(f, &f->array[RIGHT]);
        f->array[RIGHT] = f->array[LEFT];
        f->array[LEFT] = (struct array){0};
        f->level++;
        f->line = 0;
    }
    settle(f);
}

/* At line 0 the right is complete, so it can be the left of a table one level lower, whose own right is empty still. */
static guira_status level_down(struct tidal *f) {
    struct array lower = {0};
    guira_status s = array_open(f, &lower, f->level - 1);
    if (s != GUIRA_OK) return s;
    uint64_t last = (UINT64_C(1) << lower.level) - 1;
    s = segment_make(f, &lower, last >> lower.log2_buckets, false);
    if (s != GUIRA_OK) {
        array_close(f, &lower);
        return s;
    }
    f->array[LEFT] = f->array[RIGHT];
    f->array[RIGHT] = lower;
    f->level--;
    f->line = last + 1;
    return GUIRA_OK;
}

guira_status guira__table_fall(struct tidal *f) {
    struct array *right = &f->array[RIGHT];
    guira_status s = f->line == 0 ? level_down(f) : segment_make(f, right, (f->line - 1) >> right->log2_buckets, false);
    if (s != GUIRA_OK) return s;
    f->line--;
    settle(f);
    return GUIRA_OK;
}

void guira__table_trim(struct tidal *f) {
    struct array *right = &f->array[RIGHT], *left = &f->array[LEFT];
    uint64_t passed = f->line >> right->log2_buckets;
    if (passed > 0) segment_drop(f, right, passed - 1);
    if (f->line == 0) array_close(f, left);
    else segment_drop(f, left, ((2 * f->line - 1) >> left->log2_buckets) + 1);
}

void guira__table_set_floor(struct tidal *f, uint64_t buckets) {
    f->floor = buckets;
    thresholds(f);
}
