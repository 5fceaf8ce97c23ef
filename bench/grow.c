/* Grow and shrink: what an elastic filter is for. It is told nothing beforehand, takes items from empty to many, and
 * gives 90 % of them back in random order.
 *
 *     items
 *       |        /\              two passes in each round, over the same keys:
 *       |      /   \             - undisturbed: throughput up, lookups at the top, throughput down, bytes at the end
 *       |    /      \__          - each call timed by itself: p50, p99.99, worst; and in the first round, at every
 *       |__/                       power of four, the bytes and the false-positive rate
 *       +---------------- time
 *
 * The worst call is what growing in one go costs whoever happens to make that call. On a machine with neighbours it is
 * also the longest time the machine was taken away; a filter's own pauses return in every round, so the least of the
 * rounds' worst calls is the better bound on them, and is reported beside the median.
 */
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <stdlib.h>

struct load {
    size_t items;
    size_t removals;    /* 90 % of them */
    uint64_t *member;   /* as they are inserted */
    uint64_t *shuffled; /* as they are looked up and removed */
    uint64_t *stranger;
    size_t strangers;
};

/* One filter in one round. */
struct run {
    struct bench *b;
    const struct load *in;
    const struct bench_peer *peer;
    void *f;
    struct where up, down;
    bool grow, shrink; /* which of them are asked for and can be done */
};

static void refused(const struct run *x, size_t done) {
    results_note(x->b->r, "grow: %s refused item %zu of %zu", x->peer->name, done + 1, x->in->items);
}

/* --------------------------------------------------------------------------------------------- the undisturbed pass */

static void at_the_top(const struct run *x) {
    const struct options *o = x->b->o;
    size_t n = x->in->items < o->lookups ? x->in->items : (size_t)o->lookups;
    struct lookups yes = measure_lookups(x->peer->contains, x->f, x->in->shuffled, n, o->lookups, o->lookup_s);
    struct lookups no =
        measure_lookups(x->peer->contains, x->f, x->in->stranger, x->in->strangers, o->lookups, o->lookup_s);
    results_add(x->b->r, x->up, M_POSITIVE, yes.mops);
    results_add(x->b->r, x->up, M_NEGATIVE, no.mops);
    results_rate(x->b->r, x->up, no.hits, no.trials);
    results_add(x->b->r, x->up, M_BITS_PER_ITEM, (double)x->peer->bytes(x->f) * 8 / (double)x->in->items);
    if (yes.hits != yes.trials) results_lost(x->b->r, x->up, "when grown", yes.trials, yes.hits);
}

static void way_down(const struct run *x) {
    const struct load *in = x->in;
    double start = seconds();
    size_t gone = x->peer->remove(x->f, in->shuffled, in->removals);
    results_add(x->b->r, x->down, M_REMOVE, (double)in->removals / (seconds() - start) * 1e-6);
    if (gone != in->removals) results_lost(x->b->r, x->down, "while removing", in->removals, gone);

    size_t left = in->items - in->removals;
    results_add(x->b->r, x->down, M_BYTES_PER_ITEM, (double)x->peer->bytes(x->f) / (double)left);
    results_rate(x->b->r, x->down, x->peer->contains(x->f, in->stranger, in->strangers), in->strangers);
    size_t found = x->peer->contains(x->f, in->shuffled + in->removals, left);
    if (found != left) results_lost(x->b->r, x->down, "when shrunk", left, found);
}

static void undisturbed(const struct run *x) {
    double start = seconds();
    size_t done = x->peer->insert(x->f, x->in->member, x->in->items);
    double spent = seconds() - start;
    if (done < x->in->items) {
        refused(x, done);
        return;
    }
    if (x->grow) {
        results_add(x->b->r, x->up, M_INSERT, (double)done / spent * 1e-6);
        at_the_top(x);
    }
    if (x->shrink) way_down(x);
}

/* --------------------------------------------------------------------------------------------------- the timed pass */

