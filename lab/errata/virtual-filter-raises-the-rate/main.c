/* ECF: Theorem 6.1's rate is not that of the plain cuckoo filter, but L / 2^n times that. */
#include "lab.h"
#include "models/ecf.h"
#include "theory.h"

static struct rates measure_fpr(struct lab *lab, uint64_t buckets, double load) {
    struct rates all = {0};
    uint64_t probes = lab->quick ? 100000 : 400000;
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct ecf f = ecf_make(buckets, 4, 12, lab->seed + round);
        ecf_fill(&f, 0, (uint64_t)(load * (double)buckets * 4));
        rates_add(&all, ecf_fpr(&f, probes), probes);
        ecf_free(&f);
    }
    return all;
}

void experiment(struct lab *lab) {
    const double load = 0.95;
    bool right = true;
    struct rate at = {0, 0}, base = {0, 0};
    fputs("buckets,measured,low,high,plain,corrected\n", lab->data);
    for (uint64_t buckets = 32768; buckets <= 65536; buckets += 4096) {
        uint64_t L = buckets == 61440 ? 65535 : buckets;
        double plain = theory_cuckoo_fpr(8, load, 12), expected = theory_ecf_fpr(L, 4, load, 12, 1);
        struct rates all = measure_fpr(lab, L, load);
        struct rate r = rate_of_all(&all);
        right &= rate_is(r, expected, 0.02);
        if (L == 65535) at = r;
        if (L == 65536) base = r;
        fprintf(lab->data, "%" PRIu64, L);
        spread_put(lab->data, all.each);
        fprintf(lab->data, ",%.6f,%.6f\n", plain, expected);
    }
    lab_refute(lab, "the rate is that of the plain filter (L = 65,535)", rate_text(base), rate_text(at),
               at.value > 1.7 * base.value);
    lab_must_hold(lab, "the rate is 2 b load L / 2^(f+n), at nine sizes", text("L = 65535: %s", rate_text(at)), right);
}
