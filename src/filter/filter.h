/* What every kind of filter has: the head of its struct, and the table of functions behind it.
 *
 *     guira_insert()  ->  hash  ->  f->ops->insert()          filter.c checks arguments, the kind does the work
 *
 * A kind embeds struct guira as the first member of its own struct. */
#ifndef GUIRA_FILTER_FILTER_H
#define GUIRA_FILTER_FILTER_H

#include "base/cpu.h"
#include "base/hash.h"
#include "guira.h"
#include "slots/evict.h"
#include "slots/stash.h"

typedef void guira__sink(void *to, const void *bytes, size_t n);
struct guira__writer; /* see format/sections.h */
struct guira__reader;
struct guira_inline_table; /* see guira_inline.h */

struct guira__ops {
    size_t bytes; /* of the kind's table, of which this is the first part; io/view.c copies it */
    guira_status (*create)(const struct guira__ops *ops, const guira_config *c, guira **out);
    void (*destroy)(guira *f);
    guira_status (*reserve)(guira *f, uint64_t items);
    guira_status (*shrink_to_fit)(guira *f);
    guira_status (*clear)(guira *f);
    guira_status (*clone)(const guira *f, guira **out);
    guira_status (*unite)(guira *into, const guira *from); /* guira_union; NULL: this kind cannot */
    void (*config)(const guira *f, guira_config *out);     /* every default filled in */
    struct stash *(*stash)(const guira *f);
    void (*stats)(const guira *f, guira_stats *out);           /* what the head does not know */
    const char *(*check)(const guira *f);                      /* the first broken invariant, or NULL */
    void (*dump)(const guira *f, guira__sink *sink, void *to); /* every byte that decides what the filter will do */
    unsigned (*format)(const guira *f);                        /* of files that can hold what is in it; NULL: 1 */
    void (*save)(const guira *f, struct guira__writer *w);     /* see format/sections.h, also for the next one */
    guira_status (*view)(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r, guira **out);
    /* Fills in what can be inlined (guira_inline.h); NULL: nothing can. */
    void (*inline_table)(const guira *f, struct guira_inline_table *t);
    guira_status (*merge)(guira *into, const guira *from); /* NULL: this kind cannot merge */
    /* What the layouts and instruction sets of a kind have each for themselves. */
    bool (*contains)(const guira *f, uint64_t hash);
    size_t (*contains_many)(const guira *f, const uint64_t *hash, size_t n, bool *out);
    uint64_t (*count)(const guira *f, uint64_t hash);
    void (*prefetch)(const guira *f, uint64_t hash); /* the candidate buckets of hash, before a change */
    guira_status (*insert)(guira *f, uint64_t hash);
    /* Inserts the first hashes of many: returns how many that were, 0 if this does not serve now. Adds to `done` those that were
     * inserted, and counts failures. NULL: not for this kind. */
    size_t (*insert_some)(guira *f, const uint64_t *hash, size_t n, guira_status *out, size_t *done);
    guira_status (*remove)(guira *f, uint64_t hash);
};

/* 112 bytes. A server may have a million small filters, so what only some filters need is elsewhere. */
struct guira {
    const struct guira__ops *ops;
    bool (*contains)(const guira *f, uint64_t hash); /* what guira_contains calls */
    uint64_t items;
    uint64_t weight; /* tidal: what the false-positive rate is computed from, see tidal/slot.h */
    struct evict_state evict;
    uint64_t failures, grows, shrinks;
    uint8_t seed[16];
    const uint8_t *secret; /* of the hash; NULL: computed from the seed for every key, which takes longer */
    struct rare *rare;     /* NULL: nothing of it is needed */
};

/* What few small filters need. 0 in any field: the default. */
struct rare {
    struct latency *latency; /* NULL: lookups were never timed, see latency.h */
    /* Tidal: how it was made, where that is not the default (tidal/config.h); and the buckets that are reserved. */
    uint64_t capacity : 48, max_kicks : 16;
    uint64_t floor, least; /* and those that it takes to keep the rate */
    double fpr, max_load, min_load, growth;
};

/* Makes sure that f->rare is there. False: no memory. And frees it, if it is there. */
bool guira__rare_make(guira *f);
void guira__rare_free(guira *f);
void guira__rare_trim(guira *f); /* frees it if there is nothing in it */
size_t guira__rare_bytes(const guira *f);

/* Fills in the head of a new filter, which must be all zero. */
void guira__head_init(guira *f, const struct guira__ops *ops, const guira_config *c);

/* For a filter whose bytes were replaced by those of a copy: what is still its own. */
static inline void guira__head_replaced(guira *f, const guira *before, const uint8_t *secret) {
    f->secret = secret;
    f->rare = before->rare;
    f->contains = before->contains;
}

/* For a byte-wise copy of a filter: what belongs to the original is not its own. */
void guira__head_copied(guira *f);

/* For ops->dump: the head's part, all but the counter of failures. */
void guira__head_dump(const guira *f, guira__sink *sink, void *to);

/* ------------------------------------------------------------------------------------- structs of the public interface
 *
 * They start with their size, so that they can grow: programs compiled with an older guira.h pass a smaller one. */

/* A copy of a caller's configuration (NULL: the defaults), with every field that it does not have set to 0. EINVAL: its
 * size is smaller than any there was, or a field that this library does not know is not 0. */
guira_status guira__config_read(const guira_config *c, guira_config *out);

/* The same for any struct whose first version had `first` bytes and whose present one has `present`. */
guira_status guira__struct_in(const void *from, size_t first, size_t present, void *to);

/* Copies a struct to the caller's, as far as that goes; the caller's keeps its size. EINVAL: that size is impossible. */
guira_status guira__struct_out(void *to, const void *from, size_t first, size_t present);

/* Whether the size that a caller has set is possible. */
bool guira__struct_size_ok(const void *p, size_t first);

/* The sizes of version 1 of each struct: never changed again. A size of 0 means these. */
enum {
    CONFIG_FIRST_SIZE = sizeof(guira_config),
    STATS_FIRST_SIZE = sizeof(guira_stats),
};

/* How f was made, with every default filled in. */
static inline guira_config guira__config_of(const guira *f) {
    guira_config c;
    f->ops->config(f, &c);
    return c;
}

/* Whether both are of the same kind, slot width and seed, so that an entry of one means the same in the other. */
bool guira__alike(const guira *a, const guira *b);

/* ------------------------------------------------------------------------------------------------------------- kinds */

/* One kind of filter, as kinds/ knows it. */
struct guira__kind {
    /* Fills in the defaults of a configuration of this kind and checks the rest; not the seed. EINVAL, ELIMIT. */
    guira_status (*resolve)(guira_config *c);
    /* The functions for a resolved configuration; NULL: none for this instruction set. */
    const struct guira__ops *(*ops)(enum isa isa, const guira_config *c);
    /* Buckets, bytes and fpr of a filter with this resolved configuration that has its capacity in it; the fpr after the
     * items have become `growth` times as many. False: there can be no such filter. */
    bool (*plan)(const guira_config *c, double growth, guira_plan_row *row);
};

#define CONFIG_GROWS_TO 1e10 /* items, if the configuration does not say */

/* For resolve(): x is in (low, high); NaN is not. */
static inline bool config_inside(double x, double low, double high) { return x > low && x < high; }

enum { DEFAULT_KICKS = 500 };

/* For resolve(): max_load (0: `max_load`), min_load (0: a little below), max_kicks (0: 500). EINVAL. */
guira_status guira__config_loads(guira_config *c, double max_load);

#endif
