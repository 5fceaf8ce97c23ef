/* See tidal_read.h. Nothing here writes, locks or waits; a question is asked again only if something has moved between
 * the first look and the last.
 *
 * Everything a writer changes is read by SEE or FOLLOW, buckets by match.h in words. There are two ways to ask:
 *
 *     at a glance    by the sight of a shard, arrays in one piece on the ground. Needs no permission, for these addresses
 *                    last (ground.h). Most questions are answered so.
 *     in the filter  by its directory, in its stash, among its elders. Only for those whom its memory waits for when it is
 *                    given up (limbo.h).
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

/* In the stash or among the elders. */
ALWAYS_INLINE bool contains_beside(const struct tidal *f, uint64_t address, unsigned w) {
    return SEE(f->beside) && (count_stash(f, address, w) > 0 || guira__elders_level(f, address, SHARED) > 0);
}

/* ------------------------------------------------------------------------------------------------------- in the filter */

/* Until nothing has moved. */
ALWAYS_INLINE bool contains(const struct tidal *f, uint64_t address, unsigned w) {
    for (;;) {
        uint64_t before = visible_before(f->head.moves);
        struct pair p = pair_of(f, address, w);
        if (either_matches(p.a.bucket, p.a.q, p.b.bucket, p.b.q, w, PREFIX)) return true;
        if (contains_beside(f, address, w)) return true;
        if (visible_same(f->head.moves, before)) return false;
    }
}

ALWAYS_INLINE uint64_t count(const struct tidal *f, uint64_t address, unsigned w) {
    for (;;) {
        uint64_t before = visible_before(f->head.moves);
        struct pair p = pair_of(f, address, w);
        uint64_t n = (unsigned)__builtin_popcount(match_mask(p.a.bucket, p.a.q, w, PREFIX));
        n += (unsigned)__builtin_popcount(match_mask(p.b.bucket, p.b.q, w, PREFIX));
        n += count_stash(f, address, w) + guira__elders_count(f, address, SHARED);
        if (visible_same(f->head.moves, before)) return n;
    }
}

/* ----------------------------------------------------------------------------------------------------------- at a glance */

ALWAYS_INLINE struct pair pair_at(const struct sight *s, uint64_t address, unsigned w) {
    enum { LEVEL = 1 }; /* which only names need to know, and those have no sight */
    const struct flat *v = FOLLOW(s->flat);
    uint64_t tide = FOLLOW(v->tide), core = core_of(address, w), partner = partner_of(address, w);
    uint64_t side_a = address < tide, side_b = partner < tide;
    return (struct pair){
        .a = probe_from(v->start[side_a], address, core, v->to_tail[side_a], LEVEL, w),
        .b = probe_from(v->start[side_b], partner, core, v->to_tail[side_b], LEVEL, w),
    };
}

/* Something has moved, or there is doubt: who has found what he looks for may believe it in spite of that. `before` was
 * sure, so without doubt nothing is the same. */
__attribute__((noinline)) static bool doubted(const struct sights *of, uint64_t address, uint64_t before, bool found) {
    const struct sight *s = sight_of(of, address);
    return (found && visible_since(&s->moves, before) <= DOUBT) || of->look_again(s, address, before | DOUBT);
}

/* As in tidal.c, no branch hangs on what the buckets say. */
ALWAYS_INLINE bool glance(const struct sights *of, uint64_t address, unsigned w) {
    const struct sight *s = sight_of(of, address);
    uint64_t before = visible_before_sure(&s->moves);
    struct pair p = pair_at(s, address, w);
    bool found = either_matches(p.a.bucket, p.a.q, p.b.bucket, p.b.q, w, PREFIX);
    if (UNLIKELY(!visible_same(&s->moves, before))) return doubted(of, address, before, found);
    return found;
}

/* In batches the counts are looked at once for a chunk of questions, which has a few for every shard. */
enum { GROUP = 32, CHUNK_PER_SHARD = 4 };

struct counts {
    uint64_t of[MAX_SHARDS];
};

ALWAYS_INLINE void counts_before(const struct sights *of, struct counts *c) {
    for (uint64_t i = 0; i < shards_of(of); i++) c->of[i] = visible_before_sure(&of->first[i].moves);
}

