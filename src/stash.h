/* The stash: a few entries that found no place in the table, kept beside it with all that is known of them.
 *
 * What an entry's two numbers mean is the kind's business; the stash only keeps them. */
#ifndef GUIRA_STASH_H
#define GUIRA_STASH_H

#include <stdbool.h>
#include <stdint.h>

#include "visible.h"

/* One member, as far as the filter knows it.
 *   tidal:  where = its address seen from the bucket it is in, what = how many leading bits of that are known,
 *           and in windows above 8 bits for that its stamp
 *   cuckoo: where = the number of the bucket it is in,         what = its fingerprint */
struct entry {
    uint64_t where;
    uint64_t what;
};

enum {
    STASH_SIZE = 16, /* beyond this an insertion is refused */
    STASH_LAST =
        17,         /* but one more has a place if the filter could grow for it: see tidal.c. As many are there when two
                        buckets of 10 become one while 7 wait: see tidal_steps.h */
    STASH_EASY = 8, /* above this an elastic filter grows, and nothing but an insertion may add to it */
    STASH_COPIES = 4 /* as many places copies of one key may take, so that one key cannot have them all */
};

struct stash {
    struct entry entry[STASH_LAST];
    uint64_t n;
};

static inline void stash_show(struct stash *s, uint64_t i, struct entry e) {
    SHOW(s->entry[i].where, e.where);
    SHOW(s->entry[i].what, e.what);
}

static inline bool stash_push(struct stash *s, struct entry e, unsigned limit) {
    if (s->n >= limit) return false;
    stash_show(s, s->n, e);
    PUBLISH(s->n, s->n + 1);
    return true;
}

/* The last entry takes the place of the one that goes. */
static inline void stash_drop(struct stash *s, uint64_t i, uint64_t *moves) {
    visible_move(moves); /* the one that goes has been put down somewhere else */
    stash_show(s, i, s->entry[s->n - 1]);
    visible_move(moves);
    SHOW(s->n, s->n - 1);
    stash_show(s, s->n, (struct entry){0, 0});
}

#endif
