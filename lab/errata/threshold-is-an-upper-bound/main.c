/* CCF: Theorem 4's threshold is only an upper bound. A table with two choices is full before it. */
#include <math.h>

#include "lab.h"
#include "models/exact_placement.h"
#include "theory.h"

/* Load at the first element for which no placement exists. */
static double first_failure(struct lab_rng *r, unsigned buckets, unsigned slots) {
    struct placement p = placement_make(buckets, slots, 2);
    uint32_t choice[2];
    do {
        choice[0] = (uint32_t)lab_rng_below(r, buckets);
        choice[1] = (uint32_t)lab_rng_below(r, buckets);
    } while (placement_insert(&p, choice));
    double load = p.items / (double)(buckets * slots);
    placement_free(&p);
    return load;
}

void experiment(struct lab *lab) {
    struct lab_rng r = {lab->seed};
    unsigned buckets = lab->quick ? 1 << 13 : 1 << 15, trials = lab->quick ? 5 : 10;
    double window = 2 / cbrt(buckets); /* relative width of the threshold in a finite table */
    fputs("b,theorem4,true,measured,low,high\n", lab->data);
    for (unsigned b = 1; b <= 4; b++) {
        struct spread load = {0};
        double printed = theory_threshold(buckets, 2, b) / b, right = theory_core_threshold(2, b) / b;
        for (unsigned i = 0; i < trials; i++) {
            spread_add(&load, first_failure(&r, buckets, b));
        }
        fprintf(lab->data, "%u,%.6f,%.6f", b, printed, right);
        spread_put(lab->data, load);
        fputc('\n', lab->data);
        lab_refute(lab, text("b = %u, k = 2: all elements fit up to the threshold", b), text("load %.3f", printed),
                   text("first failure at %.3f on average, at most %.3f", load.mean, load.high), load.high < printed);
        lab_must_hold(lab, text("b = %u: tables can be filled up to the core threshold %.3f", b, right),
                      text("%.3f", load.mean), fabs(load.mean / right - 1) < window);
    }
}
