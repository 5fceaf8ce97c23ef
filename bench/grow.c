/* Grow and shrink: items are inserted into a filter that starts empty and is not told how many will come; then 90 % of
 * them are removed in random order.
 *
 *     items
 *       |        /\              two passes in each round, over the same keys:
 *       |      /   \             - throughput: insertions, lookups at the full size, removals; bytes at the end
 *       |    /      \__          - latency of each call: p50, p99.99, worst; in the first round also the bytes and the
 *       |__/                       false-positive rate at every power of four
 *       +---------------- time
 *
 * The worst call shows the cost of growing in one step, which delays a single call. On a shared machine it also
 * includes the longest time during which the process did not run. A filter's own pauses occur in every round, so the
 * minimum over the rounds of the worst call is the better bound on them; it is reported next to the median.
 */
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <math.h>
#include <stdlib.h>

struct input {
    size_t items;
    size_t removals;    /* 90 % of the items */
    uint64_t *member;   /* in the order of insertion */
    uint64_t *shuffled; /* in the order of lookup and removal */
    uint64_t *non_member;
    size_t non_members;
};

/* One filter in one round. */
struct run {
    struct bench *b;
    const struct input *in;
    const struct bench_peer *peer;
    void *f;
    struct result_key growing, shrinking;
    bool grow, shrink; /* requested by the options and supported by the filter */
};

static void note_failed_insert(const struct run *x, size_t done) {
    results_note(x->b->r, "grow: %s failed to insert item %zu of %zu", x->peer->name, done + 1, x->in->items);
}

/* ---------------------------------------------------------------------------------------------- the throughput pass */

static void measure_full_size(const struct run *x) {
    const struct options *o = x->b->o;
    size_t n = x->in->items < o->lookups ? x->in->items : (size_t)o->lookups;
    struct lookups yes = measure_lookups(x->peer->contains, x->f, x->in->shuffled, n, o->lookups, o->lookup_s);
    struct lookups no =
        measure_lookups(x->peer->contains, x->f, x->in->non_member, x->in->non_members, o->lookups, o->lookup_s);
    results_speed(x->b->r, x->growing, M_POSITIVE, yes.speed);
    results_speed(x->b->r, x->growing, M_NEGATIVE, no.speed);
    results_rate(x->b->r, x->growing, no.hits, no.trials);
    results_add(x->b->r, x->growing, M_BITS_PER_ITEM, (double)x->peer->bytes(x->f) * 8 / (double)x->in->items);
    if (yes.hits != yes.trials) results_lost(x->b->r, x->growing, "when grown", yes.trials, yes.hits);
}

static void measure_removals(const struct run *x) {
    const struct input *in = x->in;
    struct span start = span_start();
    size_t removed = x->peer->remove(x->f, in->shuffled, in->removals);
    results_speed(x->b->r, x->shrinking, M_REMOVE, speed_of(in->removals, span_since(start)));
    if (removed != in->removals) results_lost(x->b->r, x->shrinking, "while removing", in->removals, removed);

    size_t left = in->items - in->removals;
    results_add(x->b->r, x->shrinking, M_BYTES_PER_ITEM, (double)x->peer->bytes(x->f) / (double)left);
    results_rate(x->b->r, x->shrinking, x->peer->contains(x->f, in->non_member, in->non_members), in->non_members);
    size_t found = x->peer->contains(x->f, in->shuffled + in->removals, left);
    if (found != left) results_lost(x->b->r, x->shrinking, "when shrunk", left, found);
}

static void throughput_pass(const struct run *x) {
    struct span start = span_start();
    size_t done = x->peer->insert(x->f, x->in->member, x->in->items);
    struct speed speed = speed_of(done, span_since(start));
    if (done < x->in->items) {
        note_failed_insert(x, done);
        return;
    }
    if (x->grow) {
        results_speed(x->b->r, x->growing, M_INSERT, speed);
        measure_full_size(x);
    }
    if (x->shrink) measure_removals(x);
}

/* ------------------------------------------------------------------------------------------------- the latency pass */

typedef size_t calls_fn(void *f, const uint64_t *key, size_t n);

struct latencies {
    struct histogram histogram;
    double worst_cpu; /* upper bound on the processor time of the worst call, in seconds */
};

/* Times one call per key and stops at the first call that fails. Returns the number of calls that succeeded. */
static size_t time_calls(calls_fn *call, void *f, const uint64_t *key, size_t n, struct histogram *h,
                         uint64_t *longest) {
    *longest = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t start = ticks();
        size_t succeeded = call(f, &key[i], 1);
        uint64_t took = ticks() - start;
        histogram_add(h, took);
        if (took > *longest) *longest = took;
        if (succeeded == 0) return i;
    }
    return n;
}

