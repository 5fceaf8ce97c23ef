/* Slots and addresses of the tidal filter. docs/tidal.md has the explanation.
 *
 * A member is an ADDRESS of 64 bits, its hash. The leading bits say which bucket it is in, as many as the level of the
 * bucket. The last 6 bits (5 with packed slots) are the CORE, which is always stored. Of the bits in between a slot keeps
 * as many as fit, the TAIL:
 *
 *     address   [ bucket: l bits | tail: up to t bits | not stored ................. | core: c bits ]
 *     slot                       [ core | tail | 1 | 0 0 ]     bits = c + t + 1; an empty slot is 0
 *
 * The lowest 1 of a slot is the MARK: it ends the tail. The KNOWN bits of an entry are those of bucket and tail. */
#ifndef GUIRA_TIDAL_SLOT_H
#define GUIRA_TIDAL_SLOT_H

#include "slots/layout.h"
#include "slots/stash.h"

enum { ALL_KNOWN = 58 }; /* address bits in front of the core */

ALWAYS_INLINE unsigned core_bits(struct layout l) { return l.form == FORM_PACKED ? 5 : 6; }
ALWAYS_INLINE unsigned tail_bits(struct layout l) { return l.bits - 1 - core_bits(l); }

/* Names of elders know everything: 64-bit slots hold a whole address. */
ALWAYS_INLINE bool knows_all(struct layout l) { return l.form == FORM_WORDS && l.bits == 64; }

/* The highest level at which tail and core do not overlap. */
ALWAYS_INLINE unsigned max_level(struct layout l) { return knows_all(l) ? 40 : ALL_KNOWN - tail_bits(l); }

ALWAYS_INLINE uint64_t core_mask(struct layout l) { return (1U << core_bits(l)) - 1; }
ALWAYS_INLINE uint64_t core_of(uint64_t address, struct layout l) { return address & core_mask(l); }

/* The partner of an address differs from it by a constant that depends on the core alone. */
extern IN_LIBRARY const uint64_t guira__displacement[64];
ALWAYS_INLINE uint64_t partner_of(uint64_t address, struct layout l) {
    return address ^ guira__displacement[core_of(address, l)];
}

ALWAYS_INLINE uint64_t leading(unsigned bits) { return ~(~UINT64_C(0) >> bits); } /* 1 <= bits <= 63 */

/* The two parts of struct entry.what. */
ALWAYS_INLINE unsigned known_of(struct entry e) { return (uint8_t)e.what; }
ALWAYS_INLINE uint64_t stamp_of(struct entry e) { return e.what >> 8; }
ALWAYS_INLINE uint64_t entry_what(unsigned known, uint64_t stamp) { return known | stamp << 8; }

/* The slot value of an entry at a level no higher than what is known of it. What does not fit is dropped. */
ALWAYS_INLINE uint64_t slot_encode(struct entry e, unsigned level, struct layout l) {
    unsigned known = known_of(e), t = tail_bits(l);
    uint64_t marked = (e.where & leading(known)) | UINT64_C(1) << (63 - known);
    uint64_t field = marked << level;
    uint64_t kept = field >> (63 - t);
    bool cut = (field << t << 1) != 0; /* the mark fell off the end: the lowest bit takes its place */
    return stamp_field(stamp_of(e), l) | core_of(e.where, l) << (t + 1) | kept | cut;
}

/* The most bits that an entry at a level can know. max_level() makes sure that there are so many, except for names. */
ALWAYS_INLINE unsigned known_at(unsigned level, struct layout l) {
    return knows_all(l) ? (unsigned)ALL_KNOWN : level + tail_bits(l);
}

/* How many address bits slot s (not empty) at a level knows. */
ALWAYS_INLINE unsigned slot_known(uint64_t s, unsigned level, struct layout l) {
    return level + tail_bits(l) - (unsigned)__builtin_ctzll(s);
}

/* Without a tail nothing tells which half of its bucket an entry belongs to. */
ALWAYS_INLINE bool slot_has_no_tail(uint64_t s, unsigned level, struct layout l) {
    return s != 0 && slot_known(s, level, l) == level;
}

ALWAYS_INLINE struct entry slot_decode(uint64_t s, uint64_t bucket, unsigned level, struct layout l) {
    unsigned t = tail_bits(l);
    uint64_t tail = (s & (s - 1)) << (63 - t); /* without the mark; the core is shifted out */
    uint64_t where = bucket << (64 - level) | tail >> level | slot_body(s, l) >> (t + 1);
    return (struct entry){where, entry_what(slot_known(s, level, l), slot_stamp(s, l))};
}

/* What a new entry for an address has in its slot, from the address shifted so that its tail ends above the lowest bit. */
ALWAYS_INLINE uint64_t full_slot(uint64_t shifted, uint64_t core, struct layout l) {
    unsigned t = tail_bits(l);
    return (shifted & ((UINT64_C(2) << t) - 2)) + (core << (t + 1)) + 1;
}

/* The tail and mark of a slot, without the core. */
ALWAYS_INLINE uint64_t field_mask(struct layout l) { return (UINT64_C(2) << tail_bits(l)) - 1; }

/* One level up: the first bit of the tail is dropped. */
ALWAYS_INLINE uint64_t slot_up(uint64_t s, struct layout l) { return (s & ~field_mask(l)) | (s << 1 & field_mask(l)); }

/* One level down: `bit` becomes the first of the tail. If there is no room, the last one gives way to the mark. */
ALWAYS_INLINE uint64_t slot_down(uint64_t s, uint64_t bit, struct layout l) {
    uint64_t field = s & field_mask(l);
    return (s & ~field_mask(l)) | bit << tail_bits(l) | field >> 1 | (field & 1);
}

/* Turns an entry to its partner. What is not known of it stays 0. */
ALWAYS_INLINE void entry_turn(struct entry *e, struct layout l) {
    e->where = partner_of(e->where, l) & (leading(known_of(*e)) | core_mask(l));
}

/* An entry's share of the false-positive rate, in units of 2^(1 - ALL_KNOWN - core bits): see tidal/lifecycle.c. */
ALWAYS_INLINE uint64_t weight_of(unsigned known) { return UINT64_C(1) << (ALL_KNOWN - known); }

/* Whether an entry of the stash is, as far as known, the address or its partner. */
static inline bool entry_is(struct entry e, uint64_t address, struct layout l) {
    uint64_t mask = leading(known_of(e)) | core_mask(l);
    return ((e.where ^ address) & mask) == 0 || ((e.where ^ partner_of(address, l)) & mask) == 0;
}

#endif
