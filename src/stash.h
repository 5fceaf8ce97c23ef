/* The stash: a few entries that found no place in the table, kept beside it with all that is known of them.
 *
 * What an entry's two numbers mean is the kind's business; the stash only keeps them in order of arrival. */
#ifndef GUIRA_STASH_H
#define GUIRA_STASH_H

#include <stdbool.h>
#include <stdint.h>

/* One member, as far as the filter knows it.
 *   tidal:  where = its address seen from the bucket it is in, what = how many leading bits of that are known
 *   cuckoo: where = the number of the bucket it is in,         what = its fingerprint */
struct entry {
    uint64_t where;
    uint64_t what;
};

enum {
    STASH_SIZE = 16, /* beyond this an insertion is refused */
    STASH_LAST = 17, /* but one more has a place if the filter could grow for it: see tidal.c */
    STASH_EASY = 8,  /* above this an elastic filter grows, and nothing but an insertion may add to it */
    STASH_COPIES = 4 /* as many places copies of one key may take, so that one key cannot have them all */
};

struct stash {
    struct entry entry[STASH_LAST];
    uint32_t n;
};

static inline bool stash_push(struct stash *s, struct entry e, unsigned limit) {
    if (s->n >= limit) return false;
    s->entry[s->n++] = e;
    return true;
}

static inline void stash_drop(struct stash *s, unsigned i) {
    s->n--;
    for (; i < s->n; i++) s->entry[i] = s->entry[i + 1];
    s->entry[s->n] = (struct entry){0, 0};
}

#endif
