/* ECF, the elastic cuckoo filter: its operations. elastic.h says where entries are, elastic_size.c changes the size.
 *
 * AN EXTENDED FILTER HAS COPIES IN WRONG PLACES. Who asks never sees them: of an entry's copies only the right one lies
 * in a bucket that its key looks into. Who writes opens the bucket first, which erases the wrong copies in its group.
 *
 * WHICH ONE TO REMOVE? Any that is found: the same fingerprint has the same window, and there a bucket says all about the
 * distance. So two equal fingerprints in the two buckets of one key have the same two buckets, now and after every step.
 *
 * HOW MANY COPIES? As many as two buckets hold. More would need the stash or a larger table, which does not help them. */
#include "elastic.h"

#include <math.h>

#include "alloc.h"

/* One key's fingerprint and both its buckets. */
struct place {
    struct entry entry;
    uint64_t other;
};

static struct place place_of(const struct elastic *f, uint64_t hash) {
    const struct shape *s = &f->shape;
    uint64_t what = fingerprint_in(hash & UINT32_MAX, f->grid.bits);
    uint64_t distance = (hash >> 32 & packed_mask(s->first_reach)) >> (s->first_reach - s->reach);
    struct window w = guira__window_of(s, what);
    return (struct place){{bucket_at(s, w.start, distance), what}, bucket_at(s, w.start, distance ^ w.turn)};
}

/* ----------------------------------------------------------------------------------------------------- for the walk */

static uint64_t partner(const guira *head, uint64_t bucket, uint64_t what) {
    const struct shape *s = &((const struct elastic *)head)->shape;
    struct window w = guira__window_of(s, what);
    return bucket_at(s, w.start, distance_of(s, w.start, bucket) ^ w.turn);
}

static void flip_pending(struct elastic *f, uint64_t group) { f->pending[group / 8] ^= (uint8_t)(1U << group % 8); }

unsigned guira__elastic_taken(const struct elastic *f, uint64_t bucket) {
    unsigned taken = grid_mask(&f->grid, bucket, 0) ^ ((1U << f->grid.slots) - 1);
    if (!is_pending(f, bucket)) return taken;
    for (unsigned left = taken; left != 0; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctz(left);
        struct window w = guira__window_of(&f->shape, grid_get(&f->grid, bucket, j));
        if (distance_of(&f->shape, w.start, bucket) >> f->shape.reach != 0) taken ^= 1U << j;
    }
    return taken;
}

static unsigned room(const guira *head, const struct grid *g, uint64_t bucket) {
    return guira__elastic_taken((const struct elastic *)head, bucket) ^ ((1U << g->slots) - 1);
}

void guira__elastic_open(guira *head, uint64_t bucket, struct log *log) {
    struct elastic *f = (struct elastic *)head;
    if (!is_pending(f, bucket)) return;
    uint64_t group = bucket % f->groups;
    for (uint64_t i = group; i < f->grid.buckets; i += f->groups) {
        unsigned taken = guira__elastic_taken(f, i);
        for (unsigned j = 0; j < f->grid.slots; j++)
            if ((taken >> j & 1) == 0) grid_set(&f->grid, i, j, 0);
    }
    flip_pending(f, group);
    f->waiting--;
    if (log != NULL) log->line[log->n++] = (struct line){NULL, group, 0};
}

/* The reverse: of all copies in a slot one is there, and becomes all of them again. */
static void close_group(guira *head, uint64_t group) {
    struct elastic *f = (struct elastic *)head;
    for (unsigned j = 0; j < f->grid.slots; j++) {
        uint64_t what = 0;
        for (uint64_t i = group; i < f->grid.buckets; i += f->groups) what |= grid_get(&f->grid, i, j);
        for (uint64_t i = group; i < f->grid.buckets; i += f->groups) grid_set(&f->grid, i, j, what);
    }
    flip_pending(f, group);
    f->waiting++;
}

struct walker guira__elastic_walker(struct elastic *f) {
    return (struct walker){&f->grid, &f->head, partner, room, guira__elastic_open, close_group};
}

/* ------------------------------------------------------------------------------------------------------------- asking */

static bool contains(const guira *head, uint64_t hash) {
    const struct elastic *f = (const struct elastic *)head;
    struct place p = place_of(f, hash);
    if ((grid_mask(&f->grid, p.entry.where, p.entry.what) | grid_mask(&f->grid, p.other, p.entry.what)) != 0)
        return true;
    return head->stash.n > 0 && guira__stash_mask(&head->stash, p.entry, p.other) != 0;
}

