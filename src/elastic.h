/* ECF, the elastic cuckoo filter: where its entries are.
 *
 *     L buckets       [ 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 ]        any number, here 11
 *     entry's window            ^--- 2^n buckets from s on ---^             here 8, around the end if need be
 *     its two buckets                   ^ s + d           ^ s + (d ^ g)
 *
 * The start s and the number g come from the fingerprint alone, the distance d from the key. Inside the window a cuckoo
 * filter of 2^n buckets can XOR as usual; 2^n <= L is fixed when the filter is made, and L is not bound to it.
 * From a bucket i back to the distance it is (i - s) mod L, never mod 2^n: a window may lie around the end.
 *
 * WHAT DOES A CHANGE OF SIZE DO TO s AND d?
 *     halving            L -> ceil(L/2)    s -> s/2, d -> d/2, g -> g/2, all rounded down, n -> n - 1
 *     extending by a     L -> a * L        s -> s + L * (a digit from 0 to a - 1 that the fingerprint decides)
 *     folding back       L -> L / a        the last step, an extension, is forgotten
 * They come in any order, so s is what all the steps so far made of it, one after the other: the steps are part of the
 * filter. The highest bit of g is always set, so that the two buckets are never one. */
#ifndef GUIRA_ELASTIC_H
#define GUIRA_ELASTIC_H

#include "buckets.h"

enum {
    HALVED = 1,     /* a step; a larger one is the factor of an extension */
    MAX_STEPS = 64, /* more than there can be: 26 times down, and up again */
    KEPT_REACH = 6, /* n is not halved below it: 64 buckets are next to nothing, and what d has lost is lost for good */
    OFFSETS = 8     /* windows that must begin in 2^n buckets on average: with fewer the load becomes too uneven */
};

struct shape {
    uint64_t first;              /* L at first */
    uint64_t buckets;            /* L now */
    uint32_t first_reach, reach; /* n at first, and now */
    uint32_t steps;
    uint8_t step[MAX_STEPS];
};

struct shape guira__shape_make(uint64_t buckets);
bool guira__shape_extend(struct shape *s, unsigned factor, unsigned bits); /* false: it has become too large */
bool guira__shape_halve(struct shape *s);                                  /* false: it is small enough */
bool guira__shape_fold(struct shape *s);                                   /* false: the last step was no extension */

/* What a fingerprint decides. */
struct window {
    uint64_t start, turn; /* s and g */
};
struct window guira__window_of(const struct shape *s, uint64_t what);

static inline uint64_t bucket_at(const struct shape *s, uint64_t start, uint64_t distance) {
    uint64_t i = start + distance; /* both are less than L */
    return i < s->buckets ? i : i - s->buckets;
}

static inline uint64_t distance_of(const struct shape *s, uint64_t start, uint64_t bucket) {
    return bucket >= start ? bucket - start : bucket + s->buckets - start;
}

struct elastic {
    guira head;
    struct grid grid;
    struct shape shape;
    /* An extension copies the table factor times and leaves it to later to erase the copies that are in the wrong place:
     *     groups of the same number    [0 1 2 3 4 5][0 1 2 3 4 5]      lie a quarter, a half, ... of the table apart
     * A bit in pending says that a group still has all its copies, every one the same. */
    uint8_t *pending;
    uint64_t groups, waiting; /* groups: 0 without pending; waiting: how many of its bits are set */
    uint64_t least;           /* buckets that are kept even if they are not needed */
    uint64_t again;           /* a shrink that failed is tried again when there are no more items than this */
    bool is_view;             /* table and pending are part of a file: not ours */
};

struct walker guira__elastic_walker(struct elastic *f);

/* The slots of a bucket that are not empty and not copies in the wrong place. */
unsigned guira__elastic_taken(const struct elastic *f, uint64_t bucket);

/* Erases the wrong copies in a bucket's group, if that is still to be done. log may be NULL: it will not be undone. */
void guira__elastic_open(guira *head, uint64_t bucket, struct log *log);

/* elastic_size.c: changes of size. Each happens or changes nothing. */
guira_status guira__elastic_table(struct elastic *f);  /* makes the table of f->shape, empty */
void guira__elastic_free(struct elastic *f);           /* the table and pending */
guira_status guira__elastic_extend(struct elastic *f); /* ENOMEM, ELIMIT */

/* Into a shape that the steps lead to from the present one, or back to. EFULL: more than a few would find no place. */
guira_status guira__elastic_rebuild(struct elastic *f, const struct shape *shape);

guira_status guira__elastic_restart(struct elastic *f); /* empty, with a fresh shape of the least size */
guira_status guira__elastic_reserve(guira *head, uint64_t items);
guira_status guira__elastic_shrink_to_fit(guira *head);
void guira__elastic_shrink_if_sparse(struct elastic *f);

/* elastic_file.c */
const char *guira__elastic_check(const guira *head);
void guira__elastic_save(const guira *head, struct guira__writer *to);
guira_status guira__elastic_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                                 guira **out);

static inline size_t pending_bytes(const struct elastic *f) { return (size_t)(f->groups + 7) / 8; }

static inline bool is_pending(const struct elastic *f, uint64_t bucket) {
    if (f->waiting == 0) return false;
    uint64_t group = bucket % f->groups;
    return (f->pending[group / 8] >> group % 8 & 1) != 0;
}

/* Most items at that load. */
static inline double elastic_content(const struct elastic *f, double load, uint64_t buckets) {
    return load * (double)buckets * f->grid.slots;
}

#endif
