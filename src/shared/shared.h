/* guira_shared: a filter for any number of threads.
 *
 *     hash ... | 4 bits | core        which shard
 *
 *     shard 0   [ reader root | lock | tidal filter | stable regions | retired memory ]    a change takes the lock;
 *     shard 1   [ reader root | lock | tidal filter | stable regions | retired memory ]    a lookup takes none and never
 *     ...                                                                                  blocks
 *
 * HOW CAN A LOOKUP BE RIGHT WHILE A WRITER MOVES ENTRIES? A tidal filter writes an entry to its new place before it
 * overwrites the old one, and then increments a version counter: see base/version.h. Its arrays lie where a reader may
 * look at any time: see base/region.h. All other memory that it gives up is retired until no reader can be using it, which
 * liburcu tells: see retire.h.
 * Changes that rewrite the whole filter (reserve, clear, merge) are made to a copy, and the copy takes its place.
 *
 * The bits that choose the shard lie right above the core. No entry knows them until a shard has 2^28 buckets at 32
 * bits, so within a shard entries tell as much apart as in a filter of their own.
 *
 *     shared.c        life, single operations            lookup.inc      lock-free lookups, for each instruction set
 *     batch.c         many operations at once            publish.c       what a shard reports to its readers
 *     lifecycle.c     reserve, clear, merge, statistics  retire.c lock.c fork.c file.c */
#ifndef GUIRA_SHARED_SHARED_H
#define GUIRA_SHARED_SHARED_H

#ifndef __clang_analyzer__ /* it cannot follow liburcu's inline functions */
#define _LGPL_SOURCE       /* inlines the read-side functions: a few lines, which the licence allows anyone to use */
#endif
#include <urcu/urcu-bp.h>

#include "guira_shared.h"
#include "shared/lock.h"
#include "shared/lookup.h"
#include "shared/retire.h"

/* ThreadSanitizer does not see liburcu's ordering: a grace period ends after all readers before it. */
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
extern char guira__tsan_readers;
#define TSAN_READER_DONE() __tsan_release(&guira__tsan_readers)
#define TSAN_GRACE_PERIOD_OVER() __tsan_acquire(&guira__tsan_readers)
#else
#define TSAN_READER_DONE() ((void)0)
#define TSAN_GRACE_PERIOD_OVER() ((void)0)
#endif

/* The writer's part of a shard, in cache lines apart from what readers read and from its neighbours. */
struct shard {
    struct lock lock __attribute__((aligned(64))); /* as far as guira__alloc aligns */
    struct readers readers;                        /* first the hooks of the filter, then those of its elders' names */
    struct readers names;
    struct reader_root *root;
    struct retired retired;
    struct stable_regions regions;
    struct flat_table flat[STABLE_LEVELS];
};

struct guira_shared {
    struct reader_roots roots;
    struct shard *shard;
    uint64_t shards;               /* a power of two */
    guira_shared *next, *previous; /* in the list of fork.c */
    uint8_t secret[SECRET_BYTES];
    struct reader_root root[]; /* a filter is replaced as a whole only under the lock of its shard */
};

/* fork.c: makes a filter known to the fork handlers. False: they could not be set. */
bool guira__fork_register(guira_shared *g);
void guira__fork_unregister(guira_shared *g);

/* Shards without filters, for filters made like c. EINVAL, ENOMEM. */
guira_status guira__shared_alloc(unsigned shards, const guira_config *c, guira_shared **out);

/* publish.c: the hooks of a shard. */
void guira__shard_init_readers(struct shard *shard, struct reader_root *root);

/* Puts a filter where readers of a shard look. The one that was there belongs to the caller from now on. */
void guira__shard_publish(guira_shared *g, unsigned shard, guira *f);

/* Takes the readers from a filter that was replaced, after a grace period. */
void guira__shard_detach(guira *f);

/* Moves the filter of a shard to the shard's stable regions, which must not be in use. Returns the old one, which belongs
 * to the caller; NULL: no memory for that, and nothing has changed, but lookups are slower. */
guira *guira__shard_move_to_regions(guira_shared *g, unsigned shard);

/* A copy of a shard at one moment. ENOMEM. */
guira_status guira__shard_copy(const guira_shared *g, unsigned shard, guira **out);

/* The size of the block that holds everything but the filters. */
size_t guira__shared_bytes(unsigned shards);

/* The part of each shard in so many items. */
uint64_t guira__shard_share(uint64_t items, uint64_t shards);

/* A read-side critical section, and a grace period. */
static inline void read_section_enter(void) { urcu_bp_read_lock(); }
static inline void read_section_leave(void) {
    TSAN_READER_DONE();
    urcu_bp_read_unlock();
}
void guira__wait_grace_period(void);

/* Locks a shard also for reading what only its writer may read. */
static inline void shard_lock(const guira_shared *g, uint64_t i) { lock_acquire(&g->shard[i].lock); }
static inline void shard_unlock(const guira_shared *g, uint64_t i) { lock_release(&g->shard[i].lock); }

#endif
