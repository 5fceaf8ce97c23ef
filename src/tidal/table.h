/* The memory of a tidal filter's buckets: arrays in segments, made and freed as the split pointer moves.
 *
 *     UNSPLIT  [ gone ][ gone ][ ...p## ][ ##### ][ ##### ]      level L, freed from the left while growing
 *     SPLIT    [ #### ][ #### ][ ##2p.. ]                        level L+1, made from the left while growing
 *
 * A segment is a 128th of its level's array, but between 1 KiB and 2 MiB. At most one segment on either side is only
 * partly used, which keeps what is allocated within 2 % of what is in use. A small table lies in one block: see small.c. */
#ifndef GUIRA_TIDAL_TABLE_H
#define GUIRA_TIDAL_TABLE_H

#include "tidal/tidal.h"

/* Makes the empty table of 2^level + split buckets. regions: where its arrays shall lie; NULL: anywhere. stays: it may have
 * readers, so it has segments whatever its size, and keeps them. On ENOMEM nothing is held. */
guira_status guira__table_create(struct tidal *f, unsigned level, uint64_t split, struct stable_regions *regions,
                                 bool stays);
void guira__table_destroy(struct tidal *f);
size_t guira__table_bytes(const struct tidal *f);

/* Copies the buckets of f to those of a table of the same size, which are empty. */
void guira__table_copy(const struct tidal *f, struct tidal *to);

/* Makes a read-only table of the buckets in a file, those of the split side, then the others. On ENOMEM nothing is held. */
guira_status guira__table_view(struct tidal *f, unsigned level, uint64_t split, const uint8_t *buckets);
static inline bool table_is_view(const struct tidal *f) { return big_of(f) != NULL && in_one_piece(f); }

/* Growing by a bucket takes two calls, because in between the two new buckets are filled (2p and 2p + 1 of the split side;
 * their bytes are not cleared): the first provides their memory (ENOMEM), the second moves the split pointer. */
guira_status guira__table_prepare_advance(struct tidal *f);
void guira__table_advance(struct tidal *f);

/* Shrinking by a bucket: moves the split pointer back, with memory for the bucket at it (not cleared). ENOMEM: nothing has
 * changed. The two buckets to merge are still where they were, and guira__table_advance undoes it. Concurrent readers do
 * not see it until it is published. */
guira_status guira__table_retreat(struct tidal *f);

/* Publishes the present split pointer to concurrent readers. */
void guira__table_publish(struct tidal *f);

/* Frees what lies beyond the split pointer. */
void guira__table_trim(struct tidal *f);

/* Visits the buckets in the order of their addresses. */
struct bucket_walk {
    const struct tidal *f;
    unsigned side;   /* of the bucket that walk_next() returned last */
    uint64_t number; /* of the one after it */
};

static inline struct bucket_walk walk_start(const struct tidal *f) {
    return (struct bucket_walk){f, tidal_split(f) > 0 ? SPLIT : UNSPLIT, 0};
}

static inline uint8_t *walk_next(struct bucket_walk *w) {
    if (w->side == SPLIT && w->number == 2 * tidal_split(w->f))
        *w = (struct bucket_walk){w->f, UNSPLIT, tidal_split(w->f)};
    if (w->side == UNSPLIT && w->number == UINT64_C(1) << w->f->level) return NULL;
    return bucket_at(w->f, w->side, w->number++, tidal_layout(w->f));
}

/* The entry in slot value s of the bucket that walk_next() returned last. */
static inline struct entry walk_entry(const struct bucket_walk *w, uint64_t s) {
    return slot_decode(s, w->number - 1, level_of(w->f, w->side), tidal_layout(w->f));
}

/* ------------------------------------------------------------------------------------------------------------- small.c */

bool guira__small_fits(uint64_t buckets, struct layout l);
guira_status guira__small_create(struct tidal *f); /* all empty, at the present level and split pointer; ENOMEM */
void guira__small_destroy(struct tidal *f);
size_t guira__small_bytes(const struct tidal *f);
guira_status guira__small_prepare(struct tidal *f, unsigned more); /* room for so many more buckets; ENOMEM */
void guira__small_trim(struct tidal *f);
void guira__small_level_up(struct tidal *f); /* these do not move the split pointer */
void guira__small_level_down(struct tidal *f);

/* ------------------------------------------------------------------------------------------------------------- shape.c */

/* After the split pointer or memory has moved, also that of f itself: what lookups and policies derive from them. */
void guira__table_moved(struct tidal *f);

/* The shift of a level, see struct tidal. */
static inline unsigned to_tail_at(unsigned level, struct layout l) {
    return knows_all(l) ? 0 : 63 - level - tail_bits(l);
}

/* Sets how many buckets are reserved, more if the rate would not be kept (if it is not 0, head.rare must be there), or how
 * many copies are no load. */
void guira__table_set_floor(struct tidal *f, uint64_t buckets);
void guira__table_set_counted(struct tidal *f, uint64_t copies);

/* Level and split pointer of the smallest table with at least so many buckets. */
void guira__table_shape(uint64_t buckets, unsigned *level, uint64_t *split);

/* How many items a table of so many buckets holds at a load. */
uint64_t guira__items_at(uint64_t buckets, double load, struct layout l);
/* How many buckets it takes for so many items; MAX_BUCKETS + 1: too many. */
uint64_t guira__buckets_for(uint64_t items, double load, struct layout l);

/* How many buckets f needs for so many items at its max_load. */
uint64_t guira__table_needs(const struct tidal *f, uint64_t items);

/* ------------------------------------------------------------------------------------------------------------- table.c */

/* retire calls end(start, size), and retire_block frees the block, when no concurrent reader can be using it any more.
 * Without readers that is at once. NULL is allowed. */
void guira__tidal_retire(const struct tidal *f, void *start, size_t size, void (*end)(void *start, size_t size));
void guira__tidal_retire_block(const struct tidal *f, void *block, size_t size);

#endif
