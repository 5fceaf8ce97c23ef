/* CCF, Fig. 3: usable and needed fraction of the slots for 50 buckets of 2 slots. The curves cross at the threshold. */
#include "lab.h"
#include "theory.h"

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "ccf-fig3");
    enum { M = 50, B = 2 };
    static const double crossover[] = {93, 98, 99, 99};
    fputs("n,needed,k2,k3,k4,k5\n", lab.data);
    for (unsigned n = 60; n <= 100; n++) {
        fprintf(lab.data, "%u,%.6f", n, n / (double)(M * B));
        for (unsigned k = 2; k <= 5; k++) fprintf(lab.data, ",%.6f", theory_usable_fraction(n, M, k, B));
        fputc('\n', lab.data);
    }
    for (unsigned k = 2; k <= 5; k++)
        lab_compare(&lab, text("crossover, k = %u", k), crossover[k - 2], theory_crossover(M, k, B), 0);
    return lab_close(&lab);
}
