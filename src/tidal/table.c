/* See table.h. Nothing here reads a bucket.
 *
 * The directory is an array of pairs, {unsplit, split}, indexed by the leading bits of an address. The unsplit array may
 * have half as many segments as the split one; then two neighbouring pairs have the same entry for it. An entry is where
 * bucket 0 would be if the whole array lay where this segment lies, so that a lookup adds a bucket's offset without
 * asking where the segment starts. */
#include "tidal/table.h"

#include "base/alloc.h"
#include "base/region.h"

static void set_position(struct tidal *f, unsigned level, uint64_t split) {
    f->level = (uint8_t)level;
    f->split_address = split << (64 - level);
}

/* ------------------------------------------------------------------------------------------------------------ memory */

static void bytes_add(struct tidal *f, size_t cost) { big_of(f)->bytes += cost; }
static void bytes_sub(struct tidal *f, size_t cost) { big_of(f)->bytes -= cost; }

void guira__tidal_retire(const struct tidal *f, void *start, size_t size, void (*end)(void *start, size_t size)) {
    struct readers *readers = tidal_readers(f);
    if (start == NULL) return;
    if (readers != NULL) readers->retire(readers, start, size, end);
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
    struct directory *v = (struct directory *)guira__zalloc(directory_size(bits));
    if (v == NULL) return NULL;
    bytes_add(f, guira__alloc_cost(directory_size(bits)));
    v->level = level;
    v->to_segment = 64 - bits;
    v->to_tail = to_tail_at(level, tidal_layout(f));
    return v;
}

static void directory_drop(struct tidal *f, struct directory *v) {
    if (v == NULL) return;
    bytes_sub(f, guira__alloc_cost(directory_size(bits_of(v))));
    guira__tidal_retire_block(f, v, directory_size(bits_of(v)));
}

/* Entries are in their new places already. After the step of the version, readers use the new directory and the old places
 * may be reused. tests/spin/lookup.pml shows that one step is enough, and that it is needed. */
static void publish(struct tidal *f) {
    struct big *b = big_of(f);
    store_release(b->directory->split_address, f->split_address);
    store_release(b->published, b->directory);
    if (b->readers != NULL && b->readers->publish != NULL) b->readers->publish(b->readers, f);
    version_bump(tidal_version(f));
    update_has_outside(f);
}

static void directory_publish(struct tidal *f) {
    struct big *b = big_of(f);
    struct directory *old = b->published;
    publish(f);
    if (old == b->directory) return;
    if (old->level > b->directory->level) b->next_directory = old; /* kept for an undo, until trim */
    else directory_drop(f, old);
}

void guira__table_publish(struct tidal *f) {
    if (in_one_piece(f)) update_has_outside(f);
    else directory_publish(f);
}

/* How many bits of a level's addresses choose the segment. The level above has as many or more, so a directory has its. */
static unsigned segment_bits(const struct array *a) { return a->level - a->log2_buckets; }

static void directory_set(struct tidal *f, unsigned side, uint64_t number, uintptr_t base) {
    const struct big *b = big_of(f);
    unsigned extra = directory_bits(f) - segment_bits(&b->array[side]);
    for (uint64_t i = number << extra; i < (number + 1) << extra; i++) store_release(f->segment[2 * i + side], base);
}

/* Column `to` of a new directory from column `from` of the one there is, which may have more bits or fewer. */
static void directory_copy(const struct tidal *f, unsigned from, struct directory *v, unsigned to) {
    unsigned bits = bits_of(v), old = directory_bits(f);
    for (uint64_t i = 0; i < UINT64_C(1) << bits; i++) {
        uint64_t same = bits > old ? i >> (bits - old) : i << (old - bits);
        store_relaxed(v->segment[2 * i + to], f->segment[2 * same + from]);
    }
}

/* A directory with other bits: at least those of the arrays that are open. */
static guira_status directory_resize(struct tidal *f, unsigned bits) {
    if (bits == directory_bits(f)) return GUIRA_OK;
    struct directory *v = directory_make(f, f->level, bits);
    if (v == NULL) return GUIRA_ENOMEM;
    directory_copy(f, UNSPLIT, v, UNSPLIT);
    directory_copy(f, SPLIT, v, SPLIT);
    big_of(f)->directory = v;
    guira__table_moved(f);
    directory_publish(f);
    return GUIRA_OK;
}

/* ---------------------------------------------------------------------------------------------------------- segments */

static size_t segment_bytes(const struct tidal *f, const struct array *a) {
    return (size_t)tidal_layout(f).bucket_bytes << a->log2_buckets;
}

