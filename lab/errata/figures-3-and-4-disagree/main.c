/* ECF: the example of section 3 has 11 buckets in Fig. 3 and 14 in Fig. 4, and one of its virtual filters has ten buckets
 * where 2^n = 8. */
#include <math.h>

#include "lab.h"

/* The largest distance from the offset that a bucket of a virtual filter can have: over all distances and jumps. */
static unsigned reach(unsigned buckets) {
    unsigned span = 1U << (unsigned)floor(log2(buckets)), most = 0;
    for (unsigned d = 0; d < span; d++)
        for (unsigned jump = 0; jump < span; jump++)
            if ((d ^ jump) > most) most = d ^ jump;
    return most;
}

void experiment(struct lab *lab) {
    lab_refute(lab, "the examples of Figs. 3 and 4 are one filter", "L = 11 (Fig. 3, section 3.1)",
               "L = 14 (section 3.2, for the same item e)", 11 != 14);
    lab_refute(lab, "Fig. 4: \"the vCF of item d is B[0 ~ 9]\", offset 0, L = 14", "10 buckets",
               text("%u buckets: B[0 ~ %u]", reach(14) + 1, reach(14)), reach(14) + 1 != 10);
    lab_must_hold(lab, "with L = 11 and with L = 14 a virtual filter has 2^3 buckets",
                  text("%u and %u", reach(11) + 1, reach(14) + 1), reach(11) == 7 && reach(14) == 7);
    lab_must_hold(lab, "item e's buckets are 4 and 9 for both sizes, so that the example does not show the difference",
                  text("%d, %d and %d, %d", (2 + 2) % 11, (2 + 7) % 11, (2 + 2) % 14, (2 + 7) % 14),
                  (2 + 2) % 11 == (2 + 2) % 14 && (2 + 7) % 11 == (2 + 7) % 14);
}
