/* CCF, the consistent cuckoo filter: a list of filters on rings, which may differ in everything.
 *
 *     key --> [ I2CF 0: m=64 f=30 ]   searched one after the other; an entry is in one of them
 *             [ I2CF 1: m=71 f=30 ]
 *             [ I2CF 2: m=16 f=12 ]
 *
 * WHICH ENTRY IS REMOVED? The longest match. Say x is in filter 2, with 12 bits, and y, which has the same first 12 bits,
 * in filter 0 with 30. If removing y took the entry of 12 bits, x would be lost: its other bits are not in filter 0. And
 * if the longest match belongs to another key z, that has the same long fingerprint and so the same short one (i2cf.h):
 * the entry that stays serves z. With one f for all, entries that match are equal, and any can be removed. */
#ifndef GUIRA_PAPERS_CCF_H
#define GUIRA_PAPERS_CCF_H

#include "papers/ccf/i2cf.h"

struct ccf {
    union {
        guira head;
        struct paper base;
    };
    struct i2cf *list;
    uint64_t filters, room; /* how many there are; how many the array has memory for */
    uint64_t reserved;      /* items that there shall be room for */
    uint64_t shrink_below;  /* no shrinking with more items than this: see resize.c */
    uint64_t calm, removed; /* both levels: items when the present growth began, and removals since: see resize.c */
    struct {
        bool no_step, refused; /* that no step is possible; that `hash` was refused */
        uint64_t hash;
    } known; /* about the present state, all 0 after every change: see last_resort.c */
};

extern const struct guira__ops guira__ccf_ops;

static inline struct ccf *ccf_of(guira *f) { return (struct ccf *)f; }
static inline const struct ccf *const_ccf_of(const guira *f) { return (const struct ccf *)f; }

struct ccf_totals {
    uint64_t slots, buckets;
    size_t bytes; /* of the blocks */
};
struct ccf_totals guira__ccf_totals(const struct ccf *f);
static inline double ccf_load(const struct ccf *f) {
    return (double)f->head.items / (double)guira__ccf_totals(f).slots;
}

/* The buckets of the first filter: as many as configured, or as so many items need if that is more; UINT64_MAX: beyond
 * all limits. */
uint64_t guira__ccf_buckets_for(const guira_config *c, uint64_t items);

static inline void ccf_changed(struct ccf *f) { memset(&f->known, 0, sizeof f->known); }

/* Inserts, growing if there is no room, but never by a step that makes the list smaller. EFULL, EDUPLICATE, ENOMEM: nothing
 * has changed. */
guira_status guira__ccf_insert_growing(struct ccf *f, uint64_t hash);

/* For a hash that was refused: inserts it after a step of the policy, whichever helps. Returns `refusal` if none does. ENOMEM:
 * to find that out takes a copy of the filter. On failure nothing has changed. */
guira_status guira__ccf_insert_after_step(struct ccf *f, uint64_t hash, guira_status refusal);

struct i2cf *guira__ccf_least_loaded(const struct ccf *f);

/* Each of these changes nothing when it fails.
 * Up: a bucket for the smallest filter that can have one more, with room for hash (NULL: for none). kicks: if not 0, so many
 *     entries may be displaced for it, and a bucket is added only if needed. ENOMEM, ELIMIT, EFULL (see i2cf.h): none can.
 * Up at: a bucket for this filter.
 * Down: a bucket less, of the least loaded filter if possible. EFULL.
 * Out: one more filter. ELIMIT: there are max_filters, or it would be too large. ENOMEM.
 * Compact: the entries of a filter go to others; next_compact is the one to take. EFULL: they do not fit, or it is the
 *     only one. ENOMEM. If all are empty, the one that is left in the end has the configured shape. */
guira_status guira__ccf_up(struct ccf *f, const uint64_t *hash, unsigned kicks);
guira_status guira__ccf_up_at(struct ccf *f, struct i2cf *to, const uint64_t *hash, unsigned kicks);
guira_status guira__ccf_down(struct ccf *f);
guira_status guira__ccf_down_at(struct ccf *f, struct i2cf *from);
guira_status guira__ccf_out(struct ccf *f, const struct i2cf *like, uint64_t buckets);
guira_status guira__ccf_compact(struct ccf *f, struct i2cf *from);
struct i2cf *guira__ccf_next_compact(const struct ccf *f); /* NULL: there is none */

/* Whether other filters have as many free slots for the entries of this one as it has items. */
bool guira__ccf_may_fit_elsewhere(const struct ccf *f, const struct i2cf *from);

/* After a step that made the list smaller: what is reserved is no more than there is room for. */
void guira__ccf_lower_reservation(struct ccf *f);

/* By one step of the policy, with room for hash (NULL: for none); by a filter only if filters_too. ENOMEM; EFULL: there is
 * no such step. */
guira_status guira__ccf_grow(struct ccf *f, const uint64_t *hash, bool filters_too);

/* The last resort: by a bucket, if the policy allows it, displacing other entries until it helps. ENOMEM; else it does not. */
guira_status guira__ccf_grow_moving(struct ccf *f, const uint64_t *hash);
void guira__ccf_shrink_if_sparse(struct ccf *f);

/* Counts a removal: see resize.c, dramatic growth. */
void guira__ccf_note_removal(struct ccf *f);

guira_status guira__ccf_create(const struct guira__ops *ops, const guira_config *c, guira **out);
void guira__ccf_destroy(guira *f);
guira_status guira__ccf_clone(const guira *f, guira **out);
guira_status guira__ccf_reserve(guira *f, uint64_t items);
guira_status guira__ccf_shrink_to_fit(guira *f);
guira_status guira__ccf_clear(guira *f);
void guira__ccf_stats(const guira *f, guira_stats *out);
const char *guira__ccf_check(const guira *f);
void guira__ccf_save(const guira *f, struct guira__writer *w);
guira_status guira__ccf_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r, guira **out);

#endif
