/* DCF, the dynamic cuckoo filter: a list of equal cuckoo filters.
 *
 *     list     [#### full]  [####  full]  [#.#. active]       insertions go to the active one
 *                  ^             ^             ^
 *     key ---------+-------------+-------------+              a question goes to all of them, to the same two buckets
 *
 * ALL FULL? When the active filter has reached max_load the emptiest of the list becomes active; if that one is full too,
 * a new one is added. After removals the emptiest is merged into the others as soon as those have room for it.
 *
 * WHICH ONE TO REMOVE FROM? Any. All filters have the same size and see the same fingerprint and buckets, so an entry
 * means the same wherever in the list it lies: equal ones are interchangeable, and merging is no more than moving.
 *
 * HOW MANY COPIES? Copies of one key take what room there is in its two buckets of the filters that are there. A filter
 * is never added for a key that has as many copies as two buckets can hold: that would go on without end. */
#ifndef GUIRA_DYNAMIC_H
#define GUIRA_DYNAMIC_H

#include "buckets.h"

struct part {
    uint8_t *table;
    uint64_t items;
};

struct dynamic {
    guira head;
    struct grid grid; /* of every part, all but the table */
    struct part *part;
    uint64_t parts, room; /* room: of the array */
    uint64_t active;
    uint64_t least; /* parts that are kept even if they are not needed */
    uint64_t again; /* a merge that failed is tried again when there are no more items than this */
    bool is_view;   /* the tables are part of a file: not ours */
};

static inline struct grid grid_of(const struct dynamic *f, uint64_t i) {
    struct grid g = f->grid;
    g.table = f->part[i].table;
    return g;
}

/* What so many parts hold at that load. */
static inline double content(const struct dynamic *f, double load, uint64_t parts) {
    return load * (double)(f->grid.buckets * f->grid.slots) * (double)parts;
}

/* Below max_load; one item is always allowed. */
static inline bool has_room(const struct dynamic *f, uint64_t i) {
    return f->part[i].items == 0 || (double)f->part[i].items + 1 <= content(f, f->head.config.max_load, 1);
}

/* Whether one filter less would hold everything at this load. */
static inline bool fits_fewer(const struct dynamic *f, double load) {
    return f->parts > f->least && (double)f->head.items <= content(f, load, f->parts - 1);
}

/* The other bucket of an entry, in whichever filter it is. */
uint64_t guira__dynamic_partner(const guira *head, uint64_t bucket, uint64_t what);

/* The filter with the fewest items but for `other`; the last one of several. */
uint64_t guira__dynamic_emptiest(const struct dynamic *f, uint64_t other);

/* Makes n more filters, or changes nothing. ENOMEM, ELIMIT. */
guira_status guira__dynamic_add(struct dynamic *f, uint64_t n);

/* Takes filter i, whose entries are elsewhere or not wanted any more, out of the list. */
void guira__dynamic_drop(struct dynamic *f, uint64_t i);

void guira__dynamic_free(struct dynamic *f); /* the whole list */

/* Puts e into filter i. False: nothing has changed. */
bool guira__dynamic_place(struct dynamic *f, uint64_t i, struct entry e, bool with_kicks);

/* Brings home into filter i what waits in the stash. */
void guira__dynamic_bring_home(struct dynamic *f, uint64_t i, bool with_kicks);

/* Moves the entries of the emptiest filter to the others and drops it. False: nothing has changed. */
bool guira__dynamic_merge(struct dynamic *f);

#endif
