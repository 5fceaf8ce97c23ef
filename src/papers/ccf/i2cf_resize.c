/* How an I2CF changes its size: a bucket more, a bucket less, all of them anew. See i2cf.h.
 *
 * A NEW BUCKET takes v arcs of the ring from up to v other buckets, and the entries that were there because of these arcs
 * (unless another of their positions still leads to where they are). How many that is depends on the points:
 *
 *         ---x----x-----B1----x---x---x----x-----B2---         x: the position of an entry
 *     try    |     ^                          ^   too many
 *     take   ----> new: two entries move      ----> new
 *
 * So the points are planned first. They are drawn at random, but a point that would bring more entries than the new bucket
 * has slots is drawn again: the bucket never overflows, and the step never fails half-way. If it is added because an entry
 * found no room, the first point is not drawn: it divides the arc of one of that entry's buckets, between the newcomer and
 * enough of the entries that are there. */
#include "papers/ccf/i2cf.h"

#include "base/alloc.h"

/* The generator's low bits are not random enough for a modulus. */
uint64_t guira__i2cf_draw(const struct i2cf *f, struct paper *list) {
    evict_random(&list->head.evict);
    return 1 + guira__hash_pair(list->head.evict.rng, 0) % (f->ring.size - 1);
}

/* ------------------------------------------------------------------------------------------- the points of a new bucket */

enum { TRIED = 1 };

struct plan {
    struct ring ring; /* the points chosen so far */
    ring64 point[MAX_NODES];
    ring32 owner[MAX_NODES]; /* TRIED: is about to be chosen */
    unsigned moving;         /* entries that will move to the new bucket */
    uint64_t newcomer;       /* the fingerprint that needs room; 0: none */
};

/* Whether the bucket will be a candidate of the fingerprint; the new bucket's number is f->table.buckets. */
static bool leads_to(const struct i2cf *f, const struct ring *planned, uint64_t fingerprint, uint64_t bucket) {
    for (unsigned i = 0; i < f->candidates; i++) {
        uint64_t p = guira__i2cf_position(f, fingerprint, i);
        bool moves = planned->n > 0 && ring_distance(planned, p) < ring_distance(&f->ring, p);
        if ((moves ? f->table.buckets : ring_owner(&f->ring, p)) == bucket) return true;
    }
    return false;
}

/* The slots of a bucket whose entries will have to leave it, one bit each. */
static unsigned leaving(const struct i2cf *f, const struct ring *planned, uint64_t bucket) {
    unsigned mask = 0;
    for (unsigned j = 0; j < f->table.layout.slots; j++) {
        uint64_t entry = table_get(&f->table, bucket * f->table.layout.slots + j);
        mask |= (unsigned)(entry != 0 && !leads_to(f, planned, entry, bucket)) << j;
    }
    return mask;
}

/* Whether the newcomer will have room: in the new bucket, or in an old one that other entries leave. */
static bool newcomer_fits(const struct i2cf *f, const struct ring *planned, unsigned moving, uint64_t newcomer) {
    struct candidates c;
    if (moving < f->table.layout.slots && leads_to(f, planned, newcomer, f->table.buckets)) return true;
    guira__i2cf_candidates(f, newcomer, &c);
    for (unsigned i = 0; i < c.n; i++)
        if (leads_to(f, planned, newcomer, c.bucket[i]) && leaving(f, planned, c.bucket[i]) != 0) return true;
    return false;
}

/* Adds the point to the plan, unless too many entries would move or the newcomer would have no room. */
static bool try_point(const struct i2cf *f, struct plan *p, uint64_t point) {
    if (ring_has_point(&f->ring, point) || ring_has_point(&p->ring, point)) return false;
    uint32_t from = ring_owner(&f->ring, point);
    unsigned moving = p->moving - (unsigned)__builtin_popcount(leaving(f, &p->ring, from));
    ring64 tried = le64(point);
    guira__ring_add(&p->ring, &tried, 1, TRIED);
    moving += (unsigned)__builtin_popcount(leaving(f, &p->ring, from));
    if (moving <= f->table.layout.slots && (p->newcomer == 0 || newcomer_fits(f, &p->ring, moving, p->newcomer))) {
        guira__ring_rename(&p->ring, TRIED, 0);
        p->moving = moving;
        return true;
    }
    guira__ring_remove(&p->ring, TRIED, &tried);
    return false;
}

/* At a position in the arcs of the bucket: of one of the fingerprint's candidates. */
static bool try_positions(const struct i2cf *f, struct plan *p, uint64_t fingerprint, uint64_t bucket) {
    for (unsigned i = 0; i < f->candidates; i++) {
        uint64_t position = guira__i2cf_position(f, fingerprint, i);
        if (ring_owner(&f->ring, position) == bucket && try_point(f, p, position)) return true;
    }
    return false;
}

