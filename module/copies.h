/* An exact table of counts: number -> how many. Open addressing with linear probing, at most half full.
 *
 * Equal calls give equal bytes, and the bytes are what is saved: so a replica has the same table as its master. */
#ifndef GUIRA_MODULE_COPIES_H
#define GUIRA_MODULE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

struct copies {
    uint64_t slots; /* 0, or a power of two */
    uint64_t used;
    uint64_t total; /* the sum of all counts */
    struct copy {
        uint64_t what; /* 0: a free slot */
        uint64_t count;
    } * slot;
};

uint64_t copies_of(const struct copies *c, uint64_t what);

/* what is not 0. False: no memory, nothing has changed. */
bool copies_add(struct copies *c, uint64_t what);

/* False: there is none. */
bool copies_remove(struct copies *c, uint64_t what);

void copies_free(struct copies *c);

/* Whether a table that came from outside is one that the functions above can have made. */
bool copies_valid(const struct copies *c);

#endif
