/* CCF, Fig. 3: usable and needed fraction of the slots for 50 buckets of 2 slots. The curves cross at the threshold. */
#include "lab.h"
#include "theory.h"

void experiment(struct lab *lab) {
    enum { M = 50, B = 2 };
    static const char *const crossover[] = {"93", "98", "99", "99"};
    fputs("n,needed,k2,k3,k4,k5\n", lab->data);
    for (unsigned n = 60; n <= 100; n++) {
        fprintf(lab->data, "%u,%.6f", n, n / (double)(M * B));
        for (unsigned k = 2; k <= 5; k++) fprintf(lab->data, ",%.6f", theory_usable_fraction(n, M, k, B));
        fputc('\n', lab->data);
    }
    bool grows = true;
    for (unsigned k = 3; k <= 5; k++) grows &= theory_threshold(M, k, B) > theory_threshold(M, k - 1, B);
    lab_compare_fact(lab, "the threshold grows with k (m = 50, b = 2)", "grows",
                     text("%.3f, %.3f, %.3f, %.3f", theory_threshold(M, 2, B), theory_threshold(M, 3, B),
                          theory_threshold(M, 4, B), theory_threshold(M, 5, B)),
                     grows);
    for (unsigned k = 2; k <= 5; k++)
        lab_compare_earlier(lab, text("crossover, k = %u", k), crossover[k - 2], spread_of(theory_crossover(M, k, B)),
                            0);
}
