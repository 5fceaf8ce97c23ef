/* See tidal_table.h. Nothing here looks into a bucket.
 *
 * The directory is one array of pairs, {right, left}, indexed by the leading bits of an address. The right may have
 * half as many segments as the left; then two neighbouring pairs say the same of it. An entry is where bucket 0 would
 * be if the whole array lay where this segment lies, so that a lookup adds a bucket's offset without asking where the
 * segment starts. */
#include "tidal_table.h"

#include <math.h>

#include "alloc.h"
#include "latency.h"

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
    double wanted = ceil((double)items / (load * bucket_slots(w)));
    if (wanted > (double)MAX_BUCKETS) return MAX_BUCKETS + 1;
    uint64_t buckets = (uint64_t)wanted;
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

/* After the line has moved: what lookups and policies derive from it. */
static void settle(struct tidal *f) {
    f->tide = f->line << (64 - f->level);
    f->segment = f->view->pair;
    f->to_segment = f->view->to_segment;
    f->to_tail = f->view->to_tail;
    f->directory_bits = 64 - (unsigned)f->to_segment;
    f->start[RIGHT] = (uintptr_t)f->array[RIGHT].region;
    f->start[LEFT] = (uintptr_t)f->array[LEFT].region;
    bool flat = f->start[RIGHT] != 0 && (f->line == 0 || f->start[LEFT] != 0);
    latency_choose(&f->head, flat ? f->head.ops->contains_flat : f->head.ops->contains);
    thresholds(f);
}

void guira__table_set_floor(struct tidal *f, uint64_t buckets) {
    f->floor = buckets;
    thresholds(f);
}

/* --------------------------------------------------------------------------------------------------------- directory */

static void charge(struct tidal *f, size_t cost) { f->head.bytes += cost; }
static void discharge(struct tidal *f, size_t cost) { f->head.bytes -= cost; }

static size_t view_size(unsigned bits) { return sizeof(struct view) + (2 * sizeof(uintptr_t) << bits); }

static unsigned view_bits(const struct view *v) { return 64 - (unsigned)v->to_segment; }

/* An empty directory for a level. */
static struct view *view_make(struct tidal *f, unsigned level, unsigned bits) {
    struct view *v = guira__zalloc(view_size(bits));
    if (v == NULL) return NULL;
    charge(f, guira__alloc_cost(view_size(bits)));
    v->level = level;
    v->to_segment = 64 - bits;
    v->to_tail = width(f) == 64 ? 0 : 63 - level - tail_bits(width(f));
    return v;
}

static void view_drop(struct tidal *f, struct view *v) {
    if (v == NULL) return;
    discharge(f, guira__alloc_cost(view_size(view_bits(v))));
    guira__discard(f->head.limbo, v, view_size(view_bits(v)));
}

/* What lasts is written once, before anybody can come to read it. Left of the tide there has to be something, so the
 * tide comes last. */
static const struct flat *flat_of(const struct tidal *f) {
    bool lasts = f->array[RIGHT].lasts && (f->line == 0 || f->array[LEFT].lasts);
    if (!lasts) return &guira__nowhere;
    struct flat *flat = &f->ground->flat[f->level];
    if (flat->start[RIGHT] == 0) {
        flat->to_tail[RIGHT] = f->to_tail;
        flat->to_tail[LEFT] = f->to_tail - 1;
        flat->start[RIGHT] = f->start[RIGHT];
    }
    if (flat->start[LEFT] == 0) flat->start[LEFT] = f->start[LEFT];
    PUBLISH(flat->tide, f->tide);
    return flat;
}

/* Readers are told first that they see nothing, and last that they do, by watch_beside() after the next count. */
void guira__table_show_flat(struct tidal *f) {
    visible_doubt(f->head.moves, BLIND);
    PUBLISH(f->head.sight->flat, flat_of(f));
}

/* The first count is for who is in its new place already, the second for the old places, which may go now. */
static void show(struct tidal *f) {
    visible_move(f->head.moves);
    PUBLISH(f->view->tide, f->tide);
    PUBLISH(f->shown, f->view);
    if (f->head.sight != NULL) guira__table_show_flat(f);
    visible_move(f->head.moves);
    watch_beside(f);
}

