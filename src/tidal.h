/* The tidal filter: its struct, and the arithmetic of addresses. docs/tidal.md tells the whole story.
 *
 * A member is an ADDRESS of 64 bits, its hash. The leading bits say which bucket it is in, as many as the bucket's
 * level; the last 6 (w=12: 5) are the CORE, always stored; of the bits in between a slot keeps as many as fit, the TAIL:
 *
 *     address   [ bucket: l bits | tail: up to t bits | nobody knows ................ | core: c bits ]
 *     slot                       [ core | tail | 1 | 0 0 ]     w = c + t + 1 bits, 0: empty
 *
 * The table has 2^L + p buckets. Addresses left of the TIDE line live at level L+1, the others at level L:
 *
 *                 p
 *     left    [0 0 1 1 2 2 3 3]              level L+1, 2p buckets
 *     right    . . . . [4 5 6 7]             level L, 2^L - p buckets
 *
 * Growing splits bucket p of the right into buckets 2p and 2p+1 of the left; shrinking is the reverse. */
#ifndef GUIRA_TIDAL_H
#define GUIRA_TIDAL_H

#include "geometry.h"
#include "ground.h"
#include "kind.h"

enum { RIGHT = 0, LEFT = 1 };

enum {
    ALL_KNOWN = 58,   /* address bits there are before the core */
    MIN_BUCKETS = 2,  /* one for each of the two candidates */
    MAX_SEGMENT = 21, /* log2 of a segment's bytes at most: a huge page */
    MIN_SEGMENT = 10,
    PAGE = 12,   /* the least on the ground, where segments are given back by the page */
    SEGMENTS = 6 /* log2 of how many segments a level has between these two */
};

#define MAX_BUCKETS (UINT64_C(1) << 40) /* 16 TiB of 16-byte buckets */

/* The array of one level, in segments: see tidal_table.h. */
struct array {
    uint8_t *region;     /* where it lies if it lies in one piece, else NULL */
    uint32_t first, end; /* the segments that are there: first..end-1 */
    uint8_t level;
    uint8_t log2_buckets; /* of a segment */
    bool open;            /* false: there is none; or, if it has a region, that is part of a file and not ours */
    bool lasts;           /* the region is the ground's, and stays open */
};

static inline bool array_has(const struct array *a, uint64_t segment) {
    return a->first <= segment && segment < a->end;
}

struct elders;
struct ground;

/* What a window knows of time: see window.h. */
struct clock {
    uint64_t length; /* of the window */
    uint64_t now;
    uint64_t step;   /* the same in 16ths of the length, modulo 2^64 */
    uint64_t hand;   /* the address it has come to */
    uint64_t target; /* and where it should be */
    uint64_t round;  /* the step in which it set out on this round */
    uint64_t before; /* and on the one before */
    bool slides;
};

/* The directory, and how to read it. A table has one for each level it has been at: at another level everything in it
 * is another, so a new one is made and shown to readers at once (visible.h). */
struct view {
    uint64_t tide;       /* as far as readers know */
    uint64_t to_segment; /* these as in struct tidal */
    uint64_t to_tail;
    uint64_t level;
    uintptr_t pair[];
};

struct tidal {
    guira head;
    /* What a lookup needs, together in one cache line. */
    uint64_t tide __attribute__((aligned(64))); /* addresses below it are on the left */
    uintptr_t *segment;                         /* the directory: {right, left} for each leading part of an address */
    uintptr_t start[2];                         /* of the arrays on the right and the left, if they lie flat */
    uint64_t to_segment;                        /* shifts an address to the number of its pair */
    uint64_t to_tail;   /* shifts it until its tail ends one above the lowest bit; left: one less */
    uint64_t beside;    /* whether there is anything in the stash or among the elders */
    struct view *shown; /* what readers among writers go by; another than view only while a change is under way */
    /* What a change needs. */
    uint64_t grow_at;   /* grow when there are more items than that */
    uint64_t shrink_at; /* shrink when there are fewer */
    uint64_t line;      /* p: how many buckets of the right have been split */
    uint64_t floor;     /* buckets not to shrink below: what was reserved */
    unsigned level;     /* L */
    unsigned directory_bits;
    struct array array[2]; /* RIGHT and LEFT */
    struct view *view;     /* what segment is in */
    struct view *next;     /* for the level above, when the next step leads there */
    struct elders *elders; /* NULL: none */
    struct ground *ground; /* where the arrays lie; NULL: anywhere */
    struct clock clock;    /* w = 27: of a window */
};

/* ------------------------------------------------------------------------------------------------- slots and addresses */

ALWAYS_INLINE unsigned core_bits(unsigned w) { return w == 12 ? 5 : 6; }
ALWAYS_INLINE unsigned tail_bits(unsigned w) { return w - 1 - core_bits(w); }

/* The highest level at which tail and core do not overlap. */
ALWAYS_INLINE unsigned max_level(unsigned w) { return w == 64 ? 40 : ALL_KNOWN - tail_bits(w); }

ALWAYS_INLINE uint64_t core_of(uint64_t address, unsigned w) { return address & ((1U << core_bits(w)) - 1); }

/* The partner of an address differs from it by a constant that depends on the core alone. */
extern const uint64_t guira__displacement[64];
ALWAYS_INLINE uint64_t partner_of(uint64_t address, unsigned w) {
    return address ^ guira__displacement[core_of(address, w)];
}

