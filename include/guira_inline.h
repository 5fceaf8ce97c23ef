/* guira_inline: lookups that the compiler puts into the caller's loop, without a call into the library.
 *
 *     guira_inline_table t = GUIRA_INLINE_TABLE_INIT;
 *     if (guira_inline_table_get(f, &t) != GUIRA_OK) return 1;
 *     for (i = 0; i < n; i++) found += guira_inline_contains_hash(&t, hash[i]);
 *
 * For programs that look up one key after the other and do little in between. Beyond the cache a processor works on as
 * many lookups at once as fit into its reorder window, and without a call more of them do: 1.14 times as fast as
 * guira_contains_hash. If the keys are known in advance, guira_contains_hash_many is faster still.
 *
 * WHAT IS INLINED. Tidal filters with 16-bit slots, the default, of more than a megabyte or so, whose arrays lie in one
 * piece. For every other filter, and where an entry may be outside the table, guira_inline_contains_hash calls
 * guira_contains_hash. So it can be used with any filter, and its answers are those of guira_contains_hash.
 *
 * WHICH INSTRUCTIONS. Those that the caller is compiled for (-march): AVX-512, SSE2, NEON, or plain C (which
 * GUIRA_INLINE_PLAIN, defined before the header is included, demands). The library itself chooses at run time.
 *
 * VERSIONS. A program compiled with this header works with later libraries: it tells the library how large its struct is
 * and which forms of a table it knows, and gets one of them, or none (then it calls the library). */
#ifndef GUIRA_INLINE_H
#define GUIRA_INLINE_H

#include <string.h>

#include "guira.h"

#if defined(GUIRA_INLINE_PLAIN)
#elif defined(__AVX512VL__) && defined(__AVX512BW__)
#define GUIRA_INLINE__AVX512 1
#include <immintrin.h>
#elif defined(__SSE2__)
#define GUIRA_INLINE__SSE2 1
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define GUIRA_INLINE__NEON 1
#include <arm_neon.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* How to look up a key: what the fields below mean. */
enum {
    GUIRA_INLINE_CALL = 0,   /* call guira_contains_hash */
    GUIRA_INLINE_TIDAL16 = 1 /* 16-bit slots in two arrays */
};

/* A copy of where the table of a filter is. Filled in by guira_inline_table_get; nothing in it is to be changed. It is valid
 * until the filter changes: after any insertion, removal or other call without const, and after guira_destroy, it must not
 * be used any more, but can be got again. It holds no memory. Any number of threads may use it as long as none changes the
 * filter. */
typedef struct guira_inline_table {
    size_t size;                  /* of this struct: see guira.h */
    unsigned forms;               /* the last form that the caller knows */
    unsigned form;                /* the one to use */
    uint64_t outside;             /* entries outside the table. 0: none; 1: maybe, or another form; 2: only
                                     where the map has a bit */
    const guira *filter;          /* the filter itself */
    uint64_t split_address;       /* hashes below it are in the second array */
    uint64_t packed[2];           /* of each array: its address << 6 | shift of a hash */
    const uint64_t *displacement; /* between a hash and its partner, by the last 6 bits */
    const uint64_t *map;          /* words of 64 bits, one for each value of the last 6 bits of a hash */
    uint64_t map_shift;           /* brings a hash, its first bit dropped, down to the number of its word */
} guira_inline_table;

#ifdef __cplusplus
#define GUIRA_INLINE_TABLE_INIT \
    { sizeof(guira_inline_table), GUIRA_INLINE_TIDAL16, 0, 0, 0, 0, {0, 0}, 0, 0, 0 }
#else
#define GUIRA_INLINE_TABLE_INIT \
    { .size = sizeof(guira_inline_table), .forms = GUIRA_INLINE_TIDAL16 }
#endif

/* Fills in *out, which must have been initialized by GUIRA_INLINE_TABLE_INIT or filled in before. EINVAL: f or out is NULL,
 * or out->size is impossible; nothing has changed. Any filter is accepted. Takes a few nanoseconds. */
GUIRA_API guira_status guira_inline_table_get(const guira *f, guira_inline_table *out);

/* ------------------------------------------------------------------------------- the lookup, not to be called directly
 *
 * A bucket has eight slots: six bits that are the last ones of the hash, nine bits that follow those of the bucket's number,
 * and a mark. A slot s matches q if both agree in all bits above the lowest 1 of s. 0 is an empty slot. */

#if defined(GUIRA_INLINE__AVX512)

/* Constants that instructions take from memory. Left to itself the compiler builds them in registers, for every lookup again
 * because of the call that may follow, which would be a third of all instructions. */
struct guira_inline__constants {
    uint16_t ones[16];
    uint16_t spread[16]; /* the first lane to eight lanes, the fifth to the others */
    uint64_t shift, tail, bucket, one;
};

static inline const struct guira_inline__constants *guira_inline__constants_get(void) {
    static const struct guira_inline__constants constants = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                                             {0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4},
                                                             63,
                                                             0x3fe,
                                                             ~UINT64_C(0x3ff),
                                                             1};
    const struct guira_inline__constants *c = &constants;
#if defined(__GNUC__)
    __asm__("" : "+r"(c)); /* the compiler does not know any more what is there */
#endif
    return c;
}

static inline __m128i guira_inline__two(uint64_t v) { return _mm_set1_epi64x((long long)v); }

