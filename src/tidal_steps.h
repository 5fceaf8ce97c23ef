/* The tidal filter's steps: one bucket more, one bucket less. Included by tidal.c.
 *
 *     grow      right[p]  = {a b c d e f g h}   ->   left[2p] = {a c d h}   left[2p+1] = {b e f g}
 *
 *               the first bit of each tail says which way, and is dropped: from now on the position says it
 *
 *     shrink    the reverse; the position bit goes back to the front of the tail. What does not fit in one bucket
 *               finds a place elsewhere, like any newcomer.
 *
 * An entry without a tail cannot be split. It becomes an elder; in a window, where nobody is removed by key and every
 * entry expires by itself, it just goes into both halves.
 *
 * A step works completely or leaves everything as it was. Nobody's insertion or removal fails because a step did: the
 * filter stays as large as it is and tries again next time. */

/* The tail and mark of slot s, without the core. */
ALWAYS_INLINE uint64_t field_mask(unsigned w) { return (UINT64_C(2) << tail_bits(w)) - 1; }

/* One level up: the first bit of the tail is dropped. */
ALWAYS_INLINE uint64_t slot_up(uint64_t s, unsigned w) { return (s & ~field_mask(w)) | (s << 1 & field_mask(w)); }

/* One level down: `bit` becomes the first of the tail. If there is no room, the last one gives way to the mark. */
ALWAYS_INLINE uint64_t slot_down(uint64_t s, uint64_t bit, unsigned w) {
    uint64_t field = s & field_mask(w);
    return (s & ~field_mask(w)) | bit << tail_bits(w) | field >> 1 | (field & 1);
}

/* Makes elders of the entries in a bucket that cannot be split: all of them, or none. */
ALWAYS_INLINE guira_status hand_over(struct tidal *f, struct spot from, unsigned w) {
    struct entry elder[MAX_SLOTS];
    unsigned n = 0;
    if (w == AGED) return GUIRA_OK;
    for (unsigned j = 0; j < bucket_slots(w); j++) {
        uint64_t slot = slot_get(from.bucket, j, w);
        if (slot != 0 && slot_known(slot, from.level, w) == from.level)
            elder[n++] = slot_decode(slot, from.number, from.level, w);
    }
    if (n > 0 && !guira__elders_ready(f, elder, n)) return GUIRA_ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        guira__elders_add(f, elder[i]);
        entry_lift(f, elder[i]);
    }
    watch_beside(f);
    return GUIRA_OK;
}

ALWAYS_INLINE void split(struct tidal *f, struct spot from, unsigned w) {
    uint8_t *to[2] = {bucket_at(f, LEFT, 2 * from.number, w), bucket_at(f, LEFT, 2 * from.number + 1, w)};
    unsigned filled[2] = {0, 0};
    bucket_clear(to[0], w);
    bucket_clear(to[1], w);
    for (unsigned j = 0; j < bucket_slots(w); j++) {
        uint64_t s = slot_get(from.bucket, j, w);
        bool tailless = s != 0 && slot_known(s, from.level, w) == from.level;
        if (w == AGED && tailless) { /* each half of it weighs half: all that changes is that there are two */
            slot_set(to[0], filled[0]++, s, w);
            slot_set(to[1], filled[1]++, s, w);
            f->head.items++;
        }
        if (s == 0 || tailless) continue; /* empty, or elsewhere now */
        unsigned bit = s >> tail_bits(w) & 1;
        slot_set(to[bit], filled[bit]++, slot_up(s, w), w);
    }
}

enum { DRAIN_KICKS = 32 };

ALWAYS_INLINE guira_status grow_step(struct tidal *f, unsigned w) {
    if (f->level + 1 >= max_level(w)) return GUIRA_ELIMIT;
    guira_status s = guira__table_ready_to_rise(f);
    if (s != GUIRA_OK) return s;
    struct spot from = {bucket_at(f, RIGHT, f->line, w), f->line, f->level};
    s = hand_over(f, from, w);
    if (s == GUIRA_OK) {
        split(f, from, w);
        guira__table_rise(f);
        f->head.grows++;
    }
    guira__table_trim(f);
    if (s == GUIRA_OK) bring_home(f, DRAIN_KICKS, w);
    watch_beside(f);
    return s;
}

/* The entries of the two buckets left of the line, one level down. Those that are dead are left behind. */
ALWAYS_INLINE unsigned read_pair(struct tidal *f, uint64_t number, uint64_t slot[2 * MAX_SLOTS], unsigned w) {
    unsigned n = 0;
    for (unsigned bit = 0; bit < 2; bit++) {
        const uint8_t *bucket = bucket_at(f, LEFT, 2 * number + bit, w);
        for (unsigned j = 0; j < bucket_slots(w); j++) {
            uint64_t s = slot_get(bucket, j, w);
            if (slot_dead(f, s, w)) f->head.items--;
            else if (s != 0) slot[n++] = slot_down(s, bit, w);
        }
    }
    return n;
}

/* A point to go back to. */
struct mark {
    uint64_t items, weight, rng, kicks, evictions, stashed;
};

