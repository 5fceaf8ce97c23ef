/* ECF, the elastic cuckoo filter: one table, which can be halved and extended.
 *
 *     L buckets       [ 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 ]        any number, here 11
 *     entry's range             ^--- 2^n buckets from s on ---^             here 8, around the end if need be
 *     its two buckets                   ^ s + d           ^ s + (d ^ g)
 *
 * The start s and the number g come from the fingerprint alone, the distance d from the key. Inside its range an entry has
 * two buckets as in a cuckoo filter of 2^n buckets; 2^n <= L when the filter is made, and L is not bound to it later.
 * The distance of a bucket i is (i - s) mod L, never mod 2^n: a range may go around the end.
 *
 * WHAT DOES A CHANGE OF SIZE DO TO s AND d?
 *     halving            L -> ceil(L/2)    s -> s/2, d -> d/2, g -> g/2, all rounded down, n -> n - 1
 *     extending by a     L -> a * L        s -> s + L * (a digit from 0 to a - 1 that the fingerprint decides)
 *     folding back       L -> L / a        the last step, an extension, is undone
 * They come in any order, so s is the result of all the steps so far: the steps are part of the filter. The highest bit
 * of g is always set, so that the two buckets are never the same.
 *
 * WHAT IS A PENDING GROUP? An extension copies the table a times, and of the copies of an entry only one is in its range.
 * The buckets that are copies of the same old bucket are a group. A bit says that its stale copies are still there:
 *     [0 1 2 3 4 5][0 1 2 3 4 5]      group 2: buckets 2 and 8, both the same
 * Lookups never meet stale copies, for keys look only into their range. A change erases those of the group first. */
#ifndef GUIRA_PAPERS_ECF_H
#define GUIRA_PAPERS_ECF_H

#include "papers/common.h"

enum {
    HALVED = 1, /* a step; a larger one is the factor of an extension */
    MAX_FACTOR = 16,
    MAX_STEPS = 64, /* more than it takes by itself: 26 times down, and up again */
    MIN_RANGE =
        6, /* n does not go below it by itself: 64 buckets are little memory, and the bits that d loses are lost */
    LAST_RANGE = 1,   /* on demand: two buckets */
    RANGES_NEEDED = 8 /* that begin in 2^n buckets on average: with fewer the load becomes too uneven */
};

struct ecf_shape {
    uint64_t first;              /* L at first */
    uint64_t buckets;            /* L now */
    uint32_t first_range, range; /* n at first, and now */
    uint32_t steps;
    uint8_t step[MAX_STEPS];
};

struct ecf {
    union {
        guira head;
        struct paper base;
    };
    struct table table;
    struct ecf_shape shape;
    uint8_t *pending;      /* one bit per group; NULL: no group is pending */
    uint64_t groups, left; /* groups: 0 without pending; left: how many of its bits are set */
    uint64_t min_buckets;  /* buckets that are kept even if they are not needed */
    uint64_t retry_below;  /* a shrink that failed is tried again when there are no more items than this */
    bool is_view;          /* table and pending are part of a file */
};

extern const struct guira__ops guira__ecf_ops;
extern const struct paper_kind guira__ecf_paper;

static inline struct ecf *ecf_of(guira *f) { return (struct ecf *)f; }
static inline const struct ecf *const_ecf_of(const guira *f) { return (const struct ecf *)f; }

/* -------------------------------------------------------------------------------------------------------------- shapes */

struct ecf_shape guira__ecf_shape(uint64_t buckets);
bool guira__ecf_shape_extend(struct ecf_shape *s, unsigned factor, unsigned bits); /* false: it would be too large */
bool guira__ecf_shape_halve(struct ecf_shape *s, unsigned min_range);              /* false: it is small enough */
bool guira__ecf_shape_fold(struct ecf_shape *s); /* false: the last step was no extension */

/* Makes *s what MAX_STEPS bytes, of which the first `steps` are steps, make of the first size. False: impossible. */
bool guira__ecf_shape_replay(struct ecf_shape *s, const guira_config *c, uint64_t first, uint64_t steps,
                             const uint8_t *step);

/* The false-positive rate of so many items whose fingerprints have so many bits. */
double guira__ecf_rate(const struct ecf_shape *s, unsigned bits, double items);

/* What a fingerprint decides. */
struct ecf_range {
    uint64_t start, flip; /* s and g */
};
struct ecf_range guira__ecf_range(const struct ecf_shape *s, uint64_t what);

static inline uint64_t ecf_bucket(const struct ecf_shape *s, uint64_t start, uint64_t distance) {
    uint64_t i = start + distance; /* both are less than L */
    return i < s->buckets ? i : i - s->buckets;
}

static inline uint64_t ecf_distance(const struct ecf_shape *s, uint64_t start, uint64_t bucket) {
    return bucket >= start ? bucket - start : bucket + s->buckets - start;
}

/* Whether the bucket of an entry is in its range. */
static inline bool ecf_in_range(const struct ecf_shape *s, struct entry e) {
    return ecf_distance(s, guira__ecf_range(s, e.what).start, e.where) >> s->range == 0;
}

/* ------------------------------------------------------------------------------------------------------------- filters */

static inline size_t ecf_pending_bytes(const struct ecf *f) { return (size_t)(f->groups + 7) / 8; }

static inline bool ecf_is_pending(const struct ecf *f, uint64_t bucket) {
    if (f->left == 0) return false;
    uint64_t group = bucket % f->groups;
    return (f->pending[group / 8] >> group % 8 & 1) != 0;
}

/* The items of so many buckets at that load. */
static inline double ecf_capacity(const struct ecf *f, double load, uint64_t buckets) {
    return load * (double)buckets * f->table.layout.slots;
}

/* The slots of a bucket that are not empty and not stale copies. */
unsigned guira__ecf_taken(const struct ecf *f, uint64_t bucket);

/* Erases the stale copies in a bucket's group, if that is still to be done. */
void guira__ecf_open(guira *f, uint64_t bucket);

/* Changes of size: each happens or changes nothing.
 * Extend: ENOMEM, ELIMIT.
 * Rebuild: into a shape that steps lead to from the present one, or back to. ENOMEM; EFULL: too many entries found no room.
 * Restart: an empty filter without steps, of the smallest size that is allowed. ENOMEM. */
guira_status guira__ecf_extend(struct ecf *f, unsigned factor);
guira_status guira__ecf_rebuild(struct ecf *f, const struct ecf_shape *shape);
guira_status guira__ecf_restart(struct ecf *f);
void guira__ecf_shrink_if_sparse(struct ecf *f);

/* The memory of f->shape and f->groups, the slots empty. ENOMEM. */
guira_status guira__ecf_alloc(struct ecf *f);
void guira__ecf_free(struct ecf *f);

guira_status guira__ecf_create(const struct guira__ops *ops, const guira_config *c, guira **out);
void guira__ecf_destroy(guira *f);
guira_status guira__ecf_clone(const guira *f, guira **out);
guira_status guira__ecf_reserve(guira *f, uint64_t items);
guira_status guira__ecf_shrink_to_fit(guira *f);
guira_status guira__ecf_clear(guira *f);
void guira__ecf_stats(const guira *f, guira_stats *out);
const char *guira__ecf_check(const guira *f);
const char *guira__ecf_check_shape(const struct ecf *f); /* the part that is small: enough that lookups are safe */
void guira__ecf_save(const guira *f, struct guira__writer *w);
guira_status guira__ecf_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r, guira **out);

#endif