/* The partner and the hash itself are the two lanes of a register, and then both buckets are. */
static inline bool guira_inline__in_table(const guira_inline_table *t, uint64_t hash) {
    const struct guira_inline__constants *c = guira_inline__constants_get();
    __m256i spread = _mm256_loadu_si256((const __m256i *)(const void *)c->spread);
    __m256i ones = _mm256_loadu_si256((const __m256i *)(const void *)c->ones);
    __m128i x = _mm_xor_si128(guira_inline__two(hash),
                              _mm_loadl_epi64((const __m128i *)(const void *)(t->displacement + (hash & 63))));
    __mmask8 below = _mm_cmplt_epu64_mask(x, guira_inline__two(t->split_address));
    __m128i start = _mm_mask_mov_epi64(guira_inline__two(t->packed[0]), below, guira_inline__two(t->packed[1]));
    __m128i shifted = _mm_srlv_epi64(x, _mm_and_si128(start, guira_inline__two(c->shift)));
    __m128i at = _mm_srli_epi64(_mm_add_epi64(_mm_and_si128(shifted, guira_inline__two(c->bucket)), start), 6);
    __m128i q = _mm_ternarylogic_epi64(guira_inline__two(c->tail), shifted, _mm_slli_epi64(x, 10), 0xca);
    __m256i probe =
        _mm256_permutexvar_epi16(spread, _mm256_castsi128_si256(_mm_or_si128(q, guira_inline__two(c->one))));
    __m128i a = _mm_loadu_si128((const __m128i *)(uintptr_t)_mm_cvtsi128_si64(at));
    __m128i b = _mm_loadu_si128((const __m128i *)(uintptr_t)_mm_extract_epi64(at, 1));
    __m256i s = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
    __m256i differ = _mm256_ternarylogic_epi32(s, probe, _mm256_subs_epu16(s, ones), 0x24);
    return _mm256_testn_epi16_mask(differ, differ) != 0;
}

#else

#if defined(GUIRA_INLINE__SSE2)

static inline __m128i guira_inline__matches(const void *bucket, uint64_t q) {
    __m128i s = _mm_loadu_si128((const __m128i *)bucket);
    __m128i ignore = _mm_xor_si128(s, _mm_subs_epu16(s, _mm_set1_epi16(1)));
    __m128i differ = _mm_andnot_si128(ignore, _mm_xor_si128(s, _mm_set1_epi16((short)q)));
    return _mm_cmpeq_epi16(differ, _mm_setzero_si128());
}

static inline bool guira_inline__either(const void *a, uint64_t qa, const void *b, uint64_t qb) {
    return _mm_movemask_epi8(_mm_or_si128(guira_inline__matches(a, qa), guira_inline__matches(b, qb))) != 0;
}

#elif defined(GUIRA_INLINE__NEON)

static inline uint16x8_t guira_inline__differ(const void *bucket, uint64_t q) {
    uint16x8_t s = vreinterpretq_u16_u8(vld1q_u8((const uint8_t *)bucket));
    uint16x8_t ignore = veorq_u16(s, vqsubq_u16(s, vdupq_n_u16(1)));
    return vbicq_u16(veorq_u16(s, vdupq_n_u16((uint16_t)q)), ignore);
}

static inline bool guira_inline__either(const void *a, uint64_t qa, const void *b, uint64_t qb) {
    return vminvq_u16(vminq_u16(guira_inline__differ(a, qa), guira_inline__differ(b, qb))) == 0;
}

#else

static inline bool guira_inline__matches(const void *bucket, uint64_t q) {
    bool found = false;
    uint16_t slot[8];
    memcpy(slot, bucket, sizeof slot);
    for (unsigned i = 0; i < 8; i++) {
        unsigned s = slot[i], ignore = s ^ (s - (s != 0));
        found |= ((s ^ (unsigned)(uint16_t)q) & ~ignore) == 0;
    }
    return found;
}

static inline bool guira_inline__either(const void *a, uint64_t qa, const void *b, uint64_t qb) {
    return guira_inline__matches(a, qa) || guira_inline__matches(b, qb);
}

#endif

static inline bool guira_inline__in_table(const guira_inline_table *t, uint64_t hash) {
    uint64_t partner = hash ^ t->displacement[hash & 63], end = (hash & 63) << 10 | 1;
    uint64_t start_a = t->packed[hash < t->split_address], start_b = t->packed[partner < t->split_address];
    uint64_t a = hash >> (start_a & 63), b = partner >> (start_b & 63);
    return guira_inline__either((const void *)(uintptr_t)((start_a + (a & ~UINT64_C(0x3ff))) >> 6), (a & 0x3fe) | end,
                                (const void *)(uintptr_t)((start_b + (b & ~UINT64_C(0x3ff))) >> 6), (b & 0x3fe) | end);
}

#endif

static inline bool guira_inline__maybe_outside(const guira_inline_table *t, uint64_t hash) {
    uint64_t partner = hash ^ t->displacement[hash & 63], least = hash < partner ? hash : partner;
    return t->outside == 1 || (t->map[least << 1 >> t->map_shift] >> (hash & 63) & 1) != 0;
}

/* ---------------------------------------------------------------------------------------------------------- the lookup */

/* Another form, or there are entries outside the table. */
static inline bool guira_inline__contains_other(const guira_inline_table *t, uint64_t hash) {
    if (t->form != GUIRA_INLINE_TIDAL16) return guira_contains_hash(t->filter, hash);
    bool found = guira_inline__in_table(t, hash);
    /* No branch depends on what the buckets hold, so that the next lookup need not wait for them. */
    if (((int)!found & (int)guira_inline__maybe_outside(t, hash)) != 0) return guira_contains_hash(t->filter, hash);
    return found;
}

/* What guira_contains_hash(f, hash) returns, where t was got from f. Lookups are not timed (guira_latency_sample). */
static inline bool guira_inline_contains_hash(const guira_inline_table *t, uint64_t hash) {
    if (__builtin_expect(t->outside != 0, 0)) return guira_inline__contains_other(t, hash);
    return guira_inline__in_table(t, hash);
}

#ifdef __cplusplus
}
#endif

#endif
