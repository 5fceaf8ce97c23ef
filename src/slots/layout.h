/* The layout of a bucket: how many slots of how many bits it has, and how to read and write one of them.
 *
 *     FORM_WORDS    a slot is a machine word      [ s0 | s1 | s2 | s3 | s4 | s5 | s6 | s7 ]
 *                   LAYOUT_16, LAYOUT_32: the fastest. LAYOUT_64: for the names of elders (tidal/elders.h).
 *                   LAYOUT_STAMPED: for windows, 27 bits and above them a time stamp of 5 bits, which is not part of
 *                   what a lookup compares; an empty slot has no stamp. LAYOUT_STAMPED_WIDE is the same in a wide slot.
 *     FORM_NARROW   8 slots of 6 to 15 bits without gaps, a bucket every `bits` bytes
 *     FORM_WIDE     8 slots of 17 to 26 or 28 bits, the same
 *
 *         bits = 20   | slot 0  | slot 1  | slot 2  | ...      slot j begins at bit j * 20
 *         bytes       | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | ...
 *
 *     FORM_PACKED   LAYOUT_12: 10 slots of 12 bits in 16 bytes, packed, the last byte is 0
 *
 * A narrow or wide bucket may also have 4 slots. Two of them share a row, which lies in memory as a bucket of 8 slots does:
 * bucket 2 r has the first four slots of row r, bucket 2 r + 1 the last four. So odd widths leave no gap either.
 *
 * A bucket of machine words, or a packed one, is one or two aligned SIMD loads and never straddles a cache line. Narrow and
 * wide ones may straddle two. Every slot of those lies within 32 bits from the byte it begins in, so that all eight can be
 * brought into 32-bit lanes by one byte shuffle and one shift; 27 and 29 to 31 bits do not.
 *
 * With 4 slots, a lookup compares half as many entries, so the same false-positive rate takes one bit less. But insertions
 * move more entries: at a constant load of 0.95 in a fixed filter 1.7 instead of 0.5, at 0.93 in a tidal one, whose buckets
 * are not all alike, 4 to 22 instead of 1 or 2. Only the fixed filter can have 4.
 *
 * Hot code passes a layout whose form is a constant into always-inlined functions, so that the compiler resolves every
 * question below. For machine words and packed slots everything else in it is a constant as well. */
#ifndef GUIRA_SLOTS_LAYOUT_H
#define GUIRA_SLOTS_LAYOUT_H

#include <stddef.h>
#include <string.h>

#include "base/atomics.h"
#include "base/bytes.h"
#include "base/compiler.h"

enum layout_form { FORM_NONE, FORM_PACKED, FORM_WORDS, FORM_NARROW, FORM_WIDE };

struct layout {
    enum layout_form form; /* FORM_NONE: there is no such layout */
    unsigned bits;         /* of a slot, without its stamp */
    unsigned stamp_bits;   /* of the time stamp above them; 0: none */
    unsigned slots;        /* of a bucket */
    unsigned bucket_bytes; /* from one bucket to the next; with 4 slots: from one row to the next */
};

#define LAYOUT_12 ((struct layout){.form = FORM_PACKED, .bits = 12, .slots = 10, .bucket_bytes = 16})
#define LAYOUT_16 ((struct layout){.form = FORM_WORDS, .bits = 16, .slots = 8, .bucket_bytes = 16})
#define LAYOUT_32 ((struct layout){.form = FORM_WORDS, .bits = 32, .slots = 8, .bucket_bytes = 32})
#define LAYOUT_64 ((struct layout){.form = FORM_WORDS, .bits = 64, .slots = 8, .bucket_bytes = 64})
#define LAYOUT_STAMPED \
    ((struct layout){.form = FORM_WORDS, .bits = 27, .stamp_bits = 5, .slots = 8, .bucket_bytes = 32})

/* Slots of so many bits, known at run time only: 6 to 15, and 17 to 26 or 28. */
#define LAYOUT_NARROW(width) \
    ((struct layout){.form = FORM_NARROW, .bits = (width), .slots = 8, .bucket_bytes = (width)})
#define LAYOUT_WIDE(width) ((struct layout){.form = FORM_WIDE, .bits = (width), .slots = 8, .bucket_bytes = (width)})

/* Slots of so many bits, and above them a stamp: 12 to 21, and 23. */
#define LAYOUT_STAMPED_WIDE(width) \
    ((struct layout){.form = FORM_WIDE, .bits = (width), .stamp_bits = 5, .slots = 8, .bucket_bytes = (width) + 5})

/* The same with 4 slots per bucket. Here wide slots may also have 16 and 32 bits. */
#define LAYOUT_NARROW_4(width) \
    ((struct layout){.form = FORM_NARROW, .bits = (width), .slots = HALF_ROW, .bucket_bytes = (width)})
