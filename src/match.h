/* Searching a bucket: the one place that knows SIMD.
 *
 * A slot s answers a probe q in one of two ways:
 *
 *   EXACT    s == q                                              (cuckoo: a slot is a fingerprint)
 *   PREFIX   s == q down to the lowest 1 of s, which is a mark   (tidal: a slot says how much of an address it knows)
 *
 *        s   c c c t t t 1 0 0      core, three bits of tail, the mark, nothing
 *        q   c c c t t t t t 1      agrees wherever s knows something: a match
 *
 *   ((s ^ q) & ~(s ^ sat(s - 1))) == 0      s ^ (s - 1) is the mark and all below it; for an empty slot, 0,
 *                                           saturation keeps the mask empty, and q is never 0: no match
 *
 * Where slots have a stamp (AGED), PREFIX takes no notice of it. An empty slot has none, so EXACT need not know.
 *
 * For each geometry: match_mask() says which slots match, either_matches() whether any slot of two buckets does (the
 * hot question), empty_mask() which are free. Where slots have a stamp, range_mask() says which are one of the numbers
 * from..from + span, modulo 2^32. Bit j stands for slot j. This header is compiled once per instruction set (see isa.h);
 * they all give the same answers, which tests/test_match.c checks.
 */
#ifndef GUIRA_MATCH_H
#define GUIRA_MATCH_H

#include <stdbool.h>

#include "geometry.h"

enum how { EXACT, PREFIX };

/* GUIRA__LOOKS_ON: whoever includes this reads buckets that another thread may be writing to. Then a bucket is read in
 * words, each at once, or on x86 in vectors, which no processor tears apart within a word. */
ALWAYS_INLINE uint64_t look_on(const uint8_t *p) { return SEE(*(const any64 *)(const void *)p); }

/* ------------------------------------------------------------------------------------------- one slot after another */

ALWAYS_INLINE bool slot_matches(uint64_t s, uint64_t q, enum how how) {
    uint64_t drop = how == PREFIX ? s ^ (s - (s != 0)) : 0;
    return ((s ^ q) & ~drop) == 0;
}

ALWAYS_INLINE unsigned mask_by_slot(const uint8_t *bucket, uint64_t q, unsigned w, enum how how) {
    unsigned mask = 0;
#ifdef GUIRA__LOOKS_ON
    uint64_t copy[8];
    for (unsigned i = 0; i < bucket_bytes(w) / 8; i++) copy[i] = look_on(bucket + (size_t)i * 8);
    bucket = (const uint8_t *)copy;
#endif
    for (unsigned j = 0; j < bucket_slots(w); j++) {
        uint64_t s = slot_get(bucket, j, w);
        mask |= (unsigned)slot_matches(how == PREFIX ? slot_body(s, w) : s, q, how) << j;
    }
    return mask;
}

/* --------------------------------------------------------------------------------------------------- all slots at once */

#if !defined(GUIRA__PORTABLE) && defined(__SSE4_1__)
#define GUIRA__SIMD 1
#include <immintrin.h>

/* Differences lane by lane: 0 where the slot matches. */
ALWAYS_INLINE __m128i diff16(__m128i s, __m128i q, enum how how) {
    if (how == EXACT) return _mm_xor_si128(s, q);
    __m128i less = _mm_subs_epu16(s, _mm_set1_epi16(1));
#ifdef __AVX512VL__
    return _mm_ternarylogic_epi32(s, q, less, 0x24);
#else
    return _mm_andnot_si128(_mm_xor_si128(s, less), _mm_xor_si128(s, q));
#endif
}

ALWAYS_INLINE __m128i diff32(__m128i s, __m128i q, enum how how) {
    if (how == EXACT) return _mm_xor_si128(s, q);
    __m128i one = _mm_set1_epi32(1);
    __m128i less = _mm_sub_epi32(_mm_max_epu32(s, one), one); /* there is no saturating 32-bit subtraction */
    return _mm_andnot_si128(_mm_xor_si128(s, less), _mm_xor_si128(s, q));
}

#if defined(GUIRA__LOOKS_ON) && defined(__SANITIZE_THREAD__)
ALWAYS_INLINE __m128i load128(const uint8_t *p) {
    return _mm_set_epi64x((long long)look_on(p + 8), (long long)look_on(p));
}
#elif defined(GUIRA__LOOKS_ON) /* volatile would do, but costs the compiler two more instructions to address it */
ALWAYS_INLINE __m128i load128(const uint8_t *p) {
    __m128i v;
#ifdef __AVX__
    __asm__ volatile("vmovdqa %1, %0" : "=x"(v) : "m"(*(const __m128i *)(const void *)p));
#else
    __asm__ volatile("movdqa %1, %0" : "=x"(v) : "m"(*(const __m128i *)(const void *)p));
#endif
    return v;
}
#else
ALWAYS_INLINE __m128i load128(const uint8_t *p) { return _mm_load_si128((const __m128i *)(const void *)p); }
#endif

