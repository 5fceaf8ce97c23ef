/* The tidal filter: asking, adding, taking away. Growing and shrinking are in tidal_steps.h.
 *
 * Compiled once per instruction set (GUIRA__ISA); every function that takes w is inlined with w a constant. */
#include "tidal.h"

#include <math.h>

#include "isa.h"
#include "journal.h"
#include "match.h"
#include "tidal_age.h"
#include "tidal_elders.h"
#include "tidal_file.h"
#include "tidal_merge.h"
#include "tidal_read.h"
#include "tidal_table.h"
#include "tidal_whole.h"
#include "window.h"

#define APART __attribute__((noinline))

/* ---------------------------------------------------------------------------------------------------------- lookups */

/* Whether each array lies in one piece, so that its start says where every bucket is, or in segments. */
enum lie { IN_SEGMENTS, FLAT };

ALWAYS_INLINE struct probe probe_at(const struct tidal *f, uint64_t address, uint64_t core, unsigned w, enum lie lie) {
    uint64_t side = address < f->tide;
    uintptr_t start = lie == FLAT ? f->start[side] : f->segment[2 * (address >> f->to_segment) + side];
    return probe_from(start, address, core, f->to_tail - side, level_of(f, (unsigned)side), w);
}

APART static bool contains_beside(const struct tidal *f, uint64_t address, unsigned w) {
    for (unsigned i = 0; i < f->head.stash.n; i++)
        if (entry_is(f->head.stash.entry[i], address, w)) return true;
    return guira__elders_level(f, address, ALONE) > 0;
}

ALWAYS_INLINE bool contains(const struct tidal *f, uint64_t address, unsigned w, enum lie lie) {
    uint64_t core = core_of(address, w);
    struct probe a = probe_at(f, address, core, w, lie);
    struct probe b = probe_at(f, address ^ guira__displacement[core], core, w, lie);
    bool found = either_matches(a.bucket, a.q, b.bucket, b.q, w, PREFIX);
    if (UNLIKELY(f->beside)) return found || contains_beside(f, address, w);
    return found; /* no branch hangs on what the buckets say, so the next lookup need not wait for them */
}

/* Beyond the cache a lookup is two misses, and how many of them are under way at once decides. So: first fetch for a
 * whole group, then look. 32 lookups are enough to cover the latency. */
enum { GROUP = 32 };

ALWAYS_INLINE size_t contains_group(const struct tidal *f, const uint64_t *hash, size_t n, bool *out, unsigned w,
                                    enum lie lie) {
    struct probe a[GROUP], b[GROUP];
    size_t present = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t core = core_of(hash[i], w);
        a[i] = probe_at(f, hash[i], core, w, lie);
        b[i] = probe_at(f, hash[i] ^ guira__displacement[core], core, w, lie);
        __builtin_prefetch(a[i].bucket);
        __builtin_prefetch(b[i].bucket);
    }
    for (size_t i = 0; i < n; i++) {
        bool found = either_matches(a[i].bucket, a[i].q, b[i].bucket, b[i].q, w, PREFIX);
        if (UNLIKELY(f->beside) && !found) found = contains_beside(f, hash[i], w);
        out[i] = found;
        present += found;
    }
    return present;
}

ALWAYS_INLINE size_t contains_many(const struct tidal *f, const uint64_t *hash, size_t n, bool *out, unsigned w,
                                   enum lie lie) {
    size_t present = 0, i = 0;
    for (; n - i >= GROUP; i += GROUP) present += contains_group(f, hash + i, GROUP, out + i, w, lie);
    return present + contains_group(f, hash + i, n - i, out + i, w, lie);
}

ALWAYS_INLINE void prefetch(const struct tidal *f, uint64_t address, unsigned w) {
    __builtin_prefetch(bucket_of(f, address, w), 1);
    __builtin_prefetch(bucket_of(f, partner_of(address, w), w), 1);
}

ALWAYS_INLINE uint64_t count(const struct tidal *f, uint64_t address, unsigned w) {
    uint64_t core = core_of(address, w), n = 0;
    struct probe a = probe_at(f, address, core, w, IN_SEGMENTS);
    struct probe b = probe_at(f, partner_of(address, w), core, w, IN_SEGMENTS);
    n += (unsigned)__builtin_popcount(match_mask(a.bucket, a.q, w, PREFIX));
    n += (unsigned)__builtin_popcount(match_mask(b.bucket, b.q, w, PREFIX));
    for (unsigned i = 0; i < f->head.stash.n; i++) n += entry_is(f->head.stash.entry[i], address, w);
    return n + guira__elders_count(f, address, ALONE);
}

