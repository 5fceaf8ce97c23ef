/* Time stamps: in a layout with stamps every slot has the number of the step in which its entry was added, modulo 32.
 * src/window/ moves the time; here is what an age means to the table.
 *
 *     slot   [ stamp: 5 | core: 6 | tail: up to 20 | 1 | 0 0 ]
 *
 *     age     0   1   2  ...  15  16 | 17  18  ...  30  31 | 0
 *             alive                  | expired             | here it would look new again
 *
 * The window removes expired entries before they could look new. Until then they match no lookup, their slots can be
 * overwritten, and they are never moved: so none gets behind the sweep that removes them (window/sweep.c). */
#ifndef GUIRA_TIDAL_STAMP_H
#define GUIRA_TIDAL_STAMP_H

#include "tidal/tidal.h"

enum { STAMPS = 32, OLDEST_ALIVE = 16 };

ALWAYS_INLINE unsigned stamp_age(const struct tidal *f, uint64_t stamp) { return (unsigned)(f->step - stamp) % STAMPS; }
ALWAYS_INLINE unsigned slot_age(const struct tidal *f, uint64_t s, struct layout l) {
    return stamp_age(f, slot_stamp(s, l));
}

/* Entries without a stamp do not expire. */
ALWAYS_INLINE bool slot_expired(const struct tidal *f, uint64_t s, struct layout l) {
    return l.stamp_bits > 0 && s != 0 && slot_age(f, s, l) > OLDEST_ALIVE;
}

ALWAYS_INLINE uint64_t stamp_now(const struct tidal *f, struct layout l) {
    return l.stamp_bits > 0 ? f->step % STAMPS : 0;
}

ALWAYS_INLINE struct entry entry_new(const struct tidal *f, uint64_t address, struct layout l) {
    return (struct entry){address, entry_what(ALL_KNOWN, stamp_now(f, l))};
}

#endif
