/* CCF: the caption of Fig. 3 divides the crossing by the wrong number. */
#include <math.h>

#include "lab.h"
#include "theory.h"

void experiment(struct lab *lab) {
    double crossing = theory_crossover(50, 2, 2), threshold = theory_threshold(50, 2, 2);
    lab_refute(lab, "Fig. 3: the threshold is the crossing divided by b", text("%g / 2 = %g", crossing, crossing / 2),
               text("%.4f by Eq. 9", threshold), fabs(crossing / 2 - threshold) > 1);
    lab_must_hold(lab, "the crossing divided by m", text("%g / 50 = %.4f", crossing, crossing / 50),
                  fabs(crossing / 50 - threshold) <= 1.0 / 50);
}
