/* Sightings: how long ago a window's table has seen an address. Included by tidal.c.
 *
 * Several entries may match, copies of one that was split without a tail or other keys' entries. The youngest of them
 * answers, and when the window slides, it is the one that is stamped anew. */

struct sighting {
    unsigned age; /* STAMPS: none */
    unsigned slot;
    uint8_t *bucket; /* NULL: it is in the stash */
    uint64_t stash;
};

ALWAYS_INLINE void sight_in_bucket(const struct tidal *f, uint64_t address, struct sighting *best) {
    struct probe p = probe_at(f, address, core_of(address, AGED), AGED, IN_SEGMENTS);
    for (unsigned mask = match_mask(p.bucket, p.q, AGED, PREFIX); mask != 0; mask &= mask - 1) {
        unsigned j = (unsigned)__builtin_ctz(mask), age = slot_age(f, slot_get(p.bucket, j, AGED));
        if (age < best->age) *best = (struct sighting){age, j, (uint8_t *)(uintptr_t)p.bucket, 0};
    }
}

APART static void sight_in_stash(const struct tidal *f, uint64_t address, struct sighting *best) {
    for (uint64_t i = 0; i < f->head.stash.n; i++) {
        struct entry e = f->head.stash.entry[i];
        unsigned age = stamp_age(f, stamp_of(e));
        if (age < best->age && entry_is(e, address, AGED)) *best = (struct sighting){age, 0, NULL, i};
    }
}

ALWAYS_INLINE struct sighting last_sighting(const struct tidal *f, uint64_t address) {
    struct sighting best = {STAMPS, 0, NULL, 0};
    sight_in_bucket(f, address, &best);
    sight_in_bucket(f, partner_of(address, AGED), &best);
    if (UNLIKELY(f->beside)) sight_in_stash(f, address, &best);
    return best;
}

static unsigned age(const guira *head, uint64_t address) {
    return last_sighting((const struct tidal *)head, address).age;
}

/* WHOM MAY THAT HURT? Nobody: the entry may be another key's, but all that happens to it is that it lives longer. And
 * the key that was seen is safe: an entry that matches it does so for as long as it lives, whatever splits, merges and
 * moves make it forget, and this one lives for a window from now. */
static bool renew(guira *head, uint64_t address) {
    struct tidal *f = (struct tidal *)head;
    struct sighting s = last_sighting(f, address);
    if (s.age > OLDEST_ALIVE) return false;
    uint64_t stamp = stamp_now(f, AGED);
    if (s.bucket != NULL) {
        uint64_t body = slot_body(slot_get(s.bucket, s.slot, AGED), AGED);
        slot_set(s.bucket, s.slot, stamp << AGED | body, AGED);
    } else {
        head->stash.entry[s.stash].what = known_of(head->stash.entry[s.stash]) | stamp << 8;
    }
    return true;
}