void guira__table_publish(struct tidal *f) {
    struct view *old = f->shown;
    show(f);
    if (old == f->view) return;
    if (old->level > f->view->level) f->next = old; /* until it is sure that there is no way back: see trim */
    else view_drop(f, old);
}

/* Which bits of a level's addresses choose the segment. */
static unsigned segment_bits(const struct array *a) { return a->level - a->log2_buckets; }

static void directory_set(struct tidal *f, unsigned side, uint64_t number, uintptr_t base) {
    unsigned twins = f->directory_bits - segment_bits(&f->array[side]);
    for (uint64_t i = number << twins; i < (number + 1) << twins; i++) PUBLISH(f->segment[2 * i + side], base);
}

/* Column `to` of a new directory from column `from` of the one there is, which may have more bits or fewer. */
static void directory_copy(const struct tidal *f, unsigned from, struct view *v, unsigned to) {
    unsigned bits = view_bits(v), old = f->directory_bits;
    for (uint64_t i = 0; i < UINT64_C(1) << bits; i++) {
        uint64_t same = bits > old ? i >> (bits - old) : i << (old - bits);
        SHOW(v->pair[2 * i + to], f->segment[2 * same + from]);
    }
}

/* A directory with other bits: at least those of the arrays that are open. */
static guira_status directory_resize(struct tidal *f, unsigned bits) {
    if (bits == f->directory_bits) return GUIRA_OK;
    struct view *v = view_make(f, f->level, bits);
    if (v == NULL) return GUIRA_ENOMEM;
    directory_copy(f, RIGHT, v, RIGHT);
    directory_copy(f, LEFT, v, LEFT);
    f->view = v;
    settle(f);
    guira__table_publish(f);
    return GUIRA_OK;
}

/* ---------------------------------------------------------------------------------------------------------- segments */

static size_t segment_bytes(const struct tidal *f, const struct array *a) {
    return (size_t)1 << (a->log2_buckets + bucket_shift(width(f)));
}

static size_t array_bytes(const struct tidal *f, const struct array *a) {
    return (size_t)1 << (a->level + bucket_shift(width(f)));
}

static struct array array_plan(const struct tidal *f, unsigned level) {
    unsigned shift = bucket_shift(width(f));
    unsigned log2_buckets = level > SEGMENTS ? level - SEGMENTS : 0;
    unsigned least = f->ground == NULL ? MIN_SEGMENT : PAGE;
    if (log2_buckets + shift < least) log2_buckets = least - shift;
    if (log2_buckets + shift > MAX_SEGMENT) log2_buckets = MAX_SEGMENT - shift;
    if (log2_buckets > level - 1) log2_buckets = level - 1; /* at least two, so that to_segment is a legal shift */
    return (struct array){.level = (uint8_t)level, .log2_buckets = (uint8_t)log2_buckets, .open = true};
}

/* Small arrays in a region share a page among their segments. */
static size_t segment_cost(const struct tidal *f, const struct array *a) {
    size_t bytes = segment_bytes(f, a), share = (size_t)1 << PAGE >> segment_bits(a);
    if (a->region == NULL) return guira__segment_cost(bytes);
    return bytes > share ? bytes : share;
}

static guira_status segment_make(struct tidal *f, unsigned side, uint64_t number, bool cleared) {
    struct array *a = &f->array[side];
    if (array_has(a, number)) return GUIRA_OK;
    size_t bytes = segment_bytes(f, a);
    uint8_t *p = a->region != NULL ? a->region + number * bytes : guira__segment_alloc(bytes, cleared);
    if (p == NULL) return GUIRA_ENOMEM;
    charge(f, segment_cost(f, a));
    directory_set(f, side, number, (uintptr_t)p - (uintptr_t)number * bytes);
    if (a->first == a->end) a->first = a->end = (uint32_t)number;
    if (number < a->first) a->first = (uint32_t)number;
    else a->end = (uint32_t)number + 1;
    return GUIRA_OK;
}

static void segment_end(void *segment, size_t bytes) {
    (void)bytes;
    guira__segment_free(segment);
}

