/* See table.h. Nothing here reads a bucket.
 *
 * The directory is an array of pairs, {unsplit, split}, indexed by the leading bits of an address. The unsplit array may
 * have half as many segments as the split one; then two neighbouring pairs have the same entry for it. An entry is where
 * bucket 0 would be if the whole array lay where this segment lies, so that a lookup adds a bucket's offset without
 * asking where the segment starts. */
#include "tidal/table.h"

#include <math.h>

#include "base/alloc.h"
#include "base/region.h"

/* ---------------------------------------------------------------------------------------------------- shapes and sizes */

void guira__table_shape(uint64_t buckets, unsigned *level, uint64_t *split) {
    if (buckets < MIN_BUCKETS) buckets = MIN_BUCKETS;
    *level = 63U - (unsigned)__builtin_clzll(buckets);
    *split = buckets - (UINT64_C(1) << *level);
}

uint64_t guira__items_at(uint64_t buckets, double load, struct layout l) {
    return (uint64_t)(load * (double)(buckets * l.slots));
}

uint64_t guira__buckets_for(uint64_t items, double load, struct layout l) {
    double wanted = ceil((double)items / (load * l.slots));
    if (wanted > (double)MAX_BUCKETS) return MAX_BUCKETS + 1;
    uint64_t buckets = (uint64_t)wanted;
    while (guira__items_at(buckets, load, l) < items) buckets++; /* rounding may lose one */
    return buckets < MIN_BUCKETS ? MIN_BUCKETS : buckets;
}

static void thresholds(struct tidal *f) {
    uint64_t buckets = bucket_count(f);
    double max_load = f->head.config.max_load, min_load = f->head.config.min_load;
    struct layout l = tidal_layout(f);
    f->grow_at = guira__items_at(buckets, max_load, l);
    f->shrink_at = 0;
    if (min_load < 0 || buckets <= f->floor || buckets <= MIN_BUCKETS) return;
    uint64_t sparse = (uint64_t)ceil(min_load * (double)(buckets * l.slots));
    uint64_t fits = guira__items_at(buckets - 1, max_load, l) + 1; /* in small tables: not so far as to grow again */
    f->shrink_at = sparse < fits ? sparse : fits;
}

/* After the split pointer has moved: what lookups and policies derive from it. */
static void refresh_derived(struct tidal *f) {
    f->split_address = f->split << (64 - f->level);
    f->segment = f->directory->segment;
    f->to_segment = f->directory->to_segment;
    f->to_tail = f->directory->to_tail;
    f->directory_bits = 64 - (unsigned)f->to_segment;
    f->flat_start[UNSPLIT] = (uintptr_t)f->array[UNSPLIT].region;
    f->flat_start[SPLIT] = (uintptr_t)f->array[SPLIT].region;
    bool flat = f->flat_start[UNSPLIT] != 0 && (f->split == 0 || f->flat_start[SPLIT] != 0);
    filter_set_contains(&f->head, flat ? f->ops->contains_flat : f->ops->common.contains);
    thresholds(f);
}

void guira__table_set_floor(struct tidal *f, uint64_t buckets) {
    f->floor = buckets;
    thresholds(f);
}

/* ------------------------------------------------------------------------------------------------------------ memory */

static void bytes_add(struct tidal *f, size_t cost) { f->head.bytes += cost; }
static void bytes_sub(struct tidal *f, size_t cost) { f->head.bytes -= cost; }

void guira__tidal_retire(const struct tidal *f, void *start, size_t size, void (*end)(void *start, size_t size)) {
    if (start == NULL) return;
    if (f->readers != NULL) f->readers->retire(f->readers, start, size, end);
    else end(start, size);
}

static void block_end(void *block, size_t size) {
    (void)size;
    guira__free(block);
}

void guira__tidal_retire_block(const struct tidal *f, void *block, size_t size) {
    guira__tidal_retire(f, block, size, block_end);
}

/* --------------------------------------------------------------------------------------------------------- directory */

static size_t directory_size(unsigned bits) { return sizeof(struct directory) + (2 * sizeof(uintptr_t) << bits); }

static unsigned bits_of(const struct directory *v) { return 64 - (unsigned)v->to_segment; }

/* An empty directory for a level. */
static struct directory *directory_make(struct tidal *f, unsigned level, unsigned bits) {
    struct directory *v = guira__zalloc(directory_size(bits));
    if (v == NULL) return NULL;
    bytes_add(f, guira__alloc_cost(directory_size(bits)));
    v->level = level;
    v->to_segment = 64 - bits;
    v->to_tail = knows_all(tidal_layout(f)) ? 0 : 63 - level - tail_bits(tidal_layout(f));
    return v;
}

