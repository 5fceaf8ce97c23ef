/* Threads: lookup throughput of threads that share a filter.
 *
 *     1 reader    one thread looks up keys, half of them members
 *     2 readers   two threads do the same concurrently
 *     paused      one thread looks up keys in a filter that grows from empty, while the writer sleeps ...
 *     growing     ... and while the writer inserts. Both alternate every few milliseconds until all items are inserted.
 *
 *     writer   [inserts][sleeps ][inserts][sleeps ] ...
 *     reader   [ counts lookups for growing and for paused ]
 *
 * The last two measure the same sizes of the filter within milliseconds of each other, so their ratio shows the effect
 * of the writer on the reader. The first two use a filter created at full size, 16 bits. Plain filters without locks
 * take part there as well, because lookups do not modify them.
 */
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include "guira.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 256, MAX_READERS = 2 };

struct shared_state {
    const struct bench_peer *peer;
    void *f;
    const uint64_t *key; /* looked up by readers */
    size_t keys;
    atomic_bool stop;
    atomic_int writing; /* 1 while the writer inserts */
};

struct reader {
    struct shared_state *state;
    size_t start;
    uint64_t lookups[2]; /* while the writer slept, and while it inserted */
    struct span spent[2];
    pthread_t thread;
};

/* Looks up blocks of keys until told to stop. Blocks during which the writer started or stopped are not counted. */
static void *reader_main(void *arg) {
    struct reader *r = arg;
    struct shared_state *s = r->state;
    size_t at = r->start;
    while (!atomic_load_explicit(&s->stop, memory_order_relaxed)) {
        int before = atomic_load(&s->writing);
        struct span start = span_start();
        if (at + BLOCK > s->keys) at = 0;
        s->peer->contains(s->f, s->key + at, BLOCK);
        struct span spent = span_since(start);
        at += BLOCK;
        if (atomic_load(&s->writing) != before) continue;
        r->lookups[before] += BLOCK;
        r->spent[before].wall += spent.wall;
        r->spent[before].cpu += spent.cpu;
    }
    return NULL;
}

static void start_readers(struct shared_state *s, struct reader *r, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        r[i] = (struct reader){.state = s, .start = i * (s->keys / 2)};
        if (pthread_create(&r[i].thread, NULL, reader_main, &r[i]) != 0) abort();
    }
}

static void stop_readers(struct shared_state *s, struct reader *r, unsigned n) {
    atomic_store(&s->stop, true);
    for (unsigned i = 0; i < n; i++) pthread_join(r[i].thread, NULL);
}

static void sleep_seconds(double s) {
    struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
    nanosleep(&t, NULL);
}

/* Million lookups per second of all readers, while the writer slept (writing = 0) or inserted (1). */
static struct speed speed_of_all(const struct reader *r, unsigned n, int writing) {
    struct speed sum = {0, 0};
    for (unsigned i = 0; i < n; i++) {
        if (r[i].lookups[writing] == 0) continue;
        struct speed one = speed_of(r[i].lookups[writing], r[i].spent[writing]);
        sum.wall += one.wall;
        sum.cpu += one.cpu;
    }
    return sum;
}

/* n keys in random order, half of them members. The caller frees them. */
static uint64_t *lookup_keys(const struct bench *b, const uint64_t *member, size_t n) {
    uint64_t *all = keys_range(b->o->seed, workload_first_non_member(0), n);
    for (size_t i = 0; i < n; i += 2) all[i] = member[i];
    uint64_t *mixed = keys_shuffled(b->o->seed, all, n);
    free(all);
    return mixed;
}

static void readers_alone(struct bench *b, const struct bench_peer *peer, const uint64_t *member, size_t items,
                          const uint64_t *lookup, unsigned round) {
    static const enum metric metric[] = {M_READ_1, M_READ_2};
    uint64_t slots = 1;
    while (slots / 100 * 95 < items) slots *= 2;
    struct shared_state s = {.peer = peer, .f = peer->create(slots), .key = lookup, .keys = items};
    if (s.f == NULL || peer->insert(s.f, member, items) != items) return;
    for (unsigned n = 1; n <= MAX_READERS; n++) {
        struct reader r[MAX_READERS];
        atomic_store(&s.stop, false);
        start_readers(&s, r, n);
        sleep_seconds(b->o->lookup_s * 4);
        stop_readers(&s, r, n);
        struct result_key at = {"threads", items, peer->name, round};
        results_speed(b->r, at, metric[n - 1], speed_of_all(r, n, 0));
    }
    peer->destroy(s.f);
}

static void reader_and_writer(struct bench *b, const struct bench_peer *peer, const uint64_t *member, size_t items,
                              const uint64_t *lookup, unsigned round) {
    struct shared_state s = {.peer = peer, .f = peer->create(0), .key = lookup, .keys = items};
    struct reader r[1];
    if (s.f == NULL) return;
    start_readers(&s, r, 1);
    for (size_t done = 0, slice = items / 256 + 1; done < items;) {
        size_t n = items - done < slice ? items - done : slice;
        double begin = seconds();
        atomic_store(&s.writing, 1);
        done += peer->insert(s.f, member + done, n);
        atomic_store(&s.writing, 0);
        sleep_seconds(seconds() - begin);
    }
    stop_readers(&s, r, 1);
    struct result_key at = {"threads", items, peer->name, round};
    results_speed(b->r, at, M_READ_PAUSED, speed_of_all(r, 1, 0));
    results_speed(b->r, at, M_READ_GROWING, speed_of_all(r, 1, 1));
    size_t found = peer->contains(s.f, member, items);
    if (found != items) results_lost(b->r, at, "after growing under a reader", items, found);
    peer->destroy(s.f);
}

void threads_run(struct bench *b) {
    size_t items = (size_t)b->o->grow;
    uint64_t *member = keys_range(b->o->seed, 0, items), *lookup = lookup_keys(b, member, items);
    for (unsigned round = 0; round < b->o->rounds; round++)
        for (size_t i = 0; i < b->p->count; i++) {
            const struct bench_peer *peer = workload_turn(b, round, i);
            if (!peer->grows) continue;
            readers_alone(b, peer, member, items, lookup, round);
            if (strncmp(peer->name, "shared", 6) == 0) reader_and_writer(b, peer, member, items, lookup, round);
        }
    report_threads(b->r, items);
    free(member);
    free(lookup);
}
