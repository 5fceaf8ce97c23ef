/* ECF: Eqs. 2, 3, 5 and 12 compute a distance mod 2^n. This is wrong where the virtual filter wraps around
 * the end of the table. */
#include "lab.h"
#include "models/ecf.h"

static struct spread false_negative_rate(struct lab *lab, uint64_t buckets, double load, bool as_printed) {
    struct spread rate = {0};
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct ecf f = ecf_make(buckets, 4, 12, lab->seed + round);
        f.modulo_span = as_printed;
        uint64_t n = ecf_fill(&f, 0, (uint64_t)(load * (double)buckets * 4));
        spread_add(&rate, (double)ecf_false_negatives(&f, 0, n) / (double)n);
        ecf_free(&f);
    }
    return rate;
}

static const char *in_words(struct spread s) {
    return text("%.1f %% (%.1f to %.1f %% in %u runs)", 100 * s.mean, 100 * s.low, 100 * s.high, s.n);
}

void experiment(struct lab *lab) {
    static const uint64_t sizes[] = {16384, 18000, 20480, 24576, 28672, 32767, 32768};
    double worst_right = 0;
    fputs("buckets,printed,low,high,corrected\n", lab->data);
    for (unsigned i = 0; i < 7; i++) {
        double right = false_negative_rate(lab, sizes[i], 0.95, false).high;
        fprintf(lab->data, "%" PRIu64, sizes[i]);
        spread_put(lab->data, false_negative_rate(lab, sizes[i], 0.95, true));
        fprintf(lab->data, ",%.5f\n", right);
        if (right > worst_right) worst_right = right;
    }
    struct spread wrong = false_negative_rate(lab, 24576, 0.95, true);
    lab_refute(lab, "alternate bucket from a distance mod 2^n, L = 24,576, load 0.95", "no false negatives",
               in_words(wrong), wrong.low > 0.01);
    lab_note(lab, "the same at load 0.90", in_words(false_negative_rate(lab, 24576, 0.90, true)));
    lab_must_hold(lab, "with mod L (Eqs. 4, 10, 14) there are no false negatives at any of seven sizes",
                  text("%g", worst_right), worst_right == 0);
    guira_config c = {.kind = GUIRA_ELASTIC, .slot_bits = 12, .buckets = 24576, .min_load = -1};
    guira *f = lab_filter(lab, c);
    uint64_t n = lab_fill(f, 0, 24576 * 4 * 94 / 100), lost = lab_false_negatives(f, 0, n);
    lab_must_hold(lab, "the library's elastic filter, L = 24,576, load 0.94, has no false negatives",
                  text("%" PRIu64 " of %" PRIu64, lost, n), lost == 0 && lab_stats(f).buckets == 24576);
    guira_destroy(f);
}
