/* Eviction: making room for an entry whose candidate buckets are all full. Every kind of cuckoo filter here uses it.
 *
 * WHICH ENTRY IS MOVED? Each entry of a full bucket has at least one other candidate bucket. All of these are looked at,
 * and the first entry whose other bucket has room is moved there:
 *
 *     new -> [a b c d e f g h]          a's other bucket is full, b's is full, c's has room: c moves, new takes its slot
 *             v v v v v v v v
 *            [x][x][.][x][x][.][x][x]
 *
 * If none has room, the same is tried from the new entry's other candidates. If that fails too, an entry is picked at
 * random, and the search goes on from its other bucket: is there room for one of the entries it would displace? The
 * result is a path, along which each entry moves to the slot of the next one.
 *
 * Nothing is written before a path has been found: an insertion that is refused has changed nothing. With 8 slots and a
 * constant load of 0.95 this takes 0.5 to 0.8 moves per insertion, where moving an entry at random takes 2 to 7.5.
 *
 * What differs between the kinds is behind struct evict_kind. The fast kinds pass a constant one, and everything is
 * inlined into one function; for the others it is an ordinary table of functions. */
#ifndef GUIRA_SLOTS_EVICT_H
#define GUIRA_SLOTS_EVICT_H

#include "guira.h"
#include "slots/layout.h"
#include "slots/stash.h"
#include "slots/undo.h"

/* The part of a filter that eviction changes besides its slots. */
struct evict_state {
    uint64_t rng; /* the filter's own random generator: part of its state, so that replicas stay the same */
    uint64_t kicks, evictions;
};

/* A bucket as the search sees it. */
struct bucket_ref {
    uint8_t *bytes; /* where it is, or the table it is in */
    uint64_t number;
    unsigned level; /* tidal: of the table's side that it is on */
};

struct evict_kind {
    struct evict_state *(*state)(guira *f);
    /* The bucket an entry is in, by its `where`. */
    struct bucket_ref (*bucket)(const guira *f, uint64_t where, struct layout l);
    /* The slots of a bucket that can be written, one bit each. */
    unsigned (*room)(const guira *f, struct bucket_ref b, struct layout l);
    /* How many other candidates the entries have; NULL: one. */
    unsigned (*others)(const guira *f);
    /* The entry in a slot, with `where` set to its other candidate of that number. False: it cannot be there. */
    bool (*other)(const guira *f, struct bucket_ref b, unsigned slot, unsigned which, struct layout l, struct entry *e);
    /* The same bucket, found faster; any bucket if the entry cannot be there. */
    struct bucket_ref (*other_bucket)(const guira *f, struct bucket_ref b, unsigned slot, unsigned which,
                                      struct layout l);
    /* The slots of a bucket whose entries have room in their other candidates, all at once. False: not for this layout. NULL:
     * not at all. */
    bool (*movable)(const guira *f, struct bucket_ref b, struct layout l, unsigned *slots);
    /* Turns e to its next candidate; after as many as there are it is back at the first. */
    void (*turn)(const guira *f, struct entry *e, struct layout l);
    /* Whether e can be where it is turned to; NULL: always. */
    bool (*fits)(const guira *f, struct entry e);
    /* Turns e to the candidate where the search had better start; NULL: any. */
    void (*prefer)(const guira *f, struct entry *e, struct layout l);
    /* Writes e into a slot that has room. */
    void (*fill)(guira *f, struct bucket_ref b, unsigned slot, struct entry e, struct undo_log *log, struct layout l);
    /* Writes e into the slot of `old`, which has been written to its new place. */
    void (*replace)(guira *f, struct bucket_ref b, unsigned slot, struct entry old, struct entry e,
                    struct undo_log *log, struct layout l);
};

ALWAYS_INLINE unsigned evict_others(const struct evict_kind *k, const guira *f) {
    return k->others == NULL ? 1 : k->others(f);
}

ALWAYS_INLINE bool evict_fits(const struct evict_kind *k, const guira *f, struct entry e) {
    return k->fits == NULL || k->fits(f, e);
}

/* The slots of a full bucket whose entries could move to a bucket with room. No branch depends on a single one of them,
 * because it could not be predicted; and beyond the cache the processor fetches all the other buckets at once. */