static size_t array_bytes(const struct tidal *f, const struct array *a) {
    return (size_t)tidal_layout(f).bucket_bytes << a->level;
}

/* Memory of a hook is taken segment by segment: 1,100 of 2 MiB for 2^30 items took 10 ms, a 128th of the table each 1 ms. */
enum { LOG2_MAX_HOOKED = 25 };

/* A step needs a segment of each side that is partly in use, and each segment 16 bytes in one or two directories. With
 * 256 segments instead of 128 a filter of a million 16-bit slots or more takes 0.12 bits less per item, one of 100,000 takes
 * 0.08 more. */
static struct array array_plan(const struct tidal *f, unsigned level) {
    unsigned bucket = tidal_layout(f).bucket_bytes, shift = 31U - (unsigned)__builtin_clz(bucket);
    const struct big *b = big_of(f);
    unsigned log2_segments = LOG2_SEGMENTS + (level >= LEVEL_OF_MORE);
    unsigned log2_buckets = level > log2_segments ? level - log2_segments : 0;
    unsigned least = b->regions == NULL ? LOG2_MIN_SEGMENT : LOG2_PAGE;
    if (log2_buckets + shift < least) log2_buckets = least - shift;
    unsigned most = guira__alloc_is_hooked() ? (unsigned)LOG2_MAX_HOOKED : (unsigned)LOG2_MAX_SEGMENT;
    if (log2_buckets + shift > most) log2_buckets = most - shift;
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
    struct array *a = &big_of(f)->array[side];
    if (array_has(a, number)) return GUIRA_OK;
    size_t bytes = segment_bytes(f, a);
    uint8_t *p = a->region != NULL ? a->region + number * bytes : (uint8_t *)guira__segment_alloc(bytes, cleared);
    if (p == NULL) return GUIRA_ENOMEM;
    bytes_add(f, segment_cost(f, a));
    directory_set(f, side, number, (uintptr_t)p - (uintptr_t)number * bytes);
    if (a->first == a->end) a->first = a->end = (uint32_t)number;
    if (number < a->first) a->first = (uint32_t)number;
    else a->end = (uint32_t)number + 1;
    return GUIRA_OK;
}

static void region_end(void *region, size_t bytes) { guira__region_close((uint8_t *)region, bytes); }

static void segment_end(void *segment, size_t bytes) {
    (void)bytes;
    guira__segment_free(segment);
}

/* The system takes whole pages. One that two segments share is returned with the second of them. */
static void segment_return(const struct array *a, uint64_t number, size_t bytes) {
    const size_t page = (size_t)1 << LOG2_PAGE;
    size_t from = number * bytes + (array_has(a, number - 1) ? page - 1 : 0);
    size_t to = (number + 1) * bytes + (array_has(a, number + 1) ? 0 : page - 1);
    if (from / page < to / page) guira__region_drop(a->region, from / page * page, to / page * page);
}

/* a: those that are left. base: what the directory says, or said, of the segment. */
static void segment_free(struct tidal *f, const struct array *a, uint64_t number, uintptr_t base) {
    size_t bytes = segment_bytes(f, a);
    if (a->region != NULL) segment_return(a, number, bytes);
    else guira__tidal_retire(f, (void *)(base + (uintptr_t)number * bytes), bytes, segment_end);
    bytes_sub(f, segment_cost(f, a));
}

/* The first of the segments that are there, or the last. The directory keeps its entry: readers that have not seen the
 * new split pointer yet still use it. */
static void segment_drop(struct tidal *f, unsigned side, uint64_t number) {
    struct array *a = &big_of(f)->array[side];
    if (!array_has(a, number)) return;
    if (number == a->first) a->first++;
    else a->end = (uint32_t)number;
    segment_free(f, a, number, f->segment[2 * (number << (directory_bits(f) - segment_bits(a))) + side]);
}

/* The side must be closed, and the directory have bits enough. */
static void array_open(struct tidal *f, unsigned side, struct array plan) {
    struct big *b = big_of(f);
    if (b->regions != NULL) plan.region = guira__stable_region(b->regions, plan.level);
    else if (array_bytes(f, &plan) >= REGION_WORTH) plan.region = guira__region_open(array_bytes(f, &plan));
    plan.stable = b->regions != NULL && plan.region != NULL;
    b->array[side] = plan;
}

