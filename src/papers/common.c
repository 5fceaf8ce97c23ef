/* See common.h. */
#include "papers/common.h"

#include <math.h>

#include "base/alloc.h"
#include "filter/head.h"

/* ------------------------------------------------------------------------------------------------------------- tables */

/* table_get() would multiply for each slot. */
unsigned guira__table_match(const struct table *t, uint64_t bucket, uint64_t what) {
    unsigned mask = 0, bits = t->layout.bits, slots = t->layout.slots;
    uint64_t at = bucket * slots * bits, all = packed_mask(bits);
    for (unsigned j = 0; j < slots; j++, at += bits)
        mask |= (unsigned)((packed_load(t->bytes + at / 8) >> (at % 8) & all) == what) << j;
    return mask;
}

bool guira__table_alloc(struct table *t) {
    double bytes = (double)t->buckets * t->layout.slots * t->layout.bits / 8; /* may be more than a size_t can hold */
    t->bytes = guira__memory_has(bytes) ? (uint8_t *)guira__zalloc(table_bytes(t)) : NULL;
    return t->bytes != NULL;
}

uint64_t guira__table_count_taken(const struct table *t, size_t bytes) {
    uint64_t taken = 0, bits = table_slots(t) * t->layout.bits;
    for (uint64_t i = 0; i < table_slots(t); i++) taken += table_get(t, i) != 0;
    unsigned beyond = bits % 8 != 0 ? (unsigned)t->bytes[bits / 8] >> bits % 8 : 0;
    for (size_t i = (size_t)((bits + 7) / 8); i < bytes; i++) beyond |= t->bytes[i];
    return beyond == 0 ? taken : UINT64_MAX;
}

bool guira__table_save(const struct table *t, struct table *saved) {
    if (saved->bytes != NULL) return true;
    saved->bytes = (uint8_t *)guira__alloc(table_bytes(t));
    if (saved->bytes == NULL) return false;
    saved->items = t->items;
    memcpy(saved->bytes, t->bytes, table_bytes(t));
    return true;
}

void guira__table_restore(struct table *t, const struct table *saved) {
    if (saved->bytes == NULL) return;
    t->items = saved->items;
    memcpy(t->bytes, saved->bytes, table_bytes(t));
}

/* --------------------------------------------------------------------------------------------------------- candidates */

/* A damaged file that is mapped can lead to buckets that are not there. */
static unsigned match(const struct table *t, const struct candidates *c, unsigned i) {
    return c->bucket[i] < t->buckets ? guira__table_match(t, c->bucket[i], c->what) : 0;
}

bool guira__table_find(const struct table *t, const struct candidates *c, uint64_t *slot) {
    for (unsigned i = 0; i < c->n; i++) {
        unsigned found = match(t, c, i);
        if (found == 0) continue;
        *slot = c->bucket[i] * t->layout.slots + (unsigned)__builtin_ctz(found);
        return true;
    }
    return false;
}

unsigned guira__table_count(const struct table *t, const struct candidates *c) {
    unsigned n = 0;
    for (unsigned i = 0; i < c->n; i++)
        for (unsigned found = match(t, c, i); found != 0; found &= found - 1) n++; /* few, if any */
    return n;
}

void guira__table_prefetch(const struct table *t, const struct candidates *c) {
    for (unsigned i = 0; i < c->n; i++)
        __builtin_prefetch(t->bytes + c->bucket[i] * t->layout.slots * t->layout.bits / 8, 1);
}

unsigned guira__stash_match(const struct stash *s, const struct candidates *c) {
    unsigned mask = 0;
    for (unsigned i = 0; i < s->n; i++)
        for (unsigned j = 0; j < c->n; j++)
            mask |= (unsigned)(s->entry[i].what == c->what && s->entry[i].where == c->bucket[j]) << i;
    return mask;
}

unsigned guira__stash_count(const struct stash *s, const struct candidates *c) {
    return (unsigned)__builtin_popcount(guira__stash_match(s, c));
}

bool guira__stash_take(struct stash *s, const struct candidates *c) {
    unsigned found = guira__stash_match(s, c);
    if (found != 0) stash_drop(s, (unsigned)__builtin_ctz(found), NULL);
    return found != 0;
}