ALWAYS_INLINE uint64_t leading(unsigned bits) { return ~(~UINT64_C(0) >> bits); } /* 1 <= bits <= 63 */

/* The two parts of struct entry.what. */
ALWAYS_INLINE unsigned known_of(struct entry e) { return (uint8_t)e.what; }
ALWAYS_INLINE unsigned stamp_of(struct entry e) { return (unsigned)(e.what >> 8); }

/* The slot value of an entry at a level no higher than what is known of it. What does not fit is dropped. */
ALWAYS_INLINE uint64_t slot_encode(struct entry e, unsigned level, unsigned w) {
    unsigned known = known_of(e), t = tail_bits(w);
    uint64_t stamp = w == AGED ? (uint64_t)stamp_of(e) << AGED : 0;
    uint64_t marked = (e.where & leading(known)) | UINT64_C(1) << (63 - known);
    uint64_t field = marked << level;
    uint64_t kept = field >> (63 - t);
    bool cut = (field << t << 1) != 0; /* the mark fell off the end: the lowest bit takes its place */
    return stamp | core_of(e.where, w) << (t + 1) | kept | cut;
}

/* At most: max_level() sees to it that there are so many, except for names, which know everything. */
ALWAYS_INLINE unsigned known_at(unsigned level, unsigned w) { return w == 64 ? ALL_KNOWN : level + tail_bits(w); }

/* How many address bits slot s (not empty) at a level knows. */
ALWAYS_INLINE unsigned slot_known(uint64_t s, unsigned level, unsigned w) {
    return level + tail_bits(w) - (unsigned)__builtin_ctzll(s);
}

ALWAYS_INLINE struct entry slot_decode(uint64_t s, uint64_t bucket, unsigned level, unsigned w) {
    unsigned t = tail_bits(w);
    uint64_t tail = (s & (s - 1)) << (63 - t); /* without the mark; the core is shifted out */
    uint64_t where = bucket << (64 - level) | tail >> level | slot_body(s, w) >> (t + 1);
    uint64_t stamp = w == AGED ? s >> AGED << 8 : 0;
    return (struct entry){where, slot_known(s, level, w) | stamp};
}

ALWAYS_INLINE uint64_t weight_of(unsigned known) { return UINT64_C(1) << (ALL_KNOWN - known); }

/* Whether an entry of the stash is, as far as known, the address or its partner. */
static inline bool entry_is(struct entry e, uint64_t address, unsigned w) {
    uint64_t mask = leading(known_of(e)) | ((1U << core_bits(w)) - 1);
    return ((e.where ^ address) & mask) == 0 || ((e.where ^ partner_of(address, w)) & mask) == 0;
}

/* --------------------------------------------------------------------------------------------------------- where it is */

ALWAYS_INLINE unsigned side_of(const struct tidal *f, uint64_t address) { return address < f->tide; }
ALWAYS_INLINE unsigned level_of(const struct tidal *f, unsigned side) { return f->level + side; }

ALWAYS_INLINE uint8_t *bucket_at(const struct tidal *f, unsigned side, uint64_t number, unsigned w) {
    uint64_t pair = number >> (level_of(f, side) - f->directory_bits);
    return (uint8_t *)(f->segment[2 * pair + side] + (number << bucket_shift(w)));
}

ALWAYS_INLINE uint8_t *bucket_of(const struct tidal *f, uint64_t address, unsigned w) {
    unsigned side = side_of(f, address);
    uint64_t number = address >> (64 - level_of(f, side));
    return (uint8_t *)(f->segment[2 * (address >> f->to_segment) + side] + (number << bucket_shift(w)));
}

/* After something has come beside the table, or gone: tells lookups, and whoever looks on. */
static inline void watch_beside(struct tidal *f) {
    uint64_t any = f->head.stash.n > 0 || f->elders != NULL;
    SHOW(f->beside, any);
    if (f->head.sight != NULL) visible_doubt(f->head.moves, f->head.sight->flat == &guira__nowhere ? BLIND : any);
}

/* Where an address would be, and what a slot there must agree with. */
struct probe {
    const uint8_t *bucket;
    uint64_t q;
};

/* What a new entry for an address has in its slot, from the address shifted so that its tail ends above the lowest bit. */
ALWAYS_INLINE uint64_t full_slot(uint64_t shifted, uint64_t core, unsigned w) {
    unsigned t = tail_bits(w);
    return (shifted & ((UINT64_C(2) << t) - 2)) + (core << (t + 1)) + 1;
}

/* An array's start to the bucket of an address in it. One shift, by to_tail, brings bucket number and tail down
 * together: [bucket | tail | one bit more]. No branch asks for the side. Beyond the cache the processor looks up as many
 * keys at once as fit into its window, so every instruction counts. */
ALWAYS_INLINE struct probe probe_from(uintptr_t start, uint64_t address, uint64_t core, uint64_t to_tail,
                                      uint64_t level, unsigned w) {
    if (w == 64) {
        uint64_t q = slot_encode((struct entry){address, ALL_KNOWN}, (unsigned)level, w);
        return (struct probe){(const uint8_t *)(start + (address >> (64 - level) << bucket_shift(w))), q};
    }
    uint64_t shifted = address >> to_tail;
    uint64_t bucket = shifted >> (tail_bits(w) + 1) << bucket_shift(w);
    return (struct probe){(const uint8_t *)(start + bucket), full_slot(shifted, core, w)};
}

static inline uint64_t bucket_count(const struct tidal *f) { return (UINT64_C(1) << f->level) + f->line; }

#endif