/* ------------------------------------------------------------------------------------------------------ a place for all */

#define FILTER struct tidal

struct spot {
    uint8_t *bucket;
    uint64_t number;
    unsigned level;
};

ALWAYS_INLINE struct spot spot_of(const struct tidal *f, uint64_t address, unsigned w) {
    unsigned side = side_of(f, address), level = level_of(f, side);
    uint64_t number = address >> (64 - level);
    return (struct spot){bucket_at(f, side, number, w), number, level};
}

ALWAYS_INLINE struct entry spot_read(const struct tidal *f, struct spot at, uint64_t slot, unsigned w) {
    (void)f;
    return slot_decode(slot, at.number, at.level, w);
}

ALWAYS_INLINE bool entry_fits(const struct tidal *f, struct entry e) {
    return known_of(e) >= level_of(f, side_of(f, e.where));
}

ALWAYS_INLINE bool entry_cross(const struct tidal *f, struct entry *e, unsigned w) {
    uint64_t keep = leading(known_of(*e)) | ((1U << core_bits(w)) - 1);
    e->where = partner_of(e->where, w) & keep;
    return entry_fits(f, *e);
}

/* The mark and what is below it do not matter here: an entry that can live there knows its bucket. */
ALWAYS_INLINE const uint8_t *spot_across(const struct tidal *f, struct spot at, uint64_t slot, unsigned w) {
    unsigned t = tail_bits(w);
    uint64_t here = at.number << (64 - at.level) | slot << (63 - t) >> at.level; /* but for the core */
    return bucket_of(f, here ^ guira__displacement[slot_body(slot, w) >> (t + 1)], w);
}

/* While the filter grows there is room in the buckets that were split last, left of the tide, and almost none elsewhere.
 * Who can go there is in the other half of the table. The very last to be split are few: it is the half that was being
 * split a 32nd of all addresses ago. */
ALWAYS_INLINE void entry_face(const struct tidal *f, struct entry *e, unsigned w) {
    uint64_t newest = f->tide - (UINT64_C(1) << 59);
    struct entry other = *e;
    entry_cross(f, &other, w);
    e->where = choose((e->where ^ newest) >> 63 == 0, other.where, e->where); /* which one nobody can predict */
}

ALWAYS_INLINE void entry_weigh(struct tidal *f, struct entry e) { f->head.weight += weight_of(known_of(e)); }
ALWAYS_INLINE void entry_lift(struct tidal *f, struct entry e) { f->head.weight -= weight_of(known_of(e)); }

ALWAYS_INLINE void spot_weigh(struct tidal *f, struct spot at, struct entry e, unsigned w) {
    unsigned known = known_of(e), most = known_at(at.level, w);
    f->head.weight += weight_of(known < most ? known : most);
}

ALWAYS_INLINE void spot_put(struct tidal *f, struct spot at, unsigned slot, struct entry e, struct journal *log,
                            unsigned w) {
    spot_weigh(f, at, e, w);
    journal_set(log, at.bucket, slot, slot_encode(e, at.level, w), w);
}

#define EVICT_ROOM

/* The oldest stamp there can be is the next one, 32 steps back. From there on come the dead, and perhaps what is empty. */
ALWAYS_INLINE unsigned room_in(const struct tidal *f, const uint8_t *bucket, unsigned w) {
    if (w != AGED) return empty_mask(bucket, w);
    uint32_t oldest = (uint32_t)(f->clock.step + 1) << AGED;
    uint32_t dead = ((uint32_t)(STAMPS - 1 - OLDEST_ALIVE) << AGED) - 1;
    return empty_mask(bucket, w) | range_mask(bucket, oldest, dead);
}

/* The one that was dead is as good as dropped; if the journal brings it back, the caller brings back the counters. */
ALWAYS_INLINE void spot_fill(struct tidal *f, struct spot at, unsigned slot, struct entry e, struct journal *log,
                             unsigned w) {
    uint64_t dead = w == AGED ? slot_get(at.bucket, slot, w) : 0;
    if (dead != 0) {
        entry_lift(f, spot_read(f, at, dead, w));
        f->head.items--;
    }
    spot_put(f, at, slot, e, log, w);
}