ALWAYS_INLINE unsigned evict_movable(const struct evict_kind *k, const guira *f, struct bucket_ref at,
                                     struct layout l) {
    unsigned movable = 0, others = evict_others(k, f);
    if (k->movable != NULL && k->movable(f, at, l, &movable)) return movable;
    UNROLL_SLOTS
    for (unsigned j = 0; j < l.slots; j++)
        for (unsigned which = 0; which < others; which++)
            movable |= (unsigned)(k->room(f, k->other_bucket(f, at, j, which, l), l) != 0) << j;
    return movable;
}

/* 31 random bits. */
ALWAYS_INLINE unsigned evict_random(struct evict_state *s) {
    s->rng = s->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(s->rng >> 33);
}

/* The first set bit of mask at or after a random one. */
ALWAYS_INLINE unsigned evict_pick(struct evict_state *s, unsigned mask, struct layout l) {
    unsigned start = evict_random(s) % l.slots;
    unsigned after = mask >> start << start;
    return (unsigned)__builtin_ctz(after != 0 ? after : mask);
}

/* The entry in each move's slot goes to the slot of the next move; the last one goes to the end, where there is room. */
struct evict_move {
    struct bucket_ref from;
    unsigned slot;
    struct entry e; /* the entry that leaves, turned to where it goes */
};

struct evict_path {
    unsigned n;
    unsigned end_slot;
    struct bucket_ref end;
    struct evict_move move[MAX_KICKS];
};

ALWAYS_INLINE bool bucket_same(struct bucket_ref a, struct bucket_ref b) {
    return a.bytes == b.bytes && a.number == b.number;
}

/* The slots of a bucket that are on the path already. */
ALWAYS_INLINE unsigned evict_on_path(const struct evict_path *p, struct bucket_ref b) {
    unsigned mask = 0;
    for (unsigned i = 0; i < p->n; i++)
        if (bucket_same(p->move[i].from, b)) mask |= 1U << p->move[i].slot;
    return mask;
}

/* Adds the entry in slot j to the path, and `at` becomes the bucket it goes to. False: it cannot go there, or only back. */
ALWAYS_INLINE bool evict_step(const struct evict_kind *k, const guira *f, struct evict_path *p, struct bucket_ref *at,
                              unsigned j, unsigned which, struct layout l) {
    struct entry e;
    if (!k->other(f, *at, j, which, l, &e)) return false;
    struct bucket_ref to = k->bucket(f, e.where, l);
    if (bucket_same(to, *at) || (p->n > 0 && bucket_same(to, p->move[p->n - 1].from))) return false;
    p->move[p->n++] = (struct evict_move){*at, j, e};
    *at = to;
    return true;
}

/* The last step: an entry of the bucket goes where there is room. */
ALWAYS_INLINE bool evict_finish(const struct evict_kind *k, const guira *f, struct evict_path *p, struct bucket_ref at,
                                struct layout l) {
    unsigned movable = evict_movable(k, f, at, l) & ~evict_on_path(p, at);
    for (; movable != 0; movable &= movable - 1) {
        unsigned j = (unsigned)__builtin_ctz(movable);
        for (unsigned which = 0; which < evict_others(k, f); which++) {
            if (evict_others(k, f) > 1 && k->room(f, k->other_bucket(f, at, j, which, l), l) == 0) continue;
            if (!evict_step(k, f, p, &at, j, which, l)) continue;
            p->end = at;
            p->end_slot = (unsigned)__builtin_ctz(k->room(f, at, l));
            return true;
        }
    }
    return false;
}

/* A random entry of the bucket goes where there is no room. */
ALWAYS_INLINE bool evict_step_random(const struct evict_kind *k, guira *f, struct evict_path *p, struct bucket_ref *at,
                                     struct layout l) {
    unsigned left = ((1U << l.slots) - 1) & ~evict_on_path(p, *at);
    struct evict_state *s = k->state(f);
    while (left != 0) {
        unsigned j = evict_pick(s, left, l), n = evict_others(k, f), first = n > 1 ? evict_random(s) % n : 0;
        for (unsigned i = 0; i < n; i++)
            if (evict_step(k, f, p, at, j, (first + i) % n, l)) return true;
        left &= ~(1U << j);
    }
    return false;
}

/* How many random entries of the first bucket are tried before the search goes on from where the last one leads. A tidal
 * filter that grows at load 0.96 moves 3.2 entries per eviction with four tries and 4.4 with one, and an insertion takes
 * an eighth less time. */