/* Calls once for each key, timed; ends early where a call does nothing. How many did something. */
static size_t timed(size_t (*call)(void *f, const uint64_t *key, size_t n), void *f, const uint64_t *key, size_t n,
                    struct histogram *h) {
    for (size_t i = 0; i < n; i++) {
        uint64_t start = ticks();
        size_t did = call(f, &key[i], 1);
        histogram_add(h, ticks() - start);
        if (did == 0) return i;
    }
    return n;
}

static void add_latencies(struct results *r, struct where at, const struct histogram *h) {
    results_add(r, at, M_P50, (double)histogram_quantile(h, 0.5) * tick_ns());
    results_add(r, at, M_P9999, (double)histogram_quantile(h, 0.9999) * tick_ns() * 1e-3);
    results_add(r, at, M_WORST, (double)h->longest * tick_ns() * 1e-6);
}

static void milestone(const struct run *x, size_t items) {
    struct where at = x->up;
    at.workload = "milestone";
    at.size = items;
    results_add(x->b->r, at, M_BYTES, (double)x->peer->bytes(x->f));
    results_rate(x->b->r, at, x->peer->contains(x->f, x->in->stranger, x->in->strangers), x->in->strangers);
}

/* Up, stopping at 64, 256, ... and at the end. False: refused on the way. */
static bool timed_way_up(const struct run *x, struct histogram *h) {
    size_t done = 0;
    for (size_t stop = 64; done < x->in->items; stop *= 4) {
        if (stop > x->in->items) stop = x->in->items;
        done += timed(x->peer->insert, x->f, x->in->member + done, stop - done, h);
        if (done < stop) {
            refused(x, done);
            return false;
        }
        if (x->grow && x->up.round == 0) milestone(x, done);
    }
    return true;
}

static void each_call_timed(const struct run *x) {
    struct histogram up = {.count = 0};
    struct histogram down = {.count = 0};
    if (!timed_way_up(x, &up)) return;
    if (x->grow) add_latencies(x->b->r, x->up, &up);
    if (!x->shrink) return;
    timed(x->peer->remove, x->f, x->in->shuffled, x->in->removals, &down);
    add_latencies(x->b->r, x->down, &down);
}

/* ----------------------------------------------------------------------------------------------------- both of them */

static void measure(struct bench *b, const struct load *in, const struct bench_peer *peer, unsigned round) {
    void (*const pass[])(const struct run *) = {undisturbed, each_call_timed};
    struct run x = {.b = b, .in = in, .peer = peer};
    x.up = (struct where){"grow", in->items, peer->name, round};
    x.down = (struct where){"shrink", in->items, peer->name, round};
    x.grow = (b->o->workloads & W_GROW) != 0;
    x.shrink = (b->o->workloads & W_SHRINK) != 0 && peer->remove != NULL && in->removals > 0;
    if (!peer->grows || !(x.grow || x.shrink)) return;
    for (size_t i = 0; i < sizeof pass / sizeof *pass; i++) {
        x.f = peer->create(0);
        if (x.f == NULL) {
            results_note(b->r, "grow: %s could not be made", peer->name);
            return;
        }
        pass[i](&x);
        peer->destroy(x.f);
    }
}

void grow_run(struct bench *b) {
    uint64_t seed = b->o->seed;
    struct load in = {.items = (size_t)b->o->grow, .removals = (size_t)(b->o->grow - (b->o->grow + 9) / 10)};
    in.member = keys_range(seed, 0, in.items);
    in.shuffled = keys_shuffled(seed, in.member, in.items);
    in.strangers = (size_t)b->o->lookups;
    in.stranger = keys_range(seed, 0, in.strangers);
    for (unsigned round = 0; round < b->o->rounds; round++) {
        keys_fill(seed, workload_strangers(round), in.stranger, in.strangers);
        for (size_t i = 0; i < b->p->count; i++) measure(b, &in, workload_turn(b, round, i), round);
    }
    free(in.member);
    free(in.shuffled);
    free(in.stranger);
    if ((b->o->workloads & W_GROW) != 0) {
        report_grow(b->r, in.items);
        report_milestones(b->r);
    }
    if ((b->o->workloads & W_SHRINK) != 0) report_shrink(b->r, in.items, in.items - in.removals);
}