/* base: what the directory says, or said, of the segment. */
static void segment_free(struct tidal *f, const struct array *a, uint64_t number, uintptr_t base) {
    size_t bytes = segment_bytes(f, a);
    if (a->region != NULL) guira__region_drop(a->region, number * bytes, (number + 1) * bytes);
    else guira__discard_by(f->head.limbo, (void *)(base + (uintptr_t)number * bytes), bytes, segment_end);
    discharge(f, segment_cost(f, a));
}

/* The first of those that are there, or the last. The directory keeps what it said: readers who have not heard of the
 * line's move yet look there still. */
static void segment_drop(struct tidal *f, unsigned side, uint64_t number) {
    struct array *a = &f->array[side];
    if (!array_has(a, number)) return;
    if (number == a->first) a->first++;
    else a->end = (uint32_t)number;
    segment_free(f, a, number, f->segment[2 * (number << (f->directory_bits - segment_bits(a))) + side]);
}

/* The side must be closed, and the directory have bits enough. */
static void array_open(struct tidal *f, unsigned side, struct array plan) {
    if (f->ground != NULL) plan.region = guira__ground_region(f->ground, plan.level);
    else if (array_bytes(f, &plan) >= REGION_WORTH) plan.region = guira__region_open(array_bytes(f, &plan));
    plan.lasts = f->ground != NULL && plan.region != NULL;
    f->array[side] = plan;
}

/* Everything of an array that a directory has, or had, on a side. */
static void array_free(struct tidal *f, const struct array *a, const struct view *v, unsigned side) {
    if (!a->open) return;
    for (uint64_t i = a->first; i < a->end; i++)
        segment_free(f, a, i, v->pair[2 * (i << (view_bits(v) - segment_bits(a))) + side]);
    if (a->region != NULL && !a->lasts) guira__discard_region(f->head.limbo, a->region, array_bytes(f, a));
}

static void array_close(struct tidal *f, unsigned side) {
    if (!f->array[side].open) return;
    array_free(f, &f->array[side], f->view, side);
    f->array[side] = (struct array){0};
}

/* --------------------------------------------------------------------------------------------------------- the table */

/* The buckets from..to of an array that is new, all empty. */
static guira_status fill(struct tidal *f, unsigned side, uint64_t from, uint64_t to) {
    struct array *a = &f->array[side];
    for (uint64_t i = from >> a->log2_buckets; i << a->log2_buckets < to; i++)
        if (segment_make(f, side, i, true) != GUIRA_OK) return GUIRA_ENOMEM;
    unsigned shift = bucket_shift(width(f));
    if (a->region != NULL) guira__region_expect(a->region, from << shift, to << shift);
    return GUIRA_OK;
}

guira_status guira__table_create(struct tidal *f, unsigned level, uint64_t line) {
    struct array right = array_plan(f, level), left = array_plan(f, level + 1);
    f->array[LEFT] = f->array[RIGHT] = (struct array){0};
    f->view = f->shown = f->next = NULL;
    f->level = level;
    f->line = line;
    if (!guira__memory_has(ldexp((double)bucket_count(f), (int)bucket_shift(width(f))))) return GUIRA_ENOMEM;
    f->view = f->shown = view_make(f, level, segment_bits(line > 0 ? &left : &right));
    if (f->view == NULL) return GUIRA_ENOMEM;
    settle(f);
    array_open(f, RIGHT, right);
    guira_status s = fill(f, RIGHT, line, UINT64_C(1) << level);
    if (s == GUIRA_OK && line > 0) {
        array_open(f, LEFT, left);
        s = fill(f, LEFT, 0, 2 * line);
    }
    settle(f);
    guira__table_publish(f);
    if (s != GUIRA_OK) guira__table_destroy(f);
    return s;
}

