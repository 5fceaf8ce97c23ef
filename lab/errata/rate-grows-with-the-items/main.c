/* CCF: the candidate buckets depend only on the fingerprint, so a query is positive if and only if its
 * fingerprint is stored anywhere in the filter. */
#include "lab.h"
#include "theory.h"

static guira *one_i2cf(const struct lab *lab, unsigned bits) {
    guira_config c = {.kind = GUIRA_CONSISTENT, .slot_bits = bits, .bucket_slots = 3, .policy = GUIRA_BUCKET_LEVEL};
    return lab_filter(lab, c); /* only one I2CF: s = 1, the strictest limit possible */
}

void experiment(struct lab *lab) {
    static const uint64_t sizes[] = {200, 500, 1000, 2000, 4000, 6451, 10000};
    uint64_t probes = lab->quick ? 20000 : 400000, before = 0;
    double printed = theory_ccf_fpr_printed(1, 2, 3, 16);
    bool right = true;
    struct rate at = {0, 0}, last = {0, 0};
    guira *f = one_i2cf(lab, 16);
    fputs("items,measured,error,printed,corrected\n", lab->data);
    for (unsigned i = 0; i < 7; before = sizes[i++]) {
        if (lab_fill(f, before, sizes[i]) != sizes[i]) lab_fatal("the consistent filter is full");
        last = lab_fpr(f, probes);
        if (sizes[i] == 6451) at = last;
        right &= rate_is(last, theory_ccf_fpr((double)sizes[i], 16), 0.03);
        fprintf(lab->data, "%" PRIu64 ",%.6f,%.6f,%.3g,%.6f\n", sizes[i], last.value, last.error, printed,
                theory_ccf_fpr((double)sizes[i], 16));
    }
    guira_destroy(f);
    lab_refute(lab, "Theorem 1: s k b / 2^f with f = 16, s = 1, 6,451 items", text("%.2g", printed), rate_text(at),
               at.value > 100 * printed);
    lab_refute(lab, "a limit on s bounds the rate (s = 1, 10,000 items)", text("%.2g", printed), rate_text(last),
               last.value > at.value);
    lab_must_hold(lab, "the rate is 1 - (1 - 2^-f)^n, at seven sizes", text("6,451 items: %s", rate_text(at)), right);
    unsigned bits = theory_ccf_bits(6451, 0.001);
    f = one_i2cf(lab, bits);
    lab_fill(f, 0, 6451);
    struct rate wide = lab_fpr(f, probes);
    guira_destroy(f);
    lab_must_hold(lab, text("f = log2(n/e), here %u bits, keeps the rate below e = 0.001", bits), rate_text(wide),
                  wide.value <= 0.001 + wide.error);
}
