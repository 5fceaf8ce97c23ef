/* Making room in two full buckets: the walk that every kind of cuckoo filter here shares.
 *
 * WHO STEPS ASIDE? Each entry of a full bucket has one other place. These places are fetched, four at a time, and the first
 * entry whose other place has room moves there:
 *
 *     new -> [a b c d e f g h]          a's other bucket is full, b's is full, c's has room: c goes, new takes its slot
 *             v v v
 *            [x][x][.]
 *
 * Only if none has room is one of them, by lot, to go all the same, and the search goes on from there with whom it will
 * displace. Nothing is written before the search has come to an end: who is refused has changed nothing. With 8 slots and a constant load of 0.95 this takes 0.6 to 1.3 moves per insertion, where displacing
 * somebody at random takes 2 to 7.5.
 *
 * The kind that includes this has defined, for its FILTER:
 *     struct spot                                  a bucket: at least `uint8_t *bucket`
 *     spot_of(f, where, w)                         the bucket an entry is in when its `where` is this
 *     spot_read(f, spot, slot value, w)            the entry in a slot of it
 *     entry_cross(f, &e, w)                        turns e to its other bucket; false: it cannot live there
 *     spot_put(f, spot, slot, e, journal, w)       writes e there, through the journal
 *     entry_weigh(f, e), entry_lift(f, e)          e is put into the stash; e is taken out of the table or the stash
 *     entry_fits(f, e)                             whether e can live where it is turned to
 * and, with EVICT_ROOM, if some slots may be taken though they are not empty:
 *     spot_room(f, spot, w)                        which slots are free
 *     spot_fill(f, spot, slot, e, journal, w)      spot_put() into one of these
 */

#ifndef EVICT_ROOM
ALWAYS_INLINE unsigned spot_room(const FILTER *f, struct spot at, unsigned w) {
    (void)f;
    return empty_mask(at.bucket, w);
}

ALWAYS_INLINE void spot_fill(FILTER *f, struct spot at, unsigned slot, struct entry e, struct journal *log,
                             unsigned w) {
    spot_put(f, at, slot, e, log, w);
}
#endif

struct options {
    unsigned movable; /* bit j: slot j's entry has somewhere to go */
    struct entry entry[MAX_SLOTS];
    struct spot to[MAX_SLOTS];
};

/* Where the entry in slot j could go, and fetches that bucket. */
ALWAYS_INLINE void look_ahead(const FILTER *f, struct spot at, unsigned j, const uint8_t *from, struct options *o,
                              unsigned w) {
    struct entry e = spot_read(f, at, slot_get(at.bucket, j, w), w);
    bool can = entry_cross(f, &e, w);
    o->entry[j] = e;
    o->to[j] = can ? spot_of(f, e.where, w) : at;
    __builtin_prefetch(o->to[j].bucket, 1);
    o->movable |= (unsigned)(o->to[j].bucket != at.bucket && o->to[j].bucket != from) << j;
}

/* The first set bit of mask at or after a random one. */
ALWAYS_INLINE unsigned pick(guira *head, unsigned mask, unsigned w) {
    head->rng = head->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    unsigned start = (unsigned)((head->rng >> 33) % bucket_slots(w));
    unsigned after = mask >> start << start;
    return (unsigned)__builtin_ctz(after != 0 ? after : mask);
}

/* One after the other steps aside: the entry in each hop's slot goes to the slot of the next hop, the last to the end. */
struct hop {
    struct spot at;
    unsigned slot;
    struct entry e; /* who leaves it, turned to where it goes */
};

struct route {
    unsigned n;
    unsigned end_slot;
    struct spot end;
    struct hop hop[MAX_KICKS];
};

/* The slots of a bucket that are on the route already: who is there has been told to go. */
ALWAYS_INLINE unsigned on_route(const struct route *r, const uint8_t *bucket) {
    unsigned mask = 0;
    for (unsigned i = 0; i < r->n; i++)
        if (r->hop[i].at.bucket == bucket) mask |= 1U << r->hop[i].slot;
    return mask;
}

/* Slot j of a bucket is the next hop, and the last one if where its entry goes there is room. */
ALWAYS_INLINE bool hop_ends(const FILTER *f, struct route *r, struct spot at, unsigned j, const struct options *o,
                            unsigned w) {
    unsigned room = spot_room(f, o->to[j], w);
    if (room == 0) return false;
    r->hop[r->n++] = (struct hop){at, j, o->entry[j]};
    r->end = o->to[j];
    r->end_slot = (unsigned)__builtin_ctz(room);
    return true;
}

/* How many places to fetch at once. Fetching all before looking at the first is as fast beyond the cache and a tenth
 * slower in it; fetching none is a fifth slower beyond it. */
enum { FETCH = 4 };

