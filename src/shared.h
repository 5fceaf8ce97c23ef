/* What the files of guira_shared have in common: see shared.c. */
#ifndef GUIRA_SHARED_H
#define GUIRA_SHARED_H

#ifndef __clang_analyzer__ /* which loses its way in there */
#define _LGPL_SOURCE /* inlines what readers enter and leave by: a few lines, which its licence lets anybody use */
#endif
#include <urcu/urcu-bp.h>

#include "ground.h"
#include "kind.h"
#include "lock.h"

/* ThreadSanitizer does not see what liburcu does: that whoever waits comes after all who have left. */
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
extern char guira__gate;
#define GATE_LEAVE() __tsan_release(&guira__gate)
#define GATE_WAITED() __tsan_acquire(&guira__gate)
#else
#define GATE_LEAVE() ((void)0)
#define GATE_WAITED() ((void)0)
#endif

/* A writer's part of a shard: away from what readers read, and from its neighbours. */
struct shard {
    struct lock lock __attribute__((aligned(64))); /* as far as guira__alloc aligns */
    struct limbo limbo;
    struct ground ground;
};

struct guira_shared {
    struct sights sights;
    bool (*glance)(const struct sights *of, uint64_t hash); /* these two as in ops */
    size_t (*glance_many)(const struct sights *of, const uint64_t *hash, size_t n, bool *out);
    struct shard *shard;
    uint64_t shards; /* a power of two */
    uint8_t secret[SECRET_BYTES];
    struct sight sight[]; /* a filter is replaced as a whole only under the lock of its shard */
};

/* Shards without filters, for filters made like c. EINVAL, ENOMEM. */
guira_status guira__shared_alloc(unsigned shards, const guira_config *c, guira_shared **out);

/* Puts a filter where readers of a shard look. The one that was there is the caller's. */
void guira__shard_show(guira_shared *g, unsigned shard, guira *f);

/* Moves a filter that a shard has, and that lies elsewhere, to the shard's ground, where nothing may be any more. The one
 * that was there is the caller's; NULL: there is no memory for that, and all is as it was, only slower to ask. */
guira *guira__shard_settle(guira_shared *g, unsigned shard);

/* A shard as it is at one moment. ENOMEM. */
guira_status guira__shard_copy(const guira_shared *g, unsigned shard, guira **out);

/* How its shards were made. */
guira_config guira__shared_config(const guira_shared *g);

/* The block that all of it but the filters is in. */
size_t guira__shared_bytes(unsigned shards);

/* Each shard's part of so many items. */
uint64_t guira__share_of(uint64_t items, uint64_t shards);

/* Readers come and go; after the wait, nobody looks at what was taken away before it. */
static inline void readers_enter(void) { urcu_bp_read_lock(); }
static inline void readers_leave(void) {
    GATE_LEAVE();
    urcu_bp_read_unlock();
}
void guira__wait_for_readers(void);

#endif