ALWAYS_INLINE unsigned zeros16(__m128i d) {
    __m128i zero = _mm_setzero_si128();
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm_cmpeq_epi16(d, zero), zero));
}

ALWAYS_INLINE unsigned zeros32(__m128i lo, __m128i hi) {
    __m128i zero = _mm_setzero_si128();
    return zeros16(
        _mm_xor_si128(_mm_packs_epi32(_mm_cmpeq_epi32(lo, zero), _mm_cmpeq_epi32(hi, zero)), _mm_set1_epi16(-1)));
}

/* Twelve-bit slots are spread into the high ends of 16-bit lanes: a shuffle brings each lane its two bytes, a
 * multiplication by 16 lifts the even ones (the neighbour's half byte falls out on top), a mask cleans the odd ones. */
ALWAYS_INLINE __m128i spread12(__m128i bucket, bool upper) {
    const __m128i first = _mm_setr_epi8(0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11);
    const __m128i last = _mm_setr_epi8(12, 13, 13, 14, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i lift = _mm_setr_epi16(16, 1, 16, 1, 16, 1, 16, 1);
    __m128i lanes = _mm_mullo_epi16(_mm_shuffle_epi8(bucket, upper ? last : first), lift);
    return _mm_and_si128(lanes, _mm_set1_epi16((short)0xfff0));
}

#ifdef __AVX2__
/* Half a bucket of 64-bit slots. */
ALWAYS_INLINE unsigned zeros64(const uint8_t *half, uint64_t q, enum how how) {
    __m256i zero = _mm256_setzero_si256(), s = _mm256_set_m128i(load128(half + 16), load128(half));
    __m256i d = _mm256_xor_si256(s, _mm256_set1_epi64x((long long)q));
    if (how == PREFIX) {
        __m256i full = _mm256_xor_si256(_mm256_cmpeq_epi64(s, zero), _mm256_set1_epi64x(-1)); /* -1, or 0 if empty */
        d = _mm256_andnot_si256(_mm256_xor_si256(s, _mm256_add_epi64(s, full)), d);
    }
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(d, zero)));
}
#endif

ALWAYS_INLINE unsigned match_mask(const uint8_t *bucket, uint64_t q, unsigned w, enum how how) {
#ifdef __AVX2__
    if (w == 64) return zeros64(bucket, q, how) | zeros64(bucket + 32, q, how) << 4;
#endif
    if (w == 64) return mask_by_slot(bucket, q, w, how);
    __m128i s = load128(bucket);
    if (w == 16) return zeros16(diff16(s, _mm_set1_epi16((short)q), how));
    if (w == 12) {
        __m128i p = _mm_set1_epi16((short)(q << 4));
        unsigned lo = zeros16(diff16(spread12(s, false), p, how));
        return lo | (zeros16(diff16(spread12(s, true), p, how)) & 3) << 8;
    }
    __m128i p = _mm_set1_epi32((int)q), t = load128(bucket + 16);
    if (w == AGED && how == PREFIX) {
        __m128i body = _mm_set1_epi32((1 << AGED) - 1);
        s = _mm_and_si128(s, body);
        t = _mm_and_si128(t, body);
    }
    return zeros32(diff32(s, p, how), diff32(t, p, how));
}

ALWAYS_INLINE bool either_matches(const uint8_t *a, uint64_t qa, const uint8_t *b, uint64_t qb, unsigned w,
                                  enum how how) {
    if (w != 16) return (match_mask(a, qa, w, how) | match_mask(b, qb, w, how)) != 0;
    __m128i da = diff16(load128(a), _mm_set1_epi16((short)qa), how);
    __m128i db = diff16(load128(b), _mm_set1_epi16((short)qb), how);
    __m128i least = _mm_min_epu16(da, db); /* one comparison with zero serves both */
#ifdef __AVX512VL__
    return _mm_testn_epi16_mask(least, least) != 0;
#else
    return _mm_movemask_epi8(_mm_cmpeq_epi16(least, _mm_setzero_si128())) != 0;
#endif
}

ALWAYS_INLINE unsigned range_mask(const uint8_t *bucket, uint32_t from, uint32_t span) {
    __m128i f = _mm_set1_epi32((int)from), n = _mm_set1_epi32((int)span);
    __m128i lo = _mm_max_epu32(_mm_sub_epi32(load128(bucket), f), n); /* n where it is no more than that */
    __m128i hi = _mm_max_epu32(_mm_sub_epi32(load128(bucket + 16), f), n);
    return zeros32(_mm_xor_si128(lo, n), _mm_xor_si128(hi, n));
}

#elif !defined(GUIRA__PORTABLE) && defined(__ARM_NEON) && defined(__aarch64__)
#define GUIRA__SIMD 1
#include <arm_neon.h>

#ifdef GUIRA__LOOKS_ON
ALWAYS_INLINE uint8x16_t load128(const uint8_t *p) {
    return vcombine_u8(vcreate_u8(look_on(p)), vcreate_u8(look_on(p + 8)));
}
#else
ALWAYS_INLINE uint8x16_t load128(const uint8_t *p) { return vld1q_u8(p); }
#endif