#include "evict.h"

#include "tidal_steps.h"

/* ------------------------------------------------------------------------------------------------------------- insertion
 * The usual case is kept free of everything else: what is rare is done by a function called last. And as few branches as
 * possible hang on what the buckets say, because until they are decided the next insertion gets nowhere: one more of
 * them made 10 million insertions per second beyond the cache 6 million. */

ALWAYS_INLINE guira_status inserted(struct tidal *f) {
    f->head.items++;
    if (UNLIKELY(f->head.items > f->grow_at || f->head.stash.n > STASH_EASY)) return swell(f);
    return GUIRA_OK;
}

/* Table and stash are full, because there was no memory when the filter should have grown. If there is now, e gets the
 * last place of the stash, which is kept for this: once the filter has grown, the insertion must not fail any more. */
static guira_status grow_first(struct tidal *f, struct entry e) {
    if (f->head.items <= f->grow_at || f->head.stash.n >= STASH_LAST) return GUIRA_EFULL;
    guira_status s = f->head.ops->grow(&f->head);
    if (s != GUIRA_OK) return s;
    stash_push(&f->head.stash, e, STASH_LAST);
    entry_weigh(f, e);
    return GUIRA_OK;
}

ALWAYS_INLINE struct copies copies_of(const struct tidal *f, uint64_t address, unsigned w) {
    struct copies copies = {.places = 2 * bucket_slots(w)};
    if (w == AGED) return copies; /* nobody is inserted who is there and alive */
    uint64_t core = core_of(address, w);
    struct probe a = probe_at(f, address, core, w, IN_SEGMENTS);
    struct probe b = probe_at(f, partner_of(address, w), core, w, IN_SEGMENTS);
    copies.in_table = (unsigned)__builtin_popcount(match_mask(a.bucket, a.q, w, PREFIX)) +
                      (unsigned)__builtin_popcount(match_mask(b.bucket, b.q, w, PREFIX));
    for (unsigned i = 0; i < f->head.stash.n; i++) copies.in_stash += entry_is(f->head.stash.entry[i], address, w);
    return copies;
}

ALWAYS_INLINE guira_status insert_crowded(struct tidal *f, uint64_t address, unsigned w) {
    struct entry e = entry_new(f, address, w);
    if (w == AGED && place_at_once(f, e, NULL, w)) return inserted(f); /* somebody there was dead */
    guira_status s = place_crowded(f, e, copies_of(f, address, w), w);
    if (s == GUIRA_EFULL) s = grow_first(f, e);
    if (f->head.stash.n > 0) watch_beside(f);
    return s == GUIRA_OK ? inserted(f) : s;
}

/* Straight to the emptier of the two buckets, if there is any room. Which one that is nobody can predict, so it is
 * chosen without a branch. */
ALWAYS_INLINE guira_status insert(struct tidal *f, uint64_t address, unsigned w) {
    uint8_t *a = bucket_of(f, address, w), *b = bucket_of(f, partner_of(address, w), w);
    unsigned room_a = empty_mask(a, w), room_b = empty_mask(b, w);
    if (UNLIKELY((room_a | room_b) == 0)) return f->head.ops->insert_crowded(&f->head, address);
    bool in_b = __builtin_popcount(room_b) > __builtin_popcount(room_a);
    uint64_t where = choose(in_b, partner_of(address, w), address);
    unsigned side = side_of(f, where), level = level_of(f, side);
    uint8_t *bucket = (uint8_t *)choose(in_b, (uintptr_t)b, (uintptr_t)a);
    unsigned slot = (unsigned)__builtin_ctz((unsigned)choose(in_b, room_b, room_a));
    uint64_t s = w == 64 ? slot_encode((struct entry){where, ALL_KNOWN}, level, w)
                         : full_slot(where >> (f->to_tail - side), core_of(address, w), w);
    slot_set(bucket, slot, s | stamp_now(f, w) << AGED, w);
    f->head.weight += weight_of(known_at(level, w));
    return inserted(f);
}

/* An entry from another filter, which knows less than a newcomer, perhaps too little for where it should go. Does not
 * grow: EFULL. */
