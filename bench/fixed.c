/* Fixed: a filter made for its items, filled to 0.95, asked, and half emptied.
 *
 *   create   timed by itself: some filters touch their pages here, others while they fill
 *   insert   |-------------------------|--|  all, and the last 5 % of the items apart: where a cuckoo filter toils
 *   lookup   members in random order, then strangers; one at a time, then in batches where the filter has them
 *   remove   a random half, one at a time
 *
 * The number of slots is a power of two because most filters can be nothing else; items are floor(0.95 * slots). What
 * is in the filter is checked along the way: a fast filter that loses members is not fast.
 */
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <stdlib.h>

/* The keys of one size, the same for every filter. */
struct load {
    uint64_t slots;
    size_t items;
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
    struct where at;
};

static bool fill(const struct run *x) {
    size_t last = x->in->items / 20;
    size_t first = x->in->items - last;
    double t0 = seconds();
    size_t done = x->peer->insert(x->f, x->in->member, first);
    double t1 = seconds();
    if (done == first) done += x->peer->insert(x->f, x->in->member + first, last);
    double t2 = seconds();
    if (done < x->in->items) {
        results_note(x->b->r, "fixed %llu: %s refused item %zu of %zu (load %.3f)", (unsigned long long)x->in->slots,
                     x->peer->name, done + 1, x->in->items, (double)done / (double)x->in->slots);
        return false;
    }
    results_add(x->b->r, x->at, M_INSERT, (double)x->in->items / (t2 - t0) * 1e-6);
    if (last > 0) results_add(x->b->r, x->at, M_LAST, (double)last / (t2 - t1) * 1e-6);
    results_add(x->b->r, x->at, M_BITS_PER_ITEM, (double)x->peer->bytes(x->f) * 8 / (double)x->in->items);
    return true;
}

static void look_up(const struct run *x, lookup_fn *look, enum metric positive, enum metric negative) {
    const struct options *o = x->b->o;
    size_t n = x->in->items < o->lookups ? x->in->items : (size_t)o->lookups;
    struct lookups yes = measure_lookups(look, x->f, x->in->shuffled, n, o->lookups, o->lookup_s);
    struct lookups no = measure_lookups(look, x->f, x->in->stranger, x->in->strangers, o->lookups, o->lookup_s);
    results_add(x->b->r, x->at, positive, yes.mops);
    results_add(x->b->r, x->at, negative, no.mops);
    if (yes.hits != yes.trials) results_lost(x->b->r, x->at, "when full", yes.trials, yes.hits);
    if (positive == M_POSITIVE) results_rate(x->b->r, x->at, no.hits, no.trials);
}

static void empty_half(const struct run *x) {
    size_t half = x->in->items / 2;
    double start = seconds();
    size_t gone = x->peer->remove(x->f, x->in->shuffled, half);
    results_add(x->b->r, x->at, M_REMOVE, (double)half / (seconds() - start) * 1e-6);
    if (gone != half) results_lost(x->b->r, x->at, "while removing", half, gone);

    size_t check = x->in->items - half;
    if (check > x->b->o->lookups) check = (size_t)x->b->o->lookups;
    size_t found = x->peer->contains(x->f, x->in->shuffled + half, check);
    if (found != check) results_lost(x->b->r, x->at, "after removals", check, found);
}

static void measure(struct bench *b, const struct load *in, const struct bench_peer *peer, unsigned round) {
    double start = seconds();
    struct run x = {b, in, peer, peer->create(in->slots), {"fixed", in->slots, peer->name, round}};
    if (x.f == NULL) {
        results_note(b->r, "fixed %llu: %s could not be made", (unsigned long long)in->slots, peer->name);
        return;
    }
    results_add(b->r, x.at, M_CREATE, (seconds() - start) * 1e3);
    if (fill(&x)) {
        look_up(&x, peer->contains, M_POSITIVE, M_NEGATIVE);
        if (peer->contains_batch != NULL) look_up(&x, peer->contains_batch, M_POSITIVE_BATCH, M_NEGATIVE_BATCH);
        if (peer->remove != NULL) empty_half(&x);
    }
    peer->destroy(x.f);
}

static void one_size(struct bench *b, uint64_t slots) {
    uint64_t seed = b->o->seed;
    struct load in = {.slots = slots, .items = (size_t)(slots / 100 * 95 + slots % 100 * 95 / 100)};
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
    report_fixed(b->r, slots, in.items);
}

void fixed_run(struct bench *b) {
    for (size_t i = 0; i < b->o->sizes; i++) one_size(b, (uint64_t)1 << b->o->size[i]);
}