/* Two pairs that say the same: one would do, but to_segment must be a legal shift. */
guira_status guira__table_view(struct tidal *f, unsigned level, uint64_t line, const uint8_t *buckets) {
    uint8_t *left = (uint8_t *)(uintptr_t)buckets, *right = left + (line << bucket_shift(width(f)));
    f->level = level;
    f->line = line;
    f->view = f->shown = view_make(f, level, 1);
    if (f->view == NULL) return GUIRA_ENOMEM;
    f->array[LEFT] = (struct array){.region = left, .level = (uint8_t)(level + 1)};
    f->array[RIGHT] = (struct array){.region = right, .level = (uint8_t)level}; /* there its bucket 0 would be */
    for (unsigned i = 0; i < 4; i++) f->view->pair[i] = (uintptr_t)f->array[i % 2].region;
    settle(f);
    return GUIRA_OK;
}

void guira__table_destroy(struct tidal *f) {
    if (f->view == NULL) return;
    array_close(f, RIGHT);
    array_close(f, LEFT);
    view_drop(f, f->view);
    view_drop(f, f->next);
    f->view = f->shown = f->next = NULL;
}

guira_status guira__table_ready_to_rise(struct tidal *f) {
    guira_status s = GUIRA_OK;
    if (!f->array[LEFT].open) {
        struct array plan = array_plan(f, f->level + 1);
        s = directory_resize(f, segment_bits(&plan));
        if (s == GUIRA_OK) array_open(f, LEFT, plan);
    }
    if (s == GUIRA_OK) s = segment_make(f, LEFT, (2 * f->line) >> f->array[LEFT].log2_buckets, false);
    if (s == GUIRA_OK && f->line + 1 == UINT64_C(1) << f->level) {
        f->next = view_make(f, f->level + 1, f->directory_bits);
        if (f->next == NULL) s = GUIRA_ENOMEM;
    }
    if (s != GUIRA_OK) guira__table_trim(f);
    return s;
}

/* The left is complete, so it is the right of the level above. Readers have never left that if what rises is a fall
 * that was not shown to them. */
static void level_up(struct tidal *f) {
    struct view *below = f->view;
    struct array gone = f->array[RIGHT];
    bool back = below != f->shown;
    if (!back) directory_copy(f, LEFT, f->next, RIGHT);
    f->view = back ? f->shown : f->next;
    f->next = NULL;
    f->array[RIGHT] = f->array[LEFT];
    f->array[LEFT] = (struct array){0};
    f->level++;
    f->line = 0;
    settle(f);
    show(f);
    array_free(f, &gone, below, RIGHT);
    view_drop(f, below);
}

void guira__table_rise(struct tidal *f) {
    f->line++;
    if (f->line == UINT64_C(1) << f->level) {
        level_up(f);
        return;
    }
    settle(f);
    guira__table_publish(f);
}
/* At line 0 the right is complete, so it can be the left of a table one level lower, whose own right is empty still. */
static guira_status level_down(struct tidal *f) {
    struct array right = f->array[RIGHT];
    struct view *v = view_make(f, f->level - 1, segment_bits(&right));
    if (v == NULL) return GUIRA_ENOMEM;
    directory_copy(f, RIGHT, v, LEFT);
    f->view = v;
    f->array[LEFT] = right;
    f->level--;
    f->line = UINT64_C(1) << f->level;
    array_open(f, RIGHT, array_plan(f, f->level));
    settle(f);
    guira_status s = segment_make(f, RIGHT, (f->line - 1) >> f->array[RIGHT].log2_buckets, false);
    if (s == GUIRA_OK) return s;
    f->line--;
    guira__table_rise(f); /* which finds above where readers are */
    return s;
}

guira_status guira__table_fall(struct tidal *f) {
    guira_status s =
        f->line == 0 ? level_down(f) : segment_make(f, RIGHT, (f->line - 1) >> f->array[RIGHT].log2_buckets, false);
    if (s != GUIRA_OK) return s;
    f->line--;
    settle(f);
    return GUIRA_OK;
}

void guira__table_trim(struct tidal *f) {
    uint64_t passed = f->line >> f->array[RIGHT].log2_buckets;
    view_drop(f, f->next);
    f->next = NULL;
    if (passed > 0) segment_drop(f, RIGHT, passed - 1);
    if (f->line == 0) array_close(f, LEFT);
    else segment_drop(f, LEFT, ((2 * f->line - 1) >> f->array[LEFT].log2_buckets) + 1);
}
