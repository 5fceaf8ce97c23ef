/* ECF: Eqs. 2, 3, 5 and 12 compute a distance mod 2^n. This is wrong where the virtual filter wraps around
 * the end of the table. */
#include "lab.h"
#include "models/ecf.h"

static struct rate false_negative_rate(struct lab *lab, uint64_t buckets, double load, bool as_printed) {
    struct ecf f = ecf_make(buckets, 4, 12, lab->seed);
    f.modulo_span = as_printed;
    uint64_t n = ecf_fill(&f, 0, (uint64_t)(load * (double)buckets * 4));
    struct rate r = rate_of(ecf_false_negatives(&f, 0, n), n);
    ecf_free(&f);
    return r;
}

void experiment(struct lab *lab) {
    static const uint64_t sizes[] = {16384, 18000, 20480, 24576, 28672, 32767, 32768};
    double worst_right = 0;
    fputs("buckets,printed,corrected\n", lab->data);
    for (unsigned i = 0; i < 7; i++) {
        double wrong = false_negative_rate(lab, sizes[i], 0.95, true).value;
        double right = false_negative_rate(lab, sizes[i], 0.95, false).value;
        fprintf(lab->data, "%" PRIu64 ",%.5f,%.5f\n", sizes[i], wrong, right);
        if (right > worst_right) worst_right = right;
    }
    struct rate wrong = false_negative_rate(lab, 24576, 0.95, true);
    lab_refute(lab, "alternate bucket from a distance mod 2^n, L = 24,576, load 0.95", "no false negatives",
               rate_text(wrong), wrong.value > 0.01);
    lab_note(lab, "the same at load 0.90", rate_text(false_negative_rate(lab, 24576, 0.90, true)));
    lab_must_hold(lab, "with mod L (Eqs. 4, 10, 14) there are no false negatives at any of seven sizes",
                  text("%g", worst_right), worst_right == 0);
    guira_config c = {.kind = GUIRA_ELASTIC, .slot_bits = 12, .buckets = 24576, .min_load = -1};
    guira *f = lab_filter(lab, c);
    uint64_t n = lab_fill(f, 0, 24576 * 4 * 94 / 100), lost = lab_false_negatives(f, 0, n);
    lab_must_hold(lab, "the library's elastic filter, L = 24,576, load 0.94, has no false negatives",
                  text("%" PRIu64 " of %" PRIu64, lost, n), lost == 0 && lab_stats(f).buckets == 24576);
    guira_destroy(f);
}