ALWAYS_INLINE uint64_t counts_since(const struct sights *of, const struct counts *before) {
    uint64_t moved = 0;
    for (uint64_t i = 0; i < shards_of(of); i++) moved |= visible_since(&of->first[i].moves, before->of[i]);
    return moved;
}

/* Something has moved, or there is doubt, in some shard. */
__attribute__((noinline)) static size_t look_again(const struct sights *of, const uint64_t *hash,
                                                   const struct counts *before, size_t n, bool *out) {
    size_t present = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sight *s = sight_of(of, hash[i]);
        uint64_t then = before->of[shard_number(of, hash[i])], since = visible_since(&s->moves, then);
        if (since > (out[i] ? DOUBT : 0)) out[i] = of->look_again(s, hash[i], then | DOUBT);
        present += out[i];
    }
    return present;
}

/* First fetch for a whole group, then look: see tidal.c. */
ALWAYS_INLINE size_t glance_group(const struct sights *of, const uint64_t *hash, size_t n, bool *out, unsigned w) {
    struct pair p[GROUP];
    size_t present = 0;
    for (size_t i = 0; i < n; i++) {
        p[i] = pair_at(sight_of(of, hash[i]), hash[i], w);
        __builtin_prefetch(p[i].a.bucket);
        __builtin_prefetch(p[i].b.bucket);
    }
    for (size_t i = 0; i < n; i++) {
        bool found = either_matches(p[i].a.bucket, p[i].a.q, p[i].b.bucket, p[i].b.q, w, PREFIX);
        out[i] = found;
        present += found;
    }
    return present;
}

ALWAYS_INLINE size_t glance_chunk(const struct sights *all, const uint64_t *hash, size_t n, bool *out, unsigned w) {
    struct sights of = *all; /* or they would be read again for each */
    struct counts before;
    size_t present = 0, i = 0;
    counts_before(&of, &before);
    for (; n - i >= GROUP; i += GROUP) present += glance_group(&of, hash + i, GROUP, out + i, w);
    present += glance_group(&of, hash + i, n - i, out + i, w);
    return UNLIKELY(counts_since(&of, &before) != 0) ? look_again(all, hash, &before, n, out) : present;
}

ALWAYS_INLINE size_t glance_many(const struct sights *of, const uint64_t *hash, size_t n, bool *out, unsigned w) {
    size_t few = shards_of(of), chunk = few < GROUP / CHUNK_PER_SHARD ? GROUP : CHUNK_PER_SHARD * few;
    size_t present = 0, i = 0;
    for (size_t now; n - i >= few; i += now) {
        now = n - i < chunk ? n - i : chunk;
        present += glance_chunk(of, hash + i, now, out + i, w);
    }
    for (; i < n; i++) present += out[i] = glance(of, hash[i], w);
    return present;
}

/* ------------------------------------------------------------------------------------------- one of each, for each width */

#define CONST_SELF ((const struct tidal *)f)

#define DEFINE(w)                                                                                                     \
    bool TIDAL_READ(contains, GUIRA__ISA, w)(const guira *f, uint64_t hash) { return contains(CONST_SELF, hash, w); } \
    bool TIDAL_READ(beside, GUIRA__ISA, w)(const guira *f, uint64_t hash) {                                           \
        return contains_beside(CONST_SELF, hash, w);                                                                  \
    }                                                                                                                 \
    uint64_t TIDAL_READ(count, GUIRA__ISA, w)(const guira *f, uint64_t hash) { return count(CONST_SELF, hash, w); }   \
    bool TIDAL_READ(glance, GUIRA__ISA, w)(const struct sights *of, uint64_t hash) { return glance(of, hash, w); }    \
    size_t TIDAL_READ(glance_many, GUIRA__ISA, w)(const struct sights *of, const uint64_t *hash, size_t n,            \
                                                  bool *out) {                                                        \
        return glance_many(of, hash, n, out, w);                                                                      \
    }

TIDAL_READ_DECLARE(GUIRA__ISA)

DEFINE(12)
DEFINE(16)
DEFINE(32)
DEFINE(64)