ALWAYS_INLINE guira_status adopt(struct tidal *f, struct entry e, unsigned w) {
    struct entry other = e;
    bool fits = entry_cross(f, &other, w) || entry_fits(f, e);
    if (!fits && !guira__elders_ready(f, &e, 1)) return GUIRA_ENOMEM;
    if (!fits) guira__elders_add(f, e);
    else if (!place(f, e, f->head.config.max_kicks, NULL, w)) {
        if (!stash_push(&f->head.stash, e, STASH_EASY)) return GUIRA_EFULL;
        entry_weigh(f, e);
    }
    watch_beside(f);
    f->head.items++;
    return GUIRA_OK;
}

/* ------------------------------------------------------------------------------------------------------------- removal */

/* Whose entry is it? Several may match, and all but one belong to others. WHY THE LONGEST: see docs/tidal.md; in short,
 * an entry that knows fewer bits may be somebody else's, and whoever it is still matches every longer entry's place. */
struct finding {
    unsigned known; /* 0: nothing found */
    unsigned slot;
    uint8_t *bucket; /* NULL: not in the table */
    int stash;       /* -1: not in the stash */
};

ALWAYS_INLINE void find_longest(const struct tidal *f, struct finding *best, uint64_t address, unsigned w) {
    struct probe p = probe_at(f, address, core_of(address, w), w, IN_SEGMENTS);
    unsigned level = level_of(f, side_of(f, address));
    for (unsigned mask = match_mask(p.bucket, p.q, w, PREFIX); mask != 0; mask &= mask - 1) {
        unsigned j = (unsigned)__builtin_ctz(mask);
        unsigned known = slot_known(slot_get(p.bucket, j, w), level, w);
        if (known > best->known) *best = (struct finding){known, j, (uint8_t *)(uintptr_t)p.bucket, -1};
    }
}

APART static void find_longest_beside(const struct tidal *f, struct finding *best, uint64_t address, unsigned w) {
    for (unsigned i = 0; i < f->head.stash.n; i++) {
        struct entry e = f->head.stash.entry[i];
        if (known_of(e) > best->known && entry_is(e, address, w))
            *best = (struct finding){known_of(e), 0, NULL, (int)i};
    }
    unsigned level = guira__elders_level(f, address, ALONE);
    if (level > best->known) *best = (struct finding){level, 0, NULL, -1};
}

ALWAYS_INLINE guira_status removed(struct tidal *f) {
    f->head.items--;
    return UNLIKELY(f->head.items < f->shrink_at) ? ebb(f) : GUIRA_OK;
}

/* None or several match, or there is something beside the table. */
ALWAYS_INLINE guira_status remove_unclear(struct tidal *f, uint64_t address, unsigned w) {
    struct finding best = {0, 0, NULL, -1};
    find_longest(f, &best, address, w);
    find_longest(f, &best, partner_of(address, w), w);
    if (f->beside) find_longest_beside(f, &best, address, w);
    if (best.known == 0) return GUIRA_ENOTFOUND;
    if (best.bucket != NULL) slot_set(best.bucket, best.slot, 0, w);
    else if (best.stash >= 0) stash_drop(&f->head.stash, (uint64_t)best.stash, f->head.moves);
    else guira__elders_remove(f, address, best.known);
    if (best.bucket != NULL || best.stash >= 0) f->head.weight -= weight_of(best.known);
    bring_home(f, 0, w);
    watch_beside(f);
    return removed(f);
}

/* The usual case: one slot of one bucket. Again without a branch that nobody could predict. */
ALWAYS_INLINE guira_status remove_one(struct tidal *f, uint64_t address, unsigned w) {
    uint64_t core = core_of(address, w), partner = partner_of(address, w);
    struct probe a = probe_at(f, address, core, w, IN_SEGMENTS), b = probe_at(f, partner, core, w, IN_SEGMENTS);
    unsigned in_a = match_mask(a.bucket, a.q, w, PREFIX), in_b = match_mask(b.bucket, b.q, w, PREFIX);
    unsigned both = in_a | in_b << 16;
    if (UNLIKELY(f->beside || __builtin_popcount(both) != 1)) return f->head.ops->remove_unclear(&f->head, address);
    bool is_b = in_b != 0;
    unsigned slot = (unsigned)__builtin_ctz(in_a | in_b);
    unsigned level = level_of(f, side_of(f, choose(is_b, partner, address)));
    uint8_t *bucket = (uint8_t *)choose(is_b, (uintptr_t)b.bucket, (uintptr_t)a.bucket);
    f->head.weight -= weight_of(slot_known(slot_get(bucket, slot, w), level, w));
    slot_set(bucket, slot, 0, w);
    return removed(f);
}

