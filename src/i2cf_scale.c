/* Buckets of one filter on a ring: one more, one less, all of them anew. See i2cf.h.
 *
 * ONE MORE takes v arcs of the ring, from up to v other buckets, and the entries that were there because of these arcs
 * (unless another of their positions still leads to where they are). How many that is depends on the points:
 *
 *         ---x----x-----B1----x---x---x----x-----B2---         x: what led an entry here
 *     try    |     ^                          ^   too many
 *     take   ----> new: two entries move      ----> new
 *
 * The points are drawn at random, but one that would bring more than the new bucket's slots can hold is drawn again, so
 * the bucket never overflows and the step never fails half-way. If it is made because somebody found no place, the first
 * point is not drawn: it is put where it divides the arc of one of the newcomer's buckets, between the newcomer and
 * enough of those who are there. */
#include <string.h>

#include "alloc.h"
#include "i2cf.h"
#include "packed.h"

#define MAX_BUCKETS UINT64_C(0xffffffff)

/* -------------------------------------------------------------------------------------------------------------- memory */

static size_t points_bytes(const struct i2cf *f, uint64_t room) {
    return (size_t)(room * f->shape.nodes) * (sizeof(uint64_t) + sizeof(uint32_t));
}

static size_t block_bytes(const struct i2cf *f, uint64_t room) {
    return points_bytes(f, room) + packed_bytes(room * f->shape.slots, f->shape.bits);
}

size_t guira__i2cf_bytes(const struct i2cf *f) {
    return f->block != NULL ? guira__alloc_cost(block_bytes(f, f->room)) : 0;
}

size_t guira__i2cf_table_bytes(const struct i2cf *f) { return (size_t)((i2cf_slots(f) * f->shape.bits + 7) / 8); }

/* Gives f a block for so many buckets, the slots all empty. What it had before is the caller's. */
static guira_status block_take(struct i2cf *f, uint64_t room) {
    if (!guira__memory_has((double)block_bytes(f, room))) return GUIRA_ENOMEM;
    uint8_t *block = guira__alloc(block_bytes(f, room));
    if (block == NULL) return GUIRA_ENOMEM;
    uint64_t points = room * f->shape.nodes;
    f->block = block;
    f->room = room;
    f->ring.point = (uint64_t *)(void *)block; /* blocks are aligned to 64 bytes */
    f->ring.owner = (uint32_t *)(void *)(block + points * sizeof(uint64_t));
    f->table = block + points_bytes(f, room);
    memset(f->table, 0, packed_bytes(room * f->shape.slots, f->shape.bits));
    return GUIRA_OK;
}

static void copy_contents(struct i2cf *to, const struct i2cf *from) {
    memcpy(to->ring.point, from->ring.point, from->ring.n * sizeof *from->ring.point);
    memcpy(to->ring.owner, from->ring.owner, from->ring.n * sizeof *from->ring.owner);
    memcpy(to->table, from->table, guira__i2cf_table_bytes(from));
}

static guira_status block_resize(struct i2cf *f, uint64_t room) {
    struct i2cf old = *f;
    guira_status s = block_take(f, room);
    if (s != GUIRA_OK) return s;
    copy_contents(f, &old);
    guira__free(old.block);
    return GUIRA_OK;
}

/* The room for so many buckets: at most an eighth and 8 more than needed. It depends on nothing else, so that filters
 * that are alike take the same memory, however they came about. */
static uint64_t roomy(uint64_t buckets) {
    uint64_t room = 0;
    while (room < buckets) room += room / 8 + 8;
    return room;
}

/* --------------------------------------------------------------------------------------------------- making and copying */

bool guira__i2cf_can_be(const struct shape *s, uint64_t buckets) {
    return buckets <= MAX_BUCKETS && buckets <= (s->ring - 1) / 2 / s->nodes;
}

static uint64_t draw_position(const struct i2cf *f, guira *luck) { return 1 + guira__luck(luck) % (f->ring.size - 1); }

/* All but the memory. */
static guira_status begin(struct i2cf *f, const struct shape *s, uint64_t buckets) {
    if (!guira__i2cf_can_be(s, buckets)) return GUIRA_ELIMIT;
    memset(f, 0, sizeof *f);
    f->shape = *s;
    f->buckets = buckets;
    f->room = roomy(buckets);
    f->ring.size = s->ring;
    f->ring.n = buckets * s->nodes;
    return GUIRA_OK;
}

guira_status guira__i2cf_take(struct i2cf *f, const struct shape *s, uint64_t buckets) {
    guira_status status = begin(f, s, buckets);
    return status == GUIRA_OK ? block_take(f, f->room) : status;
}

