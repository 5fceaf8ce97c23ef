/* ECF: shrinking to a stash. It is not small, unless entries are moved to make room first. */
#include "errata.h"
#include "models/ecf.h"
#include "theory.h"

static double left_over(struct lab *lab, double target, bool relocate, uint64_t *stash) {
    struct ecf f = ecf_make(24576, 4, 12, lab->seed);
    uint64_t n = ecf_fill(&f, 0, (uint64_t)(24576 * 4 * target / 2));
    *stash = ecf_halve(&f, relocate);
    ecf_free(&f);
    return (double)*stash / (double)n;
}

void erratum_17(struct lab *lab) {
    uint64_t stash;
    fputs("target,stash,relocated\n", lab->data);
    for (unsigned percent = 50; percent <= 95; percent += 5) {
        double plain = left_over(lab, percent / 100.0, false, &stash);
        fprintf(lab->data, "%.2f,%.5f,%.5f\n", percent / 100.0, plain, left_over(lab, percent / 100.0, true, &stash));
    }
    double plain = left_over(lab, 0.90, false, &stash);
    lab_refute(lab, "what does not fit goes to a small stash (load 0.90 after halving)",
               "\"a constant number of items\"", text("%.1f %% of all entries, %" PRIu64, 100 * plain, stash),
               plain > 0.02);
    lab_note(lab, "such a stash, keyed by 12-bit fingerprints alone, would answer yes to",
             text("%.0f %% of strangers", 100 * theory_ccf_fpr((double)stash, 12)));
    double moved = left_over(lab, 0.90, true, &stash);
    lab_hold(lab, "if kicks make room first, none is left over", text("%.3f %%", 100 * moved), moved == 0);
}
