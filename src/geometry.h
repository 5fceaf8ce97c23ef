/* The shapes a bucket can have, and how to read and write one slot.
 *
 *     w = 12   10 slots in 16 bytes   [s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 --]   packed, little-endian, the last byte 0
 *     w = 16    8 slots in 16 bytes   [ s0 | s1 | s2 | s3 | s4 | s5 | s6 | s7 ]
 *     w = 32    8 slots in 32 bytes
 *     w = 64    8 slots in 64 bytes   (inside the library only: the names of elders, see tidal_elders.h)
 *     w = 27    8 slots in 32 bytes   (inside the library only: windows, see window.h) 27 bits and above them 5 bits of
 *                                     age, the stamp, which nobody searches for; an empty slot has none
 *
 * A bucket is one or two SIMD loads and never straddles a cache line. Fewer than 8 slots do not hold a load of 0.95
 * while the set changes: with 4, one insertion at constant load 0.93 moves 4 to 22 others, with 8 it moves 1 or 2.
 *
 * Hot code passes w as a constant into always-inlined functions; then every question below is answered by the compiler.
 * A slot width known only at run time costs 2 to 3 times as much there, and is fine everywhere else.
 */
#ifndef GUIRA_GEOMETRY_H
#define GUIRA_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "visible.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* yes if condition, else no, by arithmetic. */
ALWAYS_INLINE uint64_t choose(bool condition, uint64_t yes, uint64_t no) {
    return no ^ ((yes ^ no) & (0 - (uint64_t)condition));
}

enum { MAX_SLOTS = 10 }; /* of any geometry */

enum { AGED = 27, STAMP_BITS = 5 };

/* What a slot takes, stamp included. */
ALWAYS_INLINE unsigned stored_bits(unsigned w) { return w == AGED ? AGED + STAMP_BITS : w; }

/* A slot without its stamp. */
ALWAYS_INLINE uint64_t slot_body(uint64_t s, unsigned w) { return w == AGED ? s & ((1U << AGED) - 1) : s; }

ALWAYS_INLINE unsigned bucket_slots(unsigned w) { return w == 12 ? 10 : 8; }
ALWAYS_INLINE unsigned bucket_shift(unsigned w) { return w == 64 ? 6 : w == 32 || w == AGED ? 5 : 4; }
ALWAYS_INLINE unsigned bucket_bytes(unsigned w) { return 1U << bucket_shift(w); }

/* Buckets are read as bytes, vectors and words of all sizes. */
typedef uint16_t any16 __attribute__((may_alias));
typedef uint32_t any32 __attribute__((may_alias));
typedef uint64_t any64 __attribute__((may_alias));

/* Bytes are little-endian whatever the machine is, so that a filter has the same bytes everywhere. */
ALWAYS_INLINE uint64_t slot_get(const uint8_t *bucket, unsigned j, unsigned w) {
    const uint8_t *p = bucket + (size_t)j * stored_bits(w) / 8;
    uint64_t v = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&v, p, w == 12 ? 2 : stored_bits(w) / 8);
#else
    for (unsigned i = 0; i < (w == 12 ? 2 : stored_bits(w) / 8); i++) v |= (uint64_t)p[i] << (8 * i);
#endif
    if (w == 12) v = (j % 2 ? v >> 4 : v) & 0xfff;
    return v;
}

/* The widths but 12 are stored at once, so that who looks at a bucket meanwhile sees the old slot or the new one. Of 12
 * bits he may see half: then a member was being added or taken away, or is in its other place as well (visible.h). */
ALWAYS_INLINE void slot_set(uint8_t *bucket, unsigned j, uint64_t v, unsigned w) {
    uint8_t *p = bucket + (size_t)j * stored_bits(w) / 8;
    if (w == 12) { /* the other half byte belongs to a neighbour */
        if (j % 2) v = (v << 4) | (p[0] & 0x0fU);
        else v |= (uint64_t)(p[1] & 0xf0U) << 8;
        SHOW(p[0], (uint8_t)v);
        SHOW(p[1], (uint8_t)(v >> 8));
    }
    if (w == 16) SHOW(*(any16 *)(void *)p, le16((uint16_t)v));
    if (stored_bits(w) == 32) SHOW(*(any32 *)(void *)p, le32((uint32_t)v));
    if (w == 64) SHOW(*(any64 *)(void *)p, le64(v));
}

ALWAYS_INLINE void bucket_clear(uint8_t *bucket, unsigned w) {
    for (unsigned i = 0; i < bucket_bytes(w) / 8; i++) SHOW(((any64 *)(void *)bucket)[i], 0);
}

#endif