static void directory_drop(struct tidal *f, struct directory *v) {
    if (v == NULL) return;
    bytes_sub(f, guira__alloc_cost(directory_size(bits_of(v))));
    guira__tidal_retire_block(f, v, directory_size(bits_of(v)));
}

/* The first step of the version is for entries that are in their new places already. After the second one, readers use
 * the new directory and the old places may be reused. */
static void publish(struct tidal *f) {
    version_bump(tidal_version(f));
    store_release(f->directory->split_address, f->split_address);
    store_release(f->published, f->directory);
    if (f->readers != NULL && f->readers->publish != NULL) f->readers->publish(f->readers, f);
    version_bump(tidal_version(f));
    update_has_outside(f);
}

void guira__table_publish(struct tidal *f) {
    struct directory *old = f->published;
    publish(f);
    if (old == f->directory) return;
    if (old->level > f->directory->level) f->next_directory = old; /* kept for an undo, until trim */
    else directory_drop(f, old);
}

/* Which bits of a level's addresses choose the segment. */
static unsigned segment_bits(const struct array *a) { return a->level - a->log2_buckets; }

/* The bits of a directory for two arrays. The upper level has more segments, but for a level that is the first to lie in a
 * region: there a segment has whole pages. */
static unsigned bits_for(const struct array *a, const struct array *b) {
    return segment_bits(a) > segment_bits(b) ? segment_bits(a) : segment_bits(b);
}

static void directory_set(struct tidal *f, unsigned side, uint64_t number, uintptr_t base) {
    unsigned extra = f->directory_bits - segment_bits(&f->array[side]);
    for (uint64_t i = number << extra; i < (number + 1) << extra; i++) store_release(f->segment[2 * i + side], base);
}

/* Column `to` of a new directory from column `from` of the one there is, which may have more bits or fewer. */
static void directory_copy(const struct tidal *f, unsigned from, struct directory *v, unsigned to) {
    unsigned bits = bits_of(v), old = f->directory_bits;
    for (uint64_t i = 0; i < UINT64_C(1) << bits; i++) {
        uint64_t same = bits > old ? i >> (bits - old) : i << (old - bits);
        store_relaxed(v->segment[2 * i + to], f->segment[2 * same + from]);
    }
}

/* A directory with other bits: at least those of the arrays that are open. */
static guira_status directory_resize(struct tidal *f, unsigned bits) {
    if (bits == f->directory_bits) return GUIRA_OK;
    struct directory *v = directory_make(f, f->level, bits);
    if (v == NULL) return GUIRA_ENOMEM;
    directory_copy(f, UNSPLIT, v, UNSPLIT);
    directory_copy(f, SPLIT, v, SPLIT);
    f->directory = v;
    refresh_derived(f);
    guira__table_publish(f);
    return GUIRA_OK;
}

/* ---------------------------------------------------------------------------------------------------------- segments */

static size_t segment_bytes(const struct tidal *f, const struct array *a) {
    return (size_t)tidal_layout(f).bucket_bytes << a->log2_buckets;
}

static size_t array_bytes(const struct tidal *f, const struct array *a) {
    return (size_t)tidal_layout(f).bucket_bytes << a->level;
}

static struct array array_plan(const struct tidal *f, unsigned level) {
    unsigned bucket = tidal_layout(f).bucket_bytes, shift = 31U - (unsigned)__builtin_clz(bucket);
    unsigned log2_buckets = level > LOG2_SEGMENTS ? level - LOG2_SEGMENTS : 0;
    unsigned least = f->regions == NULL ? LOG2_MIN_SEGMENT : LOG2_PAGE;
    if (log2_buckets + shift < least) log2_buckets = least - shift;
    if (log2_buckets + shift > LOG2_MAX_SEGMENT) log2_buckets = LOG2_MAX_SEGMENT - shift;
    unsigned whole_pages = LOG2_PAGE - (unsigned)__builtin_ctz(bucket); /* only these can be returned to the system */
    bool in_region = f->regions != NULL || (size_t)bucket << level >= REGION_WORTH;
    if (in_region && log2_buckets < whole_pages) log2_buckets = whole_pages;
    if (log2_buckets > level - 1) log2_buckets = level - 1; /* at least two, so that to_segment is a legal shift */
    return (struct array){.level = (uint8_t)level, .log2_buckets = (uint8_t)log2_buckets, .open = true};
}

/* Small arrays in a region share a page among their segments. */
static size_t segment_cost(const struct tidal *f, const struct array *a) {
    size_t bytes = segment_bytes(f, a), share = (size_t)1 << LOG2_PAGE >> segment_bits(a);
    if (a->region == NULL) return guira__segment_cost(bytes);
    return bytes > share ? bytes : share;
}

