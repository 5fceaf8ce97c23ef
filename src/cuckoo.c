/* The plain cuckoo filter: a fixed number of buckets, any number of them.
 *
 *     key -> hash -> bucket i = the upper half of it scaled to m      one of m, for any m
 *                    fingerprint F = the lower half scaled to 1..2^w - 1
 *
 *     partner of i: (h(F) - i) mod m         subtracting twice gives i again, so no power of two is needed
 *
 * Scaling the fingerprint leaves out 0, which means empty. Folding 0 onto 1 instead would double one fingerprint's odds.
 *
 * Compiled once per instruction set (GUIRA__ISA); every function that takes w is inlined with w a constant. */
#include <math.h>

#include "alloc.h"
#include "format.h"
#include "isa.h"
#include "journal.h"
#include "match.h"

#define MAX_BUCKETS (UINT64_C(1) << 32) /* half a hash tells no more of them apart */

struct cuckoo {
    guira head;
    uint8_t *table;
    uint64_t buckets;
    bool in_region;
    bool is_view; /* the table is part of a file: not ours */
};

#define FILTER struct cuckoo

/* --------------------------------------------------------------------------------------------- fingerprints and buckets */

ALWAYS_INLINE uint64_t scale(uint64_t half_hash, uint64_t n) { return half_hash * n >> 32; }

ALWAYS_INLINE uint64_t fingerprint_of(uint64_t hash, unsigned w) {
    return 1 + scale(hash & UINT32_MAX, (UINT64_C(1) << w) - 1);
}

ALWAYS_INLINE uint64_t partner_of(const struct cuckoo *f, uint64_t bucket, uint64_t fingerprint) {
    uint64_t h = scale(fingerprint * UINT64_C(0x9e3779b97f4a7c15) >> 32, f->buckets);
    return h >= bucket ? h - bucket : h + f->buckets - bucket;
}

ALWAYS_INLINE struct entry entry_of(const struct cuckoo *f, uint64_t hash, unsigned w) {
    return (struct entry){scale(hash >> 32, f->buckets), fingerprint_of(hash, w)};
}

struct spot {
    uint8_t *bucket;
    uint64_t number;
};

ALWAYS_INLINE struct spot spot_of(const struct cuckoo *f, uint64_t number, unsigned w) {
    return (struct spot){f->table + (number << bucket_shift(w)), number};
}

ALWAYS_INLINE struct entry spot_read(const struct cuckoo *f, struct spot at, uint64_t slot, unsigned w) {
    (void)f;
    (void)w;
    return (struct entry){at.number, slot};
}

ALWAYS_INLINE bool entry_fits(const struct cuckoo *f, struct entry e) {
    (void)f;
    (void)e;
    return true;
}

ALWAYS_INLINE bool entry_cross(const struct cuckoo *f, struct entry *e, unsigned w) {
    (void)w;
    e->where = partner_of(f, e->where, e->what);
    return true;
}

ALWAYS_INLINE const uint8_t *spot_across(const struct cuckoo *f, struct spot at, uint64_t slot, unsigned w) {
    return spot_of(f, partner_of(f, at.number, slot), w).bucket;
}

/* One is as good as the other. */
ALWAYS_INLINE void entry_face(const struct cuckoo *f, struct entry *e, unsigned w) {
    (void)f;
    (void)e;
    (void)w;
}

/* Every entry weighs the same here: the number of items says it all. */
ALWAYS_INLINE void entry_weigh(struct cuckoo *f, struct entry e) {
    (void)f;
    (void)e;
}
ALWAYS_INLINE void entry_lift(struct cuckoo *f, struct entry e) {
    (void)f;
    (void)e;
}

ALWAYS_INLINE void spot_put(struct cuckoo *f, struct spot at, unsigned slot, struct entry e, struct journal *log,
                            unsigned w) {
    (void)f;
    journal_set(log, at.bucket, slot, e.what, w);
}

#include "evict.h"

/* ------------------------------------------------------------------------------------------------------------- asking */

ALWAYS_INLINE bool entry_is(struct entry a, struct entry e, uint64_t partner) {
    return a.what == e.what && (a.where == e.where || a.where == partner);
}

/* The entries of the stash that are e: bit i for place i. */
static unsigned in_stash(const struct cuckoo *f, struct entry e) {
    unsigned mask = 0;
    for (unsigned i = 0; i < f->head.stash.n; i++)
        mask |= (unsigned)entry_is(f->head.stash.entry[i], e, partner_of(f, e.where, e.what)) << i;
    return mask;
}

ALWAYS_INLINE bool contains(const struct cuckoo *f, uint64_t hash, unsigned w) {
    struct entry e = entry_of(f, hash, w);
    const uint8_t *a = spot_of(f, e.where, w).bucket, *b = spot_of(f, partner_of(f, e.where, e.what), w).bucket;
    bool found = either_matches(a, e.what, b, e.what, w, EXACT);
    if (UNLIKELY(f->head.stash.n > 0)) return found || in_stash(f, e) != 0;
    return found;
}

