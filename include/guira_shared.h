/* guira_shared: a filter that any number of threads may use at once.
 *
 *     guira_shared *g;
 *     if (guira_shared_create(NULL, 0, &g) != GUIRA_OK) return 1;
 *     guira_shared_insert(g, "ana", 3);        from any thread
 *     guira_shared_contains(g, "ana", 3);      from any thread: takes no lock and never blocks
 *     guira_shared_destroy(g);                 when no other thread uses it
 *
 * It consists of shards, each a tidal filter with a lock for changes. Lookups take no lock and never block, not even while
 * a shard grows, shrinks or is merged: a key whose insertion has returned, and whose removal has not been called, is
 * contained, always. Everything else is as in guira.h.
 *
 * FORK. A child of fork() has a copy of its own, complete and not half changed, and may use it like any other filter. For
 * this, fork() waits for changes that are under way, by handlers of pthread_atfork. They also call liburcu's
 * urcu_bp_before_fork() and so on: a program that uses liburcu-bp itself must not call these a second time. */
#ifndef GUIRA_SHARED_H
#define GUIRA_SHARED_H

#include "guira.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct guira_shared guira_shared;

/* c as for guira_create, of kind tidal; NULL: the defaults. shards: a power of two up to 256; 0: 16. More shards let more
 * threads write at once. EINVAL, ELIMIT, ENOMEM, EIO. On failure *out is NULL. */
GUIRA_API guira_status guira_shared_create(const guira_config *c, unsigned shards, guira_shared **out);
GUIRA_API void guira_shared_destroy(guira_shared *g);

GUIRA_API guira_status guira_shared_insert(guira_shared *g, const void *key, size_t len);
/* If several threads insert the same key at once, exactly one gets OK and the others EEXIST. */
GUIRA_API guira_status guira_shared_insert_unique(guira_shared *g, const void *key, size_t len);
GUIRA_API bool guira_shared_contains(const guira_shared *g, const void *key, size_t len);
GUIRA_API guira_status guira_shared_remove(guira_shared *g, const void *key, size_t len);
GUIRA_API uint64_t guira_shared_count(const guira_shared *g, const void *key, size_t len);

GUIRA_API uint64_t guira_shared_hash(const guira_shared *g, const void *key, size_t len);
GUIRA_API guira_status guira_shared_hash_many(const guira_shared *g, const void *keys, size_t size, size_t n,
                                              uint64_t *out);
GUIRA_API guira_status guira_shared_insert_hash(guira_shared *g, uint64_t hash);
GUIRA_API guira_status guira_shared_insert_unique_hash(guira_shared *g, uint64_t hash);
GUIRA_API bool guira_shared_contains_hash(const guira_shared *g, uint64_t hash);
GUIRA_API guira_status guira_shared_remove_hash(guira_shared *g, uint64_t hash);
GUIRA_API uint64_t guira_shared_count_hash(const guira_shared *g, uint64_t hash);

/* Changes are grouped by shard, so that each lock is taken once for many of them; equal hashes keep their order. */
GUIRA_API size_t guira_shared_contains_hash_many(const guira_shared *g, const uint64_t *hash, size_t n, bool *out);
GUIRA_API size_t guira_shared_insert_hash_many(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out);
GUIRA_API size_t guira_shared_remove_hash_many(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out);

/* These block writers, not lookups, and work on copies: they need memory for a second filter, shrink_to_fit for a second
 * shard. All or nothing, except for shrink_to_fit, which stops early if memory is short. */
GUIRA_API guira_status guira_shared_reserve(guira_shared *g, uint64_t items);
GUIRA_API guira_status guira_shared_shrink_to_fit(guira_shared *g);
GUIRA_API guira_status guira_shared_clear(guira_shared *g);
/* Each shard of `from` is read at one moment. EINVAL also if the numbers of shards differ. */
GUIRA_API guira_status guira_shared_merge(guira_shared *into, const guira_shared *from);
GUIRA_API guira_status guira_shared_union(guira_shared *into, const guira_shared *from);

/* Sums and means over the shards, each at one moment. */
GUIRA_API guira_status guira_shared_stats_get(const guira_shared *g, guira_stats *out);
/* How each shard was made: capacity is that of one shard. */
GUIRA_API guira_status guira_shared_config_get(const guira_shared *g, guira_config *out);
GUIRA_API guira_status guira_shared_validate(const guira_shared *g, const char **reason);

/* As guira_save, guira_load and so on. Saving takes each shard as it is at one moment, and needs memory for a copy of it; no
 * thread waits for the disk. guira_load returns EFORMAT for such a file, and guira_shared_load for that of a filter. */
GUIRA_API guira_status guira_shared_save(const guira_shared *g, const char *path);
GUIRA_API guira_status guira_shared_load(const char *path, guira_shared **out);
GUIRA_API guira_status guira_shared_save_fd(const guira_shared *g, int fd);
GUIRA_API guira_status guira_shared_load_fd(int fd, guira_shared **out);
GUIRA_API guira_status guira_shared_save_to(const guira_shared *g, guira_write_fn *write, void *to);
GUIRA_API guira_status guira_shared_load_from(const void *bytes, size_t n, guira_shared **out);

#ifdef __cplusplus
}
#endif

#endif
