/* Fixed: a filter of fixed size is filled to load 0.95, queried, and half emptied.
 *
 *   create   timed separately: some filters touch their memory pages here, others during insertion
 *   insert   |-------------------------|--|  all items; the last 5 % also separately: a cuckoo filter is slowest there
 *   lookup   members in random order, then non-members; one at a time, then in batches if the filter supports them
 *   remove   a random half, one at a time
 *
 * The number of slots is a power of two because most filters support nothing else; items are floor(0.95 * slots). False
 * negatives are checked too: a filter that loses members is not a correct filter, however fast it is.
 */
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <stdlib.h>

/* The keys of one size, the same for every filter. */
struct input {
    uint64_t slots;
    size_t items;
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
    struct result_key at;
};

/* False: an insertion failed. */
static bool fill(const struct run *x) {
    size_t last = x->in->items / 20;
    size_t first = x->in->items - last;
    double t0 = seconds();
    size_t done = x->peer->insert(x->f, x->in->member, first);
    double t1 = seconds();
    if (done == first) done += x->peer->insert(x->f, x->in->member + first, last);
    double t2 = seconds();
    if (done < x->in->items) {
        results_note(x->b->r, "fixed %llu: %s failed to insert item %zu of %zu (load %.3f)",
                     (unsigned long long)x->in->slots, x->peer->name, done + 1, x->in->items,
                     (double)done / (double)x->in->slots);
        return false;
    }
    results_add(x->b->r, x->at, M_INSERT, (double)x->in->items / (t2 - t0) * 1e-6);
    if (last > 0) results_add(x->b->r, x->at, M_INSERT_LAST, (double)last / (t2 - t1) * 1e-6);
    results_add(x->b->r, x->at, M_BITS_PER_ITEM, (double)x->peer->bytes(x->f) * 8 / (double)x->in->items);
    return true;
}

static void measure_hits_and_misses(const struct run *x, lookup_fn *look, enum metric positive, enum metric negative) {
    const struct options *o = x->b->o;
    size_t n = x->in->items < o->lookups ? x->in->items : (size_t)o->lookups;
    struct lookups yes = measure_lookups(look, x->f, x->in->shuffled, n, o->lookups, o->lookup_s);
    struct lookups no = measure_lookups(look, x->f, x->in->non_member, x->in->non_members, o->lookups, o->lookup_s);
    results_add(x->b->r, x->at, positive, yes.mops);
    results_add(x->b->r, x->at, negative, no.mops);
    if (yes.hits != yes.trials) results_lost(x->b->r, x->at, "when full", yes.trials, yes.hits);
    if (positive == M_POSITIVE) results_rate(x->b->r, x->at, no.hits, no.trials);
}

static void remove_half(const struct run *x) {
    size_t half = x->in->items / 2;
    double start = seconds();
    size_t removed = x->peer->remove(x->f, x->in->shuffled, half);
    results_add(x->b->r, x->at, M_REMOVE, (double)half / (seconds() - start) * 1e-6);
    if (removed != half) results_lost(x->b->r, x->at, "while removing", half, removed);

    size_t check = x->in->items - half;
    if (check > x->b->o->lookups) check = (size_t)x->b->o->lookups;
    size_t found = x->peer->contains(x->f, x->in->shuffled + half, check);
    if (found != check) results_lost(x->b->r, x->at, "after removals", check, found);
}

static void measure(struct bench *b, const struct input *in, const struct bench_peer *peer, unsigned round) {
    double start = seconds();
    struct run x = {b, in, peer, peer->create(in->slots), {"fixed", in->slots, peer->name, round}};
    if (x.f == NULL) {
        results_note(b->r, "fixed %llu: %s could not be created", (unsigned long long)in->slots, peer->name);
        return;
    }
    results_add(b->r, x.at, M_CREATE, (seconds() - start) * 1e3);
    if (fill(&x)) {
        measure_hits_and_misses(&x, peer->contains, M_POSITIVE, M_NEGATIVE);
        if (peer->contains_batch != NULL)
            measure_hits_and_misses(&x, peer->contains_batch, M_POSITIVE_BATCH, M_NEGATIVE_BATCH);
        if (peer->remove != NULL) remove_half(&x);
    }
    peer->destroy(x.f);
}

static void run_size(struct bench *b, uint64_t slots) {
    uint64_t seed = b->o->seed;
    struct input in = {.slots = slots, .items = (size_t)(slots / 100 * 95 + slots % 100 * 95 / 100)};
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
    report_fixed(b->r, slots, in.items);
}

void fixed_run(struct bench *b) {
    for (size_t i = 0; i < b->o->sizes; i++) run_size(b, (uint64_t)1 << b->o->size[i]);
}
