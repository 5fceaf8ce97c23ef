/* Batches for guira_shared: grouped by shard, a chunk at a time, on the stack.
 *
 *     hashes     a0 c1 b0 d1      which shard, and in what order they came
 *     grouped    a0 b0 | c1 d1    by counting
 *     answers    go back to where their questions were */
#define _GNU_SOURCE
#include "shared.h"

enum { CHUNK = 512 }; /* with 16 shards this makes groups of 32, which is what a filter looks up at a time */

struct groups {
    uint64_t hash[CHUNK];
    uint16_t place[CHUNK];          /* where each of them was */
    uint16_t start[MAX_SHARDS + 1]; /* of each shard's group */
};

static void group(const guira_shared *g, const uint64_t *hash, size_t n, struct groups *to) {
    uint16_t next[MAX_SHARDS + 1] = {0};
    for (size_t i = 0; i < n; i++) next[shard_number(g, hash[i]) + 1]++;
    for (unsigned s = 0; s < g->shards; s++) next[s + 1] = (uint16_t)(next[s + 1] + next[s]);
    for (unsigned s = 0; s <= g->shards; s++) to->start[s] = next[s];
    for (size_t i = 0; i < n; i++) {
        uint16_t at = next[shard_number(g, hash[i])]++;
        to->hash[at] = hash[i];
        to->place[at] = (uint16_t)i;
    }
}

/* -------------------------------------------------------------------------------------------------------------- asking */

static size_t contains_chunk(const guira_shared *g, const uint64_t *hash, size_t n, bool *out) {
    struct groups in;
    bool found[CHUNK] = {false};
    size_t present = 0;
    group(g, hash, n, &in);
    readers_enter();
    for (unsigned s = 0; s < g->shards; s++) {
        size_t start = in.start[s], many = in.start[s + 1] - start;
        const guira *f = FOLLOW(g->filter[s]);
        if (many > 0) present += f->ops->contains_many_shared(f, in.hash + start, many, found + start);
    }
    readers_leave();
    for (size_t i = 0; i < n; i++) out[in.place[i]] = found[i];
    return present;
}

size_t guira_shared_contains_hash_many(const guira_shared *g, const uint64_t *hash, size_t n, bool *out) {
    size_t present = 0;
    if (g == NULL || hash == NULL || out == NULL) return 0;
    for (size_t i = 0; i < n; i += CHUNK)
        present += contains_chunk(g, hash + i, n - i < CHUNK ? n - i : CHUNK, out + i);
    return present;
}

/* ------------------------------------------------------------------------------------------------------------ changing */

typedef size_t change_many(guira *f, const uint64_t *hash, size_t n, guira_status *out);

static size_t change_chunk(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out, change_many *how) {
    struct groups in;
    guira_status status[CHUNK] = {GUIRA_OK};
    size_t done = 0;
    group(g, hash, n, &in);
    for (unsigned s = 0; s < g->shards; s++) {
        size_t start = in.start[s], many = in.start[s + 1] - start;
        if (many == 0) continue;
        pthread_mutex_lock(&g->shard[s].lock);
        done += how(g->filter[s], in.hash + start, many, status + start);
        pthread_mutex_unlock(&g->shard[s].lock);
    }
    for (size_t i = 0; out != NULL && i < n; i++) out[in.place[i]] = status[i];
    return done;
}

static size_t change(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out, change_many *how) {
    size_t done = 0;
    if (g == NULL || hash == NULL) return 0;
    for (size_t i = 0; i < n; i += CHUNK)
        done += change_chunk(g, hash + i, n - i < CHUNK ? n - i : CHUNK, out == NULL ? NULL : out + i, how);
    return done;
}

size_t guira_shared_insert_hash_many(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out) {
    return change(g, hash, n, out, guira_insert_hash_many);
}

size_t guira_shared_remove_hash_many(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out) {
    return change(g, hash, n, out, guira_remove_hash_many);
}