/* A way for e into its bucket, which is full, on which at most `kicks` others move. Nothing is written yet. */
ALWAYS_INLINE bool find_route(FILTER *f, struct entry e, unsigned kicks, struct route *r, unsigned w) {
    struct spot at = spot_of(f, e.where, w);
    const uint8_t *from = NULL;
    struct options o;
    for (r->n = 0; r->n < kicks;) {
        unsigned gone = on_route(r, at.bucket);
        o.movable = 0;
        for (unsigned j = 0; j < bucket_slots(w); j += FETCH) {
            for (unsigned i = j; i < j + FETCH && i < bucket_slots(w); i++) look_ahead(f, at, i, from, &o, w);
            o.movable &= ~gone;
            for (unsigned left = o.movable >> j << j; left != 0; left &= left - 1)
                if (hop_ends(f, r, at, (unsigned)__builtin_ctz(left), &o, w)) return true;
        }
        if (o.movable == 0) return false;
        unsigned j = pick(&f->head, o.movable, w);
        r->hop[r->n++] = (struct hop){at, j, o.entry[j]};
        from = at.bucket;
        at = o.to[j];
    }
    return false;
}

/* From the end on, so that each is in its new place before the next one takes its old one. */
ALWAYS_INLINE void take_route(FILTER *f, struct entry e, const struct route *r, struct journal *log, unsigned w) {
    spot_fill(f, r->end, r->end_slot, r->hop[r->n - 1].e, log, w);
    for (unsigned i = r->n; i-- > 0;) {
        entry_lift(f, r->hop[i].e);
        visible_move(f->head.moves);
        spot_put(f, r->hop[i].at, r->hop[i].slot, i > 0 ? r->hop[i - 1].e : e, log, w);
    }
    f->head.kicks += r->n;
    f->head.evictions++;
}

/* Puts e into a free slot of one of its buckets if there is one. */
ALWAYS_INLINE bool place_at_once(FILTER *f, struct entry e, struct journal *log, unsigned w) {
    for (unsigned turn = 0; turn < 2; turn++) {
        if (entry_fits(f, e)) {
            struct spot at = spot_of(f, e.where, w);
            unsigned room = spot_room(f, at, w);
            if (room != 0) {
                spot_fill(f, at, (unsigned)__builtin_ctz(room), e, log, w);
                return true;
            }
        }
        entry_cross(f, &e, w);
    }
    return false;
}

/* Puts e into one of its buckets, both of which are full where it can live at all. False: nothing has changed. */
ALWAYS_INLINE bool displace(FILTER *f, struct entry e, unsigned kicks, struct journal *log, unsigned w) {
    struct route r;
    uint64_t rng = f->head.rng;
    for (unsigned turn = 0; turn < 2; turn++) {
        if (entry_fits(f, e) && find_route(f, e, kicks, &r, w)) {
            take_route(f, e, &r, log, w);
            return true;
        }
        f->head.rng = rng;
        entry_cross(f, &e, w);
    }
    return false;
}

ALWAYS_INLINE bool place(FILTER *f, struct entry e, unsigned kicks, struct journal *log, unsigned w) {
    if (journal_room(log) <= kicks) return false;
    return place_at_once(f, e, log, w) || displace(f, e, kicks, log, w);
}

/* How many of the slots and of the stash a key has already. */
struct copies {
    unsigned places; /* slots it could have at most */
    unsigned in_table, in_stash;
};

/* An insertion into two full buckets. What finds no place in the table goes to the stash; copies of one key only to its
 * easy half, so that they neither make the filter grow, which would not help them, nor take it from everybody else. */
ALWAYS_INLINE guira_status place_crowded(FILTER *f, struct entry e, struct copies copies, unsigned w) {
    bool all_copies = copies.in_table >= copies.places;
    if (!all_copies && displace(f, e, f->head.config.max_kicks, NULL, w)) return GUIRA_OK;
    if (copies.in_table >= bucket_slots(w) && copies.in_stash >= STASH_COPIES) return GUIRA_EDUPLICATE;
    if (!stash_push(&f->head.stash, e, all_copies ? STASH_EASY : STASH_SIZE))
        return all_copies ? GUIRA_EDUPLICATE : GUIRA_EFULL;
    entry_weigh(f, e);
    return GUIRA_OK;
}

/* Brings home what waits in the stash, as far as there is room. */
ALWAYS_INLINE void bring_home(FILTER *f, unsigned kicks, unsigned w) {
    for (uint64_t i = f->head.stash.n; i-- > 0;) {
        struct entry e = f->head.stash.entry[i];
        if (kicks == 0 ? place_at_once(f, e, NULL, w) : place(f, e, kicks, NULL, w)) {
            entry_lift(f, e);
            stash_drop(&f->head.stash, i, f->head.moves);
        }
    }
}
