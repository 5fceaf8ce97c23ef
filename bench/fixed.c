/* Fixed and grown: a filter is filled, queried, and half emptied. "fixed" creates it with a power of two of slots and
 * fills them to load 0.95; "grown" creates it empty, and it grows to a power of two of items (filters that can grow).
 *
 *   create   timed separately: some filters touch their memory pages here, others during insertion
 *   insert   |-------------------------|--|  all items; the last 5 % also separately: a cuckoo filter is slowest there
 *   lookup   members in random order, then non-members; one at a time, then in batches if the filter supports them
 *   remove   a random half, one at a time
 *
 * The number of slots is a power of two because most filters support nothing else; items are floor(0.95 * slots). False
 * negatives are checked too: a filter that loses members is not a correct filter, however fast it is.
 */
#include "huge.h"
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <stdlib.h>

/* The keys of one size, the same for every filter. */
struct input {
    const char *workload;
    uint64_t slots; /* 0: grows from empty */
    uint64_t size;  /* names the results: slots, or items of grown filters */
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
    uint64_t huge; /* bytes of the process on huge pages before the filter was made */
    struct result_key at;
};

/* False: an insertion failed. */
static bool fill(const struct run *x) {
    size_t last = x->in->items / 20;
    size_t first = x->in->items - last;
    struct span t0 = span_start();
    size_t done = x->peer->insert(x->f, x->in->member, first);
    struct span t1 = span_start();
    if (done == first) done += x->peer->insert(x->f, x->in->member + first, last);
    struct span end = span_since(t1);
    struct span all = span_since(t0);
    if (done < x->in->items) {
        results_note(x->b->r, "%s %llu: %s failed to insert item %zu of %zu", x->in->workload,
                     (unsigned long long)x->in->size, x->peer->name, done + 1, x->in->items);
        return false;
    }
    results_speed(x->b->r, x->at, M_INSERT, speed_of(x->in->items, all));
    if (last > 0) results_speed(x->b->r, x->at, M_INSERT_LAST, speed_of(last, end));
    results_add(x->b->r, x->at, M_BITS_PER_ITEM, (double)x->peer->bytes(x->f) * 8 / (double)x->in->items);
    results_add(x->b->r, x->at, M_HUGE, huge_pages_percent(x->huge, x->peer->bytes(x->f)));
    return true;
}

struct lookup_metrics {
    enum metric positive, negative, ratio;
};

static void measure_lookups_of(const struct run *x, lookup_fn *look, struct lookup_metrics m) {
    const struct options *o = x->b->o;
    size_t n = x->in->items < o->lookups ? x->in->items : (size_t)o->lookups;
    struct lookups yes = measure_lookups(look, x->f, x->in->shuffled, n, o->lookups, o->lookup_s);
    struct lookups no = measure_lookups(look, x->f, x->in->non_member, x->in->non_members, o->lookups, o->lookup_s);
    results_speed(x->b->r, x->at, m.positive, yes.speed);
    results_speed(x->b->r, x->at, m.negative, no.speed);
    results_add(x->b->r, x->at, m.ratio, no.speed.cpu / yes.speed.cpu);
    if (yes.hits != yes.trials) results_lost(x->b->r, x->at, "when full", yes.trials, yes.hits);
    if (m.positive == M_POSITIVE) results_rate(x->b->r, x->at, no.hits, no.trials);
}

static void remove_half(const struct run *x) {
    size_t half = x->in->items / 2;
    struct span start = span_start();
    size_t removed = x->peer->remove(x->f, x->in->shuffled, half);
    results_speed(x->b->r, x->at, M_REMOVE, speed_of(half, span_since(start)));
    if (removed != half) results_lost(x->b->r, x->at, "while removing", half, removed);

    size_t check = x->in->items - half;
    if (check > x->b->o->lookups) check = (size_t)x->b->o->lookups;
    size_t found = x->peer->contains(x->f, x->in->shuffled + half, check);
    if (found != check) results_lost(x->b->r, x->at, "after removals", check, found);
}

static void measure(struct bench *b, const struct input *in, const struct bench_peer *peer, unsigned round) {
    static const struct lookup_metrics single = {M_POSITIVE, M_NEGATIVE, M_ABSENT};
    static const struct lookup_metrics batch = {M_POSITIVE_BATCH, M_NEGATIVE_BATCH, M_ABSENT_BATCH};
    if (in->slots == 0 && !peer->grows) return;
    struct run x = {b, in, peer, NULL, huge_pages_bytes(), {in->workload, in->size, peer->name, round}};
    double start = seconds();
    x.f = peer->create(in->slots);
    if (x.f == NULL) {
        results_note(b->r, "%s %llu: %s could not be created", in->workload, (unsigned long long)in->size, peer->name);
        return;
    }
    results_add(b->r, x.at, M_CREATE, (seconds() - start) * 1e3);
    if (fill(&x)) {
        measure_lookups_of(&x, peer->contains, single);
        if (peer->contains_batch != NULL) measure_lookups_of(&x, peer->contains_batch, batch);
        if (peer->remove != NULL) remove_half(&x);
    }
    peer->destroy(x.f);
}

static void run_size(struct bench *b, struct input in) {
    uint64_t seed = b->o->seed;
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
}

void fixed_run(struct bench *b) {
    for (size_t i = 0; i < b->o->sizes; i++) {
        uint64_t slots = (uint64_t)1 << b->o->size[i];
        size_t items = (size_t)(slots / 100 * 95 + slots % 100 * 95 / 100);
        run_size(b, (struct input){.workload = "fixed", .slots = slots, .size = slots, .items = items});
        report_fixed(b->r, slots, items);
    }
}

void grown_run(struct bench *b) {
    for (size_t i = 0; i < b->o->growns; i++) {
        size_t items = (size_t)1 << b->o->grown[i];
        run_size(b, (struct input){.workload = "grown", .size = items, .items = items});
        report_grown(b->r, items);
    }
}
