/* Small tables: all buckets in one block, the split side at its start, the unsplit side at its end, a few free buckets in
 * between.
 *
 *     block    [ split 0 .. 2p-1 | free | unsplit p .. 2^L-1 ]
 *
 * A step takes bucket p from the front of the unsplit side and adds two to the split side, or the reverse: no other bucket
 * moves. When the level changes, the one side becomes the other, and all of them move to the other end. When the free
 * buckets are used up, or become too many, everything is copied to another block. So a step copies at most SMALL_BYTES,
 * which takes a fifth of a microsecond.
 *
 * There is no directory: flat_start, which has the start of each side twice, serves as one. */
#include "base/alloc.h"
#include "tidal/table.h"

static uint8_t *block_of(const struct tidal *f) { return (uint8_t *)f->flat_start[SPLIT]; }

static uint64_t room_of(const struct tidal *f) {
    uint64_t unsplit = (f->flat_start[UNSPLIT] - f->flat_start[SPLIT]) / tidal_layout(f).bucket_bytes;
    return unsplit + (UINT64_C(1) << f->level);
}

static size_t block_size(const struct tidal *f, uint64_t buckets) { return buckets * tidal_layout(f).bucket_bytes; }

bool guira__small_fits(uint64_t buckets, struct layout l) { return buckets * l.bucket_bytes <= SMALL_BYTES; }

/* A block of so many buckets in which the present level has its place. */
static void set_block(struct tidal *f, uint8_t *block, uint64_t room) {
    f->flat_start[SPLIT] = (uintptr_t)block;
    f->flat_start[UNSPLIT] = (uintptr_t)block + block_size(f, room - (UINT64_C(1) << f->level));
}

guira_status guira__small_create(struct tidal *f) {
    uint64_t buckets = bucket_count(f);
    uint8_t *block = (uint8_t *)guira__small_alloc(block_size(f, buckets));
    if (block == NULL) return GUIRA_ENOMEM;
    memset(block, 0, block_size(f, buckets));
    set_block(f, block, buckets);
    return GUIRA_OK;
}

void guira__small_destroy(struct tidal *f) {
    guira__small_free(block_of(f));
    f->flat_start[SPLIT] = 0;
}

size_t guira__small_bytes(const struct tidal *f) {
    return f->flat_start[SPLIT] == 0 ? 0 : guira__small_cost(block_size(f, room_of(f)));
}

/* To a block of another size, which has at least as many buckets as there are. */
static guira_status set_room(struct tidal *f, uint64_t room) {
    uint64_t split = 2 * tidal_split(f), unsplit = bucket_count(f) - split;
    uint8_t *old = block_of(f), *block = (uint8_t *)guira__small_alloc(block_size(f, room));
    if (block == NULL) return GUIRA_ENOMEM;
    memcpy(block, old, block_size(f, split));
    memcpy(block + block_size(f, room - unsplit), old + block_size(f, room_of(f) - unsplit), block_size(f, unsplit));
    guira__small_free(old);
    set_block(f, block, room);
    return GUIRA_OK;
}

/* Two buckets are added before one is given up, and another sixteenth saves copying in most steps. */
guira_status guira__small_prepare(struct tidal *f, unsigned more) {
    uint64_t buckets = bucket_count(f);
    return room_of(f) >= buckets + more ? GUIRA_OK : set_room(f, buckets + more + buckets / 16);
}

/* Without memory for a smaller block it stays as it is. */
void guira__small_trim(struct tidal *f) {
    uint64_t buckets = bucket_count(f), needed = buckets == MIN_BUCKETS ? buckets : buckets + buckets / 16 + 1;
    if (room_of(f) > needed + buckets / 16) (void)set_room(f, needed);
}

/* The split side has become the unsplit one of the level above; and back. The level is that of the unsplit side. */
void guira__small_level_up(struct tidal *f) {
    uint64_t room = room_of(f), buckets = UINT64_C(2) << f->level;
    memmove(block_of(f) + block_size(f, room - buckets), block_of(f), block_size(f, buckets));
    f->level++;
    set_block(f, block_of(f), room);
}

void guira__small_level_down(struct tidal *f) {
    uint64_t room = room_of(f), buckets = UINT64_C(1) << f->level;
    memmove(block_of(f), block_of(f) + block_size(f, room - buckets), block_size(f, buckets));
    f->level--;
    set_block(f, block_of(f), room);
}
