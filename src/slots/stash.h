/* The stash: a few entries that found no place in the table, kept outside it with all that is known of them.
 *
 * What the two numbers of an entry mean is decided by the kind of filter; the stash only keeps them. */
#ifndef GUIRA_SLOTS_STASH_H
#define GUIRA_SLOTS_STASH_H

#include "base/version.h"

/* One member, as far as the filter knows it.
 *   tidal:   where = its address, seen from the bucket it is in; what = how many leading bits of it are known, and in
 *            windows its time stamp above these 8 bits
 *   others:  where = the number of the bucket it is in; what = its fingerprint */
struct entry {
    uint64_t where;
    uint64_t what;
};

enum {
    STASH_GROW = 8,  /* above this a filter that can grow does, and only an insertion may add to it */
    STASH_SIZE = 16, /* beyond this an insertion is refused */
    STASH_LAST = 17, /* one more entry has a place if the filter could grow for it (tidal/insert.inc). As many can be
                         there when two buckets of 10 become one while 7 entries wait (tidal/steps.inc) */
    STASH_COPIES = 4 /* places that copies of one key may take, so that one key cannot have them all */
};

struct stash {
    uint32_t n;
    uint32_t room;                  /* in a tidal filter: how many entries there is memory for (tidal/stash.c) */
    struct entry entry[STASH_LAST]; /* the last member, because of that */
};

static inline void stash_write(struct stash *s, uint64_t i, struct entry e) {
    store_relaxed(s->entry[i].where, e.where);
    store_relaxed(s->entry[i].what, e.what);
}

/* Adds e unless there are `limit` entries already. */
static inline bool stash_push(struct stash *s, struct entry e, unsigned limit) {
    if (s->n >= limit) return false;
    stash_write(s, s->n, e);
    store_release(s->n, s->n + 1);
    return true;
}

/* Removes entry i; the last one takes its place. If i is still a member, it has been written elsewhere before. */
static inline void stash_drop(struct stash *s, uint64_t i, uint64_t *version) {
    version_bump(version);
    stash_write(s, i, s->entry[s->n - 1]);
    version_bump(version);
    store_relaxed(s->n, s->n - 1);
    stash_write(s, s->n, (struct entry){0, 0});
}

#endif