static guira_status segment_make(struct tidal *f, unsigned side, uint64_t number, bool cleared) {
    struct array *a = &f->array[side];
    if (array_has(a, number)) return GUIRA_OK;
    size_t bytes = segment_bytes(f, a);
    uint8_t *p = a->region != NULL ? a->region + number * bytes : guira__segment_alloc(bytes, cleared);
    if (p == NULL) return GUIRA_ENOMEM;
    bytes_add(f, segment_cost(f, a));
    directory_set(f, side, number, (uintptr_t)p - (uintptr_t)number * bytes);
    if (a->first == a->end) a->first = a->end = (uint32_t)number;
    if (number < a->first) a->first = (uint32_t)number;
    else a->end = (uint32_t)number + 1;
    return GUIRA_OK;
}

static void region_end(void *region, size_t bytes) { guira__region_close(region, bytes); }

static void segment_end(void *segment, size_t bytes) {
    (void)bytes;
    guira__segment_free(segment);
}

/* base: what the directory says, or said, of the segment. */
static void segment_free(struct tidal *f, const struct array *a, uint64_t number, uintptr_t base) {
    size_t bytes = segment_bytes(f, a);
    if (a->region != NULL) guira__region_drop(a->region, number * bytes, (number + 1) * bytes);
    else guira__tidal_retire(f, (void *)(base + (uintptr_t)number * bytes), bytes, segment_end);
    bytes_sub(f, segment_cost(f, a));
}

/* The first of the segments that are there, or the last. The directory keeps its entry: readers that have not seen the
 * new split pointer yet still use it. */
static void segment_drop(struct tidal *f, unsigned side, uint64_t number) {
    struct array *a = &f->array[side];
    if (!array_has(a, number)) return;
    if (number == a->first) a->first++;
    else a->end = (uint32_t)number;
    segment_free(f, a, number, f->segment[2 * (number << (f->directory_bits - segment_bits(a))) + side]);
}

/* The side must be closed, and the directory have bits enough. */
static void array_open(struct tidal *f, unsigned side, struct array plan) {
    if (f->regions != NULL) plan.region = guira__stable_region(f->regions, plan.level);
    else if (array_bytes(f, &plan) >= REGION_WORTH) plan.region = guira__region_open(array_bytes(f, &plan));
    plan.stable = f->regions != NULL && plan.region != NULL;
    f->array[side] = plan;
}

/* Everything of an array that a directory has, or had, on a side. */
static void array_free(struct tidal *f, const struct array *a, const struct directory *v, unsigned side) {
    if (!a->open) return;
    for (uint64_t i = a->first; i < a->end; i++)
        segment_free(f, a, i, v->segment[2 * (i << (bits_of(v) - segment_bits(a))) + side]);
    if (a->region != NULL && !a->stable) guira__tidal_retire(f, a->region, array_bytes(f, a), region_end);
}

static void array_close(struct tidal *f, unsigned side) {
    if (!f->array[side].open) return;
    array_free(f, &f->array[side], f->directory, side);
    f->array[side] = (struct array){0};
}

/* --------------------------------------------------------------------------------------------------------- the table */

/* Makes the buckets from..to of a new array, all empty. */
static guira_status fill(struct tidal *f, unsigned side, uint64_t from, uint64_t to) {
    struct array *a = &f->array[side];
    for (uint64_t i = from >> a->log2_buckets; i << a->log2_buckets < to; i++)
        if (segment_make(f, side, i, true) != GUIRA_OK) return GUIRA_ENOMEM;
    size_t bytes = tidal_layout(f).bucket_bytes;
    if (a->region != NULL) guira__region_expect(a->region, from * bytes, to * bytes);
    return GUIRA_OK;
}

guira_status guira__table_create(struct tidal *f, unsigned level, uint64_t split) {
    struct array lower = array_plan(f, level), upper = array_plan(f, level + 1);
    f->array[SPLIT] = f->array[UNSPLIT] = (struct array){0};
    f->directory = f->published = f->next_directory = NULL;
    f->level = level;
    f->split = split;
    if (!guira__memory_has((double)bucket_count(f) * tidal_layout(f).bucket_bytes)) return GUIRA_ENOMEM;
    f->directory = f->published = directory_make(f, level, split > 0 ? bits_for(&lower, &upper) : segment_bits(&lower));
    if (f->directory == NULL) return GUIRA_ENOMEM;
    refresh_derived(f);
    array_open(f, UNSPLIT, lower);
    guira_status s = fill(f, UNSPLIT, split, UINT64_C(1) << level);
    if (s == GUIRA_OK && split > 0) {
        array_open(f, SPLIT, upper);
        s = fill(f, SPLIT, 0, 2 * split);
    }
    refresh_derived(f);
    guira__table_publish(f);
    if (s != GUIRA_OK) guira__table_destroy(f);
    return s;
}