bool guira__stash_valid(const struct stash *s, const struct table *t) {
    if (s->n > STASH_LAST) return false;
    for (unsigned i = 0; i < s->n; i++) {
        struct entry e = s->entry[i];
        if (e.where >= t->buckets || e.what == 0 || e.what > packed_mask(t->layout.bits)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- for slots/evict.h */

static const struct paper *const_paper_of(const guira *f) { return (const struct paper *)f; }

static struct evict_state *place_state(guira *f) { return &f->evict; }

static unsigned place_others(const guira *f) { return const_paper_of(f)->others; }

static struct bucket_ref place_bucket(const guira *f, uint64_t where, struct layout l) {
    (void)l;
    return (struct bucket_ref){.bytes = const_paper_of(f)->target->bytes, .number = where & UINT32_MAX};
}

static unsigned place_room(const guira *f, struct bucket_ref b, struct layout l) {
    const struct paper *p = const_paper_of(f);
    (void)l;
    return guira__table_match(p->target, b.number, 0) | (p->kind->stale != NULL ? p->kind->stale(f, b.number) : 0);
}

static uint64_t candidate(const guira *f, uint64_t bucket, uint64_t what, unsigned which) {
    return (uint64_t)which << 32 | const_paper_of(f)->kind->candidate(f, bucket, what, which);
}

static bool place_other(const guira *f, struct bucket_ref b, unsigned slot, unsigned which, struct layout l,
                        struct entry *e) {
    e->what = packed_get(b.bytes, b.number * l.slots + slot, l.bits);
    e->where = candidate(f, b.number, e->what, which);
    return true;
}

static struct bucket_ref place_other_bucket(const guira *f, struct bucket_ref b, unsigned slot, unsigned which,
                                            struct layout l) {
    struct entry e;
    place_other(f, b, slot, which, l, &e);
    return place_bucket(f, e.where, l);
}

static void place_turn(const guira *f, struct entry *e, struct layout l) {
    (void)l;
    e->where =
        candidate(f, e->where & UINT32_MAX, e->what, (unsigned)((e->where >> 32) + 1) % const_paper_of(f)->others);
}

static void place_fill(guira *f, struct bucket_ref b, unsigned slot, struct entry e, struct undo_log *log,
                       struct layout l) {
    uint64_t at = b.number * l.slots + slot;
    if (const_paper_of(f)->kind->open != NULL) const_paper_of(f)->kind->open(f, b.number);
    undo_note(log, b.bytes, at, packed_get(b.bytes, at, l.bits));
    packed_set(b.bytes, at, l.bits, e.what);
}

static void place_replace(guira *f, struct bucket_ref b, unsigned slot, struct entry old, struct entry e,
                          struct undo_log *log, struct layout l) {
    (void)old;
    place_fill(f, b, slot, e, log, l);
}

static const struct evict_kind places = {
    .state = place_state,
    .bucket = place_bucket,
    .room = place_room,
    .others = place_others,
    .other = place_other,
    .other_bucket = place_other_bucket,
    .turn = place_turn,
    .fill = place_fill,
    .replace = place_replace,
};

/* Filling the roomier candidate first leaves fewer full buckets, and so fewer entries to move. */
static struct entry turn_to_roomiest(const guira *f, struct entry e, struct layout l) {
    struct entry best = e;
    int most = 0;
    for (unsigned i = 0; i <= place_others(f); i++, place_turn(f, &e, l)) {
        int room = __builtin_popcount(place_room(f, place_bucket(f, e.where, l), l));
        if (room <= most) continue;
        best = e;
        most = room;
    }
    return best;
}

bool guira__papers_place(struct paper *f, const struct table *t, struct entry e, unsigned kicks, struct undo_log *log) {
    f->target = t;
    return evict_place(&places, &f->head, turn_to_roomiest(&f->head, e, t->layout), kicks, log, t->layout);
}

unsigned guira__papers_unstash(struct paper *f, const struct table *t, unsigned kicks) {
    unsigned moved = 0;
    for (uint64_t i = f->stash.n; i-- > 0;) {
        if (!guira__papers_place(f, t, f->stash.entry[i], kicks, NULL)) continue;
        stash_drop(&f->stash, i, NULL);
        moved++;
    }
    return moved;
}

/* ------------------------------------------------------------------------------------------------------------- filters */

void *guira__papers_alloc(size_t size, const struct paper_kind *kind, unsigned others) {
    struct paper *f = (struct paper *)guira__zalloc(size);
    if (f == NULL) return NULL;
    f->bytes = guira__alloc_cost(size);
    f->kind = kind;
    f->others = others;
    return f;
}

static void set_config(struct paper *f, const guira_config *c) {
    f->config = *c;
    guira__secret_derive(c->seed, f->secret);
    f->head.secret = f->secret;
}

void guira__papers_init(struct paper *f, const struct guira__ops *ops, const guira_config *c) {
    guira__head_init(&f->head, ops, c);
    set_config(f, c);
}

bool guira__papers_read(struct paper *f, const struct guira__ops *ops, const guira_config *c, struct guira__reader *r) {
    bool good = guira__head_read(r, ops, c, &f->head, &f->stash);
    set_config(f, c);
    return good;
}

void *guira__papers_copy(const struct paper *f, size_t size) {
    struct paper *g = (struct paper *)guira__alloc(size);
    if (g == NULL) return NULL;
    memcpy(g, f, size);
    guira__head_copied(&g->head);
    g->head.secret = g->secret;
    g->bytes = guira__alloc_cost(size);
    return g;
}

void guira__papers_config_of(const guira *f, guira_config *out) { *out = const_paper_of(f)->config; }

struct stash *guira__papers_stash(const guira *f) {
    return (struct stash *)(uintptr_t)&const_paper_of(f)->stash;
}

guira_status guira__papers_made(guira *f, guira_status s, void (*destroy)(guira *f), guira **out) {
    if (s == GUIRA_OK) *out = f;
    else destroy(f);
    return s;
}

size_t guira__papers_contains_many(const guira *f, const uint64_t *hash, size_t n, bool *out) {
    size_t present = 0;
    for (size_t i = 0; i < n; i++) present += out[i] = f->ops->contains(f, hash[i]);
    return present;
}

static void save_rest(const void *what, struct guira__writer *w) {
    const guira *f = (const guira *)what;
    const_paper_of(f)->kind->save(f, w);
}

void guira__papers_save(const guira *f, struct guira__writer *w) {
    guira__head_write(w, f);
    save_rest(f, w);
}

struct sink_to {
    guira__sink *sink;
    void *to;
};

static bool write_to_sink(void *to, const void *bytes, size_t n) {
    ((struct sink_to *)to)->sink(((struct sink_to *)to)->to, bytes, n);
    return true;
}

/* Everything that decides what a filter will do is in its file. */
void guira__papers_dump(const guira *f, guira__sink *sink, void *to) {
    struct sink_to all = {sink, to};
    guira__head_dump(f, sink, to);
    guira__sections_write(NULL, 0, save_rest, f, write_to_sink, &all);
}

/* What two candidates of so many slots can carry; the thresholds are 0.5, 0.897, 0.959, 0.980. */
static double highest_load(unsigned bucket_slots) {
    static const double load[] = {0.45, 0.85, 0.92};
    return bucket_slots < 4 ? load[bucket_slots - 1] : 0.95;
}

guira_status guira__papers_config(guira_config *c, double *needed) {
    if (c->fpr != 0 && !config_inside(c->fpr, 0, 1)) return GUIRA_EINVAL;
    if (c->bucket_slots == 0) c->bucket_slots = 4;
    if (c->bucket_slots > PAPERS_MAX_SLOTS) return GUIRA_EINVAL;
    guira_status s = guira__config_loads(c, highest_load(c->bucket_slots));
    if (s != GUIRA_OK) return s;
    *needed = ceil((double)c->capacity / (c->max_load * c->bucket_slots));
    if (*needed > (double)PAPERS_MAX_BUCKETS) return GUIRA_ELIMIT;
    if (c->buckets == 0) c->buckets = c->capacity == 0 ? 64 : (uint64_t)fmax(*needed, 2);
    if (c->max_filters == 0) c->max_filters = 1024;
    return c->buckets >= 2 && c->buckets <= PAPERS_MAX_BUCKETS ? GUIRA_OK : GUIRA_EINVAL;
}

guira_status guira__papers_config_width(guira_config *c, double factor) {
    double entries = 2 * factor * c->bucket_slots * c->max_load; /* that a random key is compared with */
    if (c->slot_bits == 0 && c->fpr == 0) c->slot_bits = 16;
    if (c->slot_bits == 0)
        for (c->slot_bits = 4; c->slot_bits < 32 && entries / (double)packed_mask(c->slot_bits) > c->fpr;)
            c->slot_bits++;
    return c->slot_bits >= 4 && c->slot_bits <= 32 ? GUIRA_OK : GUIRA_EINVAL;
}
