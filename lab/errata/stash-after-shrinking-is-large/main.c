/* ECF: the stash after shrinking is not small, unless full buckets are relieved by kicks first. */
#include "lab.h"
#include "models/ecf.h"
#include "theory.h"

/* Halves a filter to the load `target`; returns the fraction of the entries that go to the stash. */
static double stash_fraction(struct lab *lab, double target, bool relocate, uint64_t *stash) {
    struct ecf f = ecf_make(24576, 4, 12, lab->seed);
    uint64_t n = ecf_fill(&f, 0, (uint64_t)(24576 * 4 * target / 2));
    *stash = ecf_halve(&f, relocate);
    ecf_free(&f);
    return (double)*stash / (double)n;
}

void experiment(struct lab *lab) {
    uint64_t stash;
    fputs("target,stash,relocated\n", lab->data);
    for (unsigned percent = 50; percent <= 95; percent += 5) {
        double plain = stash_fraction(lab, percent / 100.0, false, &stash);
        fprintf(lab->data, "%.2f,%.5f,%.5f\n", percent / 100.0, plain,
                stash_fraction(lab, percent / 100.0, true, &stash));
    }
    double plain = stash_fraction(lab, 0.90, false, &stash);
    lab_refute(lab, "entries that do not fit go to a small stash (load 0.90 after halving)",
               "\"a constant number of items\"", text("%.1f %% of all entries, %" PRIu64, 100 * plain, stash),
               plain > 0.02);
    lab_note(lab, "false-positive rate of such a stash, keyed only by 12-bit fingerprints",
             text("%.0f %%", 100 * theory_ccf_fpr((double)stash, 12)));
    double moved = stash_fraction(lab, 0.90, true, &stash);
    lab_must_hold(lab, "with kicks no entry goes to the stash", text("%.3f %%", 100 * moved), moved == 0);
}
