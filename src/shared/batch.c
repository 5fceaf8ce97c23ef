/* Batches for guira_shared. Lookups run in the order given, because they take no lock. Changes are grouped by shard, a
 * chunk at a time, so that each lock is taken once per chunk:
 *
 *     hashes    a0 c1 b0 d1      the number is the shard
 *     places     0  2 | 1  3     where in the chunk the hashes of shard 0 are, and those of shard 1 */
#define _GNU_SOURCE
#include "shared/shared.h"

size_t guira_shared_contains_hash_many(const guira_shared *g, const uint64_t *hash, size_t n, bool *out) {
    if (g == NULL || hash == NULL || out == NULL) return 0;
    return g->roots.lookups->contains_many(&g->roots, hash, n, out);
}

/* With 16 shards this makes groups of 256, enough to hide the latency of their first buckets. */
enum { CHUNK = 4096 };

struct groups {
    uint16_t place[CHUNK];
    uint16_t start[MAX_SHARDS + 1]; /* of each shard's group */
};

static void group(const guira_shared *g, const uint64_t *hash, size_t n, struct groups *to) {
    uint16_t next[MAX_SHARDS + 1] = {0};
    for (size_t i = 0; i < n; i++) next[shard_number(&g->roots, hash[i]) + 1]++;
    for (unsigned s = 0; s < g->shards; s++) next[s + 1] = (uint16_t)(next[s + 1] + next[s]);
    for (unsigned s = 0; s <= g->shards; s++) to->start[s] = next[s];
    for (size_t i = 0; i < n; i++) to->place[next[shard_number(&g->roots, hash[i])]++] = (uint16_t)i;
}

typedef guira_status change_one(guira *f, uint64_t hash);

/* One after the other, with the buckets of the next ones being prefetched. */
static size_t change_group(guira *f, const uint64_t *hash, const uint16_t *place, size_t n, guira_status *out,
                           change_one *how) {
    enum { AHEAD = 16 };
    size_t done = 0;
    for (size_t i = 0; i < n && i < AHEAD; i++) f->ops->prefetch(f, hash[place[i]]);
    for (size_t i = 0; i < n; i++) {
        if (n - i > AHEAD) f->ops->prefetch(f, hash[place[i + AHEAD]]);
        guira_status s = how(f, hash[place[i]]);
        if (out != NULL) out[place[i]] = s;
        done += s == GUIRA_OK;
    }
    return done;
}

static size_t change_chunk(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out, change_one *how) {
    struct groups in;
    size_t done = 0;
    group(g, hash, n, &in);
    for (unsigned s = 0; s < g->shards; s++) {
        size_t start = in.start[s], many = in.start[s + 1] - start;
        if (many == 0) continue;
        shard_lock(g, s);
        done += change_group(g->root[s].filter, hash, in.place + start, many, out, how);
        shard_unlock(g, s);
    }
    return done;
}

static size_t change(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out, change_one *how) {
    size_t done = 0;
    if (g == NULL || hash == NULL) return 0;
    for (size_t i = 0; i < n; i += CHUNK)
        done += change_chunk(g, hash + i, n - i < CHUNK ? n - i : CHUNK, out == NULL ? NULL : out + i, how);
    return done;
}

size_t guira_shared_insert_hash_many(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out) {
    return change(g, hash, n, out, guira_insert_hash);
}

size_t guira_shared_remove_hash_many(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out) {
    return change(g, hash, n, out, guira_remove_hash);
}