/* At the position of the newcomer, or of one of the entries that are in its buckets. */
static bool plan_first_point(const struct i2cf *f, struct plan *p) {
    const unsigned slots = f->table.layout.slots;
    struct candidates c;
    guira__i2cf_candidates(f, p->newcomer, &c);
    for (unsigned i = 0; i < c.n; i++) {
        if (try_positions(f, p, p->newcomer, c.bucket[i])) return true;
        for (unsigned j = 0; j < slots; j++)
            if (try_positions(f, p, table_get(&f->table, c.bucket[i] * slots + j), c.bucket[i])) return true;
    }
    return false;
}

/* The position right after the point before p: hardly an entry is between the two. */
static uint64_t shortest_arc(const struct i2cf *f, uint64_t p) {
    uint64_t i = ring_find(&f->ring, p), before = le64(f->ring.point[i > 0 ? i - 1 : f->ring.n - 1]);
    return before + 1 < f->ring.size ? before + 1 : 1;
}

static bool plan_points(const struct i2cf *f, struct plan *p, struct paper *list) {
    enum { RANDOM = 16, TRIES = 64 };
    if (p->newcomer != 0 && !plan_first_point(f, p)) return false;
    for (unsigned tries = 0; p->ring.n < f->nodes;) {
        uint64_t point = guira__i2cf_draw(f, list);
        if (try_point(f, p, tries < RANDOM ? point : shortest_arc(f, point))) tries = 0;
        else if (++tries == TRIES) return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------------- a bucket more */

/* Entries that no longer belong to the bucket move to the new one, which has room for them. */
static void move_to_new(struct i2cf *f, uint32_t bucket, uint64_t fresh) {
    const unsigned slots = f->table.layout.slots;
    const struct ring none = {.n = 0};
    for (unsigned mask = leaving(f, &none, bucket); mask != 0; mask &= mask - 1) {
        uint64_t slot = (uint64_t)bucket * slots + (unsigned)__builtin_ctz(mask);
        unsigned room = guira__table_match(&f->table, fresh, 0);
        table_set(&f->table, fresh * slots + (unsigned)__builtin_ctz(room), table_get(&f->table, slot));
        table_set(&f->table, slot, 0);
    }
}

guira_status guira__i2cf_scale_up(struct i2cf *f, uint64_t newcomer, struct paper *list) {
    uint64_t rng = list->head.evict.rng, fresh = f->table.buckets;
    if (!guira__i2cf_fits_ring(f, fresh + 1)) return GUIRA_ELIMIT;
    struct plan p;
    p.newcomer = newcomer;
    p.moving = 0;
    p.ring = (struct ring){p.point, p.owner, 0, f->ring.size};
    guira_status s = plan_points(f, &p, list) ? GUIRA_OK : GUIRA_EFULL;
    if (s == GUIRA_OK && fresh == f->room) s = guira__i2cf_resize(f, guira__i2cf_room(fresh + 1));
    if (s != GUIRA_OK) {
        list->head.evict.rng = rng;
        return s;
    }
    guira__ring_add(&f->ring, p.point, p.ring.n, (uint32_t)fresh);
    f->table.buckets++;
    for (uint64_t i = 0; i < p.ring.n; i++) {
        uint64_t next = ring_find(&f->ring, le64(p.point[i])) + 1;
        move_to_new(f, le32(f->ring.owner[next < f->ring.n ? next : 0]), fresh);
    }
    if (newcomer != 0) guira__i2cf_insert(f, newcomer, 0, list); /* the plan made sure of it */
    return GUIRA_OK;
}

/* Whether every slot that there can be for the fingerprint has it. */
static bool has_all_places(const struct i2cf *f, uint64_t fingerprint) {
    struct candidates c;
    guira__i2cf_candidates(f, fingerprint, &c);
    return guira__table_count(&f->table, &c) >= guira__i2cf_places(f, fingerprint);
}

/* Swaps the fingerprint with a random entry of its candidates, which are full. Returns what was there. */
static uint64_t displace(struct i2cf *f, uint64_t fingerprint, struct undo_log *log, struct paper *list) {
    struct candidates c;
    guira__i2cf_candidates(f, fingerprint, &c);
    uint64_t bucket = c.bucket[evict_random(&list->head.evict) % c.n];
    uint64_t slot = bucket * f->table.layout.slots + evict_random(&list->head.evict) % f->table.layout.slots;
    uint64_t displaced = table_get(&f->table, slot);
    undo_note(log, NULL, slot, displaced);
    table_set(&f->table, slot, fingerprint);
    list->head.evict.kicks++;
    return displaced;
}

/* A random walk as in a cuckoo filter, which ends at an entry that a bucket can be added for, or at a free slot. */
guira_status guira__i2cf_scale_up_moving(struct i2cf *f, uint64_t newcomer, unsigned kicks, struct paper *list) {
    struct evict_state before = list->head.evict;
    struct undo_log log;
    struct undo_line line;
    guira_status s = GUIRA_EFULL;
    log.n = 0;
    if (has_all_places(f, newcomer)) return s;
    for (unsigned i = 0; s == GUIRA_EFULL && i < kicks; i++) {
        newcomer = displace(f, newcomer, &log, list);
        s = guira__i2cf_insert(f, newcomer, 0, list) ? GUIRA_OK : guira__i2cf_scale_up(f, newcomer, list);
    }
    if (s == GUIRA_OK) return s;
    while (undo_pop(&log, 0, &line)) table_set(&f->table, line.slot, line.old);
    list->head.evict = before;
    return s;
}

/* -------------------------------------------------------------------------------------------------------- a bucket less */

/* The last bucket takes the number of the one that is removed. */
static void fill_gap(struct i2cf *f, uint32_t bucket) {
    uint32_t last = (uint32_t)--f->table.buckets;
    const unsigned slots = f->table.layout.slots;
    for (unsigned j = 0; bucket != last && j < slots; j++) {
        table_set(&f->table, (uint64_t)bucket * slots + j, table_get(&f->table, (uint64_t)last * slots + j));
        table_set(&f->table, (uint64_t)last * slots + j, 0);
    }
    if (bucket != last) guira__ring_rename(&f->ring, last, bucket);
    uint64_t room = guira__i2cf_room(f->table.buckets);
    if (room < f->room) (void)guira__i2cf_resize(f, room); /* without memory it stays as it is */
}

static bool remove_bucket(struct i2cf *f, uint32_t bucket, unsigned kicks, struct paper *list) {
    struct evict_state before = list->head.evict;
    struct undo_log log;
    struct undo_line line;
    ring64 point[MAX_NODES];
    uint64_t entry[PAPERS_MAX_SLOTS], first = (uint64_t)bucket * f->table.layout.slots;
    const unsigned slots = f->table.layout.slots;
    log.n = 0;
    guira__ring_remove(&f->ring, bucket, point);
    for (unsigned j = 0; j < slots; j++) {
        entry[j] = table_get(&f->table, first + j);
        undo_note(&log, NULL, first + j, entry[j]);
        table_set(&f->table, first + j, 0);
    }
    bool placed = true;
    for (unsigned j = 0; placed && j < slots; j++) {
        unsigned most = undo_room(&log) - 1;
        placed = entry[j] == 0 || guira__i2cf_place(f, entry[j], kicks < most ? kicks : most, &log, list);
    }
    if (placed) {
        fill_gap(f, bucket);
        return true;
    }
    while (undo_pop(&log, 0, &line)) table_set(&f->table, line.slot, line.old);
    guira__ring_add(&f->ring, point, f->nodes, bucket);
    list->head.evict = before;
    return false;
}

/* A few of the buckets with the fewest entries are tried. */
guira_status guira__i2cf_scale_down(struct i2cf *f, unsigned kicks, struct paper *list) {
    const unsigned slots = f->table.layout.slots;
    unsigned tries = 8;
    if (!i2cf_may_scale_down(f)) return GUIRA_EFULL;
    for (unsigned entries = 0; entries <= slots; entries++)
        for (uint32_t bucket = 0; bucket < f->table.buckets; bucket++) {
            if ((unsigned)__builtin_popcount(guira__table_match(&f->table, bucket, 0)) != slots - entries) continue;
            if (remove_bucket(f, bucket, kicks, list)) return GUIRA_OK;
            if (--tries == 0) return GUIRA_EFULL;
        }
    return GUIRA_EFULL;
}

/* -------------------------------------------------------------------------------------------------------- all of them */

guira_status guira__i2cf_rebuild(const struct i2cf *f, uint64_t buckets, unsigned kicks, struct paper *list,
                                 struct i2cf *out) {
    guira_status s = guira__i2cf_make(out, f, buckets, list);
    if (s != GUIRA_OK) return s;
    for (uint64_t slot = 0; s == GUIRA_OK && slot < table_slots(&f->table); slot++) {
        uint64_t entry = table_get(&f->table, slot);
        if (entry != 0 && !guira__i2cf_insert(out, entry, kicks, list)) s = guira__i2cf_scale_up(out, entry, list);
    }
    if (s != GUIRA_OK) guira__i2cf_free(out);
    return s;
}
