/* Making room in two full buckets: the walk that every kind of cuckoo filter here shares.
 *
 * WHO STEPS ASIDE? Each entry of a full bucket has one other place. All these places are looked at, and the first entry
 * whose other place has room moves there:
 *
 *     new -> [a b c d e f g h]          a's other bucket is full, b's is full, c's has room: c goes, new takes its slot
 *             v v v v v v v v
 *            [x][x][.][x][x][.][x][x]
 *
 * If none has room it is the turn of the newcomer's other bucket; if none has there either, some entries of that one are
 * tried by lot: is there room for one of those whom it would displace? Only then does the search go deeper.
 *
 * Nothing is written before the search has come to an end: who is refused has changed nothing. With 8 slots and a
 * constant load of 0.95 this takes 0.5 to 0.8 moves per insertion, where displacing somebody at random takes 2 to 7.5.
 *
 * The kind that includes this has defined, for its FILTER:
 *     struct spot                                  a bucket: at least `uint8_t *bucket`
 *     spot_of(f, where, w)                         the bucket an entry is in when its `where` is this
 *     spot_read(f, spot, slot value, w)            the entry in a slot of it
 *     spot_across(f, spot, slot value, w)          the other bucket of that entry; any bucket, if it cannot live there
 *     entry_cross(f, &e, w)                        turns e to its other bucket; false: it cannot live there
 *     entry_face(f, &e, w)                         turns e to the bucket where the search had better begin
 *     spot_put(f, spot, slot, e, journal, w)       writes e there, through the journal
 *     entry_weigh(f, e), entry_lift(f, e)          e is put into the stash; e is taken out of the table or the stash
 *     entry_fits(f, e)                             whether e can live where it is turned to
 * and, with EVICT_ROOM, if some slots may be taken though they are not empty:
 *     room_in(f, bucket, w)                        which slots are free
 *     spot_fill(f, spot, slot, e, journal, w)      spot_put() into one of these
 */

#ifndef EVICT_ROOM
ALWAYS_INLINE unsigned room_in(const FILTER *f, const uint8_t *bucket, unsigned w) {
    (void)f;
    return empty_mask(bucket, w);
}

ALWAYS_INLINE void spot_fill(FILTER *f, struct spot at, unsigned slot, struct entry e, struct journal *log,
                             unsigned w) {
    spot_put(f, at, slot, e, log, w);
}
#endif

/* Which entries of a full bucket could go where there is room. No branch asks for one of them, because nobody can predict
 * the answer, and beyond the cache the processor fetches all their places at once. */
ALWAYS_INLINE unsigned look_ahead(const FILTER *f, struct spot at, unsigned w) {
    unsigned roomy = 0;
    for (unsigned j = 0; j < bucket_slots(w); j++) {
        const uint8_t *to = spot_across(f, at, slot_get(at.bucket, j, w), w);
        roomy |= (unsigned)(room_in(f, to, w) != 0) << j;
    }
    return roomy;
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

/* The entry in slot j is the next to go, and `at` becomes where it goes. False: it cannot, or only back. */
ALWAYS_INLINE bool hop_on(const FILTER *f, struct route *r, struct spot *at, unsigned j, unsigned w) {
    struct entry e = spot_read(f, *at, slot_get(at->bucket, j, w), w);
    if (!entry_cross(f, &e, w)) return false;
    struct spot to = spot_of(f, e.where, w);
    if (to.bucket == at->bucket || (r->n > 0 && to.bucket == r->hop[r->n - 1].at.bucket)) return false;
    r->hop[r->n++] = (struct hop){*at, j, e};
    *at = to;
    return true;
}

/* The last hop: somebody goes where there is room. */
ALWAYS_INLINE bool hop_home(const FILTER *f, struct route *r, struct spot at, unsigned w) {
    unsigned roomy = look_ahead(f, at, w) & ~on_route(r, at.bucket);
    for (; roomy != 0; roomy &= roomy - 1) {
        if (!hop_on(f, r, &at, (unsigned)__builtin_ctz(roomy), w)) continue;
        r->end = at;
        r->end_slot = (unsigned)__builtin_ctz(room_in(f, at.bucket, w));
        return true;
    }
    return false;
}

/* Somebody goes, by lot, where there is none. */
ALWAYS_INLINE bool hop_anywhere(FILTER *f, struct route *r, struct spot *at, unsigned w) {
    unsigned left = ((1U << bucket_slots(w)) - 1) & ~on_route(r, at->bucket);
    while (left != 0) {
        unsigned j = pick(&f->head, left, w);
        if (hop_on(f, r, at, j, w)) return true;
        left &= ~(1U << j);
    }
    return false;
}

/* How many lots are drawn in the first bucket before the search goes on from where the last of them leads. A tidal filter
 * that grows at load 0.96 moves 3.2 others per eviction with four, 4.4 with one, and an insertion takes an eighth less. */
enum { LOTS = 4 };

/* A way for e into its bucket, which is full, on which at most `kicks` others move. Nothing is written yet. */
ALWAYS_INLINE bool find_route(FILTER *f, struct entry e, unsigned kicks, struct route *r, unsigned w) {
    struct spot start = spot_of(f, e.where, w), at = start;
    unsigned lots = LOTS;
    for (r->n = 0; !hop_home(f, r, at, w);) {
        if (r->n == 1 && --lots > 0) {
            r->n = 0;
            at = start;
        }
        if (r->n + 1 >= kicks || !hop_anywhere(f, r, &at, w)) return false;
    }
    return true;
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
            unsigned room = room_in(f, at.bucket, w);
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
    entry_face(f, &e, w);
    /* A glance from the one bucket, the long way from the other, and then from the one as well. */
    for (unsigned turn = 0; turn < 3; turn++) {
        if (entry_fits(f, e) && find_route(f, e, turn == 0 ? 1 : kicks, &r, w)) {
            take_route(f, e, &r, log, w);
            return true;
        }
        entry_cross(f, &e, w);
    }
    f->head.rng = rng;
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