/* Everything of an array that a directory has, or had, on a side. */
static void array_free(struct tidal *f, const struct array *a, const struct directory *v, unsigned side) {
    struct array left = *a;
    if (!a->open) return;
    for (uint64_t i = a->first; i < a->end; i++) {
        left.first++;
        segment_free(f, &left, i, v->segment[2 * (i << (bits_of(v) - segment_bits(a))) + side]);
    }
    if (a->region != NULL && !a->stable) guira__tidal_retire(f, a->region, array_bytes(f, a), region_end);
}

static void array_close(struct tidal *f, unsigned side) {
    struct big *b = big_of(f);
    if (!b->array[side].open) return;
    array_free(f, &b->array[side], b->directory, side);
    b->array[side] = (struct array){0};
}

/* --------------------------------------------------------------------------------------------------------- the table */

/* Makes the buckets from..to of a new array, all empty. */
static guira_status fill(struct tidal *f, unsigned side, uint64_t from, uint64_t to) {
    struct array *a = &big_of(f)->array[side];
    for (uint64_t i = from >> a->log2_buckets; i << a->log2_buckets < to; i++)
        if (segment_make(f, side, i, true) != GUIRA_OK) return GUIRA_ENOMEM;
    size_t bytes = tidal_layout(f).bucket_bytes;
    if (a->region != NULL) guira__region_expect(a->region, from * bytes, to * bytes);
    return GUIRA_OK;
}

/* The struct of a big filter, without a table, and the stash that belongs to it. */
static struct big *big_make(struct tidal *f) {
    struct big *b = guira__stash_make_room(f, STASH_LAST) ? (struct big *)guira__zalloc(sizeof *b) : NULL;
    if (b == NULL) return NULL;
    b->bytes = guira__alloc_cost(sizeof *b);
    guira__secret_derive(f->head.seed, b->secret);
    f->head.secret = b->secret;
    return b;
}

static void big_free(struct tidal *f) {
    guira__tidal_retire_block(f, big_of(f), sizeof(struct big));
    f->head.secret = NULL;
}

static guira_status arrays_make(struct tidal *f) {
    uint64_t split = tidal_split(f);
    struct array lower = array_plan(f, f->level), upper = array_plan(f, f->level + 1U);
    struct big *b = big_of(f);
    unsigned bits = segment_bits(split > 0 ? &upper : &lower);
    b->directory = b->published = directory_make(f, f->level, bits);
    if (b->directory == NULL) return GUIRA_ENOMEM;
    guira__table_moved(f);
    array_open(f, UNSPLIT, lower);
    guira_status s = fill(f, UNSPLIT, split, UINT64_C(1) << f->level);
    if (s == GUIRA_OK && split > 0) {
        array_open(f, SPLIT, upper);
        s = fill(f, SPLIT, 0, 2 * split);
    }
    guira__table_moved(f);
    directory_publish(f);
    return s;
}

/* A table in segments, all empty, at the present level and split pointer. On ENOMEM nothing is held. */
static guira_status segments_create(struct tidal *f, struct stable_regions *regions, bool stays) {
    struct big *b = big_make(f);
    if (b == NULL) return GUIRA_ENOMEM;
    b->regions = regions;
    b->stays = stays;
    guira_status s = arrays_make(f);
    if (s != GUIRA_OK) guira__table_destroy(f);
    return s;
}

guira_status guira__table_create(struct tidal *f, unsigned level, uint64_t split, struct stable_regions *regions,
                                 bool stays) {
    f->head.secret = NULL;
    set_position(f, level, split);
    if (!guira__memory_has((double)bucket_count(f) * tidal_layout(f).bucket_bytes)) return GUIRA_ENOMEM;
    if (stays || !guira__small_fits(bucket_count(f), tidal_layout(f))) return segments_create(f, regions, stays);
    guira_status s = guira__small_create(f);
    if (s == GUIRA_OK) guira__table_moved(f);
    return s;
}

guira_status guira__table_view(struct tidal *f, unsigned level, uint64_t split, const uint8_t *buckets) {
    if (big_make(f) == NULL) return GUIRA_ENOMEM;
    set_position(f, level, split);
    f->flat_start[SPLIT] = (uintptr_t)buckets;
    f->flat_start[UNSPLIT] =
        (uintptr_t)buckets + split * tidal_layout(f).bucket_bytes; /* where its bucket 0 would be */
    guira__table_moved(f);
    return GUIRA_OK;
}

static void segments_destroy(struct tidal *f) {
    struct big *b = big_of(f);
    array_close(f, UNSPLIT);
    array_close(f, SPLIT);
    directory_drop(f, b->directory);
    directory_drop(f, b->next_directory);
    b->directory = NULL;
}

