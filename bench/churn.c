/* Churn: the number of items stays constant while the members change. Each step removes the oldest member and inserts a
 * new key.
 *
 *     key    0 1 2 3 4 5 6 7 8 9 ...
 *            | members   |
 *              | after a step|
 *
 * It is run twice: "churn" uses a filter created with a power of two of slots, at load 0.95 (all filters that can
 * remove); "churn-grown" uses a filter that grew from empty and chose its own load (filters that can also grow). A step
 * counts as two operations.
 */
#include "keys.h"
#include "measure.h"
#include "report.h"
#include "workload.h"

#include <stdlib.h>

struct input {
    const char *name;
    uint64_t slots; /* 0: grows from empty */
    size_t items, steps;
    const uint64_t *key; /* items + steps keys */
};

/* Returns the number of steps done before an operation failed. */
static size_t run_steps(const struct bench_peer *peer, void *f, const struct input *in) {
    for (size_t i = 0; i < in->steps; i++) {
        if (peer->remove(f, &in->key[i], 1) != 1) return i;
        if (peer->insert(f, &in->key[in->items + i], 1) != 1) return i;
    }
    return in->steps;
}

static void churn(struct bench *b, const struct input *in, const struct bench_peer *peer, void *f,
                  struct result_key at) {
    size_t done = peer->insert(f, in->key, in->items);
    if (done < in->items) {
        results_note(b->r, "%s: %s failed to insert item %zu of %zu", in->name, peer->name, done + 1, in->items);
        return;
    }
    struct span start = span_start();
    done = run_steps(peer, f, in);
    struct speed speed = speed_of(2 * done, span_since(start));
    if (done < in->steps) {
        results_note(b->r, "%s: %s with %zu items failed at step %zu", in->name, peer->name, in->items, done + 1);
        return;
    }
    results_speed(b->r, at, M_CHURN, speed);
    results_add(b->r, at, M_BITS_PER_ITEM, (double)peer->bytes(f) * 8 / (double)in->items);
    size_t check = in->items < b->o->lookups ? in->items : (size_t)b->o->lookups;
    size_t found = peer->contains(f, in->key + in->steps, check);
    if (found != check) results_lost(b->r, at, "after churn", check, found);
}

static void measure(struct bench *b, const struct input *in, const struct bench_peer *peer, unsigned round) {
    if (peer->remove == NULL || (in->slots == 0 && !peer->grows)) return;
    void *f = peer->create(in->slots);
    if (f == NULL) {
        results_note(b->r, "%s: %s could not be created", in->name, peer->name);
        return;
    }
    churn(b, in, peer, f, (struct result_key){in->name, in->items, peer->name, round});
    peer->destroy(f);
}

static void all_rounds(struct bench *b, const struct input *in) {
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
        all_rounds(b, &(struct input){"churn", slots, items, steps, key});
        all_rounds(b, &(struct input){"churn-grown", 0, items, steps, key});
        free(key);
    }
}
