/* What every kind of filter is made of: the common head of the struct, and the table of functions behind it.
 *
 *     guira_insert()  ->  hash  ->  f->ops->insert()          guira.c checks arguments, the kind does the work
 *
 * There is one table per kind, slot width and instruction set. It is chosen once, at creation (isa.h). */
#ifndef GUIRA_KIND_H
#define GUIRA_KIND_H

#include "guira.h"
#include "hash.h"
#include "limbo.h"
#include "stash.h"

typedef void guira__sink(void *to, const void *bytes, size_t n);
struct guira__writer;
struct guira__reader;
struct sight;
struct sights;

struct guira__ops {
    guira_status (*create)(const struct guira__ops *ops, const guira_config *c, guira **out);
    void (*destroy)(guira *f);
    guira_status (*insert)(guira *f, uint64_t hash);
    guira_status (*insert_crowded)(guira *f, uint64_t hash); /* the part of insert for two full buckets */
    bool (*contains)(const guira *f, uint64_t hash);
    bool (*contains_flat)(const guira *f, uint64_t hash); /* tidal: for arrays that lie in one piece */
    /* tidal: the same questions, to a filter that another thread may be changing (visible.h) */
    bool (*contains_shared)(const guira *f, uint64_t hash);
    bool (*beside_shared)(const guira *f, uint64_t hash); /* but for the table */
    uint64_t (*count_shared)(const guira *f, uint64_t hash);
    /* tidal: and to one of those that a guira_shared has, by what is seen of it (ground.h) */
    bool (*glance)(const struct sights *of, uint64_t hash);
    size_t (*glance_many)(const struct sights *of, const uint64_t *hash, size_t n, bool *out);
    guira_status (*remove)(guira *f, uint64_t hash);
    guira_status (*remove_unclear)(guira *f, uint64_t hash); /* tidal: the part of it for the less usual */
    uint64_t (*count)(const guira *f, uint64_t hash);
    size_t (*contains_many)(const guira *f, const uint64_t *hash, size_t n, bool *out);
    void (*prefetch)(const guira *f, uint64_t hash); /* both buckets of hash, for a change to come */
    guira_status (*reserve)(guira *f, uint64_t items);
    guira_status (*shrink_to_fit)(guira *f);
    guira_status (*clear)(guira *f);
    guira_status (*clone)(const guira *f, guira **out);
    guira_status (*merge)(guira *into, const guira *from);     /* NULL: this kind cannot */
    guira_status (*adopt)(guira *f, struct entry e);           /* tidal: see tidal_merge.c */
    void (*stats)(const guira *f, guira_stats *out);           /* what the head does not know */
    const char *(*check)(const guira *f);                      /* the first broken invariant, or NULL */
    void (*dump)(const guira *f, guira__sink *sink, void *to); /* every byte that decides what the filter will do */
    void (*save)(const guira *f, struct guira__writer *w);     /* see format.h, and for the next */
    guira_status (*view)(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r, guira **out);
    /* windows: the age in steps of the youngest entry that matches; and makes that one new if it is alive (window.h) */
    unsigned (*age)(const guira *f, uint64_t hash);
    bool (*renew)(guira *f, uint64_t hash);
    unsigned slot_bits;
    const struct guira__ops *elders;  /* tidal: for the names of elders */
    guira_status (*grow)(guira *f);   /* by one bucket; NULL: a fixed filter */
    guira_status (*shrink)(guira *f); /* by one bucket; EFULL: the others have no room for its entries */
};

struct guira {
    const struct guira__ops *ops;
    bool (*contains)(const guira *f, uint64_t hash); /* ops->contains, or contains_flat where that will do */
    guira_config config;                             /* every default filled in */
    uint64_t items;
    uint64_t bytes;  /* allocated, the struct itself included */
    uint64_t weight; /* tidal: sum of 2^(ALL_KNOWN - known bits) over table and stash, which makes the rate */
    uint64_t rng;    /* where eviction gets its luck from; part of the filter, so that replicas agree */
    uint64_t kicks, evictions, failures, grows, shrinks;
    /* For the shards of guira_shared, else NULL: */
    struct limbo *limbo; /* where it leaves what somebody may be looking at */
    uint64_t *moves;     /* see visible.h */
    struct sight *sight; /* what readers see first: see ground.h. The names of elders have none */
    /* See latency.h: what contains was before lookups were timed, and their times; NULL: they never were. */
    bool (*plain)(const guira *f, uint64_t hash);
    struct latency *latency;
    struct stash stash;
    uint8_t secret[SECRET_BYTES];
};

/* For ops->dump: the head's part, all but the counter of failures. */
void guira__head_dump(const guira *f, guira__sink *sink, void *to);

/* Whether they are of one kind, width and seed, so that an entry of one means the same in the other. */
bool guira__alike(const guira *a, const guira *b);

/* Fills in what zero stands for and checks the rest. */
guira_status guira__config_resolve(guira_config *c);
/* The same for the filter in a window. */
guira_status guira__config_resolve_aged(guira_config *c);

/* guira_create with an instruction set of the caller's choosing, see isa.h. */
guira_status guira__create_on(const char *isa, const guira_config *c, guira **out);

#endif
