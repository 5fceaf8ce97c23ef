/* CCF: Eq. 4 assumes that all buckets are equally likely. On a ring the probability of a bucket is
 * proportional to the length of its arcs. */
#include "lab.h"
#include "models/exact_placement.h"
#include "models/hash_ring.h"

enum { BUCKETS = 2200, SLOTS = 3, CANDIDATES = 2 };

/* virtual_nodes 0: buckets are chosen uniformly, as Eq. 4 assumes. */
static double first_failure(struct lab_rng *r, unsigned virtual_nodes) {
    struct ring ring = ring_make(BUCKETS, virtual_nodes > 0 ? virtual_nodes : 1, r);
    struct placement p = placement_make(BUCKETS, SLOTS, CANDIDATES);
    uint32_t choice[CANDIDATES];
    do {
        uint64_t fingerprint = lab_rng_below(r, UINT64_C(1) << 30);
        for (unsigned i = 0; i < CANDIDATES; i++)
            choice[i] = virtual_nodes > 0 ? ring_find(&ring, ring_hash(&ring, fingerprint, i))
                                          : (uint32_t)lab_rng_below(r, BUCKETS);
    } while (placement_insert(&p, choice));
    double load = p.items / (double)(BUCKETS * SLOTS);
    placement_free(&p);
    ring_free(&ring);
    return load;
}

static struct spread first_failures(struct lab_rng *r, unsigned virtual_nodes, unsigned trials) {
    struct spread loads = {0};
    for (unsigned i = 0; i < trials; i++) spread_add(&loads, first_failure(r, virtual_nodes));
    return loads;
}

void experiment(struct lab *lab) {
    struct lab_rng r = {lab->seed};
    static const unsigned nodes[] = {1, 2, 5, 10, 20, 50, 100};
    unsigned trials = lab->quick ? 3 : 20;
    double even = first_failures(&r, 0, trials).mean, at[7];
    fputs("v,load,low,high,even\n", lab->data);
    for (unsigned i = 0; i < 7; i++) {
        struct spread loads = first_failures(&r, nodes[i], trials);
        at[i] = loads.mean;
        fprintf(lab->data, "%u", nodes[i]);
        spread_put(lab->data, loads);
        fprintf(lab->data, ",%.5f\n", even);
    }
    lab_refute(lab, "every bucket is chosen with probability 1/m (v = 10)", text("full at load %.3f", even),
               text("full at %.3f", at[3]), at[3] < 0.97 * even);
    lab_refute(lab, "the same with v = 1", text("full at load %.3f", even), text("full at %.3f", at[0]),
               at[0] < 0.8 * even);
    lab_must_hold(lab, "more virtual nodes come closer to uniform choice", text("v = 100: %.3f", at[6]),
                  at[0] < at[3] && at[3] < at[6] && at[6] < 1.02 * even);
}