ALWAYS_INLINE void prefetch(const struct cuckoo *f, uint64_t hash, unsigned w) {
    struct entry e = entry_of(f, hash, w);
    __builtin_prefetch(spot_of(f, e.where, w).bucket, 1);
    __builtin_prefetch(spot_of(f, partner_of(f, e.where, e.what), w).bucket, 1);
}

/* First fetch for a whole group, then look: see tidal.c. */
enum { GROUP = 32 };

ALWAYS_INLINE size_t contains_group(const struct cuckoo *f, const uint64_t *hash, size_t n, bool *out, unsigned w) {
    const uint8_t *a[GROUP], *b[GROUP];
    uint64_t fingerprint[GROUP];
    size_t present = 0;
    for (size_t i = 0; i < n; i++) {
        struct entry e = entry_of(f, hash[i], w);
        a[i] = spot_of(f, e.where, w).bucket;
        b[i] = spot_of(f, partner_of(f, e.where, e.what), w).bucket;
        fingerprint[i] = e.what;
        __builtin_prefetch(a[i]);
        __builtin_prefetch(b[i]);
    }
    for (size_t i = 0; i < n; i++) {
        bool found = either_matches(a[i], fingerprint[i], b[i], fingerprint[i], w, EXACT);
        if (UNLIKELY(f->head.stash.n > 0) && !found) found = in_stash(f, entry_of(f, hash[i], w)) != 0;
        out[i] = found;
        present += found;
    }
    return present;
}

ALWAYS_INLINE size_t contains_many(const struct cuckoo *f, const uint64_t *hash, size_t n, bool *out, unsigned w) {
    size_t present = 0, i = 0;
    for (; n - i >= GROUP; i += GROUP) present += contains_group(f, hash + i, GROUP, out + i, w);
    return present + contains_group(f, hash + i, n - i, out + i, w);
}

/* The slots of one fingerprint, in its two buckets, which may be one and the same. */
struct found {
    struct spot a, b;
    unsigned in_a, in_b; /* masks */
    unsigned places;
};

ALWAYS_INLINE struct found find(const struct cuckoo *f, struct entry e, unsigned w) {
    uint64_t partner = partner_of(f, e.where, e.what);
    struct found found = {.a = spot_of(f, e.where, w), .b = spot_of(f, partner, w), .places = bucket_slots(w)};
    found.in_a = match_mask(found.a.bucket, e.what, w, EXACT);
    if (partner == e.where) return found;
    found.in_b = match_mask(found.b.bucket, e.what, w, EXACT);
    found.places *= 2;
    return found;
}

ALWAYS_INLINE unsigned in_table(struct found found) {
    return (unsigned)__builtin_popcount(found.in_a) + (unsigned)__builtin_popcount(found.in_b);
}

ALWAYS_INLINE uint64_t count(const struct cuckoo *f, uint64_t hash, unsigned w) {
    struct entry e = entry_of(f, hash, w);
    return in_table(find(f, e, w)) + (unsigned)__builtin_popcount(in_stash(f, e));
}

/* ------------------------------------------------------------------------------------------------------------ changing */

ALWAYS_INLINE guira_status insert_crowded(struct cuckoo *f, uint64_t hash, unsigned w) {
    struct entry e = entry_of(f, hash, w);
    struct found found = find(f, e, w);
    struct copies copies = {found.places, in_table(found), (unsigned)__builtin_popcount(in_stash(f, e))};
    guira_status s = place_crowded(f, e, copies, w);
    f->head.items += s == GUIRA_OK;
    return s;
}

ALWAYS_INLINE guira_status insert(struct cuckoo *f, uint64_t hash, unsigned w) {
    struct entry e = entry_of(f, hash, w);
    uint8_t *a = spot_of(f, e.where, w).bucket, *b = spot_of(f, partner_of(f, e.where, e.what), w).bucket;
    unsigned room_a = empty_mask(a, w), room_b = empty_mask(b, w);
    if (UNLIKELY((room_a | room_b) == 0)) return f->head.ops->insert_crowded(&f->head, hash);
    bool in_b = __builtin_popcount(room_b) > __builtin_popcount(room_a);
    uint8_t *bucket = (uint8_t *)choose(in_b, (uintptr_t)b, (uintptr_t)a);
    slot_set(bucket, (unsigned)__builtin_ctz((unsigned)choose(in_b, room_b, room_a)), e.what, w);
    f->head.items++;
    return GUIRA_OK;
}