/* The directory has two equal pairs. One would do, but to_segment must be a legal shift. */
guira_status guira__table_view(struct tidal *f, unsigned level, uint64_t split, const uint8_t *buckets) {
    uint8_t *start = (uint8_t *)(uintptr_t)buckets;
    f->level = level;
    f->split = split;
    f->directory = f->published = directory_make(f, level, 1);
    if (f->directory == NULL) return GUIRA_ENOMEM;
    f->array[SPLIT] = (struct array){.region = start, .level = (uint8_t)(level + 1)};
    f->array[UNSPLIT] =
        (struct array){.region = start + split * tidal_layout(f).bucket_bytes, /* where its bucket 0 would be */
                       .level = (uint8_t)level};
    for (unsigned i = 0; i < 4; i++) f->directory->segment[i] = (uintptr_t)f->array[i % 2].region;
    refresh_derived(f);
    return GUIRA_OK;
}

void guira__table_destroy(struct tidal *f) {
    if (f->directory == NULL) return;
    array_close(f, UNSPLIT);
    array_close(f, SPLIT);
    directory_drop(f, f->directory);
    directory_drop(f, f->next_directory);
    f->directory = f->published = f->next_directory = NULL;
}

guira_status guira__table_prepare_advance(struct tidal *f) {
    guira_status s = GUIRA_OK;
    if (!f->array[SPLIT].open) {
        struct array plan = array_plan(f, f->level + 1);
        s = directory_resize(f, bits_for(&f->array[UNSPLIT], &plan));
        if (s == GUIRA_OK) array_open(f, SPLIT, plan);
    }
    if (s == GUIRA_OK) s = segment_make(f, SPLIT, (2 * f->split) >> f->array[SPLIT].log2_buckets, false);
    if (s == GUIRA_OK && f->split + 1 == UINT64_C(1) << f->level) {
        f->next_directory = directory_make(f, f->level + 1, f->directory_bits);
        if (f->next_directory == NULL) s = GUIRA_ENOMEM;
    }
    if (s != GUIRA_OK) guira__table_trim(f);
    return s;
}

/* The split array is complete, so it becomes the unsplit one of the level above. If this undoes a retreat that was not
 * published, readers have never left the directory of that level. */
static void level_up(struct tidal *f) {
    struct directory *below = f->directory;
    struct array gone = f->array[UNSPLIT];
    bool back = below != f->published;
    if (!back) directory_copy(f, SPLIT, f->next_directory, UNSPLIT);
    f->directory = back ? f->published : f->next_directory;
    f->next_directory = NULL;
    f->array[UNSPLIT] = f->array[SPLIT];
    f->array[SPLIT] = (struct array){0};
    f->level++;
    f->split = 0;
    refresh_derived(f);
    publish(f);
    array_free(f, &gone, below, UNSPLIT);
    directory_drop(f, below);
}

void guira__table_advance(struct tidal *f) {
    f->split++;
    if (f->split == UINT64_C(1) << f->level) {
        level_up(f);
        return;
    }
    refresh_derived(f);
    guira__table_publish(f);
}

/* At split pointer 0 the unsplit array is complete, so it becomes the split one of a table one level lower, whose own
 * unsplit array is still empty. */
static guira_status level_down(struct tidal *f) {
    struct array upper = f->array[UNSPLIT], lower = array_plan(f, f->level - 1);
    struct directory *v = directory_make(f, f->level - 1, bits_for(&lower, &upper));
    if (v == NULL) return GUIRA_ENOMEM;
    directory_copy(f, UNSPLIT, v, SPLIT);
    f->directory = v;
    f->array[SPLIT] = upper;
    f->level--;
    f->split = UINT64_C(1) << f->level;
    array_open(f, UNSPLIT, lower);
    refresh_derived(f);
    guira_status s = segment_make(f, UNSPLIT, (f->split - 1) >> f->array[UNSPLIT].log2_buckets, false);
    if (s == GUIRA_OK) return s;
    f->split--;
    guira__table_advance(f); /* back to the directory that readers use */
    return s;
}

guira_status guira__table_retreat(struct tidal *f) {
    guira_status s = f->split == 0 ? level_down(f)
                                   : segment_make(f, UNSPLIT, (f->split - 1) >> f->array[UNSPLIT].log2_buckets, false);
    if (s != GUIRA_OK) return s;
    f->split--;
    refresh_derived(f);
    return GUIRA_OK;
}

void guira__table_trim(struct tidal *f) {
    uint64_t passed = f->split >> f->array[UNSPLIT].log2_buckets;
    directory_drop(f, f->next_directory);
    f->next_directory = NULL;
    if (passed > 0) segment_drop(f, UNSPLIT, passed - 1);
    if (f->split == 0) array_close(f, SPLIT);
    else segment_drop(f, SPLIT, ((2 * f->split - 1) >> f->array[SPLIT].log2_buckets) + 1);
}
