/* Churn: a filter that stays as full as it is while its members change. Each step removes the oldest and inserts a new
 * one.
 *
 *     key    0 1 2 3 4 5 6 7 8 9 ...
 *            | members   |
 *              | one step on |
 *
 * Twice, because there are two ways to be of constant size: "churn", a filter made for a power of two of slots, 0.95 of
 * them taken, for every filter that can remove; and "churn-grown", a filter that grew there from empty, at the load it
 * likes itself, for those that can do that too. A step is two operations.
 */
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <stdlib.h>

struct load {
    const char *name;
    uint64_t slots; /* 0: grows from empty */
    size_t items, steps;
    const uint64_t *key; /* items + steps of them */
};

/* How many steps it did before an operation failed. */
static size_t step_on(const struct bench_peer *peer, void *f, const struct load *in) {
    for (size_t i = 0; i < in->steps; i++) {
        if (peer->remove(f, &in->key[i], 1) != 1) return i;
        if (peer->insert(f, &in->key[in->items + i], 1) != 1) return i;
    }
    return in->steps;
}

static void churn(struct bench *b, const struct load *in, const struct bench_peer *peer, void *f, struct where at) {
    size_t done = peer->insert(f, in->key, in->items);
    if (done < in->items) {
        results_note(b->r, "%s: %s refused item %zu of %zu", in->name, peer->name, done + 1, in->items);
        return;
    }
    double start = seconds();
    done = step_on(peer, f, in);
    double spent = seconds() - start;
    if (done < in->steps) {
        results_note(b->r, "%s: %s with %zu items failed at step %zu", in->name, peer->name, in->items, done + 1);
        return;
    }
    results_add(b->r, at, M_STEP, 2 * (double)done / spent * 1e-6);
    results_add(b->r, at, M_BITS_PER_ITEM, (double)peer->bytes(f) * 8 / (double)in->items);
    size_t check = in->items < b->o->lookups ? in->items : (size_t)b->o->lookups;
    size_t found = peer->contains(f, in->key + in->steps, check);
    if (found != check) results_lost(b->r, at, "after churn", check, found);
}

static void measure(struct bench *b, const struct load *in, const struct bench_peer *peer, unsigned round) {
    if (peer->remove == NULL || (in->slots == 0 && !peer->grows)) return;
    void *f = peer->create(in->slots);
    if (f == NULL) {
        results_note(b->r, "%s: %s could not be made", in->name, peer->name);
        return;
    }
    churn(b, in, peer, f, (struct where){in->name, in->items, peer->name, round});
    peer->destroy(f);
}

static void all_rounds(struct bench *b, const struct load *in) {
    for (unsigned round = 0; round < b->o->rounds; round++)
        for (size_t i = 0; i < b->p->count; i++) measure(b, in, workload_turn(b, round, i), round);
    report_churn(b->r, in->name, in->items, in->steps);
}

void churn_run(struct bench *b) {
    for (size_t i = 0; i < b->o->churns; i++) {
        uint64_t slots = (uint64_t)1 << b->o->churn[i];
        size_t items = (size_t)(slots / 100 * 95 + slots % 100 * 95 / 100);
        size_t steps = (size_t)b->o->steps;
        uint64_t *key = keys_range(b->o->seed, 0, items + steps);
        all_rounds(b, &(struct load){"churn", slots, items, steps, key});
        all_rounds(b, &(struct load){"churn-grown", 0, items, steps, key});
        free(key);
    }
}
