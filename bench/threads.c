/* Threads: what readers get from a filter that they share.
 *
 *     1 reader    one thread asks, half of the keys members, half strangers
 *     2 readers   two threads ask, together
 *     paused      one thread asks a filter that grows from empty, while the writer rests...
 *     growing     ...and while it writes: turn and turn about, a few milliseconds each, until everybody is in
 *
 *     writer   [writes][      ][writes][      ] ...
 *     reader   [ counts lookups for growing and for paused ]
 *
 * The last two see the same sizes within milliseconds of each other, so their quotient is what the writer costs. One
 * filter for the first two: made at full size, 16 bits. Plain filters of one thread take part there as well, because
 * asking changes nothing.
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

struct scene {
    const struct bench_peer *peer;
    void *f;
    const uint64_t *key; /* what readers ask for */
    size_t keys;
    atomic_bool stop;
    atomic_int writing; /* whether the writer is at work just now */
};

struct reader {
    struct scene *scene;
    size_t start;
    uint64_t asked[2]; /* while the writer rested, and while it wrote */
    double spent[2];
    pthread_t thread;
};

/* Blocks during which the writer started or stopped belong to neither. */
static void *read_on(void *arg) {
    struct reader *r = arg;
    struct scene *s = r->scene;
    size_t at = r->start;
    while (!atomic_load_explicit(&s->stop, memory_order_relaxed)) {
        int before = atomic_load(&s->writing);
        double start = seconds();
        if (at + BLOCK > s->keys) at = 0;
        s->peer->contains(s->f, s->key + at, BLOCK);
        double spent = seconds() - start;
        at += BLOCK;
        if (atomic_load(&s->writing) != before) continue;
        r->asked[before] += BLOCK;
        r->spent[before] += spent;
    }
    return NULL;
}

static void start(struct scene *s, struct reader *r, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        r[i] = (struct reader){.scene = s, .start = i * (s->keys / 2)};
        if (pthread_create(&r[i].thread, NULL, read_on, &r[i]) != 0) abort();
    }
}

static void stop(struct scene *s, struct reader *r, unsigned n) {
    atomic_store(&s->stop, true);
    for (unsigned i = 0; i < n; i++) pthread_join(r[i].thread, NULL);
}

static void rest(double s) {
    struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
    nanosleep(&t, NULL);
}

static double mops(const struct reader *r, unsigned n, int writing) {
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        if (r[i].spent[writing] > 0) sum += (double)r[i].asked[writing] / r[i].spent[writing] * 1e-6;
    return sum;
}

/* Members and strangers in turn, in random order. */
static uint64_t *questions(const struct bench *b, const uint64_t *member, size_t n) {
    uint64_t *all = keys_range(b->o->seed, workload_strangers(0), n);
    for (size_t i = 0; i < n; i += 2) all[i] = member[i];
    uint64_t *mixed = keys_shuffled(b->o->seed, all, n);
    free(all);
    return mixed;
}

static void readers_alone(struct bench *b, const struct bench_peer *peer, const uint64_t *member, size_t items,
                          const uint64_t *ask, unsigned round) {
    static const enum metric metric[] = {M_READ_1, M_READ_2};
    uint64_t slots = 1;
    while (slots / 100 * 95 < items) slots *= 2;
    struct scene s = {.peer = peer, .f = peer->create(slots), .key = ask, .keys = items};
    if (s.f == NULL || peer->insert(s.f, member, items) != items) return;
    for (unsigned n = 1; n <= MAX_READERS; n++) {
        struct reader r[MAX_READERS];
        atomic_store(&s.stop, false);
        start(&s, r, n);
        rest(b->o->lookup_s * 4);
        stop(&s, r, n);
        results_add(b->r, (struct where){"threads", items, peer->name, round}, metric[n - 1], mops(r, n, 0));
    }
    peer->destroy(s.f);
}

static void reader_and_writer(struct bench *b, const struct bench_peer *peer, const uint64_t *member, size_t items,
                              const uint64_t *ask, unsigned round) {
    struct scene s = {.peer = peer, .f = peer->create(0), .key = ask, .keys = items};
    struct reader r[1];
    if (s.f == NULL) return;
    start(&s, r, 1);
    for (size_t done = 0, slice = items / 256 + 1; done < items;) {
        size_t n = items - done < slice ? items - done : slice;
        double begin = seconds();
        atomic_store(&s.writing, 1);
        done += peer->insert(s.f, member + done, n);
        atomic_store(&s.writing, 0);
        rest(seconds() - begin);
    }
    stop(&s, r, 1);
    struct where at = {"threads", items, peer->name, round};
    results_add(b->r, at, M_READ_PAUSED, mops(r, 1, 0));
    results_add(b->r, at, M_READ_GROWING, mops(r, 1, 1));
    size_t found = peer->contains(s.f, member, items);
    if (found != items) results_lost(b->r, at, "after growing under a reader", items, found);
    peer->destroy(s.f);
}

void threads_run(struct bench *b) {
    size_t items = (size_t)b->o->grow;
    uint64_t *member = keys_range(b->o->seed, 0, items), *ask = questions(b, member, items);
    for (unsigned round = 0; round < b->o->rounds; round++)
        for (size_t i = 0; i < b->p->count; i++) {
            const struct bench_peer *peer = workload_turn(b, round, i);
            if (!peer->grows) continue;
            readers_alone(b, peer, member, items, ask, round);
            if (strncmp(peer->name, "shared", 6) == 0) reader_and_writer(b, peer, member, items, ask, round);
        }
    report_threads(b->r, items);
    free(member);
    free(ask);
}
