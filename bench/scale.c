/* Scale: one filter grows from empty to 10^9 items (--scale), and everything is measured at each power of ten from 10^5
 * on.
 *
 *     items     10^5      10^6      10^7      10^8      10^9
 *     insert   ------>|-------->|-------->|-------->|-------->     speed since the power before
 *     lookup          x         x         x         x         x    members chosen at random, and non-members
 *
 * Keys are computed when they are needed, block by block and outside of the measured time: 10^9 of them would take four
 * times as much memory as the filter. At the end every member is looked up.
 */
#include "huge.h"
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BLOCK = 1 << 16, FIRST = 100000 };

/* One filter in one round. */
struct run {
    struct bench *b;
    const struct bench_peer *peer;
    void *f;
    uint64_t *key; /* room for lookups and blocks */
    uint64_t huge; /* bytes of the process on huge pages before the filter was made */
    struct result_key at;
};

/* Inserts keys first .. first + n - 1. False: an insertion failed. */
static bool insert_range(struct run *x, uint64_t first, uint64_t n) {
    struct span spent = {0, 0};
    for (uint64_t done = 0; done < n;) {
        size_t some = n - done < BLOCK ? (size_t)(n - done) : BLOCK;
        keys_fill(x->b->o->seed, first + done, x->key, some);
        struct span start = span_start();
        size_t inserted = x->peer->insert(x->f, x->key, some);
        struct span took = span_since(start);
        spent = (struct span){spent.wall + took.wall, spent.cpu + took.cpu};
        done += inserted;
        if (inserted == some) continue;
        results_note(x->b->r, "scale: %s failed to insert item %" PRIu64, x->peer->name, first + done + 1);
        return false;
    }
    results_speed(x->b->r, x->at, M_INSERT, speed_of(n, spent));
    return true;
}

static struct lookups look_up(const struct run *x, lookup_fn *look) {
    const struct options *o = x->b->o;
    return measure_lookups(look, x->f, x->key, (size_t)o->lookups, o->lookups, o->lookup_s);
}

static void look_up_members(struct run *x, uint64_t items) {
    const struct options *o = x->b->o;
    for (size_t i = 0; i < o->lookups; i++)
        x->key[i] = keys_at(o->seed, keys_below(keys_at(~o->seed, i), (size_t)items));
    struct lookups one = look_up(x, x->peer->contains);
    results_speed(x->b->r, x->at, M_POSITIVE, one.speed);
    if (one.hits != one.trials) results_lost(x->b->r, x->at, "when grown", one.trials, one.hits);
    if (x->peer->contains_batch == NULL) return;
    results_speed(x->b->r, x->at, M_POSITIVE_BATCH, look_up(x, x->peer->contains_batch).speed);
}

static void look_up_non_members(struct run *x) {
    keys_fill(x->b->o->seed, workload_first_non_member(x->at.round), x->key, (size_t)x->b->o->lookups);
    struct lookups one = look_up(x, x->peer->contains);
    results_speed(x->b->r, x->at, M_NEGATIVE, one.speed);
    results_rate(x->b->r, x->at, one.hits, one.trials);
    if (x->peer->contains_batch == NULL) return;
    results_speed(x->b->r, x->at, M_NEGATIVE_BATCH, look_up(x, x->peer->contains_batch).speed);
}

static void measure_size(struct run *x, uint64_t items) {
    uint64_t bytes = x->peer->bytes(x->f);
    results_add(x->b->r, x->at, M_BYTES, (double)bytes);
    results_add(x->b->r, x->at, M_BITS_PER_ITEM, (double)bytes * 8 / (double)items);
    results_add(x->b->r, x->at, M_HUGE, huge_pages_percent(x->huge, bytes));
}

static void check_all(struct run *x, uint64_t items) {
    uint64_t found = 0;
    for (uint64_t done = 0; done < items; done += BLOCK) {
        size_t some = items - done < BLOCK ? (size_t)(items - done) : BLOCK;
        keys_fill(x->b->o->seed, done, x->key, some);
        found += x->peer->contains(x->f, x->key, some);
    }
    if (found != items) results_lost(x->b->r, x->at, "at the end", items, found);
}

static void grow_to(struct run *x, uint64_t items) {
    uint64_t before = 0;
    for (uint64_t n = FIRST; n <= items; before = n, n *= 10) {
        x->at.size = n;
        if (!insert_range(x, before, n - before)) return;
        measure_size(x, n);
        look_up_members(x, n);
        look_up_non_members(x);
    }
    check_all(x, items);
}

static void measure(struct bench *b, const struct bench_peer *peer, uint64_t items, unsigned round) {
    if (!peer->grows) return;
    size_t room = b->o->lookups > BLOCK ? (size_t)b->o->lookups : BLOCK;
    struct run x = {.b = b, .peer = peer, .at = {"scale", 0, peer->name, round}};
    x.key = keys_range(b->o->seed, 0, room);
    x.huge = huge_pages_bytes();
    x.f = peer->create(0);
    if (x.f == NULL) {
        results_note(b->r, "scale: %s could not be created", peer->name);
    } else {
        grow_to(&x, items);
        peer->destroy(x.f);
    }
    free(x.key);
}

void scale_run(struct bench *b) {
    uint64_t items = 1;
    for (unsigned i = 0; i < b->o->scale; i++) items *= 10;
    for (unsigned round = 0; round < b->o->rounds; round++)
        for (size_t i = 0; i < b->p->count; i++) measure(b, workload_turn(b, round, i), items, round);
    for (uint64_t n = FIRST; n <= items; n *= 10) report_scale(b->r, n);
}
