/* Zipf: a multiset. Keys are drawn from a Zipf distribution and every draw is inserted, so that some keys have many
 * thousands of copies. Then every copy is removed again, in random order.
 *
 *     refused    insertions that failed: copies of frequent keys fill the two buckets that they can be in
 *     overcount  keys of which the filter counts more copies than there are: false positives. Fewer would be a lost
 *                member, and the run fails
 *     left       bytes of the empty filter at the end
 *
 * Filters that grow start empty; others get room for every draw. There are as many different keys to draw from as
 * draws.
 */
#include "zipf.h"

#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <stdlib.h>
#include <string.h>

struct input {
    const char *workload;
    size_t draws, distinct;
    uint64_t *key;      /* one per draw, in the order of insertion */
    uint32_t *rank;     /* of each draw, from 0 */
    uint32_t *drawn;    /* per rank: how often it was drawn */
    uint64_t *shuffled; /* the keys in the order of removal */
};

/* One filter in one round. */
struct run {
    struct bench *b;
    const struct input *in;
    const struct bench_peer *peer;
    void *f;
    uint32_t *copies; /* per rank: in the filter */
    size_t refused;
    struct result_key at;
};

static void *allocate(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (p == NULL) {
        fprintf(stderr, "guira-bench: out of memory for %zu draws\n", n);
        exit(1);
    }
    return p;
}

static void insert_all(struct run *x) {
    const struct input *in = x->in;
    struct span start = span_start();
    for (size_t i = 0; i < in->draws; i++) {
        i += x->peer->insert(x->f, in->key + i, in->draws - i);
        if (i == in->draws) break;
        x->copies[in->rank[i]]--;
        x->refused++;
    }
    results_speed(x->b->r, x->at, M_INSERT, speed_of(in->draws, span_since(start)));
    double inserted = (double)(in->draws - x->refused);
    double bytes = (double)x->peer->bytes(x->f);
    results_add(x->b->r, x->at, M_REFUSED, 100 * (double)x->refused / (double)in->draws);
    results_add(x->b->r, x->at, M_BYTES, bytes);
    if (inserted > 0) results_add(x->b->r, x->at, M_BITS_PER_ITEM, bytes * 8 / inserted);
    results_add(x->b->r, x->at, M_BITS_PER_KEY, bytes * 8 / (double)in->distinct);
}

/* Looks up every key that has copies, and counts them if the filter can count. */
static void check_copies(struct run *x) {
    uint64_t keys = 0, found = 0, over = 0, under = 0;
    for (size_t i = 0; i < x->in->draws; i++) {
        if (x->copies[i] == 0) continue;
        uint64_t key = keys_at(x->b->o->seed, i);
        keys++;
        found += x->peer->contains(x->f, &key, 1);
        if (x->peer->count == NULL) continue;
        uint64_t counted = x->peer->count(x->f, key);
        over += counted > x->copies[i];
        under += counted < x->copies[i];
    }
    if (found != keys) results_lost(x->b->r, x->at, "with copies", keys, found);
    if (under > 0) results_lost(x->b->r, x->at, "(copies)", keys, keys - under);
    if (x->peer->count != NULL && keys > 0)
        results_add(x->b->r, x->at, M_OVERCOUNTED, 100 * (double)over / (double)keys);
}

/* If some draws were refused, the copies that are there are removed key by key. */
static void remove_all(struct run *x) {
    const struct input *in = x->in;
    size_t removed = 0;
    struct span start = span_start();
    if (x->refused == 0) {
        removed = x->peer->remove(x->f, in->shuffled, in->draws);
        results_speed(x->b->r, x->at, M_REMOVE, speed_of(in->draws, span_since(start)));
    } else {
        for (size_t i = 0; i < in->draws; i++) {
            uint64_t key = keys_at(x->b->o->seed, i);
            for (uint32_t k = 0; k < x->copies[i]; k++) removed += x->peer->remove(x->f, &key, 1);
        }
    }
    size_t inserted = in->draws - x->refused;
    if (removed != inserted) results_lost(x->b->r, x->at, "while removing", inserted, removed);
    results_add(x->b->r, x->at, M_BYTES_LEFT, (double)x->peer->bytes(x->f));
}

static void measure(struct bench *b, const struct input *in, const struct bench_peer *peer, unsigned round) {
    uint64_t slots = 256;
    while (slots / 100 * 95 < in->draws) slots *= 2;
    struct run x = {.b = b, .in = in, .peer = peer, .at = {in->workload, in->draws, peer->name, round}};
    x.f = peer->create(peer->grows ? 0 : slots);
    if (x.f == NULL) {
        results_note(b->r, "%s: %s could not be created", in->workload, peer->name);
        return;
    }
    x.copies = allocate(in->draws, sizeof *x.copies);
    memcpy(x.copies, in->drawn, in->draws * sizeof *x.copies);
    insert_all(&x);
    check_copies(&x);
    if (peer->remove != NULL) remove_all(&x);
    peer->destroy(x.f);
    free(x.copies);
}

static void draw_all(struct input *in, double s, uint64_t seed) {
    struct zipf z = zipf_make(s, in->draws, ~seed);
    for (size_t i = 0; i < in->draws; i++) {
        in->rank[i] = (uint32_t)(zipf_draw(&z) - 1);
        in->key[i] = keys_at(seed, in->rank[i]);
        if (in->drawn[in->rank[i]]++ == 0) in->distinct++;
    }
}

void zipf_run(struct bench *b) {
    for (size_t k = 0; k < b->o->zipfs; k++) {
        struct input in = {.workload = b->o->zipf_name[k], .draws = (size_t)b->o->draws};
        in.key = allocate(in.draws, sizeof *in.key);
        in.rank = allocate(in.draws, sizeof *in.rank);
        in.drawn = allocate(in.draws, sizeof *in.drawn);
        draw_all(&in, b->o->zipf[k], b->o->seed);
        in.shuffled = keys_shuffled(b->o->seed, in.key, in.draws);
        for (unsigned round = 0; round < b->o->rounds; round++)
            for (size_t i = 0; i < b->p->count; i++) measure(b, &in, workload_turn(b, round, i), round);
        report_zipf(b->r, in.workload, in.draws, in.distinct);
        free(in.key);
        free(in.rank);
        free(in.drawn);
        free(in.shuffled);
    }
}
