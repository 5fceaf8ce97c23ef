/* See any_shared.h. */
#include "any_shared.h"

#include <guira_shared.h>

static uint64_t hash_for_shared(const void *g, const void *key, size_t n) { return guira_shared_hash(g, key, n); }

guira_status any_shared_load(struct any_filter *a) { return guira_shared_load(a->path, &a->shared); }

void any_shared_close(struct any_filter *a) { guira_shared_destroy(a->shared); }

void any_shared_stats(const struct any_filter *a, guira_stats *s) { guira_shared_stats_get(a->shared, s); }

void any_shared_config(const struct any_filter *a, guira_config *c) { guira_shared_config_get(a->shared, c); }

struct hasher any_shared_hasher(const struct any_filter *a) {
    return (struct hasher){hash_for_shared, a->shared};
}

uint64_t any_shared_count(const struct any_filter *a, uint64_t hash) {
    return guira_shared_count_hash(a->shared, hash);
}

guira_status any_shared_merge(struct any_filter *into, const struct any_filter *from, bool sum) {
    return sum ? guira_shared_merge(into->shared, from->shared) : guira_shared_union(into->shared, from->shared);
}

guira_status any_shared_save_fd(const struct guira_shared *g, int fd) { return guira_shared_save_fd(g, fd); }
