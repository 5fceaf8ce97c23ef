/* CCF, Fig. 2 and Theorem 5: placement as matching in a graph, and the probability that all elements fit.
 *
 * Fig. 2:  4 buckets of 2 slots, 3 fingerprints with 2 candidates each; one has the same bucket twice.
 *
 *     e0 - B0, B1      e1 - B1, B3      e2 - B1, B1
 */
#include <math.h>

#include "lab.h"
#include "models/exact_placement.h"
#include "theory.h"

static unsigned matching_of_figure_2(void) {
    static const uint32_t choice[3][2] = {{0, 1}, {1, 3}, {1, 1}};
    struct placement p = placement_make(4, 2, 2);
    for (unsigned i = 0; i < 3; i++) placement_insert(&p, choice[i]);
    unsigned stored = p.items;
    placement_free(&p);
    return stored;
}

/* Measures the probability that n random elements all fit. */
static struct rate measure_all_placed(struct lab_rng *r, unsigned m, unsigned n, unsigned k, unsigned b,
                                      unsigned trials) {
    unsigned good = 0;
    for (unsigned t = 0; t < trials; t++) {
        struct placement p = placement_make(m, b, k);
        bool all = true;
        for (unsigned i = 0; i < n && all; i++) {
            uint32_t choice[8];
            for (unsigned j = 0; j < k; j++) choice[j] = (uint32_t)lab_rng_below(r, m);
            all = placement_insert(&p, choice);
        }
        good += all;
        placement_free(&p);
    }
    return rate_of(good, trials);
}

static void check_example(struct lab *lab) {
    static const char *const printed[] = {"0.03968", "0.3456", "0.4992", "0.1152"};
    for (unsigned j = 2; j <= 5; j++)
        lab_compare(lab, text("p{Omega = %u} of the example", j), printed[j - 2], theory_bins_hit(5, 6, j), 1e-12);
    lab_compare(lab, "their sum, the bound", "0.99968", theory_all_placed(5, 3, 2, 2), 1e-12);
    uint64_t ways = 0;
    for (unsigned j = 2; j <= 5; j++) ways += theory_bins_hit_ways(5, 6, j);
    lab_must_hold(lab, "the sum is exactly 15620 / 15625", text("%" PRIu64 " / 15625", ways), ways == 15620);
}

void experiment(struct lab *lab) {
    struct lab_rng r = {lab->seed};
    unsigned trials = lab->quick ? 2000 : 20000;
    bool bounded = true;
    lab_compare(lab, "fingerprints stored in Fig. 2", "3", matching_of_figure_2(), 0);
    check_example(lab);
    fputs("n,bound,measured,error\n", lab->data);
    for (unsigned n = 2; n <= 24; n += 2) { /* 8 buckets of 3 slots, two candidates */
        double bound = theory_all_placed(8, n, 2, 3);
        struct rate got = measure_all_placed(&r, 8, n, 2, 3, trials);
        bounded &= got.value <= bound + 3 * got.error;
        fprintf(lab->data, "%u,%.6f,%.6f,%.6f\n", n, bound, got.value, got.error);
    }
    lab_must_hold(lab, "the bound is not below the measured probability (8 buckets, b = 3, k = 2)", "n = 2..24",
                  bounded);
    lab_note(lab, "n = 20 in 24 slots",
             text("bound %.3f, measured %s", theory_all_placed(8, 20, 2, 3),
                  rate_text(measure_all_placed(&r, 8, 20, 2, 3, trials))));
}
