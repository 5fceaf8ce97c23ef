/* CCF: Theorem 4's threshold is an upper bound. A table with two choices is full before it. */
#include <math.h>

#include "errata.h"
#include "models/orient.h"
#include "theory.h"

/* Load at the first element that cannot be placed by any means. */
static double first_failure(struct dice *r, unsigned buckets, unsigned slots) {
    struct orient o = orient_make(buckets, slots, 2);
    uint32_t choice[2];
    do {
        choice[0] = (uint32_t)dice_below(r, buckets);
        choice[1] = (uint32_t)dice_below(r, buckets);
    } while (orient_insert(&o, choice));
    double load = o.items / (double)(buckets * slots);
    orient_free(&o);
    return load;
}

void erratum_02(struct lab *lab) {
    struct dice r = {lab->seed};
    unsigned buckets = lab->quick ? 1 << 13 : 1 << 15, trials = lab->quick ? 5 : 10;
    double window = 2 / cbrt(buckets); /* how blurred the threshold of a finite table is, relatively */
    fputs("b,theorem4,true,measured\n", lab->data);
    for (unsigned b = 1; b <= 4; b++) {
        double sum = 0, most = 0, printed = theory_threshold(buckets, 2, b) / b, right = theory_orientable(2, b) / b;
        for (unsigned i = 0; i < trials; i++) {
            double load = first_failure(&r, buckets, b);
            sum += load;
            if (load > most) most = load;
        }
        double mean = sum / trials;
        fprintf(lab->data, "%u,%.6f,%.6f,%.6f\n", b, printed, right, mean);
        lab_refute(lab, text("b = %u, k = 2: elements fit up to the threshold", b), text("load %.3f", printed),
                   text("first failure at %.3f, at best %.3f", mean, most), most < printed);
        lab_hold(lab, text("b = %u: tables fill up to the core threshold %.3f", b, right), text("%.3f", mean),
                 fabs(mean / right - 1) < window);
    }
}
