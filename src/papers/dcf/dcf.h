/* DCF, the dynamic cuckoo filter: a list of equal cuckoo filters.
 *
 *     list     [#### full]  [####  full]  [#.#. active]       insertions go to the active one
 *                  ^             ^             ^
 *     key ---------+-------------+-------------+              lookups go to all of them, to the same two buckets
 *
 * ALL FULL? When the active filter has reached max_load, the emptiest of the list becomes active. If that one is full too,
 * a new one is added. After removals the emptiest is merged into the others as soon as they have room for its entries.
 *
 * WHICH ENTRY IS REMOVED? Any that matches. All filters have the same size and see the same fingerprint and buckets, so
 * an entry means the same in each of them: equal ones are interchangeable, and merging is no more than moving.
 *
 * HOW MANY COPIES? Copies of one key take the room that its two buckets have in the filters of the list. A filter is
 * never added for a key that has as many copies as two buckets can hold: that would not end. */
#ifndef GUIRA_PAPERS_DCF_H
#define GUIRA_PAPERS_DCF_H

#include "papers/common.h"

struct dcf {
    union {
        guira head;
        struct paper base;
    };
    struct table *list;
    uint64_t filters, room; /* how many there are; how many the array has memory for */
    uint64_t active;
    uint64_t min_filters; /* filters that are kept even if they are not needed */
    uint64_t retry_below; /* a merge that failed is tried again when there are no more items than this */
    bool is_view;         /* the tables are part of a file */
};

extern const struct guira__ops guira__dcf_ops;
extern const struct paper_kind guira__dcf_paper;

static inline struct dcf *dcf_of(guira *f) { return (struct dcf *)f; }
static inline const struct dcf *const_dcf_of(const guira *f) { return (const struct dcf *)f; }

/* The items of so many filters at that load. */
static inline double dcf_capacity(const guira_config *c, double load, double filters) {
    return load * (double)(c->buckets * c->bucket_slots) * filters;
}

/* Whether filter i is below max_load; one item is always allowed. */
static inline bool dcf_has_room(const struct dcf *f, uint64_t i) {
    const guira_config *c = &f->base.config;
    return f->list[i].items == 0 || (double)f->list[i].items + 1 <= dcf_capacity(c, c->max_load, 1);
}

/* Puts e into filter i, moving at most `kicks` entries. False: nothing has changed. */
bool guira__dcf_place(struct dcf *f, uint64_t i, struct entry e, unsigned kicks);

/* The filter with the fewest items but for `other`; the last one of several. */
uint64_t guira__dcf_emptiest(const struct dcf *f, uint64_t other);

/* The false-positive rate of a list with so many items in all. */
double guira__dcf_rate(const guira_config *c, double items);

/* How many filters hold so many items. */
double guira__dcf_filters_for(const guira_config *c, uint64_t items);

/* Adds n filters, or changes nothing. ENOMEM, ELIMIT. */
guira_status guira__dcf_add(struct dcf *f, uint64_t n);

/* Drops filter i, whose entries are in other filters or not needed any more. */
void guira__dcf_drop(struct dcf *f, uint64_t i);

void guira__dcf_merge_if_sparse(struct dcf *f);
guira_status guira__dcf_merge(guira *into, const guira *from); /* EINVAL: filters of another size */

guira_status guira__dcf_create(const struct guira__ops *ops, const guira_config *c, guira **out);
void guira__dcf_destroy(guira *f);
guira_status guira__dcf_clone(const guira *f, guira **out);
guira_status guira__dcf_reserve(guira *f, uint64_t items);
guira_status guira__dcf_shrink_to_fit(guira *f);
guira_status guira__dcf_clear(guira *f);
void guira__dcf_stats(const guira *f, guira_stats *out);
const char *guira__dcf_check(const guira *f);
const char *guira__dcf_check_list(const struct dcf *f); /* the part that is small */
void guira__dcf_save(const guira *f, struct guira__writer *w);
guira_status guira__dcf_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r, guira **out);

#endif