ALWAYS_INLINE guira_status remove_one(struct cuckoo *f, uint64_t hash, unsigned w) {
    struct entry e = entry_of(f, hash, w);
    struct found found = find(f, e, w);
    unsigned stashed = f->head.stash.n > 0 ? in_stash(f, e) : 0;
    if (found.in_a != 0) slot_set(found.a.bucket, (unsigned)__builtin_ctz(found.in_a), 0, w);
    else if (found.in_b != 0) slot_set(found.b.bucket, (unsigned)__builtin_ctz(found.in_b), 0, w);
    else if (stashed != 0) stash_drop(&f->head.stash, (unsigned)__builtin_ctz(stashed), f->head.moves);
    else return GUIRA_ENOTFOUND;
    f->head.items--;
    if (UNLIKELY(f->head.stash.n > 0)) bring_home(f, 0, w);
    return GUIRA_OK;
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static unsigned width(const struct cuckoo *f) { return f->head.ops->slot_bits; }
static size_t table_bytes(const struct cuckoo *f) { return (size_t)(f->buckets << bucket_shift(width(f))); }

/* The table, all empty: in a region if it is big, so that it gets huge pages. */
static guira_status table_make(struct cuckoo *f) {
    if (!guira__memory_has((double)table_bytes(f))) return GUIRA_ENOMEM;
    f->table = table_bytes(f) < REGION_WORTH ? NULL : guira__region_open(table_bytes(f));
    f->in_region = f->table != NULL;
    if (f->in_region) guira__region_expect(f->table, 0, table_bytes(f));
    else f->table = guira__zalloc(table_bytes(f));
    f->head.bytes = guira__alloc_cost(sizeof *f) + (f->in_region ? table_bytes(f) : guira__alloc_cost(table_bytes(f)));
    return f->table != NULL ? GUIRA_OK : GUIRA_ENOMEM;
}

/* What the capacity needs; MAX_BUCKETS + 1: too many. */
static uint64_t buckets_for(const guira_config *c, unsigned w) {
    double buckets = ceil((double)c->capacity / (c->max_load * bucket_slots(w)));
    return buckets > (double)MAX_BUCKETS ? MAX_BUCKETS + 1 : (uint64_t)buckets;
}

static guira_status create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    uint64_t buckets = buckets_for(c, ops->slot_bits);
    if (buckets > MAX_BUCKETS) return GUIRA_ELIMIT;
    struct cuckoo *f = guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    f->head.ops = ops;
    f->head.contains = ops->contains;
    f->head.config = *c;
    f->buckets = buckets;
    if (table_make(f) != GUIRA_OK) {
        guira__free(f);
        return GUIRA_ENOMEM;
    }
    guira__secret_derive(c->seed, f->head.secret);
    f->head.rng = guira__hash(f->head.secret, NULL, 0);
    *out = &f->head;
    return GUIRA_OK;
}

static void destroy(guira *head) {
    struct cuckoo *f = (struct cuckoo *)head;
    if (f->in_region) guira__region_close(f->table, table_bytes(f));
    else if (!f->is_view) guira__free(f->table);
    guira__free(f);
}

static guira_status clone(const guira *head, guira **out) {
    const struct cuckoo *f = (const struct cuckoo *)head;
    struct cuckoo *g = guira__alloc(sizeof *g);
    if (g == NULL) return GUIRA_ENOMEM;
    *g = *f;
    g->is_view = false;
    if (table_make(g) != GUIRA_OK) {
        guira__free(g);
        return GUIRA_ENOMEM;
    }
    memcpy(g->table, f->table, table_bytes(f));
    *out = &g->head;
    return GUIRA_OK;
}

static guira_status reserve(guira *head, uint64_t items) {
    const struct cuckoo *f = (const struct cuckoo *)head;
    double room = head->config.max_load * (double)(f->buckets * bucket_slots(width(f)));
    return (double)items <= room || items <= head->config.capacity ? GUIRA_OK : GUIRA_EUNSUPPORTED;
}

static guira_status shrink_to_fit(guira *head) {
    (void)head;
    return GUIRA_EUNSUPPORTED;
}

static guira_status clear(guira *head) {
    struct cuckoo *f = (struct cuckoo *)head;
    memset(f->table, 0, table_bytes(f));
    head->stash = (struct stash){0};
    head->items = 0;
    return GUIRA_OK;
}

/* A random key has one fingerprint of 2^w - 1 and meets the entries of two buckets. */
static void stats(const guira *head, guira_stats *out) {
    const struct cuckoo *f = (const struct cuckoo *)head;
    out->buckets = f->buckets;
    out->slots = f->buckets * bucket_slots(width(f));
    out->bytes = head->bytes;
    out->fpr = -expm1(-2.0 * (double)head->items / (double)f->buckets / (ldexp(1, (int)width(f)) - 1));
}

