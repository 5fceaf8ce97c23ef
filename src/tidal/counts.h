/* How many more copies there are of elders: an exact hash table from names (see elders.h) to numbers.
 *
 * The first copy of an elder is in the table of names. All further copies are one number here, so that a million copies take
 * 16 bytes. Linear probing; a name that is not counted any more keeps its slot, with the number 0, until the table is
 * rebuilt. So counting down needs no memory and moves nothing.
 *
 *     now   [ name n | . | name n | name n | . | . | name 0 | . ]
 *     old   [ moved ....|moved: name n | name n ]                     only while the table is being rebuilt
 *
 * HOW DOES IT GROW WITHOUT A PAUSE? A larger array is begun, and every change moves a few slots of the old one there. A
 * name is looked for in the new one first. Concurrent readers do the same; the version counter tells them when the old
 * array went away while they were looking. */
#ifndef GUIRA_TIDAL_COUNTS_H
#define GUIRA_TIDAL_COUNTS_H

#include "tidal/tidal.h"

enum {
    COUNTS_FIRST_BITS = 4, /* log2 of the slots of the first array */
    COUNTS_MAX_BITS = 40
};

/* Both little-endian, as in a file. */
struct count_slot {
    uint64_t name; /* 0: empty */
    uint64_t n;
};

struct count_array {
    uint64_t bits; /* log2 of the slots */
    uint64_t used; /* slots that are not empty; not known in a view */
    struct count_slot *slot;
};

struct counts {
    struct count_array *now;   /* NULL: there are none */
    struct count_array *old;   /* NULL: the table is not being rebuilt */
    struct count_array *spare; /* for the next rebuilding; no part of what is counted */
    uint64_t moved;            /* so many slots of old have been moved */
    uint64_t left;             /* names in old that have not; not known in a view */
    uint64_t names;            /* with a number above 0 */
};

/* The number of a name; 0: not counted. Safe beside a writer in a read-side critical section. */
uint64_t guira__counts_get(const struct counts *c, uint64_t name);

/* Makes sure that k more names can be counted; false: no memory, and nothing has changed. */
bool guira__counts_ready(struct counts *c, uint64_t k);

/* Adds n to a name. f: the filter whose readers are told. guira__counts_ready has said yes. */
void guira__counts_add(struct counts *c, const struct tidal *f, uint64_t name, uint64_t n);
/* Subtracts 1 from a name, which has a number above 0. Needs no memory. */
void guira__counts_subtract(struct counts *c, const struct tidal *f, uint64_t name);

/* Visits the names with a number above 0. at: 0 to start with. False: there are no more. */
bool guira__counts_next(const struct counts *c, uint64_t *at, struct count_slot *out);

bool guira__counts_clone(const struct counts *c, struct counts *to); /* false: no memory */
void guira__counts_free(struct counts *c);                           /* at once: no reader is left */
uint64_t guira__counts_bytes(const struct counts *c);

/* An array of the slots in a file, which stay where they are; NULL: no memory. */
struct count_array *guira__count_array_view(const uint8_t *slots, uint64_t bits);

/* The first broken invariant, or NULL; *total: the sum of all numbers. */
const char *guira__counts_check(const struct counts *c, uint64_t *total);
void guira__counts_dump(const struct counts *c, guira__sink *sink, void *to);

#endif
