/* What the files of guira_shared have in common: see shared.c. */
#ifndef GUIRA_SHARED_H
#define GUIRA_SHARED_H

#include <pthread.h>
#define URCU_INLINE_SMALL_FUNCTIONS
#include <urcu/urcu-bp.h>

#include "kind.h"

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

enum { MAX_SHARDS = 256 };

struct shard {
    pthread_mutex_t lock __attribute__((aligned(128))); /* two lines: processors fetch them in pairs */
    guira *filter;                                      /* replaced as a whole only under the lock */
    struct limbo limbo;
};

struct guira_shared {
    unsigned shards; /* a power of two */
    uint8_t secret[SECRET_BYTES];
    struct shard shard[];
};

/* Shards without filters. ENOMEM. */
guira_status guira__shared_alloc(unsigned shards, guira_shared **out);

/* Puts a filter where readers of a shard look. The one that was there is the caller's. */
void guira__shard_show(struct shard *s, guira *f);

/* Each shard's part of so many items. */
uint64_t guira__share_of(uint64_t items, unsigned shards);

/* Readers come and go; after the wait, nobody looks at what was taken away before it. */
static inline void readers_enter(void) { urcu_bp_read_lock(); }
static inline void readers_leave(void) {
    GATE_LEAVE();
    urcu_bp_read_unlock();
}
void guira__wait_for_readers(void);

/* Which shard a hash belongs to. */
static inline unsigned shard_number(const guira_shared *g, uint64_t hash) {
    enum { AFTER_CORE = 6 };
    return (unsigned)(hash >> AFTER_CORE) & (g->shards - 1);
}

#endif
