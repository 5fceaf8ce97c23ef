/* The age of entries, in a tidal filter that is a window (w = 27). window.h tells what for.
 *
 *     slot   [ stamp: 5 | core: 6 | tail: up to 20 | 1 | 0 0 ]        stamp: the step it was seen in, modulo 32
 *
 *     age     0   1   2  ...  15  16 | 17  18  ...  30  31 | 0
 *             alive                  | dead: to be dropped | and here it would be young again
 *
 * The hand (window_hand.c) drops what is dead long before it could be taken for young. Until then the dead answer no
 * question, their slots are free to be taken, and they never move: so none gets behind the hand's back. */
#ifndef GUIRA_TIDAL_AGE_H
#define GUIRA_TIDAL_AGE_H

#include "tidal.h"

enum { STAMPS = 1 << STAMP_BITS, OLDEST_ALIVE = 16 };

ALWAYS_INLINE unsigned stamp_age(const struct tidal *f, uint64_t stamp) {
    return (unsigned)(f->clock.step - stamp) % STAMPS;
}
ALWAYS_INLINE unsigned slot_age(const struct tidal *f, uint64_t s) { return stamp_age(f, s >> AGED); }

/* Other widths do not age. */
ALWAYS_INLINE bool slot_dead(const struct tidal *f, uint64_t s, unsigned w) {
    return w == AGED && s != 0 && slot_age(f, s) > OLDEST_ALIVE;
}

ALWAYS_INLINE uint64_t stamp_now(const struct tidal *f, unsigned w) { return w == AGED ? f->clock.step % STAMPS : 0; }

ALWAYS_INLINE struct entry entry_new(const struct tidal *f, uint64_t address, unsigned w) {
    return (struct entry){address, ALL_KNOWN | stamp_now(f, w) << 8};
}

/* Empties a slot of a bucket at a level. */
ALWAYS_INLINE void slot_drop(struct tidal *f, uint8_t *bucket, unsigned slot, unsigned level) {
    f->head.weight -= weight_of(slot_known(slot_get(bucket, slot, AGED), level, AGED));
    f->head.items--;
    slot_set(bucket, slot, 0, AGED);
}

/* The bucket of an address, and where the next one starts; 0: it is the last. */
struct stretch {
    uint8_t *bucket;
    unsigned level;
    uint64_t end;
};

static inline struct stretch stretch_at(const struct tidal *f, uint64_t address) {
    unsigned side = side_of(f, address), level = level_of(f, side);
    uint64_t number = address >> (64 - level);
    return (struct stretch){bucket_at(f, side, number, AGED), level, (number + 1) << (64 - level)};
}

#endif
