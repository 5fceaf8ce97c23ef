/* What the kinds of the papers share: tables of packed slots, and the search for room in them.
 *
 *     key -> hash -> fingerprint and candidate buckets -> a slot of one of these, or the stash
 *
 * A kind says which buckets are the candidates. All that follows from it is here. Unlike the fast kinds, these know the
 * width and the number of slots only at run time, and call slots/evict.h through an ordinary table of functions. */
#ifndef GUIRA_PAPERS_COMMON_H
#define GUIRA_PAPERS_COMMON_H

#include "filter/filter.h"
#include "papers/papers.h"
#include "slots/packed.h"

enum { PAPERS_MAX_SLOTS = 16, MAX_CANDIDATES = 32 };
#define PAPERS_MAX_BUCKETS (UINT64_C(1) << 32) /* half a hash tells no more of them apart */

/* ------------------------------------------------------------------------------------------------------------- tables */

struct table {
    uint8_t *bytes;
    uint64_t buckets;
    uint64_t items;       /* for kinds with several tables */
    struct layout layout; /* bits and slots; a bucket need not start with a byte */
};

static inline struct table table_of_config(const guira_config *c, uint64_t buckets) {
    return (struct table){.buckets = buckets, .layout = {.bits = c->slot_bits, .slots = c->bucket_slots}};
}

static inline uint64_t table_slots(const struct table *t) { return t->buckets * t->layout.slots; }
static inline uint64_t table_bytes(const struct table *t) { return packed_bytes(table_slots(t), t->layout.bits); }

static inline uint64_t table_get(const struct table *t, uint64_t slot) {
    return packed_get(t->bytes, slot, t->layout.bits);
}
static inline void table_set(const struct table *t, uint64_t slot, uint64_t what) {
    packed_set(t->bytes, slot, t->layout.bits, what);
}

/* The slots of a bucket that hold `what`, one bit each; 0: the empty ones. */
unsigned guira__table_match(const struct table *t, uint64_t bucket, uint64_t what);

/* Allocates the bytes of t, all empty. False: no memory. */
bool guira__table_alloc(struct table *t);

/* How many slots are taken; UINT64_MAX: bits after the last slot are not 0, of `bytes` bytes in all. */
uint64_t guira__table_count_taken(const struct table *t, size_t bytes);

/* A copy of a table's slots and counter, made before the first change; guira__table_restore undoes what came after. Both
 * do nothing if it has been done before or was never done. False: no memory. */
bool guira__table_save(const struct table *t, struct table *saved);
void guira__table_restore(struct table *t, const struct table *saved);

/* --------------------------------------------------------------------------------------------------------- candidates */

/* A fingerprint and its candidate buckets, no two the same. */
struct candidates {
    uint64_t what;
    unsigned n;
    uint64_t bucket[MAX_CANDIDATES];
};

/* Fills *c with two buckets, which may be the same, and returns the entry in the first. */
static inline struct entry candidates_pair(struct candidates *c, uint64_t what, uint64_t a, uint64_t b) {
    c->what = what;
    c->n = a == b ? 1 : 2;
    c->bucket[0] = a;
    c->bucket[1] = b;
    return (struct entry){a, what};
}

/* The first slot that holds the fingerprint. False: none does. */
bool guira__table_find(const struct table *t, const struct candidates *c, uint64_t *slot);
unsigned guira__table_count(const struct table *t, const struct candidates *c);
void guira__table_prefetch(const struct table *t, const struct candidates *c);

/* The entries of the stash that have this fingerprint and one of these buckets: bit i for entry i. */
unsigned guira__stash_match(const struct stash *s, const struct candidates *c);

/* How many they are; and drops one of them. False: there is none. */
unsigned guira__stash_count(const struct stash *s, const struct candidates *c);
bool guira__stash_take(struct stash *s, const struct candidates *c);

/* Whether every entry of the stash is possible in this table. */
bool guira__stash_valid(const struct stash *s, const struct table *t);

/* ------------------------------------------------------------------------------------------------------------- filters */

/* What a kind has of its own. */
struct paper_kind {
    /* The bucket of candidate number `which` of the fingerprint; with two candidates, of the one that is not `bucket`. */
    uint64_t (*candidate)(const guira *f, uint64_t bucket, uint64_t what, unsigned which);
    /* The slots of a bucket whose contents do not count, one bit each; NULL: there are none. */
    unsigned (*stale)(const guira *f, uint64_t bucket);
    /* Called before a bucket is written to, to empty those; NULL: not needed. */
    void (*open)(guira *f, uint64_t bucket);
    /* Writes the sections of a file that come after the head. */
    void (*save)(const guira *f, struct guira__writer *w);
};

/* The first member of the kinds' structs, in a union with its own first member, so that f->head is there as well. */
struct paper {
    guira head;
    guira_config config; /* every default filled in */
    uint64_t bytes;      /* allocated for the struct itself */
    struct stash stash;
    uint8_t secret[SECRET_BYTES];
    const struct paper_kind *kind;
    const struct table
        *target;     /* the table that is searched for room, and how many other candidates its entries have; */
    unsigned others; /* with two candidates 1, else all k of them: the one that the entry is in is full */
};

/* Puts e into the candidate with the most room; if all are full, moves at most `kicks` others. e.where: the bucket, above
 * its 32 bits the number of the candidate. False: nothing has changed. The caller counts the table's items. */
bool guira__papers_place(struct paper *f, const struct table *t, struct entry e, unsigned kicks, struct undo_log *log);

/* Moves entries of the stash to the table as far as there is room. Returns how many. */
unsigned guira__papers_unstash(struct paper *f, const struct table *t, unsigned kicks);

/* Memory for a filter, all zero but for this. NULL: no memory. */
void *guira__papers_alloc(size_t size, const struct paper_kind *kind, unsigned others);

/* Makes f, which is all zero but for that, a filter with these functions and this configuration. */
void guira__papers_init(struct paper *f, const struct guira__ops *ops, const guira_config *c);

/* The same for one from a file, with the counters and the stash that follow. False: they are not intact. */
bool guira__papers_read(struct paper *f, const struct guira__ops *ops, const guira_config *c, struct guira__reader *r);

/* Memory for a copy of f, of the same kind: what it has in common with f. NULL: no memory. */
void *guira__papers_copy(const struct paper *f, size_t size);

/* Ends a function that makes a filter: *out = f, or f is destroyed. Returns s. */
guira_status guira__papers_made(guira *f, guira_status s, void (*destroy)(guira *f), guira **out);

/* For the table of functions. */
void guira__papers_config_of(const guira *f, guira_config *out);
struct stash *guira__papers_stash(const guira *f);
void guira__papers_save(const guira *f, struct guira__writer *w);
void guira__papers_dump(const guira *f, guira__sink *sink, void *to);
size_t guira__papers_contains_many(const guira *f, const uint64_t *hash, size_t n, bool *out);

/* For resolve() of DCF and ECF: everything but the slot width. *needed: the buckets for the capacity. EINVAL, ELIMIT. */
guira_status guira__papers_config(guira_config *c, double *needed);

/* The slot width, if it is not set: the narrowest for the wanted rate, which is `factor` times a plain filter's. EINVAL. */
guira_status guira__papers_config_width(guira_config *c, double factor);

#endif