/* What a pair weighed at the level above: a full tail lost a bit on the way down. */
ALWAYS_INLINE uint64_t weigh_pair(const struct tidal *f, uint64_t number, unsigned w) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < 2 * bucket_slots(w); i++) {
        const uint8_t *bucket = bucket_at(f, LEFT, 2 * number + i / bucket_slots(w), w);
        uint64_t s = slot_get(bucket, i % bucket_slots(w), w);
        if (s != 0) sum += weight_of(slot_known(s, f->level + 1, w));
    }
    return sum;
}

/* Fills the bucket at the line with the first of the pair's entries. The others wait in the stash, so that at no time
 * they are nowhere, until the line has been shown to readers. */
ALWAYS_INLINE void make_one(struct tidal *f, const uint64_t *slot, unsigned n, unsigned w) {
    struct spot to = {bucket_at(f, RIGHT, f->line, w), f->line, f->level};
    bucket_clear(to.bucket, w);
    for (unsigned i = 0; i < n; i++) {
        struct entry e = slot_decode(slot[i], to.number, to.level, w);
        if (i < bucket_slots(w)) slot_set(to.bucket, i, slot[i], w);
        else stash_push(&f->head.stash, e, STASH_LAST);
        entry_weigh(f, e);
    }
    watch_beside(f);
}

/* Finds places for what waits beyond the first n of the stash; a few may stay. Nobody leaves the stash before it is
 * clear that all goes well. */
ALWAYS_INLINE bool bring_home_beyond(struct tidal *f, uint64_t n, struct journal *log, unsigned w) {
    uint64_t end = f->head.stash.n, stay = 0;
    bool home[STASH_LAST] = {false};
    for (uint64_t i = n; i < end; i++) {
        home[i] = place(f, f->head.stash.entry[i], f->head.config.max_kicks, log, w);
        stay += !home[i];
    }
    if (stay > 0 && n + stay > STASH_EASY) return false;
    for (uint64_t i = end; i-- > n;) {
        if (!home[i]) continue;
        entry_lift(f, f->head.stash.entry[i]);
        stash_drop(&f->head.stash, i, f->head.moves);
    }
    return true;
}

/* As it was before the fall. */
ALWAYS_INLINE void rise_again(struct tidal *f, struct mark m, struct journal *log, unsigned w) {
    journal_undo(log, f->head.moves, w);
    guira__table_rise(f);
    while (f->head.stash.n > m.stashed) stash_drop(&f->head.stash, f->head.stash.n - 1, f->head.moves);
    f->head.items = m.items;
    f->head.weight = m.weight;
    f->head.rng = m.rng;
    f->head.kicks = m.kicks;
    f->head.evictions = m.evictions;
}

ALWAYS_INLINE guira_status shrink_step(struct tidal *f, unsigned w) {
    if (bucket_count(f) <= MIN_BUCKETS) return GUIRA_ELIMIT;
    if (f->head.stash.n >= STASH_EASY) return GUIRA_EFULL;
    guira_status s = guira__table_fall(f);
    if (s != GUIRA_OK) return s;
    struct journal log;
    log.n = 0;
    struct mark m = {f->head.items, f->head.weight, f->head.rng, f->head.kicks, f->head.evictions, f->head.stash.n};
    uint64_t slot[2 * MAX_SLOTS];
    unsigned n = read_pair(f, f->line, slot, w);
    f->head.weight -= weigh_pair(f, f->line, w);
    make_one(f, slot, n, w);
    guira__table_publish(f);
    if (bring_home_beyond(f, m.stashed, &log, w)) {
        f->head.shrinks++;
        guira__elders_follow(f);
    } else {
        rise_again(f, m, &log, w);
        s = GUIRA_EFULL;
    }
    guira__table_trim(f);
    watch_beside(f);
    return s;
}

/* ------------------------------------------------------------------------------------------------ when steps are taken */

/* At most two per call: one insertion brings less than the eighth part of a bucket, so this catches up soon enough
 * after a time without memory, and no call takes long. */
enum { STEPS = 2 };

/* Both say OK whatever became of the steps: the insertion or removal before them has succeeded. */

/* A stash that fills up also asks for room, but not for so much that the filter would want to shrink again: what waits
 * there may be copies, which no growth brings home. */
APART static guira_status swell(struct tidal *f) {
    for (unsigned i = 0; i < STEPS; i++) {
        bool loaded = f->head.items > f->grow_at;
        bool crowded = f->head.stash.n > STASH_EASY && f->head.items > f->grow_at - f->grow_at / 16;
        if (!loaded && !crowded) break;
        if (loaded && f->floor > 0) guira__table_set_floor(f, 0); /* what was reserved has been used up */
        if (f->head.ops->grow(&f->head) != GUIRA_OK) break;
    }
    return GUIRA_OK;
}

APART static guira_status ebb(struct tidal *f) {
    for (unsigned i = 0; i < STEPS && f->head.items < f->shrink_at; i++)
        if (f->head.ops->shrink(&f->head) != GUIRA_OK) break;
    return GUIRA_OK;
}