static size_t contains_many(const guira *head, const uint64_t *hash, size_t n, bool *out) {
    size_t present = 0;
    for (size_t i = 0; i < n; i++) present += out[i] = contains(head, hash[i]);
    return present;
}

static unsigned copies_of(const struct elastic *f, struct place p) {
    return (unsigned)__builtin_popcount(grid_mask(&f->grid, p.entry.where, p.entry.what)) +
           (unsigned)__builtin_popcount(grid_mask(&f->grid, p.other, p.entry.what)) +
           (unsigned)__builtin_popcount(guira__stash_mask(&f->head.stash, p.entry, p.other));
}

static uint64_t count(const guira *head, uint64_t hash) {
    const struct elastic *f = (const struct elastic *)head;
    return copies_of(f, place_of(f, hash));
}

static void prefetch(const guira *head, uint64_t hash) {
    const struct elastic *f = (const struct elastic *)head;
    struct place p = place_of(f, hash);
    const uint64_t bits = (uint64_t)f->grid.slots * f->grid.bits;
    __builtin_prefetch(f->grid.table + p.entry.where * bits / 8, 1);
    __builtin_prefetch(f->grid.table + p.other * bits / 8, 1);
}

/* ------------------------------------------------------------------------------------------------------------ changing */

static bool place(struct elastic *f, struct entry e, bool with_kicks) {
    struct walker w = guira__elastic_walker(f);
    return guira__place(&w, e, with_kicks);
}

static bool is_full(const struct elastic *f) {
    return (double)f->head.items + 1 > elastic_content(f, f->head.config.max_load, f->grid.buckets);
}

/* Whether growing may help. The stash has one place more than it needs, for an insertion that the filter has grown for:
 * if that is taken, growing has failed to help before. A filter that is half empty has room, but in the wrong place. */
static bool may_grow(const struct elastic *f) {
    double half = elastic_content(f, f->head.config.max_load / 2, f->grid.buckets);
    return f->head.stash.n <= STASH_SIZE && (double)f->head.items >= half;
}

/* For two full buckets: others move, or the stash takes it, or the filter grows, whichever is the first to help. */
static guira_status place_crowded(struct elastic *f, uint64_t hash, bool grown) {
    struct stash *stash = &f->head.stash;
    struct entry e = place_of(f, hash).entry;
    guira_status s = GUIRA_EFULL;
    if (place(f, e, true) || stash_push(stash, e, STASH_EASY)) return GUIRA_OK;
    if (!grown && may_grow(f)) s = guira__elastic_extend(f);
    grown |= s == GUIRA_OK;
    e = place_of(f, hash).entry;
    if (s == GUIRA_OK && place(f, e, true)) return GUIRA_OK;
    if (stash_push(stash, e, grown ? STASH_LAST : STASH_SIZE)) return GUIRA_OK;
    return s == GUIRA_ENOMEM ? GUIRA_ENOMEM : GUIRA_EFULL;
}

static guira_status insert_crowded(guira *head, uint64_t hash) {
    struct elastic *f = (struct elastic *)head;
    if (copies_of(f, place_of(f, hash)) >= 2 * f->grid.slots) return GUIRA_EDUPLICATE;
    /* If it cannot grow there may be room all the same: max_load is a wish then. */
    bool grown = is_full(f) && may_grow(f) && guira__elastic_extend(f) == GUIRA_OK;
    guira_status s = place(f, place_of(f, hash).entry, false) ? GUIRA_OK : place_crowded(f, hash, grown);
    head->items += s == GUIRA_OK;
    return s;
}

static guira_status insert(guira *head, uint64_t hash) {
    struct elastic *f = (struct elastic *)head;
    if (is_full(f) || !place(f, place_of(f, hash).entry, false)) return insert_crowded(head, hash);
    head->items++;
    return GUIRA_OK;
}

/* Takes the entry out of the table. False: it is not there. */
static bool take(struct elastic *f, uint64_t bucket, uint64_t what) {
    unsigned found = grid_mask(&f->grid, bucket, what);
    if (found == 0) return false;
    guira__elastic_open(&f->head, bucket, NULL);
    grid_set(&f->grid, bucket, (unsigned)__builtin_ctz(found), 0);
    return true;
}

