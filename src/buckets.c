/* See buckets.h. */
#include "buckets.h"

#include "alloc.h"

bool guira__grid_make(struct grid *g) {
    double bytes = (double)g->buckets * g->slots * g->bits / 8; /* size_t may be too short to say it */
    g->table = guira__memory_has(bytes) ? guira__zalloc(grid_bytes(g)) : NULL;
    return g->table != NULL;
}

uint64_t guira__grid_count(const struct grid *g) {
    uint64_t slots = g->buckets * g->slots, bits = slots * g->bits, taken = 0;
    for (uint64_t i = 0; i < slots; i++) taken += packed_get(g->table, i, g->bits) != 0;
    unsigned beyond = bits % 8 != 0 ? (unsigned)g->table[bits / 8] >> bits % 8 : 0;
    for (size_t i = (size_t)((bits + 7) / 8); i < grid_bytes(g); i++) beyond |= g->table[i];
    return beyond == 0 ? taken : UINT64_MAX;
}

void guira__log_undo(const struct walker *w, struct log *log, size_t down_to) {
    while (log->n > down_to) {
        struct line l = log->line[--log->n];
        if (l.table != NULL) packed_set(l.table, l.place, w->grid->bits, l.old);
        else w->close(w->head, l.place);
    }
}

/* ----------------------------------------------------------------------------------------------------------- the walk */

static void open_bucket(const struct walker *w, uint64_t bucket, struct log *log) {
    if (w->open != NULL) w->open(w->head, bucket, log);
}

static bool put(const struct walker *w, uint64_t bucket, unsigned room, uint64_t what, struct log *log) {
    if (room == 0) return false;
    open_bucket(w, bucket, log);
    log_set(log, w->grid, bucket, (unsigned)__builtin_ctz(room), what);
    return true;
}

bool guira__place_at_once(const struct walker *w, struct entry e, struct log *log) {
    uint64_t other = w->partner(w->head, e.where, e.what);
    unsigned here = w->room(w->head, w->grid, e.where), there = w->room(w->head, w->grid, other);
    if (__builtin_popcount(there) > __builtin_popcount(here)) return put(w, other, there, e.what, log);
    return put(w, e.where, here, e.what, log);
}

/* The first set bit of mask at or after a random one. */
static unsigned pick(guira *head, unsigned mask, unsigned slots) {
    head->rng = head->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    unsigned start = (unsigned)((head->rng >> 33) % slots);
    unsigned after = mask >> start << start;
    return (unsigned)__builtin_ctz(after != 0 ? after : mask);
}

/* Gives e a slot of its bucket, which is full, by moving others. On failure the caller undoes it. */
static bool make_room(const struct walker *w, struct entry e, struct log *log) {
    uint64_t from = UINT64_MAX, to[MOST_SLOTS];
    for (unsigned kick = 0; kick < w->head->config.max_kicks; kick++) {
        unsigned movable = 0;
        open_bucket(w, e.where, log);
        for (unsigned j = 0; j < w->grid->slots; j++) {
            uint64_t what = grid_get(w->grid, e.where, j);
            to[j] = w->partner(w->head, e.where, what);
            if (to[j] == e.where || to[j] == from) continue;
            if (put(w, to[j], w->room(w->head, w->grid, to[j]), what, log)) {
                log_set(log, w->grid, e.where, j, e.what);
                w->head->kicks += kick + 1;
                w->head->evictions++;
                return true;
            }
            movable |= 1U << j;
        }
        if (movable == 0) return false;
        unsigned j = pick(w->head, movable, w->grid->slots);
        uint64_t victim = grid_get(w->grid, e.where, j);
        log_set(log, w->grid, e.where, j, e.what);
        from = e.where;
        e = (struct entry){to[j], victim};
    }
    return false;
}

static bool place_with_kicks(const struct walker *w, struct entry e, struct log *log) {
    if (guira__place_at_once(w, e, log)) return true;
    uint64_t rng = w->head->rng;
    size_t before = log->n;
    for (unsigned turn = 0; turn < 2; turn++) {
        if (make_room(w, e, log)) return true;
        guira__log_undo(w, log, before);
        w->head->rng = rng;
        e.where = w->partner(w->head, e.where, e.what);
    }
    return false;
}

bool guira__place(const struct walker *w, struct entry e, bool with_kicks) {
    struct line line[LOG_LINES];
    struct log log = {line, 0};
    return with_kicks ? place_with_kicks(w, e, &log) : guira__place_at_once(w, e, &log);
}

/* ---------------------------------------------------------------------------------------------------------- the stash */

unsigned guira__stash_mask(const struct stash *s, struct entry e, uint64_t partner) {
    unsigned mask = 0;
    for (unsigned i = 0; i < s->n; i++) {
        struct entry a = s->entry[i];
        mask |= (unsigned)(a.what == e.what && (a.where == e.where || a.where == partner)) << i;
    }
    return mask;
}

bool guira__stash_sound(const struct stash *s, const struct grid *g) {
    if (s->n > STASH_LAST) return false;
    for (unsigned i = 0; i < s->n; i++)
        if (s->entry[i].where >= g->buckets || s->entry[i].what == 0 || s->entry[i].what > packed_mask(g->bits))
            return false;
    return true;
}

unsigned guira__bring_home(const struct walker *w, bool with_kicks) {
    unsigned came = 0;
    for (uint64_t i = w->head->stash.n; i-- > 0;) {
        if (!guira__place(w, w->head->stash.entry[i], with_kicks)) continue;
        stash_drop(&w->head->stash, i, w->head->moves);
        came++;
    }
    return came;
}
