/* CCF: the candidate buckets depend only on the fingerprint, so a query is positive if and only if its
 * fingerprint is stored anywhere in the filter. */
#include "lab.h"
#include "theory.h"

static guira *one_i2cf(const struct lab *lab, unsigned bits) {
    guira_config c = {.kind = GUIRA_CONSISTENT, .slot_bits = bits, .bucket_slots = 3, .policy = GUIRA_BUCKET_LEVEL};
    return lab_filter(lab, c); /* only one I2CF: s = 1, the strictest limit possible */
}

static void measure(const struct lab *lab, const uint64_t *sizes, unsigned n, uint64_t probes, struct rates *all) {
    guira *f = one_i2cf(lab, 16);
    uint64_t before = 0;
    for (unsigned i = 0; i < n; before = sizes[i++]) {
        if (lab_fill(f, before, sizes[i]) != sizes[i]) lab_fatal("the consistent filter is full");
        rates_add(&all[i], lab_fpr(f, probes), probes);
    }
    guira_destroy(f);
}

void experiment(struct lab *lab) {
    static const uint64_t sizes[] = {200, 500, 1000, 2000, 4000, 6451, 10000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    uint64_t probes = lab->quick ? 20000 : 200000;
    static struct rates all[SIZES];
    double printed = theory_ccf_fpr_printed(1, 2, 3, 16);
    bool right = true;
    struct rate at = {0, 0}, last = {0, 0};
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct lab one = lab_with_seed(lab, round);
        measure(&one, sizes, SIZES, probes, all);
    }
    fputs("items,measured,low,high,printed,corrected\n", lab->data);
    for (unsigned i = 0; i < SIZES; i++) {
        last = rate_of_all(&all[i]);
        if (sizes[i] == 6451) at = last;
        right &= rate_is(last, theory_ccf_fpr((double)sizes[i], 16), 0.03);
        fprintf(lab->data, "%" PRIu64, sizes[i]);
        spread_put(lab->data, all[i].each);
        fprintf(lab->data, ",%.3g,%.6f\n", printed, theory_ccf_fpr((double)sizes[i], 16));
    }
    lab_refute(lab, "Theorem 1: s k b / 2^f with f = 16, s = 1, 6,451 items", text("%.2g", printed), rate_text(at),
               at.value > 100 * printed);
    lab_refute(lab, "a limit on s bounds the rate (s = 1, 10,000 items)", text("%.2g", printed), rate_text(last),
               last.value > at.value);
    lab_must_hold(lab, "the rate is 1 - (1 - 2^-f)^n, at seven sizes", text("6,451 items: %s", rate_text(at)), right);
    unsigned bits = theory_ccf_bits(6451, 0.001);
    guira *f = one_i2cf(lab, bits);
    lab_fill(f, 0, 6451);
    struct rate wide = lab_fpr(f, probes);
    guira_destroy(f);
    lab_must_hold(lab, text("f = log2(n/e), here %u bits, keeps the rate below e = 0.001", bits), rate_text(wide),
                  wide.value <= 0.001 + wide.error);
}