#include "tidal_sight.h"

/* ------------------------------------------------------------------------------------------- one of each, for each width */

#define SELF ((struct tidal *)f)
#define CONST_SELF ((const struct tidal *)f)

#define NAME_(isa) guira__tidal_##isa
#define NAME(isa) NAME_(isa)
extern const struct guira__ops NAME(GUIRA__ISA)[5];

/* What all have; windows have no more than that. */
#define DEFINE_CHANGES(w)                                                                              \
    static void prefetch_##w(const guira *f, uint64_t hash) { prefetch(CONST_SELF, hash, w); }         \
    static guira_status insert_##w(guira *f, uint64_t hash) { return insert(SELF, hash, w); }          \
    static guira_status crowded_##w(guira *f, uint64_t hash) { return insert_crowded(SELF, hash, w); } \
    static guira_status grow_##w(guira *f) { return grow_step(SELF, w); }                              \
    static guira_status shrink_##w(guira *f) { return shrink_step(SELF, w); }

#define DEFINE(w)                                                                                                  \
    DEFINE_CHANGES(w)                                                                                              \
    static bool contains_##w(const guira *f, uint64_t hash) { return contains(CONST_SELF, hash, w, IN_SEGMENTS); } \
    static bool contains_flat_##w(const guira *f, uint64_t hash) { return contains(CONST_SELF, hash, w, FLAT); }   \
    static size_t contains_many_##w(const guira *f, const uint64_t *hash, size_t n, bool *out) {                   \
        return CONST_SELF->head.contains == contains_flat_##w                                                      \
                   ? contains_many(CONST_SELF, hash, n, out, w, FLAT)                                              \
                   : contains_many(CONST_SELF, hash, n, out, w, IN_SEGMENTS);                                      \
    }                                                                                                              \
    static uint64_t count_##w(const guira *f, uint64_t hash) { return count(CONST_SELF, hash, w); }                \
    static guira_status remove_##w(guira *f, uint64_t hash) { return remove_one(SELF, hash, w); }                  \
    static guira_status unclear_##w(guira *f, uint64_t hash) { return remove_unclear(SELF, hash, w); }             \
    static guira_status adopt_##w(guira *f, struct entry e) { return adopt(SELF, e, w); }

DEFINE(12)
DEFINE(16)
DEFINE(32)
DEFINE(64)
DEFINE_CHANGES(27)

TIDAL_READ_DECLARE(GUIRA__ISA)

#define CHANGES(w)                                                                                          \
    .slot_bits = (w), .create = guira__tidal_create, .destroy = guira__tidal_destroy, .insert = insert_##w, \
    .insert_crowded = crowded_##w, .prefetch = prefetch_##w, .grow = grow_##w, .shrink = shrink_##w,        \
    .clear = guira__tidal_clear, .clone = guira__tidal_clone, .stats = guira__tidal_stats

#define TABLE(w)                                                                                                       \
    {                                                                                                                  \
        CHANGES(w),                                                                                                    \
            .elders = &NAME(GUIRA__ISA)[4], .adopt = adopt_##w, .merge = guira__tidal_merge, .contains = contains_##w, \
            .contains_flat = contains_flat_##w, .contains_shared = TIDAL_READ(contains, GUIRA__ISA, w),                \
            .beside_shared = TIDAL_READ(beside, GUIRA__ISA, w), .count_shared = TIDAL_READ(count, GUIRA__ISA, w),      \
            .glance = TIDAL_READ(glance, GUIRA__ISA, w), .glance_many = TIDAL_READ(glance_many, GUIRA__ISA, w),        \
            .remove = remove_##w, .remove_unclear = unclear_##w, .count = count_##w,                                   \
            .contains_many = contains_many_##w, .reserve = guira__tidal_reserve,                                       \
            .shrink_to_fit = guira__tidal_shrink_to_fit, .check = guira__tidal_check, .dump = guira__tidal_dump,       \
            .save = guira__tidal_save, .view = guira__tidal_view,                                                      \
    }

#define WINDOW                                                                                             \
    {                                                                                                      \
        CHANGES(27), .age = age, .renew = renew, .check = guira__window_check, .dump = guira__window_dump, \
                     .save = guira__window_save, .view = guira__window_view,                               \
    }

const struct guira__ops NAME(GUIRA__ISA)[5] = {TABLE(12), TABLE(16), TABLE(32), WINDOW, TABLE(64)};