guira_status guira__i2cf_view(struct i2cf *f, const struct shape *s, uint64_t buckets, const uint8_t *points,
                              const uint8_t *owners, const uint8_t *slots) {
    guira_status status = begin(f, s, buckets);
    if (status != GUIRA_OK) return status;
    f->ring.point = (uint64_t *)(uintptr_t)points;
    f->ring.owner = (uint32_t *)(uintptr_t)owners;
    f->table = (uint8_t *)(uintptr_t)slots;
    return GUIRA_OK;
}

guira_status guira__i2cf_make(struct i2cf *f, const struct shape *s, uint64_t buckets, guira *luck) {
    guira_status status = guira__i2cf_take(f, s, buckets);
    if (status != GUIRA_OK) return status;
    for (uint64_t i = 0; i < f->ring.n; i++) {
        f->ring.point[i] = draw_position(f, luck);
        f->ring.owner[i] = (uint32_t)(i / s->nodes);
    }
    guira__ring_sort(&f->ring);
    return GUIRA_OK;
}

guira_status guira__i2cf_clone(const struct i2cf *f, struct i2cf *out) {
    *out = *f;
    guira_status s = block_take(out, f->room);
    if (s == GUIRA_OK) copy_contents(out, f);
    return s;
}

void guira__i2cf_free(struct i2cf *f) { guira__free(f->block); }

/* ---------------------------------------------------------------------------------------------------- the next bucket's points */

struct draft {
    struct ring ring; /* the points chosen so far; nobody owns them yet */
    uint64_t point[MAX_NODES];
    unsigned coming, most;   /* entries the new bucket gets, and how many it may get */
    const struct aim *stays; /* who must keep a place in bucket `where`; NULL: nobody */
    uint32_t where;
};

/* Whether the next point after position is one of a, not one of b. */
static bool nearer(const struct ring *a, const struct ring *b, uint64_t position) {
    if (a->n == 0) return false;
    return ring_distance(b, position, a->point[ring_find(a, position)]) <
           ring_distance(b, position, b->point[ring_find(b, position)]);
}

/* Whether one of the positions will still lead to bucket. */
static bool leads_to(const struct i2cf *f, const struct draft *d, const struct aim *a, uint32_t bucket) {
    for (unsigned i = 0; i < a->n; i++)
        if (ring_owner(&f->ring, a->position[i]) == bucket && !nearer(&d->ring, &f->ring, a->position[i])) return true;
    return false;
}

static bool leads_to_new(const struct i2cf *f, const struct draft *d, const struct aim *a) {
    for (unsigned i = 0; i < a->n; i++)
        if (nearer(&d->ring, &f->ring, a->position[i])) return true;
    return false;
}

/* How many entries will have to leave the bucket. */
static unsigned leaving(const struct i2cf *f, const struct draft *d, uint32_t bucket) {
    unsigned n = 0;
    struct aim a;
    for (unsigned j = 0; j < f->shape.slots; j++) {
        uint64_t entry = guira__i2cf_entry(f, (uint64_t)bucket * f->shape.slots + j);
        if (entry == 0) continue;
        guira__aim_fingerprint(&a, &f->shape, entry);
        n += !leads_to(f, d, &a, bucket);
    }
    return n;
}

static void draft_add(struct draft *d, uint64_t p) {
    uint64_t i = d->ring.n++;
    for (; i > 0 && d->point[i - 1] > p; i--) d->point[i] = d->point[i - 1];
    d->point[i] = p;
}

static void draft_drop(struct draft *d, uint64_t p) {
    uint64_t i = ring_find(&d->ring, p);
    d->ring.n--;
    memmove(d->point + i, d->point + i + 1, (d->ring.n - i) * sizeof *d->point);
}

static bool is_taken(const struct i2cf *f, const struct draft *d, uint64_t p) {
    return ring_has_point(&f->ring, p) || ring_has_point(&d->ring, p);
}

/* Takes the point unless it brings too many. */
static bool try_point(const struct i2cf *f, struct draft *d, uint64_t p) {
    if (is_taken(f, d, p)) return false;
    uint32_t from = ring_owner(&f->ring, p);
    unsigned before = leaving(f, d, from);
    draft_add(d, p);
    unsigned coming = d->coming + leaving(f, d, from) - before;
    if (coming <= d->most && (d->stays == NULL || leads_to(f, d, d->stays, d->where))) {
        d->coming = coming;
        return true;
    }
    draft_drop(d, p);
    return false;
}

/* Takes p as the first point if it gives the newcomer a place: in the new bucket, or in the old one because others leave
 * that for the new. */
static bool try_for(const struct i2cf *f, struct draft *d, uint64_t p, const struct aim *newcomer) {
    if (is_taken(f, d, p)) return false;
    uint32_t from = ring_owner(&f->ring, p);
    draft_add(d, p);
    d->coming = leaving(f, d, from);
    if (d->coming < f->shape.slots && leads_to_new(f, d, newcomer)) {
        d->most = f->shape.slots - 1;
        return true;
    }
    if (d->coming > 0 && leads_to(f, d, newcomer, from)) {
        d->stays = newcomer;
        d->where = from;
        return true;
    }
    draft_drop(d, p);
    return false;
}

