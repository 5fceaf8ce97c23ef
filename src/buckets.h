/* Buckets of b slots of f bits, both known only at run time, and the walk that makes room in them: what the kinds of the
 * papers share. The faster kinds have evict.h, where the geometry is a constant.
 *
 *     new -> [a b c d]        a's other bucket is full, b's has room: b goes there and new takes its slot;
 *             v v             if none has room one goes all the same, by lot, and the walk goes on from there
 *            [x][.]
 *
 * Everything that is written goes through a log, so that a walk that came to nothing can be undone byte for byte. */
#ifndef GUIRA_BUCKETS_H
#define GUIRA_BUCKETS_H

#include "journal.h"
#include "kind.h"
#include "packed.h"

enum { MOST_SLOTS = 16 };                       /* of a bucket */
#define GUIRA__MOST_BUCKETS (UINT64_C(1) << 32) /* half a hash tells no more of them apart */

struct grid {
    uint8_t *table;
    uint64_t buckets;
    unsigned slots, bits; /* slots of a bucket, bits of a slot */
};

static inline size_t grid_bytes(const struct grid *g) { return packed_bytes(g->buckets * g->slots, g->bits); }

static inline uint64_t grid_get(const struct grid *g, uint64_t bucket, unsigned j) {
    return packed_get(g->table, bucket * g->slots + j, g->bits);
}

static inline void grid_set(const struct grid *g, uint64_t bucket, unsigned j, uint64_t what) {
    packed_set(g->table, bucket * g->slots + j, g->bits, what);
}

/* The slots of a bucket that hold what, one bit each; what = 0: the empty ones. */
static inline unsigned grid_mask(const struct grid *g, uint64_t bucket, uint64_t what) {
    unsigned mask = 0;
    for (unsigned j = 0; j < g->slots; j++) mask |= (unsigned)(grid_get(g, bucket, j) == what) << j;
    return mask;
}

/* The table, all empty. False: no memory for it. */
bool guira__grid_make(struct grid *g);

/* How many slots are taken; UINT64_MAX: there is something beyond the last slot. */
uint64_t guira__grid_count(const struct grid *g);

/* ------------------------------------------------------------------------------------------------------------ the log */

struct line {
    uint8_t *table; /* NULL: not a slot but a bucket that was opened */
    uint64_t place, old;
};

enum { LOG_LINES = 2 * MAX_KICKS + 8 }; /* what one insertion writes at most: a slot and an opened bucket per kick */

struct log {
    struct line *line; /* with room for all that will be written */
    size_t n;
};

static inline void log_set(struct log *log, const struct grid *g, uint64_t bucket, unsigned j, uint64_t what) {
    log->line[log->n++] = (struct line){g->table, bucket * g->slots + j, grid_get(g, bucket, j)};
    grid_set(g, bucket, j, what);
}

/* ----------------------------------------------------------------------------------------------------------- the walk */

/* What a walk must know of its filter. */
struct walker {
    struct grid *grid;
    guira *head;                                                             /* its luck, and its counter of kicks */
    uint64_t (*partner)(const guira *f, uint64_t bucket, uint64_t what);     /* the other bucket of an entry */
    unsigned (*room)(const guira *f, const struct grid *g, uint64_t bucket); /* the slots that can be written to */
    void (*open)(guira *f, uint64_t bucket, struct log *log); /* before a bucket is written to; NULL: not needed */
    void (*close)(guira *f, uint64_t place);                  /* undoes an opening */
};

/* Into a free slot of the roomier one of e's two buckets; with kicks, moving others if need be. False: nothing has
 * changed. */
bool guira__place(const struct walker *w, struct entry e, bool with_kicks);

/* The same without kicks, and so that it can be undone. */
bool guira__place_at_once(const struct walker *w, struct entry e, struct log *log);
void guira__log_undo(const struct walker *w, struct log *log, size_t down_to);

/* ---------------------------------------------------------------------------------------------------------- the stash */

/* The entries of the stash that are e, whose other bucket is partner: bit i for place i. */
unsigned guira__stash_mask(const struct stash *s, struct entry e, uint64_t partner);

/* Whether every entry of the stash is possible in this grid. */
bool guira__stash_sound(const struct stash *s, const struct grid *g);

/* Brings home what waits in the stash, as far as there is room. Returns how many came. */
unsigned guira__bring_home(const struct walker *w, bool with_kicks);

#endif
