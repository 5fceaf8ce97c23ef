/* See tidal_table.h. Nothing here looks into a bucket.
 *
 * The directory is one array of pairs, {right, left}, indexed by the leading bits of an address. The right may have
 * half as many segments as the left; then two neighbouring pairs say the same of it. An entry is where bucket 0 would
 * be if the whole array lay where this segment lies, so that a lookup adds a bucket's offset without asking where the
 * segment starts. */
#include "tidal_table.h"

#include <math.h>

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
    f->to_segment = 64 - f->directory_bits;
    f->to_tail = width(f) == 64 ? 0 : 63 - f->level - tail_bits(width(f));
    f->start[RIGHT] = (uintptr_t)f->array[RIGHT].region;
    f->start[LEFT] = (uintptr_t)f->array[LEFT].region;
    bool flat = f->start[RIGHT] != 0 && (f->line == 0 || f->start[LEFT] != 0);
    f->head.contains = flat ? f->head.ops->contains_flat : f->head.ops->contains;
    thresholds(f);
}

void guira__table_set_floor(struct tidal *f, uint64_t buckets) {
    f->floor = buckets;
    thresholds(f);
}

/* --------------------------------------------------------------------------------------------------------- directory */

static void charge(struct tidal *f, size_t cost) { f->head.bytes += cost; }
static void discharge(struct tidal *f, size_t cost) { f->head.bytes -= cost; }

static size_t directory_cost(unsigned bits) { return guira__alloc_cost(2 * sizeof(uintptr_t) << bits); }

/* Which bits of a level's addresses choose the segment. */
static unsigned segment_bits(const struct array *a) { return a->level - a->log2_buckets; }

static bool has_segment(const struct tidal *f, unsigned side, uint64_t number) {
    const struct array *a = &f->array[side];
    if (!a->open || number >> segment_bits(a) != 0) return false;
    return f->segment[2 * (number << (f->directory_bits - segment_bits(a))) + side] != 0;
}

static void directory_set(struct tidal *f, unsigned side, uint64_t number, uintptr_t base) {
    unsigned twins = f->directory_bits - segment_bits(&f->array[side]);
    for (uint64_t i = number << twins; i < (number + 1) << twins; i++) f->segment[2 * i + side] = base;
}

/* Gives the directory another number of bits, at least those of the arrays that are open. */
static guira_status directory_resize(struct tidal *f, unsigned bits) {
    if (f->segment != NULL && bits == f->directory_bits) return GUIRA_OK;
    uintptr_t *pairs = guira__zalloc(2 * sizeof *pairs << bits);
    if (pairs == NULL) return GUIRA_ENOMEM;
    charge(f, directory_cost(bits));
    for (uint64_t i = 0; f->segment != NULL && i < UINT64_C(1) << bits; i++) {
        uint64_t old = bits > f->directory_bits ? i >> (bits - f->directory_bits) : i << (f->directory_bits - bits);
        pairs[2 * i] = f->segment[2 * old];
        pairs[2 * i + 1] = f->segment[2 * old + 1];
    }
    if (f->segment != NULL) discharge(f, directory_cost(f->directory_bits));
    guira__free(f->segment);
    f->segment = pairs;
    f->directory_bits = bits;
    f->to_segment = 64 - bits;
    return GUIRA_OK;
}

/* Empties one side's column, or moves it to the other side. */
static void directory_move(struct tidal *f, unsigned from, unsigned to) {
    for (uint64_t i = 0; i < UINT64_C(1) << f->directory_bits; i++) {
        f->segment[2 * i + to] = f->segment[2 * i + from];
        f->segment[2 * i + from] = 0;
    }
    f->array[to] = f->array[from];
    f->array[from] = (struct array){0};
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
    if (log2_buckets + shift < MIN_SEGMENT) log2_buckets = MIN_SEGMENT - shift;
    if (log2_buckets + shift > MAX_SEGMENT) log2_buckets = MAX_SEGMENT - shift;
    if (log2_buckets > level - 1) log2_buckets = level - 1; /* at least two, so that to_segment is a legal shift */
    return (struct array){.level = level, .log2_buckets = log2_buckets, .open = true};
}

static size_t segment_cost(const struct tidal *f, const struct array *a) {
    return a->region != NULL ? segment_bytes(f, a) : guira__alloc_cost(segment_bytes(f, a));
}

static guira_status segment_make(struct tidal *f, unsigned side, uint64_t number, bool cleared) {
    struct array *a = &f->array[side];
    if (has_segment(f, side, number)) return GUIRA_OK;
    size_t bytes = segment_bytes(f, a);
    uint8_t *p = a->region != NULL ? a->region + number * bytes : cleared ? guira__zalloc(bytes) : guira__alloc(bytes);
    if (p == NULL) return GUIRA_ENOMEM;
    charge(f, segment_cost(f, a));
    directory_set(f, side, number, (uintptr_t)p - (uintptr_t)number * bytes);
    return GUIRA_OK;
}

