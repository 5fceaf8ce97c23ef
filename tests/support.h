/* Shared by the tests: random numbers with a replayable seed, an allocator that counts and can fail, an exact multiset to
 * compare filters with, and one table of kinds so that the same tests run on all of them. */
#ifndef GUIRA_TEST_SUPPORT_H
#define GUIRA_TEST_SUPPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
/* cmocka wants the four above before it */
#include <cmocka.h>

#include "guira.h"
#include "guira_shared.h"
#include "guira_window.h"
#include "isa_support.h"
#include "kinds/kinds.h"
#include "filter/filter.h"

/* ----------------------------------------------------------------------------------------------------------- random */

struct rng {
    uint64_t state;
};
uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n);

/* GUIRA_SEED if set, else drawn from the system; printed with the name, so that a failure can be replayed. */
struct rng rng_for(const char *test);

bool long_run(void);  /* GUIRA_LONG=1 */
bool quick_run(void); /* GUIRA_QUICK=1: a fraction of the work, for sanitizers */

/* ----------------------------------------------------------------------------------------------------------- memory */

/* Counts what is allocated through the hook. */
struct memory {
    size_t bytes, blocks; /* held now */
    size_t peak;          /* the most bytes held at once */
    uint64_t calls;       /* allocations so far */
    uint64_t fail_at;     /* the number of the call that fails, and all after it if fail_on; 0: none */
    bool fail_on;
    bool failed;
};
extern struct memory memory;
void memory_hook(void);   /* counts from here on; resets the struct */
void memory_unhook(void); /* asserts that nothing is left */

/* ------------------------------------------------------------------------------------------------------------ kinds */

/* One way to make a filter. */
struct variant {
    const char *name; /* "tidal-16/avx2" */
    const char *isa;
    guira_config config; /* kind and geometry; the rest at its default */
};

/* Every kind and width on the best instruction set and on the portable one; the kinds of the papers, which are compiled
 * once, in several geometries. Ends with name NULL. */
const struct variant *variants(void);

bool is_tidal(const struct variant *v);
bool is_fixed(const struct variant *v);     /* does not grow */
bool is_of_papers(const struct variant *v); /* keeps no copies in its stash */

/* Makes a filter with a seed drawn from r. Asserts success. capacity is what cuckoo needs; tidal ignores it. */
guira *variant_make(const struct variant *v, struct rng *r, uint64_t capacity);

/* Inserts copies of one key: until the first refusal, or 40 of them, more than fit into two buckets and a stash. Returns how
 * many are in; *hash is the key. A fixed filter has entries in its stash then, and a tidal one has counts. */
unsigned insert_many_copies(guira *f, struct rng *r, uint64_t *hash);

/* A 64-bit digest of everything that decides what the filter will do (all but the counter of failures). */
uint64_t digest(const guira *f);
uint64_t window_digest(const guira_window *w);

void assert_valid(const guira *f);

guira_stats stats_of(const guira *f);

/* -------------------------------------------------------------------------------------------------------------- model */

/* An exact multiset of 64-bit hashes. Removing one moves the last to its place. */
struct model {
    uint64_t *hash;
    size_t n, room;
};
void model_add(struct model *m, uint64_t hash);
uint64_t model_take(struct model *m, size_t i); /* removes and returns */
void model_free(struct model *m);

/* A tidal filter of n members, some of them in the stash; all are added to m. */
guira *variant_make_with_stash(const struct variant *v, struct rng *r, size_t n, struct model *m);

/* Insert n new random hashes into a filter and its model; remove n random members from both. Assert success. */
void members_in(guira *f, struct model *m, size_t n, struct rng *r);
void members_out(guira *f, struct model *m, size_t n, struct rng *r);

/* A multiset that keeps the order of insertion. A removed hash leaves a GONE in its place; the list is compacted when more
 * than half of it is GONE. */
struct ordered_set {
    uint64_t *hash;
    size_t first, end, room, live; /* the first and the last place are never GONE */
};
enum { GONE = 0 }; /* assumed not to be the hash of a member: that has probability 2^-64 */
enum choice { ANY, OLDEST, NEWEST, CHOICES };
void ordered_add(struct ordered_set *c, uint64_t hash);
uint64_t ordered_pick(const struct ordered_set *c, enum choice how, struct rng *r); /* must not be empty */
uint64_t ordered_take(struct ordered_set *c, enum choice how, struct rng *r);       /* removes and returns */

/* Every member of the model is in f, looked up alone and in batches, and f counts as many. */
void assert_same(const guira *f, const struct model *m);

#endif
