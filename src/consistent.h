/* The consistent cuckoo filter: a list of filters on rings, each of its own shape if wished.
 *
 *     key --> [ I2CF 0: m=64 f=30 ]   asked one after the other; an entry is in one of them
 *             [ I2CF 1: m=71 f=30 ]
 *             [ I2CF 2: m=16 f=12 ]
 *
 * WHICH ENTRY MAY BE REMOVED? A key may match in several filters. Say x lives in filter 2, with 12 bits, and y, which has
 * the same first 12 bits as x, in filter 0 with 30. Asked to remove y, taking the 12 bits away would lose x: its
 * other bits are not in filter 0. So the longest match goes. Whoever it belongs to: a key z that has the same long
 * fingerprint has the same short one as well (i2cf.h sees to that), so the entry that stays will do for z. With one f
 * for all, entries that match are the same in everything, and any will do.
 *
 * consistent.c has the entries and when to change size, consistent_list.c the four ways to do it, consistent_whole.c
 * what concerns the filter as a whole, consistent_file.c how it is saved. */
#ifndef GUIRA_CONSISTENT_H
#define GUIRA_CONSISTENT_H

#include "i2cf.h"

struct consistent {
    guira head;
    struct i2cf *list;
    uint64_t filters, room; /* how many there are; how many the list has memory for */
    uint64_t reserved;      /* items there shall be room for */
    uint64_t calm;          /* no shrinking with more items than this: see consistent.c */
};

struct totals {
    uint64_t slots, buckets;
    size_t bytes; /* of the blocks */
};
struct totals guira__consistent_totals(const struct consistent *f);

/* The buckets of the first filter, or of one more: as many as configured, or as the capacity needs if that is more;
 * UINT64_MAX if it is beyond all bounds. */
uint64_t guira__consistent_buckets_for(const guira_config *c, uint64_t capacity);

/* The room for so many filters: like that for buckets (i2cf_scale.c), a little more than needed. */
uint64_t guira__consistent_list_room(uint64_t filters);

/* The filter with the lowest load, and the one with the fewest buckets. */
struct i2cf *guira__consistent_least_loaded(const struct consistent *f);
struct i2cf *guira__consistent_smallest(const struct consistent *f);

/* A shape as the configuration has it. */
struct shape guira__consistent_shape(const guira_config *c);

/* Each of these changes nothing when it fails.
 * Up: a bucket for the smallest, with a place for hash (NULL: for nobody). ENOMEM, ELIMIT, EFULL (see i2cf.h).
 * Down: a bucket less, of the least loaded if possible. EFULL.
 * Out: one more filter. ELIMIT: there are max_filters, or it would be too large. ENOMEM.
 * Compact: the least loaded filter's entries go to others. EFULL: they do not fit, or it is the only one. ENOMEM. */
guira_status guira__consistent_up(struct consistent *f, const uint64_t *hash);
guira_status guira__consistent_down(struct consistent *f);
guira_status guira__consistent_out(struct consistent *f, const struct shape *s, uint64_t buckets);
guira_status guira__consistent_compact(struct consistent *f);

/* The filter that down would take a bucket from. */
struct i2cf *guira__consistent_next_down(const struct consistent *f);

/* The filter that compact would take away; NULL: there is none whose entries could go anywhere. */
struct i2cf *guira__consistent_dispensable(const struct consistent *f);

/* Puts another filter in the place of one of the list. */
void guira__consistent_replace(struct consistent *f, struct i2cf *old, const struct i2cf *by);

/* For the table of functions (kind.h). */
guira_status guira__consistent_create(const struct guira__ops *ops, const guira_config *c, guira **out);
void guira__consistent_destroy(guira *f);
guira_status guira__consistent_reserve(guira *f, uint64_t items);
guira_status guira__consistent_shrink_to_fit(guira *f);
guira_status guira__consistent_clear(guira *f);
guira_status guira__consistent_clone(const guira *f, guira **out);
void guira__consistent_stats(const guira *f, guira_stats *out);
const char *guira__consistent_check(const guira *f);
void guira__consistent_dump(const guira *f, guira__sink *sink, void *to);
void guira__consistent_save(const guira *f, struct guira__writer *w);
guira_status guira__consistent_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r,
                                    guira **out);

extern const struct guira__ops guira__consistent_ops;

#endif