static void segment_drop(struct tidal *f, unsigned side, uint64_t number) {
    struct array *a = &f->array[side];
    if (!has_segment(f, side, number)) return;
    size_t bytes = segment_bytes(f, a);
    uint64_t entry = 2 * (number << (f->directory_bits - segment_bits(a))) + side;
    if (a->region != NULL) guira__region_drop(a->region, number * bytes, (number + 1) * bytes);
    else guira__free((void *)(f->segment[entry] + (uintptr_t)number * bytes));
    discharge(f, segment_cost(f, a));
    directory_set(f, side, number, 0);
}

/* The side must be closed, and the directory have bits enough. */
static void array_open(struct tidal *f, unsigned side, struct array plan) {
    plan.region = guira__region_open(array_bytes(f, &plan));
    f->array[side] = plan;
}

static void array_close(struct tidal *f, unsigned side) {
    struct array *a = &f->array[side];
    if (!a->open) return;
    for (uint64_t i = 0; i < UINT64_C(1) << segment_bits(a); i++) segment_drop(f, side, i);
    if (a->region != NULL) guira__region_close(a->region, array_bytes(f, a));
    *a = (struct array){0};
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
    f->segment = NULL;
    f->array[LEFT] = f->array[RIGHT] = (struct array){0};
    f->level = level;
    f->line = line;
    if (!guira__memory_has(ldexp((double)bucket_count(f), (int)bucket_shift(width(f))))) return GUIRA_ENOMEM;
    guira_status s = directory_resize(f, segment_bits(line > 0 ? &left : &right));
    if (s != GUIRA_OK) return s;
    array_open(f, RIGHT, right);
    s = fill(f, RIGHT, line, UINT64_C(1) << level);
    if (s == GUIRA_OK && line > 0) {
        array_open(f, LEFT, left);
        s = fill(f, LEFT, 0, 2 * line);
    }
    if (s != GUIRA_OK) guira__table_destroy(f);
    else settle(f);
    return s;
}

/* Two pairs that say the same: one would do, but to_segment must be a legal shift. */
guira_status guira__table_view(struct tidal *f, unsigned level, uint64_t line, const uint8_t *buckets) {
    uint8_t *left = (uint8_t *)(uintptr_t)buckets, *right = left + (line << bucket_shift(width(f)));
    f->level = level;
    f->line = line;
    f->segment = NULL;
    if (directory_resize(f, 1) != GUIRA_OK) return GUIRA_ENOMEM;
    f->array[LEFT] = (struct array){.region = left, .level = level + 1};
    f->array[RIGHT] = (struct array){.region = right, .level = level}; /* there its bucket 0 would be */
    for (unsigned i = 0; i < 4; i++) f->segment[i] = (uintptr_t)f->array[i % 2].region;
    settle(f);
    return GUIRA_OK;
}

void guira__table_destroy(struct tidal *f) {
    if (f->segment == NULL) return;
    array_close(f, RIGHT);
    array_close(f, LEFT);
    discharge(f, directory_cost(f->directory_bits));
    guira__free(f->segment);
    f->segment = NULL;
}

guira_status guira__table_ready_to_rise(struct tidal *f) {
    guira_status s = GUIRA_OK;
    if (!f->array[LEFT].open) {
        struct array plan = array_plan(f, f->level + 1);
        s = directory_resize(f, segment_bits(&plan));
        if (s == GUIRA_OK) array_open(f, LEFT, plan);
    }
    if (s == GUIRA_OK) s = segment_make(f, LEFT, (2 * f->line) >> f->array[LEFT].log2_buckets, false);
    if (s != GUIRA_OK) guira__table_trim(f);
    return s;
}

void guira__table_rise(struct tidal *f) {
    f->line++;
    if (f->line == UINT64_C(1) << f->level) {
        array_close(f, RIGHT);
        directory_move(f, LEFT, RIGHT);
        f->level++;
        f->line = 0;
    }
    settle(f);
}

/* At line 0 the right is complete, so it can be the left of a table one level lower, whose own right is empty still. */
static guira_status level_down(struct tidal *f) {
    guira_status s = directory_resize(f, segment_bits(&f->array[RIGHT]));
    if (s != GUIRA_OK) return s;
    directory_move(f, RIGHT, LEFT);
    array_open(f, RIGHT, array_plan(f, f->level - 1));
    f->level--;
    f->line = UINT64_C(1) << f->level;
    s = segment_make(f, RIGHT, (f->line - 1) >> f->array[RIGHT].log2_buckets, false);
    if (s != GUIRA_OK) {
        f->line--;
        guira__table_rise(f);
    }
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
    if (passed > 0) segment_drop(f, RIGHT, passed - 1);
    if (f->line == 0) array_close(f, LEFT);
    else segment_drop(f, LEFT, ((2 * f->line - 1) >> f->array[LEFT].log2_buckets) + 1);
}
