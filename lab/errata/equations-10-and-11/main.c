/* CCF: Eqs. 10 and 11 as printed do not give the numbers of the paper's own example. */
#include <math.h>

#include "lab.h"
#include "theory.h"

/* Counts the 5^6 ways to give each of three elements two of five buckets, by the number of distinct buckets. */
static void count_all(unsigned ways[6]) {
    for (unsigned code = 0; code < 15625; code++) {
        unsigned hit = 0;
        for (unsigned i = 0, rest = code; i < 6; i++, rest /= 5) hit |= 1U << rest % 5;
        ways[__builtin_popcount(hit)]++;
    }
}

void experiment(struct lab *lab) {
    unsigned ways[6] = {0};
    count_all(ways);
    double printed = 0;
    bool exact = true;
    for (unsigned j = 0; j <= 5; j++) {
        printed += theory_bins_hit_printed(5, 3, 2, j);
        exact &= theory_bins_hit_ways(5, 6, j) == ways[j] && fabs(theory_bins_hit(5, 6, j) - ways[j] / 15625.0) < 1e-15;
    }
    lab_refute(lab, "Eq. 11 with n in its binomials, summed over all j", "should be 1", text("%g", printed),
               printed == 0);
    double floor_bound = theory_all_placed_printed_range(5, 3, 2, 2);
    lab_refute(lab, "Eq. 10 starts at floor(n/b) = 1", "0.99968", text("%.5f", floor_bound),
               fabs(floor_bound - 0.99968) > 1e-6);
    lab_must_hold(lab, "C(m,j) j! S(nk,j) / m^(nk) agrees with a count of all 15,625 cases",
                  text("p{Omega=3} = %.4f", ways[3] / 15625.0), exact);
    lab_must_hold(lab, "the sum from ceil(n/b) to min(nk, m) is 15620 / 15625",
                  text("%.5f", theory_all_placed(5, 3, 2, 2)),
                  fabs(theory_all_placed(5, 3, 2, 2) - 15620.0 / 15625) < 1e-12);
    lab_note(lab, "max{nk, m} instead of min{nk, m} only adds terms that are 0",
             text("p{Omega=6} = %g", theory_bins_hit(5, 6, 6)));
}
