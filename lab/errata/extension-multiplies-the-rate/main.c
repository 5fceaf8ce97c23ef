/* ECF: extension multiplies the false-positive rate, and growth is limited by the number of offsets. */
#include "lab.h"
#include "models/ecf.h"
#include "theory.h"

enum { SIZES = 4 }; /* 1, 2, 4, 8 */

/* Adds the rates of one filter at all sizes. Returns its false negatives. */
static uint64_t measure(uint64_t seed, uint64_t probes, struct rates all[SIZES]) {
    struct ecf f = ecf_make(4096, 4, 12, seed);
    uint64_t n = 0, lost = 0;
    for (unsigned i = 0; i < SIZES; i++) {
        if (i > 0) ecf_extend(&f, 2);
        n = ecf_fill(&f, n, f.buckets * 4 * 9 / 10);
        rates_add(&all[i], ecf_fpr(&f, probes), probes);
        lost += ecf_false_negatives(&f, 0, n);
    }
    ecf_free(&f);
    return lost;
}

static void check_rates(struct lab *lab) {
    static struct rates all[SIZES];
    uint64_t lost = 0;
    for (unsigned round = 0; round < lab_seeds(lab); round++)
        lost += measure(lab->seed + round, lab->quick ? 100000 : 200000, all);
    struct rate first = rate_of_all(&all[0]), last = rate_of_all(&all[SIZES - 1]);
    bool right = lost == 0;
    fputs("factor,measured,low,high,printed,corrected\n", lab->data);
    for (unsigned i = 0; i < SIZES; i++) {
        double expected = theory_ecf_fpr(4096U << i, 4, 0.9, 12, 1U << i);
        right &= rate_is(rate_of_all(&all[i]), expected, 0.05);
        fprintf(lab->data, "%u", 1U << i);
        spread_put(lab->data, all[i].each);
        fprintf(lab->data, ",%.6f,%.6f\n", first.value, expected);
    }
    lab_refute(lab, "extension does not change the rate (x 8)", text("%.4f", first.value), rate_text(last),
               last.value > 4 * first.value);
    lab_must_hold(lab, "extension multiplies the rate by the factor: x 1, 2, 4, 8 at load 0.9",
                  text("%.4f -> %s", first.value, rate_text(last)), right);
}

/* With short fingerprints: there is one offset per fingerprint, so only 2^8 offsets. */
static void check_growth(struct lab *lab) {
    struct ecf f = ecf_make(64, 4, 8, lab->seed);
    double load = 1;
    uint64_t n = ecf_fill(&f, 0, 64 * 4 * 9 / 10);
    unsigned factor = 1;
    while (load > 0.8 && factor < 1024) {
        ecf_extend(&f, 2);
        factor *= 2;
        n = ecf_fill(&f, n, f.buckets * 4 * 9 / 10);
        load = (double)n / (double)(f.buckets * 4);
    }
    lab_refute(lab, "a filter can be extended any number of times (8 bits, 64 buckets)", "to any size",
               text("at %u times the size an insertion fails at load %.2f", factor, load), load <= 0.8);
    ecf_free(&f);
}

/* The library's filter, which extends itself. */
static void check_library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_ELASTIC, .slot_bits = 12, .buckets = 4096};
    guira *f = lab_filter(lab, c);
    uint64_t n = lab_fill(f, 0, 4096 * 4 * 8 * 9 / 10), lost = lab_false_negatives(f, 0, n);
    double predicted = lab_stats(f).fpr;
    struct rate r = lab_fpr(f, lab->quick ? 200000 : 1000000);
    lab_must_hold(
        lab, "the library's elastic filter, grown to 8 times the size, predicts its rate and has no false negatives",
        text("predicted %.4f, measured %s", predicted, rate_text(r)), lost == 0 && rate_is(r, predicted, 0.05));
    guira_destroy(f);
}

void experiment(struct lab *lab) {
    check_rates(lab);
    check_growth(lab);
    check_library(lab);
}