/* The same in blocks. Reading the processor time takes a system call, too much for every operation; but a call can have
 * used no more of it than its block, nor more than it took on the wall clock. */
static size_t time_blocks(calls_fn *call, void *f, const uint64_t *key, size_t n, struct latencies *l) {
    enum { BLOCK = 64 };
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t some = n - i < BLOCK ? n - i : BLOCK;
        uint64_t longest = 0;
        struct span start = span_start();
        size_t done = time_calls(call, f, key + i, some, &l->histogram, &longest);
        double bound = fmin(span_since(start).cpu, (double)longest * tick_ns() * 1e-9);
        l->worst_cpu = fmax(l->worst_cpu, bound);
        if (done < some) return i + done;
    }
    return n;
}

static void add_latencies(struct results *r, struct result_key at, const struct latencies *l) {
    const struct histogram *h = &l->histogram;
    results_add(r, at, M_P50, (double)histogram_quantile(h, 0.5) * tick_ns());
    results_add(r, at, M_P9999, (double)histogram_quantile(h, 0.9999) * tick_ns() * 1e-3);
    results_add(r, at, M_WORST, (double)h->longest * tick_ns() * 1e-6);
    results_add(r, at, M_WORST_CPU, l->worst_cpu * 1e3);
}

static void milestone(const struct run *x, size_t items) {
    struct result_key at = x->growing;
    at.workload = "milestone";
    at.size = items;
    results_add(x->b->r, at, M_BYTES, (double)x->peer->bytes(x->f));
    results_rate(x->b->r, at, x->peer->contains(x->f, x->in->non_member, x->in->non_members), x->in->non_members);
}

/* Times all insertions; records a milestone at 64, 256, ... items and at the end. False: an insertion failed. */
static bool time_insertions(const struct run *x, struct latencies *l) {
    size_t done = 0;
    for (size_t stop = 64; done < x->in->items; stop *= 4) {
        if (stop > x->in->items) stop = x->in->items;
        done += time_blocks(x->peer->insert, x->f, x->in->member + done, stop - done, l);
        if (done < stop) {
            note_failed_insert(x, done);
            return false;
        }
        if (x->grow && x->growing.round == 0) milestone(x, done);
    }
    return true;
}

static void latency_pass(const struct run *x) {
    struct latencies insertions = {.worst_cpu = 0};
    struct latencies removals = {.worst_cpu = 0};
    if (!time_insertions(x, &insertions)) return;
    if (x->grow) add_latencies(x->b->r, x->growing, &insertions);
    if (!x->shrink) return;
    time_blocks(x->peer->remove, x->f, x->in->shuffled, x->in->removals, &removals);
    add_latencies(x->b->r, x->shrinking, &removals);
}

/* ------------------------------------------------------------------------------------------------------ both passes */

static void measure(struct bench *b, const struct input *in, const struct bench_peer *peer, unsigned round) {
    void (*const pass[])(const struct run *) = {throughput_pass, latency_pass};
    struct run x = {.b = b, .in = in, .peer = peer};
    x.growing = (struct result_key){"grow", in->items, peer->name, round};
    x.shrinking = (struct result_key){"shrink", in->items, peer->name, round};
    x.grow = (b->o->workloads & W_GROW) != 0;
    x.shrink = (b->o->workloads & W_SHRINK) != 0 && peer->remove != NULL && in->removals > 0;
    if (!peer->grows || !(x.grow || x.shrink)) return;
    for (size_t i = 0; i < sizeof pass / sizeof *pass; i++) {
        x.f = peer->create(0);
        if (x.f == NULL) {
            results_note(b->r, "grow: %s could not be created", peer->name);
            return;
        }
        pass[i](&x);
        peer->destroy(x.f);
    }
}

void grow_run(struct bench *b) {
    uint64_t seed = b->o->seed;
    struct input in = {.items = (size_t)b->o->grow, .removals = (size_t)(b->o->grow - (b->o->grow + 9) / 10)};
    in.member = keys_range(seed, 0, in.items);
    in.shuffled = keys_shuffled(seed, in.member, in.items);
    in.non_members = (size_t)b->o->lookups;
    in.non_member = keys_range(seed, 0, in.non_members);
    for (unsigned round = 0; round < b->o->rounds; round++) {
        keys_fill(seed, workload_first_non_member(round), in.non_member, in.non_members);
        for (size_t i = 0; i < b->p->count; i++) measure(b, &in, workload_turn(b, round, i), round);
    }
    free(in.member);
    free(in.shuffled);
    free(in.non_member);
    if ((b->o->workloads & W_GROW) != 0) {
        report_grow(b->r, in.items);
        report_milestones(b->r);
    }
    if ((b->o->workloads & W_SHRINK) != 0) report_shrink(b->r, in.items, in.items - in.removals);
}