ALWAYS_INLINE uint16x8_t diff16(uint16x8_t s, uint16x8_t q, enum how how) {
    uint16x8_t d = veorq_u16(s, q);
    return how == EXACT ? d : vbicq_u16(d, veorq_u16(s, vqsubq_u16(s, vdupq_n_u16(1))));
}

ALWAYS_INLINE uint32x4_t diff32(uint32x4_t s, uint32x4_t q, enum how how) {
    uint32x4_t d = veorq_u32(s, q);
    return how == EXACT ? d : vbicq_u32(d, veorq_u32(s, vqsubq_u32(s, vdupq_n_u32(1))));
}

ALWAYS_INLINE unsigned zeros16(uint16x8_t d) {
    const uint16_t weight[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u16(vandq_u16(vceqzq_u16(d), vld1q_u16(weight)));
}

/* See the x86 version above. */
ALWAYS_INLINE uint16x8_t spread12(uint8x16_t bucket, bool upper) {
    const uint8_t first[16] = {0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11};
    const uint8_t last[16] = {12, 13, 13, 14, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    const int16_t lift[8] = {4, 0, 4, 0, 4, 0, 4, 0};
    uint16x8_t lanes = vreinterpretq_u16_u8(vqtbl1q_u8(bucket, vld1q_u8(upper ? last : first)));
    return vandq_u16(vshlq_u16(lanes, vld1q_s16(lift)), vdupq_n_u16(0xfff0));
}

ALWAYS_INLINE unsigned match_mask(const uint8_t *bucket, uint64_t q, unsigned w, enum how how) {
    if (w == 64) return mask_by_slot(bucket, q, w, how);
    if (w == 16) return zeros16(diff16(vreinterpretq_u16_u8(load128(bucket)), vdupq_n_u16((uint16_t)q), how));
    if (w == 12) {
        uint8x16_t s = load128(bucket);
        uint16x8_t p = vdupq_n_u16((uint16_t)(q << 4));
        unsigned lo = zeros16(diff16(spread12(s, false), p, how));
        return lo | (zeros16(diff16(spread12(s, true), p, how)) & 3) << 8;
    }
    uint32x4_t p = vdupq_n_u32((uint32_t)q);
    uint32x4_t body = vdupq_n_u32(w == AGED && how == PREFIX ? (1U << AGED) - 1 : UINT32_MAX);
    uint32x4_t lo = vceqzq_u32(diff32(vandq_u32(vreinterpretq_u32_u8(load128(bucket)), body), p, how));
    uint32x4_t hi = vceqzq_u32(diff32(vandq_u32(vreinterpretq_u32_u8(load128(bucket + 16)), body), p, how));
    return zeros16(vmvnq_u16(vcombine_u16(vmovn_u32(lo), vmovn_u32(hi))));
}

ALWAYS_INLINE bool either_matches(const uint8_t *a, uint64_t qa, const uint8_t *b, uint64_t qb, unsigned w,
                                  enum how how) {
    if (w != 16) return (match_mask(a, qa, w, how) | match_mask(b, qb, w, how)) != 0;
    uint16x8_t da = diff16(vreinterpretq_u16_u8(load128(a)), vdupq_n_u16((uint16_t)qa), how);
    uint16x8_t db = diff16(vreinterpretq_u16_u8(load128(b)), vdupq_n_u16((uint16_t)qb), how);
    return vminvq_u16(vminq_u16(da, db)) == 0;
}

ALWAYS_INLINE unsigned range_mask(const uint8_t *bucket, uint32_t from, uint32_t span) {
    uint32x4_t f = vdupq_n_u32(from), n = vdupq_n_u32(span);
    uint32x4_t lo = vcleq_u32(vsubq_u32(vreinterpretq_u32_u8(load128(bucket)), f), n);
    uint32x4_t hi = vcleq_u32(vsubq_u32(vreinterpretq_u32_u8(load128(bucket + 16)), f), n);
    return zeros16(vmvnq_u16(vcombine_u16(vmovn_u32(lo), vmovn_u32(hi))));
}

#else

ALWAYS_INLINE unsigned match_mask(const uint8_t *bucket, uint64_t q, unsigned w, enum how how) {
    return mask_by_slot(bucket, q, w, how);
}

ALWAYS_INLINE bool either_matches(const uint8_t *a, uint64_t qa, const uint8_t *b, uint64_t qb, unsigned w,
                                  enum how how) {
    return (match_mask(a, qa, w, how) | match_mask(b, qb, w, how)) != 0;
}

ALWAYS_INLINE unsigned range_mask(const uint8_t *bucket, uint32_t from, uint32_t span) {
    unsigned mask = 0;
    for (unsigned j = 0; j < bucket_slots(AGED); j++)
        mask |= (unsigned)((uint32_t)slot_get(bucket, j, AGED) - from <= span) << j;
    return mask;
}

#endif

ALWAYS_INLINE unsigned empty_mask(const uint8_t *bucket, unsigned w) { return match_mask(bucket, 0, w, EXACT); }

#endif
