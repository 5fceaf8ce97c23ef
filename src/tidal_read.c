/* See tidal_read.h. Nothing here writes, locks or waits; a question is asked again only if something has moved between
 * the first look and the last.
 *
 * Everything a writer changes is read by SEE or FOLLOW, buckets by match.h in words. A view may be an old one, and a
 * bucket may have been split, merged or given back since: then the count of moves has changed, and the memory is kept
 * for as long as somebody may be looking (limbo.h). Only the memory of regions is given back at once, and reads as
 * zeros from then on.
 *
 * Compiled once per instruction set (GUIRA__ISA); every function that takes w is inlined with w a constant. */
#define GUIRA__LOOKS_ON 1
#include "tidal_read.h"

#include "match.h"
#include "tidal_elders.h"

/* ----------------------------------------------------------------------------------------------------- where to look */

/* The two buckets of an address, as they were at one moment. */
struct pair {
    struct probe a, b;
};

ALWAYS_INLINE struct pair pair_of(const struct tidal *f, uint64_t address, unsigned w) {
    const struct view *v = FOLLOW(f->shown);
    uint64_t tide = FOLLOW(v->tide), core = core_of(address, w), partner = partner_of(address, w);
    uint64_t side_a = address < tide, side_b = partner < tide;
    uintptr_t start_a = FOLLOW(v->pair[2 * (address >> v->to_segment) + side_a]);
    uintptr_t start_b = FOLLOW(v->pair[2 * (partner >> v->to_segment) + side_b]);
    return (struct pair){
        .a = probe_from(start_a, address, core, v->to_tail - side_a, v->level + side_a, w),
        .b = probe_from(start_b, partner, core, v->to_tail - side_b, v->level + side_b, w),
    };
}

static uint64_t count_stash(const struct tidal *f, uint64_t address, unsigned w) {
    const struct stash *s = &f->head.stash;
    uint64_t n = FOLLOW(s->n), found = 0;
    for (uint64_t i = 0; i < n; i++) {
        struct entry e = {SEE(s->entry[i].where), SEE(s->entry[i].what)};
        found += e.what > 0 && entry_is(e, address, w);
    }
    return found;
}

static bool contains_beside(const struct tidal *f, uint64_t address, unsigned w) {
    return count_stash(f, address, w) > 0 || guira__elders_level(f, address, SHARED) > 0;
}

/* ------------------------------------------------------------------------------------------------------- the questions */

/* There is something beside the table, or something has moved: until nothing has. */
__attribute__((noinline)) static bool contains_unclear(const struct tidal *f, uint64_t address, unsigned w) {
    for (;;) {
        uint64_t before = visible_before(&f->head.moves);
        struct pair p = pair_of(f, address, w);
        if (either_matches(p.a.bucket, p.a.q, p.b.bucket, p.b.q, w, PREFIX)) return true;
        if (SEE(f->beside) && contains_beside(f, address, w)) return true;
        if (visible_same(&f->head.moves, before)) return false;
    }
}

/* As in tidal.c, no branch hangs on what the buckets say unless something has moved. */
ALWAYS_INLINE bool contains(const struct tidal *f, uint64_t address, unsigned w) {
    uint64_t before = visible_before(&f->head.moves);
    struct pair p = pair_of(f, address, w);
    bool found = either_matches(p.a.bucket, p.a.q, p.b.bucket, p.b.q, w, PREFIX);
    if (UNLIKELY(SEE(f->beside) || !visible_same(&f->head.moves, before)))
        return found || contains_unclear(f, address, w);
    return found;
}

ALWAYS_INLINE uint64_t count(const struct tidal *f, uint64_t address, unsigned w) {
    for (;;) {
        uint64_t before = visible_before(&f->head.moves);
        struct pair p = pair_of(f, address, w);
        uint64_t n = (unsigned)__builtin_popcount(match_mask(p.a.bucket, p.a.q, w, PREFIX));
        n += (unsigned)__builtin_popcount(match_mask(p.b.bucket, p.b.q, w, PREFIX));
        n += count_stash(f, address, w) + guira__elders_count(f, address, SHARED);
        if (visible_same(&f->head.moves, before)) return n;
    }
}

/* First fetch for a whole group, then look: see tidal.c. What was not found is asked for once more if something moved. */
enum { GROUP = 32 };

ALWAYS_INLINE size_t contains_group(const struct tidal *f, const uint64_t *hash, size_t n, bool *out, unsigned w) {
    struct pair p[GROUP];
    size_t present = 0;
    uint64_t before = visible_before(&f->head.moves);
    for (size_t i = 0; i < n; i++) {
        p[i] = pair_of(f, hash[i], w);
        __builtin_prefetch(p[i].a.bucket);
        __builtin_prefetch(p[i].b.bucket);
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = either_matches(p[i].a.bucket, p[i].a.q, p[i].b.bucket, p[i].b.q, w, PREFIX);
        if (UNLIKELY(SEE(f->beside)) && !out[i]) out[i] = contains_beside(f, hash[i], w);
    }
    bool sure = visible_same(&f->head.moves, before);
    for (size_t i = 0; i < n; i++) {
        if (UNLIKELY(!sure) && !out[i]) out[i] = contains(f, hash[i], w);
        present += out[i];
    }
    return present;
}

ALWAYS_INLINE size_t contains_many(const struct tidal *f, const uint64_t *hash, size_t n, bool *out, unsigned w) {
    size_t present = 0, i = 0;
    for (; n - i >= GROUP; i += GROUP) present += contains_group(f, hash + i, GROUP, out + i, w);
    return present + contains_group(f, hash + i, n - i, out + i, w);
}

/* ------------------------------------------------------------------------------------------- one of each, for each width */

#define CONST_SELF ((const struct tidal *)f)

#define DEFINE(w)                                                                                                     \
    bool TIDAL_READ(contains, GUIRA__ISA, w)(const guira *f, uint64_t hash) { return contains(CONST_SELF, hash, w); } \
    uint64_t TIDAL_READ(count, GUIRA__ISA, w)(const guira *f, uint64_t hash) { return count(CONST_SELF, hash, w); }   \
    size_t TIDAL_READ(contains_many, GUIRA__ISA, w)(const guira *f, const uint64_t *hash, size_t n, bool *out) {      \
        return contains_many(CONST_SELF, hash, n, out, w);                                                            \
    }

TIDAL_READ_DECLARE(GUIRA__ISA)

DEFINE(12)
DEFINE(16)
DEFINE(32)
DEFINE(64)