/* The point goes where the newcomer is, or where one of those is who are in its way. */
static bool place_first_point(const struct i2cf *f, struct draft *d, const struct aim *newcomer) {
    struct aim a;
    for (unsigned i = 0; i < newcomer->n; i++) {
        if (try_for(f, d, newcomer->position[i], newcomer)) return true;
        uint32_t bucket = ring_owner(&f->ring, newcomer->position[i]);
        for (unsigned j = 0; j < f->shape.slots; j++) {
            guira__aim_fingerprint(&a, &f->shape, guira__i2cf_entry(f, (uint64_t)bucket * f->shape.slots + j));
            for (unsigned c = 0; c < a.n; c++)
                if (ring_owner(&f->ring, a.position[c]) == bucket && try_for(f, d, a.position[c], newcomer))
                    return true;
        }
    }
    return false;
}

/* The place right after the point before p: hardly anybody is there. */
static uint64_t shortest_arc(const struct i2cf *f, uint64_t p) {
    uint64_t i = ring_find(&f->ring, p), before = f->ring.point[i > 0 ? i - 1 : f->ring.n - 1];
    return before + 1 < f->ring.size ? before + 1 : 1;
}

static bool draw_points(const struct i2cf *f, struct draft *d, guira *luck) {
    enum { RANDOM = 16, ALL = 64 };
    while (d->ring.n < f->shape.nodes) {
        unsigned n = 0;
        for (bool done = false; !done; n++) {
            if (n == ALL) return false;
            uint64_t p = draw_position(f, luck);
            done = try_point(f, d, n < RANDOM ? p : shortest_arc(f, p));
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- one more */

/* Entries of bucket that are no longer at home there go to the new one, which has room for them. */
static void hand_over(struct i2cf *f, uint32_t bucket, uint32_t to) {
    const struct draft nothing = {.most = 0};
    struct i2cf_log log;
    struct aim a;
    for (unsigned j = 0; j < f->shape.slots; j++) {
        uint64_t slot = (uint64_t)bucket * f->shape.slots + j, entry = guira__i2cf_entry(f, slot);
        if (entry == 0) continue;
        guira__aim_fingerprint(&a, &f->shape, entry);
        log.n = 0;
        if (!leads_to(f, &nothing, &a, bucket) && guira__i2cf_place_in(f, to, entry, &log)) guira__i2cf_set(f, slot, 0);
    }
}

static void open_bucket(struct i2cf *f, const struct draft *d) {
    uint32_t fresh = (uint32_t)f->buckets;
    guira__ring_add(&f->ring, d->point, d->ring.n, fresh);
    f->buckets++;
    for (uint64_t i = 0; i < d->ring.n; i++) {
        uint64_t next = ring_find(&f->ring, d->point[i]) + 1;
        hand_over(f, f->ring.owner[next < f->ring.n ? next : 0], fresh);
    }
}

guira_status guira__i2cf_scale_up(struct i2cf *f, const struct aim *newcomer, guira *luck) {
    if (!guira__i2cf_can_be(&f->shape, f->buckets + 1)) return GUIRA_ELIMIT;
    if (f->buckets == f->room && block_resize(f, roomy(f->buckets + 1)) != GUIRA_OK) return GUIRA_ENOMEM;
    uint64_t rng = luck->rng;
    struct draft d = {.most = f->shape.slots};
    d.ring = (struct ring){d.point, NULL, 0, f->ring.size};
    if ((newcomer != NULL && !place_first_point(f, &d, newcomer)) || !draw_points(f, &d, luck)) {
        luck->rng = rng;
        return GUIRA_EFULL;
    }
    open_bucket(f, &d);
    struct i2cf_log log;
    log.n = 0;
    if (newcomer != NULL) guira__i2cf_insert(f, newcomer, 0, &log, luck); /* the first point made sure of it */
    return GUIRA_OK;
}

/* -------------------------------------------------------------------------------------------------------------- one less */

/* A few of the buckets with the fewest entries, those first; just one if that is empty. */
struct emptiest {
    unsigned n;
    struct {
        uint32_t bucket;
        unsigned entries;
    } pick[8];
};

static unsigned entries_in(const struct i2cf *f, uint64_t bucket) {
    unsigned n = 0;
    for (unsigned j = 0; j < f->shape.slots; j++) n += guira__i2cf_entry(f, bucket * f->shape.slots + j) != 0;
    return n;
}

static void find_emptiest(const struct i2cf *f, struct emptiest *e) {
    enum { PICKS = sizeof e->pick / sizeof *e->pick };
    e->n = 0;
    for (uint64_t bucket = 0; bucket < f->buckets; bucket++) {
        unsigned entries = entries_in(f, bucket), i = e->n < PICKS ? e->n++ : PICKS;
        for (; i > 0 && e->pick[i - 1].entries > entries; i--)
            if (i < PICKS) e->pick[i] = e->pick[i - 1];
        if (i == PICKS) continue;
        e->pick[i].bucket = (uint32_t)bucket;
        e->pick[i].entries = entries;
        if (entries > 0) continue;
        e->n = 1;
        return;
    }
}

/* A new place for an entry of a bucket whose points, `was`, are off the ring: first with its successors, who have
 * inherited the arcs. */
static bool resettle(struct i2cf *f, uint64_t entry, const struct ring *was, unsigned kicks, struct i2cf_log *log,
                     guira *luck) {
    struct aim a;
    guira__aim_fingerprint(&a, &f->shape, entry);
    for (unsigned i = 0; i < a.n; i++)
        if (nearer(was, &f->ring, a.position[i]) &&
            guira__i2cf_place_in(f, ring_owner(&f->ring, a.position[i]), entry, log))
            return true;
    return guira__i2cf_place(f, &a, kicks, log, luck);
}

/* The last bucket takes the number of the one that is gone. */
static void close_bucket(struct i2cf *f, uint32_t bucket) {
    uint32_t last = (uint32_t)--f->buckets;
    for (unsigned j = 0; j < f->shape.slots; j++) {
        uint64_t from = (uint64_t)last * f->shape.slots + j;
        if (bucket != last) guira__i2cf_set(f, (uint64_t)bucket * f->shape.slots + j, guira__i2cf_entry(f, from));
        guira__i2cf_set(f, from, 0);
    }
    if (bucket != last) guira__ring_rename(&f->ring, last, bucket);
    if (roomy(f->buckets) < f->room) (void)block_resize(f, roomy(f->buckets)); /* if not, we keep what we have */
}

static bool remove_bucket(struct i2cf *f, uint32_t bucket, unsigned kicks, guira *luck) {
    uint64_t rng = luck->rng, moved = luck->kicks, first = (uint64_t)bucket * f->shape.slots;
    uint64_t point[MAX_NODES], entry[MAX_BUCKET_SLOTS] = {0};
    const struct ring was = {point, NULL, f->shape.nodes, f->ring.size};
    struct i2cf_log log;
    log.n = 0;
    for (unsigned j = 0; j < f->shape.slots; j++) {
        entry[j] = guira__i2cf_entry(f, first + j);
        guira__i2cf_set(f, first + j, 0);
    }
    guira__ring_remove(&f->ring, bucket, point);
    bool settled = true;
    for (unsigned j = 0; settled && j < f->shape.slots; j++)
        settled = entry[j] == 0 || resettle(f, entry[j], &was, kicks, &log, luck);
    if (settled) {
        close_bucket(f, bucket);
        return true;
    }
    guira__i2cf_undo(f, &log);
    for (unsigned j = 0; j < f->shape.slots; j++) guira__i2cf_set(f, first + j, entry[j]);
    guira__ring_add(&f->ring, point, f->shape.nodes, bucket);
    luck->rng = rng;
    luck->kicks = moved;
    return false;
}

guira_status guira__i2cf_scale_down(struct i2cf *f, unsigned kicks, guira *luck) {
    struct emptiest e;
    if (f->buckets == 1 || i2cf_slots(f) - f->items < f->shape.slots) return GUIRA_EFULL;
    find_emptiest(f, &e);
    for (unsigned i = 0; i < e.n; i++)
        if (remove_bucket(f, e.pick[i].bucket, kicks, luck)) return GUIRA_OK;
    return GUIRA_EFULL;
}

/* -------------------------------------------------------------------------------------------------------------- all anew */

guira_status guira__i2cf_rebuild(const struct i2cf *f, uint64_t buckets, unsigned kicks, guira *luck,
                                 struct i2cf *out) {
    struct aim a;
    struct i2cf_log log;
    guira_status s = guira__i2cf_make(out, &f->shape, buckets, luck);
    if (s != GUIRA_OK) return s;
    for (uint64_t slot = 0; slot < i2cf_slots(f) && s == GUIRA_OK; slot++) {
        uint64_t entry = guira__i2cf_entry(f, slot);
        if (entry == 0) continue;
        guira__aim_fingerprint(&a, &f->shape, entry);
        log.n = 0;
        if (!guira__i2cf_insert(out, &a, kicks, &log, luck)) s = guira__i2cf_scale_up(out, &a, luck);
    }
    if (s != GUIRA_OK) guira__i2cf_free(out);
    return s;
}
