/* Interleaved: all filters exist at the same time, and each chunk of keys is handled by every filter before the next chunk.
 *
 *     chunk 1:  filter A, B, C      chunk 2:  filter B, C, A      chunk 3:  filter C, A, B      ...
 *
 * For busy machines. In "fixed" a filter has the core for seconds, and what other processes do meanwhile is taken for its
 * speed. Here two filters run within a millisecond of each other, so the same disturbance hits both, and the ratios of two
 * runs agree within a few percent. The price: the filters evict each other from the caches, so that the sizes which fit
 * into a cache are measured as if they did not. What happens to the filters is what happens in "fixed".
 */
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <stdlib.h>

enum { CHUNK = 16384 };

/* One filter. */
struct part {
    const struct bench_peer *peer;
    void *f; /* NULL: it takes part no more */
    struct span spent;
};

struct side_by_side {
    struct bench *b;
    uint64_t slots;
    size_t items;
    const uint64_t *member;   /* in the order of insertion */
    const uint64_t *shuffled; /* in the order of lookup and removal */
    uint64_t *non_member;     /* a chunk of them */
    struct part part[MAX_PEERS];
    size_t parts;
};

typedef size_t chunk_fn(void *f, const uint64_t *key, size_t n);

static struct result_key key_of(const struct side_by_side *s, const struct part *p, unsigned round) {
    return (struct result_key){"interleaved", s->slots, p->peer->name, round};
}

static void leave(const struct side_by_side *s, struct part *p, const char *why) {
    results_note(s->b->r, "interleaved %llu: %s %s", (unsigned long long)s->slots, p->peer->name, why);
    if (p->f != NULL) p->peer->destroy(p->f);
    p->f = NULL;
}

static chunk_fn *function_of(const struct bench_peer *p, enum metric m) {
    switch (m) {
    case M_INSERT: return p->insert;
    case M_REMOVE: return p->remove;
    case M_POSITIVE_BATCH:
    case M_NEGATIVE_BATCH: return p->contains_batch;
    default: return p->contains;
    }
}

/* One chunk by each filter. turn: which one begins. */
static void run_chunk(struct side_by_side *s, enum metric m, const uint64_t *key, size_t n, size_t turn) {
    for (size_t i = 0; i < s->parts; i++) {
        struct part *p = &s->part[(i + turn) % s->parts];
        chunk_fn *run = p->f == NULL ? NULL : function_of(p->peer, m);
        if (run == NULL) continue;
        struct span start = span_start();
        size_t done = run(p->f, key, n);
        struct span took = span_since(start);
        p->spent.wall += took.wall;
        p->spent.cpu += took.cpu;
        if (m == M_NEGATIVE || m == M_NEGATIVE_BATCH || done == n) continue;
        if (m == M_INSERT) leave(s, p, "failed to insert an item");
        else results_lost(s->b->r, key_of(s, p, 0), "in a chunk", n, done);
    }
}

/* The speeds of one round: what was spent since the last call. */
static void record(struct side_by_side *s, enum metric m, size_t n, unsigned round) {
    for (size_t i = 0; i < s->parts; i++) {
        struct part *p = &s->part[i];
        if (p->f != NULL && function_of(p->peer, m) != NULL)
            results_speed(s->b->r, key_of(s, p, round), m, speed_of(n, p->spent));
        p->spent = (struct span){0, 0};
    }
}

static void create_all(struct side_by_side *s) {
    for (size_t i = 0; i < s->b->p->count; i++) {
        struct part *p = &s->part[s->parts++];
        *p = (struct part){.peer = s->b->p->peer[i]};
        p->f = p->peer->create(s->slots);
        if (p->f == NULL) leave(s, p, "could not be created");
    }
}

/* Insertion becomes slower as the filters fill up, so it has one value, not one for each round. */
static void insert_all(struct side_by_side *s) {
    for (size_t i = 0; i < s->items; i += CHUNK)
        run_chunk(s, M_INSERT, s->member + i, s->items - i < CHUNK ? s->items - i : CHUNK, i / CHUNK);
    record(s, M_INSERT, s->items, 0);
    for (size_t i = 0; i < s->parts; i++) {
        struct part *p = &s->part[i];
        if (p->f == NULL) continue;
        double bits = (double)p->peer->bytes(p->f) * 8;
        results_add(s->b->r, key_of(s, p, 0), M_BITS_PER_ITEM, bits / (double)s->items);
    }
}

static void look_up(struct side_by_side *s, enum metric m, size_t chunks, unsigned round) {
    bool absent = m == M_NEGATIVE || m == M_NEGATIVE_BATCH;
    size_t there = s->items / CHUNK; /* whole chunks of members */
    for (size_t i = 0; i < chunks; i++) {
        size_t number = round * chunks + i;
        if (absent) keys_fill(s->b->o->seed, workload_first_non_member(0) + number * CHUNK, s->non_member, CHUNK);
        run_chunk(s, m, absent ? s->non_member : s->shuffled + number % there * CHUNK, CHUNK, number);
    }
    record(s, m, chunks * CHUNK, round);
}

static void look_up_all(struct side_by_side *s) {
    static const enum metric metric[] = {M_POSITIVE, M_NEGATIVE, M_POSITIVE_BATCH, M_NEGATIVE_BATCH};
    size_t chunks = (size_t)s->b->o->lookups / CHUNK / MAX_ROUNDS + 1;
    for (unsigned round = 0; round < MAX_ROUNDS; round++)
        for (size_t i = 0; i < sizeof metric / sizeof *metric; i++) look_up(s, metric[i], chunks, round);
}

static void remove_half(struct side_by_side *s) {
    size_t each = s->items / 2 / MAX_ROUNDS;
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        for (size_t i = 0; i < each; i += CHUNK)
            run_chunk(s, M_REMOVE, s->shuffled + round * each + i, each - i < CHUNK ? each - i : CHUNK,
                      round + i / CHUNK);
        record(s, M_REMOVE, each, round);
    }
}

static void run_size(struct bench *b, uint64_t slots) {
    size_t items = (size_t)(slots / 100 * 95 + slots % 100 * 95 / 100);
    uint64_t *member = keys_range(b->o->seed, 0, items);
    uint64_t *shuffled = keys_shuffled(b->o->seed, member, items);
    struct side_by_side s = {.b = b, .slots = slots, .items = items, .member = member, .shuffled = shuffled};
    s.non_member = keys_range(b->o->seed, 0, CHUNK);
    create_all(&s);
    insert_all(&s);
    look_up_all(&s);
    remove_half(&s);
    for (size_t i = 0; i < s.parts; i++)
        if (s.part[i].f != NULL) s.part[i].peer->destroy(s.part[i].f);
    free(member);
    free(shuffled);
    free(s.non_member);
}

void interleaved_run(struct bench *b) {
    for (size_t i = 0; i < b->o->sizes; i++) {
        uint64_t slots = (uint64_t)1 << b->o->size[i];
        if (slots / 100 * 95 < CHUNK) {
            results_note(b->r, "interleaved %llu: fewer items than a chunk has", (unsigned long long)slots);
            continue;
        }
        run_size(b, slots);
        report_interleaved(b->r, slots);
    }
}