static guira_status remove_one(guira *head, uint64_t hash) {
    struct elastic *f = (struct elastic *)head;
    struct place p = place_of(f, hash);
    if (!take(f, p.entry.where, p.entry.what) && !take(f, p.other, p.entry.what)) {
        unsigned stashed = guira__stash_mask(&head->stash, p.entry, p.other);
        if (stashed == 0) return GUIRA_ENOTFOUND;
        stash_drop(&head->stash, (unsigned)__builtin_ctz(stashed), head->moves);
    }
    head->items--;
    struct walker w = guira__elastic_walker(f);
    if (head->stash.n > 0) guira__bring_home(&w, false);
    guira__elastic_shrink_if_sparse(f);
    return GUIRA_OK;
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static void destroy(guira *head) {
    guira__elastic_free((struct elastic *)head);
    guira__free(head);
}

static guira_status create(const struct guira__ops *ops, const guira_config *c, guira **out) {
    uint64_t needed = (uint64_t)ceil((double)c->capacity / (c->max_load * c->bucket_slots));
    struct elastic start = {.head = {.ops = ops, .contains = contains, .config = *c}, .again = UINT64_MAX};
    start.least = c->buckets > needed ? c->buckets : needed;
    start.grid = (struct grid){.slots = c->bucket_slots, .bits = c->slot_bits};
    start.shape = guira__shape_make(start.least);
    struct elastic *f = guira__alloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    *f = start;
    if (guira__elastic_table(f) != GUIRA_OK) {
        guira__free(f);
        return GUIRA_ENOMEM;
    }
    guira__secret_derive(c->seed, f->head.secret);
    f->head.rng = guira__hash(f->head.secret, NULL, 0);
    *out = &f->head;
    return GUIRA_OK;
}

static guira_status clone(const guira *head, guira **out) {
    const struct elastic *f = (const struct elastic *)head;
    struct elastic *g = guira__alloc(sizeof *g);
    if (g == NULL) return GUIRA_ENOMEM;
    *g = *f;
    if (guira__elastic_table(g) != GUIRA_OK) {
        guira__free(g);
        return GUIRA_ENOMEM;
    }
    memcpy(g->grid.table, f->grid.table, grid_bytes(&f->grid));
    if (g->pending != NULL) memcpy(g->pending, f->pending, pending_bytes(f));
    *out = &g->head;
    return GUIRA_OK;
}

static guira_status clear(guira *head) { return guira__elastic_restart((struct elastic *)head); }

/* Keys are told apart by fingerprint and pair of buckets: a window of 2^n buckets has 2^(n-1) pairs, however many buckets
 * the table has. */
static void stats(const guira *head, guira_stats *out) {
    const struct elastic *f = (const struct elastic *)head;
    double pairs = (double)packed_mask(f->grid.bits) * ldexp(1, (int)f->shape.reach - 1);
    out->buckets = f->grid.buckets;
    out->slots = f->grid.buckets * f->grid.slots;
    out->bytes = head->bytes;
    out->fpr = -expm1((double)head->items * log1p(-1 / pairs));
}

static void dump(const guira *head, guira__sink *sink, void *to) {
    const struct elastic *f = (const struct elastic *)head;
    const struct shape *s = &f->shape;
    const uint64_t number[] = {f->groups, f->waiting, f->least, f->again, s->first, s->buckets, s->reach, s->steps};
    guira__head_dump(head, sink, to);
    sink(to, number, sizeof number);
    sink(to, s->step, sizeof s->step);
    sink(to, f->grid.table, grid_bytes(&f->grid));
    if (f->pending != NULL) sink(to, f->pending, pending_bytes(f));
}

extern const struct guira__ops guira__elastic_ops;
const struct guira__ops guira__elastic_ops = {
    .create = create,
    .destroy = destroy,
    .insert = insert,
    .insert_crowded = insert_crowded,
    .contains = contains,
    .remove = remove_one,
    .count = count,
    .contains_many = contains_many,
    .prefetch = prefetch,
    .reserve = guira__elastic_reserve,
    .shrink_to_fit = guira__elastic_shrink_to_fit,
    .clear = clear,
    .clone = clone,
    .stats = stats,
    .check = guira__elastic_check,
    .dump = dump,
    .save = guira__elastic_save,
    .view = guira__elastic_view,
};
