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

struct guira__ops {
    guira_status (*create)(const struct guira__ops *ops, const guira_config *c, guira **out);
    void (*destroy)(guira *f);
    guira_status (*insert)(guira *f, uint64_t hash);
    bool (*contains)(const guira *f, uint64_t hash);
    guira_status (*remove)(guira *f, uint64_t hash);
    uint64_t (*count)(const guira *f, uint64_t hash);
    size_t (*contains_many)(const guira *f, const uint64_t *hash, size_t n, bool *out);
    void (*prefetch)(const guira *f, uint64_t hash); /* the candidate buckets of hash, before a change */
    guira_status (*reserve)(guira *f, uint64_t items);
    guira_status (*shrink_to_fit)(guira *f);
    guira_status (*clear)(guira *f);
    guira_status (*clone)(const guira *f, guira **out);
    guira_status (*merge)(guira *into, const guira *from);     /* NULL: this kind cannot merge */
    void (*stats)(const guira *f, guira_stats *out);           /* what the head does not know */
    const char *(*check)(const guira *f);                      /* the first broken invariant, or NULL */
    void (*dump)(const guira *f, guira__sink *sink, void *to); /* every byte that decides what the filter will do */
    void (*save)(const guira *f, struct guira__writer *w);     /* see format/sections.h, also for the next one */
    guira_status (*view)(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r, guira **out);
};

struct guira {
    const struct guira__ops *ops;
    bool (*contains)(const guira *f, uint64_t hash); /* what guira_contains calls: see filter_set_contains() */
    guira_config config;                             /* every default filled in */
    uint64_t items;
    uint64_t bytes;  /* allocated, the struct itself included */
    uint64_t weight; /* tidal: what the false-positive rate is computed from, see tidal/slot.h */
    struct evict_state evict;
    uint64_t failures, grows, shrinks;
    /* While lookups are timed (filter/latency.h): what `contains` was before, and the histogram. Else NULL. */
    bool (*untimed)(const guira *f, uint64_t hash);
    struct latency *latency;
    struct stash stash;
    uint8_t secret[SECRET_BYTES];
};

/* For kinds that change their lookup function after creation. */
static inline void filter_set_contains(guira *f, bool (*contains)(const guira *f, uint64_t hash)) {
    if (f->untimed != NULL) f->untimed = contains;
    else f->contains = contains;
}

/* Fills in the head of a new filter, which must be all zero; guira.bytes is left to the kind. */
void guira__head_init(guira *f, const struct guira__ops *ops, const guira_config *c);

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

/* Whether both are of the same kind, slot width and seed, so that an entry of one means the same in the other. */
bool guira__alike(const guira *a, const guira *b);

/* ------------------------------------------------------------------------------------------------------------- kinds */

/* One kind of filter, as kinds/ knows it. */
struct guira__kind {
    /* Fills in the defaults of a configuration of this kind and checks the rest; not the seed. EINVAL, ELIMIT. */
    guira_status (*resolve)(guira_config *c);
    /* The functions for a resolved configuration; NULL: none for this instruction set. */
    const struct guira__ops *(*ops)(enum isa isa, const guira_config *c);
};

/* For resolve(): x is in (low, high); NaN is not. */
static inline bool config_inside(double x, double low, double high) { return x > low && x < high; }

/* For resolve(): max_load (0: `max_load`), min_load (0: a little below), max_kicks (0: 500). EINVAL. */
guira_status guira__config_loads(guira_config *c, double max_load);

#endif