void guira__table_destroy(struct tidal *f) {
    if (big_of(f) == NULL && f->flat_start[SPLIT] != 0) guira__small_destroy(f);
    if (!in_one_piece(f)) segments_destroy(f);
    if (big_of(f) != NULL) big_free(f);
    f->flat_start[SPLIT] = 0; /* no block */
}

size_t guira__table_bytes(const struct tidal *f) {
    return big_of(f) != NULL ? big_of(f)->bytes : guira__small_bytes(f);
}

/* ------------------------------------------------------------------------------------------------ from small to big */

/* Into an empty bucket. Word by word or byte by byte, because in a stable region a late reader may be reading; and no zeros, because where
 * nothing was written yet there need not be any memory. */
static void bucket_copy(uint8_t *to, const uint8_t *from, struct layout l) {
    bool words = l.form == FORM_WORDS || l.form == FORM_PACKED;
    for (unsigned i = 0; words && i < l.bucket_bytes; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        if (word != 0) store_relaxed(*(uint64_t *)(void *)(to + i), word);
    }
    for (unsigned i = 0; !words && i < l.bucket_bytes; i++)
        if (from[i] != 0) store_relaxed(to[i], from[i]);
}

void guira__table_copy(const struct tidal *f, struct tidal *to) {
    struct bucket_walk from_walk = walk_start(f), to_walk = walk_start(to);
    for (const uint8_t *bucket; (bucket = walk_next(&from_walk)) != NULL;)
        bucket_copy(walk_next(&to_walk), bucket, tidal_layout(f));
}

/* f as it is now, to be copied from and destroyed when f has another table, or to be put back. */
static struct tidal aside(const struct tidal *f) {
    struct tidal old;
    memcpy(&old, f, tidal_size(tidal_layout(f)));
    return old;
}

static void put_back(struct tidal *f, const struct tidal *old) {
    memcpy(f, old, tidal_size(tidal_layout(old)));
    guira__table_moved(f);
}

/* The contents of the table that was put aside come to the one that f has now. */
static void take_from(struct tidal *f, struct tidal *old) {
    if (in_one_piece(old)) guira__table_moved(old);
    guira__table_copy(old, f);
    guira__table_destroy(old);
    update_has_outside(f);
}

static guira_status become_big(struct tidal *f) {
    if (!guira__stash_make_room(f, STASH_LAST)) return GUIRA_ENOMEM;
    struct tidal old = aside(f);
    guira_status s = segments_create(f, NULL, false);
    if (s == GUIRA_OK) take_from(f, &old);
    else put_back(f, &old);
    guira__stash_trim(f);
    return s;
}

/* Without memory for the block it stays as it is. */
static void become_small(struct tidal *f) {
    struct tidal old = aside(f);
    f->head.secret = NULL;
    if (guira__small_create(f) != GUIRA_OK) {
        put_back(f, &old);
        return;
    }
    guira__table_moved(f);
    take_from(f, &old);
    guira__stash_trim(f);
}

/* ------------------------------------------------------------------------------------------------------------- steps */

static guira_status segments_prepare(struct tidal *f) {
    struct big *b = big_of(f);
    uint64_t split = tidal_split(f);
    guira_status s = GUIRA_OK;
    if (!b->array[SPLIT].open) {
        struct array plan = array_plan(f, f->level + 1U);
        s = directory_resize(f, segment_bits(&plan));
        if (s == GUIRA_OK) array_open(f, SPLIT, plan);
    }
    if (s == GUIRA_OK) s = segment_make(f, SPLIT, (2 * split) >> b->array[SPLIT].log2_buckets, false);
    if (s == GUIRA_OK && split + 1 == UINT64_C(1) << f->level) {
        b->next_directory = directory_make(f, f->level + 1U, directory_bits(f));
        if (b->next_directory == NULL) s = GUIRA_ENOMEM;
    }
    if (s != GUIRA_OK) guira__table_trim(f);
    return s;
}

guira_status guira__table_prepare_advance(struct tidal *f) {
    if (in_one_piece(f) && guira__small_fits(bucket_count(f) + 1, tidal_layout(f))) {
        if (!guira__stash_ready(f, bucket_count(f) + 1)) return GUIRA_ENOMEM;
        guira_status s = guira__small_prepare(f, 2);
        guira__table_moved(f);
        return s;
    }
    guira_status s = in_one_piece(f) ? become_big(f) : GUIRA_OK;
    return s == GUIRA_OK ? segments_prepare(f) : s;
}

