/* CCF, Table II: Theorem 4's 24 thresholds for 2^30 buckets, and the true thresholds for comparison. */
#include <math.h>

#include "lab.h"
#include "theory.h"

static const double printed[6][4] = {
    {0.796812130, 1.861790807, 2.905683863, 3.934728166}, {0.940479791, 1.979049536, 2.992264312, 3.997079786},
    {0.980172599, 1.996604114, 2.999390447, 3.999888473}, {0.993022846, 1.999453835, 2.999955482, 3.999996295},
    {0.997483538, 1.999913939, 2.999996938, 3.999999888}, {0.999082240, 1.999986694, 2.999999798, 3.999999996},
};

void experiment(struct lab *lab) {
    const double m = 1 << 30;
    double worst = 0, worst_limit = 0;
    fputs("k,b,printed,computed,per_slot,true_per_slot\n", lab->data);
    for (unsigned k = 2; k <= 7; k++)
        for (unsigned b = 1; b <= 4; b++) {
            double p = printed[k - 2][b - 1], t = theory_crossover(m, k, b) / m;
            worst = fmax(worst, fabs(t - p));
            worst_limit = fmax(worst_limit, fabs(theory_threshold(INFINITY, k, b) - p));
            lab_compare(lab, text("threshold, k = %u, b = %u", k, b), text("%.9f", p), t, 1e-9);
            fprintf(lab->data, "%u,%u,%.9f,%.9f,%.6f,%.6f\n", k, b, p, t, t / b, theory_core_threshold(k, b) / b);
        }
    lab_must_hold(lab, "all 24 values agree to 9 digits", text("the largest difference is %.1e", worst), worst <= 1e-9);
    lab_note(lab, "the largest difference in the limit of infinitely many buckets", text("%.1e", worst_limit));
}
