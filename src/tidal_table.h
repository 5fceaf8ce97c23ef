/* The tidal filter's memory: arrays in segments, made and dropped as the tide line passes.
 *
 *     right   [ gone ][ gone ][ ...p## ][ ##### ][ ##### ]      level L, freed from the left while growing
 *     left    [ #### ][ #### ][ ##2p.. ]                        level L+1, made from the left while growing
 *
 * A segment is a 64th of its level's array, but between 1 KiB and 2 MiB: at most one segment on either side is there
 * in part for nothing, which keeps what is allocated within 3 % of what is in use. */
#ifndef GUIRA_TIDAL_TABLE_H
#define GUIRA_TIDAL_TABLE_H

#include "tidal.h"

/* Makes the empty table of 2^level + line buckets. On ENOMEM nothing is held. */
guira_status guira__table_create(struct tidal *f, unsigned level, uint64_t line);
void guira__table_destroy(struct tidal *f);

/* Makes a table for asking only of the buckets in a file, those of the left, then those of the right. On ENOMEM nothing is
 * held. */
guira_status guira__table_view(struct tidal *f, unsigned level, uint64_t line, const uint8_t *buckets);
static inline bool table_is_view(const struct tidal *f) { return !f->array[RIGHT].open; }

/* Growing by a bucket takes two calls, because in between the kind fills the two new buckets (2 line and 2 line + 1 on
 * the left; their bytes are not cleared): ready_to_rise brings their memory into being, ENOMEM; rise moves the line. */
guira_status guira__table_ready_to_rise(struct tidal *f);
void guira__table_rise(struct tidal *f);

/* Shrinking by a bucket: moves the line back, with memory for the bucket at the line (not cleared). ENOMEM: nothing has
 * happened. The two buckets to merge are still where they were, and rise takes the fall back. Concurrent readers do not
 * know of it until it is published. */
guira_status guira__table_fall(struct tidal *f);

/* Shows concurrent readers where the line is now. */
void guira__table_publish(struct tidal *f);

/* Shows readers at the sight where the arrays are if these lie on the ground, else nowhere; and leaves them blind. */
void guira__table_show_flat(struct tidal *f);

/* Gives back what lies beyond the tide line. */
void guira__table_trim(struct tidal *f);

/* Walks the buckets in the order of their addresses. */
struct walk {
    const struct tidal *f;
    unsigned side;   /* of the bucket that walk_next() gave last */
    uint64_t number; /* of the one after it */
};

static inline struct walk walk_start(const struct tidal *f) { return (struct walk){f, f->line > 0 ? LEFT : RIGHT, 0}; }

static inline uint8_t *walk_next(struct walk *w) {
    if (w->side == LEFT && w->number == 2 * w->f->line) *w = (struct walk){w->f, RIGHT, w->f->line};
    if (w->side == RIGHT && w->number == UINT64_C(1) << w->f->level) return NULL;
    return bucket_at(w->f, w->side, w->number++, w->f->head.ops->slot_bits);
}

/* Sets how many buckets are reserved. */
void guira__table_set_floor(struct tidal *f, uint64_t buckets);

/* Level and line of the smallest table with that many buckets at least. */
void guira__table_shape(uint64_t buckets, unsigned *level, uint64_t *line);

/* How many items a table of that many buckets holds at a load. */
uint64_t guira__items_at(uint64_t buckets, double load, unsigned w);
/* And how many buckets it takes for that many items; MAX_BUCKETS + 1: too many. */
uint64_t guira__buckets_for(uint64_t items, double load, unsigned w);

#endif