#define LAYOUT_WIDE_4(width) \
    ((struct layout){.form = FORM_WIDE, .bits = (width), .slots = HALF_ROW, .bucket_bytes = (width)})

enum { HALF_ROW = 4 }; /* slots of a bucket that is half of a row */

enum { MAX_SLOTS = 10, MIN_WIDTH = 6, MAX_WIDTH = 32 }; /* slots of a bucket, in any of these layouts; bits of a slot */

/* The layout of filters whose slots have so many bits. */
static inline struct layout layout_of_width(unsigned slot_bits) {
    switch (slot_bits) {
    case 12: return LAYOUT_12;
    case 16: return LAYOUT_16;
    case 28: return LAYOUT_WIDE(28);
    case 32: return LAYOUT_32;
    default:
        if (slot_bits >= MIN_WIDTH && slot_bits < 16) return LAYOUT_NARROW(slot_bits);
        if (slot_bits > 16 && slot_bits <= 26) return LAYOUT_WIDE(slot_bits);
        return (struct layout){.form = FORM_NONE};
    }
}

/* The layout with so many slots per bucket: 4, 8, or 10 for 12 bits. */
static inline struct layout layout_of(unsigned slot_bits, unsigned slots) {
    struct layout usual = layout_of_width(slot_bits);
    if (usual.form == FORM_NONE || usual.slots == slots) return usual;
    if (slots == HALF_ROW) return slot_bits < 16 ? LAYOUT_NARROW_4(slot_bits) : LAYOUT_WIDE_4(slot_bits);
    return slots == 8 ? LAYOUT_NARROW(slot_bits) : (struct layout){.form = FORM_NONE};
}

/* The layout of windows whose slots have so many bits without their stamps. */
static inline struct layout layout_stamped(unsigned slot_bits) {
    if (slot_bits == LAYOUT_STAMPED.bits) return LAYOUT_STAMPED;
    bool wide = (slot_bits >= 12 && slot_bits <= 21) || slot_bits == 23;
    return wide ? LAYOUT_STAMPED_WIDE(slot_bits) : (struct layout){.form = FORM_NONE};
}

/* Bucket n is in this row, and this is its first slot there. Buckets of other layouts have a row of their own. */
ALWAYS_INLINE uint64_t layout_row(uint64_t n, struct layout l) { return l.slots == HALF_ROW ? n / 2 : n; }
ALWAYS_INLINE unsigned layout_first(uint64_t n, struct layout l) {
    return l.slots == HALF_ROW ? (unsigned)(n & 1) * HALF_ROW : 0;
}

/* The bits a slot takes, its stamp included. */
ALWAYS_INLINE unsigned layout_stored_bits(struct layout l) { return l.bits + l.stamp_bits; }

/* A slot without its stamp, the stamp alone, and a stamp where it stands in a slot. */
ALWAYS_INLINE uint64_t slot_body(uint64_t s, struct layout l) {
    return l.stamp_bits == 0 ? s : s & ((UINT64_C(1) << l.bits) - 1);
}
ALWAYS_INLINE uint64_t slot_stamp(uint64_t s, struct layout l) { return l.stamp_bits == 0 ? 0 : s >> l.bits; }
ALWAYS_INLINE uint64_t stamp_field(uint64_t stamp, struct layout l) { return l.stamp_bits == 0 ? 0 : stamp << l.bits; }

/* Buckets are read as bytes, vectors and words of all sizes. */
typedef uint16_t any16 __attribute__((may_alias));
typedef uint32_t any32 __attribute__((may_alias));
typedef uint64_t any64 __attribute__((may_alias));

/* Bytes are little-endian on every machine, so that a filter has the same bytes everywhere. */
ALWAYS_INLINE uint64_t load_bytes(const uint8_t *p, unsigned n) {
    uint64_t v = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&v, p, n);
#else
    for (unsigned i = 0; i < n; i++) v |= (uint64_t)p[i] << (8 * i);
#endif
    return v;
}

/* Narrow and wide layouts: the eight bytes that contain slot j, none of them beyond the bucket, and where it begins in
 * them. Buckets of fewer than eight bytes are read byte by byte. */
struct slot_window {
    uint64_t word;
    unsigned shift; /* of the slot in the word */
    unsigned from;  /* the word's first byte in the bucket */
};

ALWAYS_INLINE struct slot_window slot_window_at(const uint8_t *bucket, unsigned j, struct layout l) {
    unsigned bit = j * layout_stored_bits(l), from = bit / 8, last = l.bucket_bytes - 8;
    if (l.form == FORM_NARROW && l.bucket_bytes < 8) {
        uint64_t word = 0;
        for (unsigned i = 0; i < l.bucket_bytes; i++) word |= (uint64_t)bucket[i] << (8 * i);
        return (struct slot_window){word, bit, 0};
    }
    if (from > last) from = last;
    return (struct slot_window){load_bytes(bucket + from, 8), bit - 8 * from, from};
}