enum { EVICT_TRIES = 4 };

/* A path into e's bucket, which is full, that moves at most `kicks` entries. Writes nothing to the table. */
ALWAYS_INLINE bool evict_search(const struct evict_kind *k, guira *f, struct entry e, unsigned kicks,
                                struct evict_path *p, struct layout l) {
    struct bucket_ref start = k->bucket(f, e.where, l), at = start;
    unsigned tries = EVICT_TRIES;
    for (p->n = 0; !evict_finish(k, f, p, at, l);) {
        if (p->n == 1 && --tries > 0) {
            p->n = 0;
            at = start;
        }
        if (p->n + 1 >= kicks || !evict_step_random(k, f, p, &at, l)) return false;
    }
    return true;
}

/* From the end on, so that each entry is in its new place before its old one is overwritten. */
ALWAYS_INLINE void evict_follow(const struct evict_kind *k, guira *f, struct entry e, const struct evict_path *p,
                                struct undo_log *log, struct layout l) {
    k->fill(f, p->end, p->end_slot, p->move[p->n - 1].e, log, l);
    for (unsigned i = p->n; i-- > 0;)
        k->replace(f, p->move[i].from, p->move[i].slot, p->move[i].e, i > 0 ? p->move[i - 1].e : e, log, l);
    k->state(f)->kicks += p->n;
    k->state(f)->evictions++;
}

/* Puts e into a free slot of one of its candidates, the first that has one. */
ALWAYS_INLINE bool evict_place_free(const struct evict_kind *k, guira *f, struct entry e, struct undo_log *log,
                                    struct layout l) {
    for (unsigned i = 0; i <= evict_others(k, f); i++, k->turn(f, &e, l)) {
        if (!evict_fits(k, f, e)) continue;
        struct bucket_ref b = k->bucket(f, e.where, l);
        unsigned room = k->room(f, b, l);
        if (room == 0) continue;
        k->fill(f, b, (unsigned)__builtin_ctz(room), e, log, l);
        return true;
    }
    return false;
}

/* Puts e into its bucket, which is full, by a path of one move: most evictions end so, and this takes a third of the time of
 * evict_search(). False: there is none, and nothing has changed. */
ALWAYS_INLINE bool evict_one(const struct evict_kind *k, guira *f, struct entry e, struct undo_log *log,
                             struct layout l) {
    struct evict_path p = {.n = 0};
    struct bucket_ref at = k->bucket(f, e.where, l);
    if (!evict_finish(k, f, &p, at, l)) return false;
    k->fill(f, p.end, p.end_slot, p.move[0].e, log, l);
    k->replace(f, at, p.move[0].slot, p.move[0].e, e, log, l);
    k->state(f)->kicks++;
    k->state(f)->evictions++;
    return true;
}

/* Puts e into one of its candidates, which are full wherever it can be. False: nothing has changed.
 * First a short search from each candidate but the last, then a long one from each, the last first. */
ALWAYS_INLINE bool evict_displace(const struct evict_kind *k, guira *f, struct entry e, unsigned kicks,
                                  struct undo_log *log, struct layout l) {
    struct evict_path p;
    uint64_t rng = k->state(f)->rng;
    unsigned others = evict_others(k, f);
    if (k->prefer != NULL) k->prefer(f, &e, l);
    for (unsigned i = 0; i < others; i++, k->turn(f, &e, l))
        if (evict_fits(k, f, e) && evict_one(k, f, e, log, l)) return true;
    for (unsigned i = 0; i < others + 1; i++, k->turn(f, &e, l)) {
        if (!evict_fits(k, f, e) || !evict_search(k, f, e, kicks, &p, l)) continue;
        evict_follow(k, f, e, &p, log, l);
        return true;
    }
    k->state(f)->rng = rng;
    return false;
}

/* Puts e into one of its candidates, moving at most `kicks` others. False: nothing has changed. */
ALWAYS_INLINE bool evict_place(const struct evict_kind *k, guira *f, struct entry e, unsigned kicks,
                               struct undo_log *log, struct layout l) {
    if (undo_room(log) <= kicks) return false;
    return evict_place_free(k, f, e, log, l) || (kicks > 0 && evict_displace(k, f, e, kicks, log, l));
}

#endif