/* The split array is complete, so it becomes the unsplit one of the level above. If this undoes a retreat that was not
 * published, readers have never left the directory of that level. */
static void level_up(struct tidal *f) {
    struct big *b = big_of(f);
    struct directory *below = b->directory;
    struct array gone = b->array[UNSPLIT];
    bool back = below != b->published;
    if (!back) directory_copy(f, SPLIT, b->next_directory, UNSPLIT);
    b->directory = back ? b->published : b->next_directory;
    b->next_directory = NULL;
    b->array[UNSPLIT] = b->array[SPLIT];
    b->array[SPLIT] = (struct array){0};
    set_position(f, f->level + 1U, 0);
    guira__table_moved(f);
    publish(f);
    array_free(f, &gone, below, UNSPLIT);
    directory_drop(f, below);
}

static void small_advance(struct tidal *f) {
    uint64_t split = tidal_split(f) + 1;
    bool complete = split == UINT64_C(1) << f->level;
    if (complete) guira__small_level_up(f);
    set_position(f, f->level, complete ? 0 : split);
    guira__table_moved(f);
    update_has_outside(f);
}

void guira__table_advance(struct tidal *f) {
    uint64_t split = tidal_split(f) + 1;
    if (in_one_piece(f)) small_advance(f);
    else if (split == UINT64_C(1) << f->level) level_up(f);
    else {
        set_position(f, f->level, split);
        guira__table_moved(f);
        directory_publish(f);
    }
}

/* At split pointer 0 the unsplit array is complete, so it becomes the split one of a table one level lower, whose own
 * unsplit array has only its last bucket. */
static guira_status level_down(struct tidal *f) {
    struct big *b = big_of(f);
    struct array upper = b->array[UNSPLIT], lower = array_plan(f, f->level - 1U);
    struct directory *v = directory_make(f, f->level - 1U, segment_bits(&upper));
    if (v == NULL) return GUIRA_ENOMEM;
    directory_copy(f, UNSPLIT, v, SPLIT);
    b->directory = v;
    b->array[SPLIT] = upper;
    uint64_t split = (UINT64_C(1) << (f->level - 1)) - 1;
    set_position(f, f->level - 1U, split);
    array_open(f, UNSPLIT, lower);
    guira__table_moved(f);
    guira_status s = segment_make(f, UNSPLIT, split >> b->array[UNSPLIT].log2_buckets, false);
    if (s != GUIRA_OK) guira__table_advance(f); /* back to the directory that readers use */
    return s;
}

static guira_status segments_retreat(struct tidal *f) {
    uint64_t split = tidal_split(f);
    if (split == 0) return level_down(f);
    guira_status s = segment_make(f, UNSPLIT, (split - 1) >> big_of(f)->array[UNSPLIT].log2_buckets, false);
    if (s == GUIRA_OK) set_position(f, f->level, split - 1);
    return s;
}

static guira_status small_retreat(struct tidal *f) {
    guira_status s = guira__small_prepare(f, 1);
    if (s != GUIRA_OK) return s;
    uint64_t split = tidal_split(f);
    if (split == 0) {
        guira__small_level_down(f);
        split = UINT64_C(1) << f->level;
    }
    set_position(f, f->level, split - 1);
    return GUIRA_OK;
}

guira_status guira__table_retreat(struct tidal *f) {
    guira_status s = in_one_piece(f) ? small_retreat(f) : segments_retreat(f);
    if (s == GUIRA_OK) guira__table_moved(f);
    return s;
}

static void segments_trim(struct tidal *f) {
    struct big *b = big_of(f);
    uint64_t split = tidal_split(f), passed = split >> b->array[UNSPLIT].log2_buckets;
    directory_drop(f, b->next_directory);
    b->next_directory = NULL;
    if (passed > 0) segment_drop(f, UNSPLIT, passed - 1);
    if (split == 0) array_close(f, SPLIT);
    else segment_drop(f, SPLIT, ((2 * split - 1) >> b->array[SPLIT].log2_buckets) + 1);
}

/* Becoming small needs to be some steps away from becoming big again. */
void guira__table_trim(struct tidal *f) {
    uint64_t with_margin = bucket_count(f) + bucket_count(f) / 3;
    if (in_one_piece(f)) {
        guira__small_trim(f);
        guira__table_moved(f);
        return;
    }
    segments_trim(f);
    if (!big_of(f)->stays && guira__small_fits(with_margin, tidal_layout(f))) become_small(f);
}