ALWAYS_INLINE uint64_t width_mask(unsigned bits) { return (UINT64_C(1) << bits) - 1; } /* bits < 64 */

ALWAYS_INLINE uint64_t slot_get(const uint8_t *bucket, unsigned j, struct layout l) {
    if (l.form == FORM_WORDS) {
        unsigned bytes = layout_stored_bits(l) / 8;
        return load_bytes(bucket + (size_t)j * bytes, bytes);
    }
    if (l.form == FORM_PACKED) {
        uint64_t v = load_bytes(bucket + (size_t)j * 3 / 2, 2);
        return v >> (j % 2 * 4) & 0xfff;
    }
    struct slot_window w = slot_window_at(bucket, j, l);
    return w.word >> w.shift & width_mask(layout_stored_bits(l));
}

ALWAYS_INLINE void slot_set_word(uint8_t *p, uint64_t v, struct layout l) {
    if (layout_stored_bits(l) == 16) store_relaxed(*(any16 *)(void *)p, le16((uint16_t)v));
    if (layout_stored_bits(l) == 32) store_relaxed(*(any32 *)(void *)p, le32((uint32_t)v));
    if (layout_stored_bits(l) == 64) store_relaxed(*(any64 *)(void *)p, le64(v));
}

/* Eight bytes at any address. The compiler makes one store of it where the processor can. A concurrent lookup may read some
 * bytes before and some after it, but each byte is either old or new, and those of neighbours are the same in both. The
 * tests that look for data races or switch between threads at each access see the bytes one by one. */
ALWAYS_INLINE void store_eight(uint8_t *p, uint64_t word) {
#if defined(__SANITIZE_THREAD__) || defined(GUIRA_INTERLEAVE)
    for (unsigned i = 0; i < 8; i++) store_relaxed(p[i], (uint8_t)(word >> (8 * i)));
#else
    typedef uint64_t unaligned64 __attribute__((may_alias, aligned(1)));
    *(volatile unaligned64 *)(void *)p = le64(word);
#endif
}

/* Bits of a byte that belong to a neighbour keep their values. In one store, not byte by byte: how many bytes a slot touches
 * depends on its number, which no branch predictor can guess. */
ALWAYS_INLINE void slot_set_window(uint8_t *bucket, unsigned j, uint64_t v, struct layout l) {
    struct slot_window w = slot_window_at(bucket, j, l);
    uint64_t word = (w.word & ~(width_mask(layout_stored_bits(l)) << w.shift)) | v << w.shift;
    if (l.form == FORM_WIDE || l.bucket_bytes >= 8) {
        store_eight(bucket + w.from, word);
        return;
    }
    for (unsigned i = 0; i < l.bucket_bytes; i++) store_relaxed(bucket[i], (uint8_t)(word >> (8 * i)));
}

ALWAYS_INLINE void slot_set_packed(uint8_t *bucket, unsigned j, uint64_t v) {
    uint8_t *p = bucket + (size_t)j * 3 / 2;
    unsigned shift = j % 2 * 4;
    uint64_t word = (load_bytes(p, 2) & ~(UINT64_C(0xfff) << shift)) | v << shift;
    store_relaxed(p[0], (uint8_t)word);
    store_relaxed(p[1], (uint8_t)(word >> 8));
}

/* A machine word is stored at once, so that a concurrent lookup reads the old value or the new one. Of other slots it may
 * read a part: then a member was being added or removed, or is in its other place as well (base/version.h). It never sees
 * a neighbour change. */
ALWAYS_INLINE void slot_set(uint8_t *bucket, unsigned j, uint64_t v, struct layout l) {
    if (l.form == FORM_WORDS) slot_set_word(bucket + (size_t)j * layout_stored_bits(l) / 8, v, l);
    else if (l.form == FORM_PACKED) slot_set_packed(bucket, j, v);
    else slot_set_window(bucket, j, v, l);
}

/* A narrow or wide bucket may straddle two cache lines. write: 1 before a change. */
#define prefetch_bucket(bucket, write, l)                               \
    do {                                                                \
        const uint8_t *start_ = (bucket);                               \
        __builtin_prefetch(start_, (write));                            \
        if ((l).form == FORM_NARROW || (l).form == FORM_WIDE)           \
            __builtin_prefetch(start_ + (l).bucket_bytes - 1, (write)); \
    } while (0)

ALWAYS_INLINE void bucket_clear(uint8_t *bucket, struct layout l) {
    bool words = l.form == FORM_WORDS || l.form == FORM_PACKED;
    for (unsigned i = 0; words && i < l.bucket_bytes / 8; i++) store_relaxed(((any64 *)(void *)bucket)[i], 0);
    for (unsigned i = 0; !words && i < l.bucket_bytes; i++) store_relaxed(bucket[i], 0);
}

#endif