static const char *check_stash(const struct cuckoo *f) {
    const struct stash *s = &f->head.stash;
    if (s->n > STASH_SIZE) return "stash: more than it can hold";
    for (unsigned i = 0; i < s->n; i++) {
        struct entry e = s->entry[i];
        if (e.where >= f->buckets) return "stash: an entry of a bucket that is not there";
        if (e.what == 0 || e.what >> width(f) != 0) return "stash: an impossible fingerprint";
    }
    return NULL;
}

static const char *check(const guira *head) {
    const struct cuckoo *f = (const struct cuckoo *)head;
    uint64_t items = head->stash.n;
    unsigned w = width(f);
    const char *broken = check_stash(f);
    if (broken != NULL) return broken;
    for (uint64_t i = 0; i < f->buckets; i++) {
        const uint8_t *bucket = spot_of(f, i, w).bucket;
        for (unsigned j = 0; j < bucket_slots(w); j++) items += slot_get(bucket, j, w) != 0;
        if (w == 12 && bucket[15] != 0) return "table: something in the byte between two buckets";
    }
    return items == head->items ? NULL : "counters: items";
}

static void dump(const guira *head, guira__sink *sink, void *to) {
    const struct cuckoo *f = (const struct cuckoo *)head;
    guira__head_dump(head, sink, to);
    sink(to, &f->buckets, sizeof f->buckets);
    sink(to, f->table, table_bytes(f));
}

/* -------------------------------------------------------------------------------------------------------------- as a file */

static void save(const guira *head, struct guira__writer *to) {
    const struct cuckoo *f = (const struct cuckoo *)head;
    guira__head_write(to, head);
    guira__section_start(to, "table", table_bytes(f));
    guira__section_put(to, f->table, table_bytes(f));
}

/* What of it is small: enough that asking is safe. */
static guira_status view_read(struct cuckoo *f, const struct guira__ops *ops, const guira_config *c,
                              struct guira__reader *from) {
    if (!guira__head_read(from, ops, c, &f->head)) return GUIRA_ECORRUPT;
    f->buckets = buckets_for(c, ops->slot_bits);
    f->is_view = true;
    f->head.bytes = guira__alloc_cost(sizeof *f);
    if (f->buckets > MAX_BUCKETS || check_stash(f) != NULL) return GUIRA_ECORRUPT;
    f->table = (uint8_t *)(uintptr_t)guira__section_expect(from, "table", table_bytes(f));
    return f->table != NULL ? GUIRA_OK : GUIRA_ECORRUPT;
}

static guira_status view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from, guira **out) {
    struct cuckoo *f = guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    guira_status s = view_read(f, ops, c, from);
    if (s == GUIRA_OK) *out = &f->head;
    else guira__free(f);
    return s;
}

/* ------------------------------------------------------------------------------------------- one of each, for each width */

#define SELF ((struct cuckoo *)f)
#define CONST_SELF ((const struct cuckoo *)f)

#define DEFINE(w)                                                                                      \
    static bool contains_##w(const guira *f, uint64_t hash) { return contains(CONST_SELF, hash, w); }  \
    static size_t contains_many_##w(const guira *f, const uint64_t *hash, size_t n, bool *out) {       \
        return contains_many(CONST_SELF, hash, n, out, w);                                             \
    }                                                                                                  \
    static void prefetch_##w(const guira *f, uint64_t hash) { prefetch(CONST_SELF, hash, w); }         \
    static uint64_t count_##w(const guira *f, uint64_t hash) { return count(CONST_SELF, hash, w); }    \
    static guira_status insert_##w(guira *f, uint64_t hash) { return insert(SELF, hash, w); }          \
    static guira_status crowded_##w(guira *f, uint64_t hash) { return insert_crowded(SELF, hash, w); } \
    static guira_status remove_##w(guira *f, uint64_t hash) { return remove_one(SELF, hash, w); }

DEFINE(12)
DEFINE(16)
DEFINE(32)

#define TABLE(w)                                                                                                      \
    {                                                                                                                 \
        .slot_bits = (w), .create = create, .destroy = destroy, .insert = insert_##w, .insert_crowded = crowded_##w,  \
        .contains = contains_##w, .remove = remove_##w, .count = count_##w, .contains_many = contains_many_##w,       \
        .prefetch = prefetch_##w, .reserve = reserve, .shrink_to_fit = shrink_to_fit, .clear = clear, .clone = clone, \
        .stats = stats, .check = check, .dump = dump, .save = save, .view = view,                                     \
    }

#define NAME_(isa) guira__cuckoo_##isa
#define NAME(isa) NAME_(isa)
extern const struct guira__ops NAME(GUIRA__ISA)[3];
const struct guira__ops NAME(GUIRA__ISA)[3] = {TABLE(12), TABLE(16), TABLE(32)};
