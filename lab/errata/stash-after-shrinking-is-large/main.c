/* ECF: the stash after shrinking is not small, unless full buckets are relieved by kicks first. */
#include "lab.h"
#include "models/ecf.h"
#include "theory.h"

enum { BUCKETS = 24576 };

/* Halves filters to the load `target`: the fraction of the entries that go to the stash. */
static struct spread stash_fraction(struct lab *lab, double target, bool relocate) {
    struct spread fraction = {0};
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct ecf f = ecf_make(BUCKETS, 4, 12, lab->seed + round);
        uint64_t n = ecf_fill(&f, 0, (uint64_t)(BUCKETS * 4 * target / 2));
        spread_add(&fraction, (double)ecf_halve(&f, relocate) / (double)n);
        ecf_free(&f);
    }
    return fraction;
}

void experiment(struct lab *lab) {
    fputs("target,stash,low,high,relocated\n", lab->data);
    for (unsigned percent = 50; percent <= 95; percent += 5) {
        fprintf(lab->data, "%.2f", percent / 100.0);
        spread_put(lab->data, stash_fraction(lab, percent / 100.0, false));
        fprintf(lab->data, ",%.5f\n", stash_fraction(lab, percent / 100.0, true).mean);
    }
    struct spread plain = stash_fraction(lab, 0.90, false), moved = stash_fraction(lab, 0.90, true);
    double stash = plain.mean * BUCKETS * 4 * 0.90 / 2;
    lab_refute(lab, "entries that do not fit go to a small stash (load 0.90 after halving)",
               "\"a constant number of items\"",
               text("%.1f %% of all entries, %.0f (%.1f to %.1f %% in %u runs)", 100 * plain.mean, stash,
                    100 * plain.low, 100 * plain.high, plain.n),
               plain.low > 0.02);
    lab_note(lab, "false-positive rate of such a stash, keyed only by 12-bit fingerprints",
             text("%.0f %%", 100 * theory_ccf_fpr(stash, 12)));
    lab_must_hold(lab, "with kicks no entry goes to the stash", text("%.3f %%", 100 * moved.high), moved.high == 0);
}
