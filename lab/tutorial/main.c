/* Tutorial: tests of the claims in its text. (Its programs are an erratum of their own.) */
#include "models/ecf.h"
#include "theory.h"

enum { SLOTS = 1 << 15 };

/* Load at the first failure of a plain cuckoo filter with this number of slots per bucket. */
static struct spread load_at_failure(const struct lab *lab, unsigned per_bucket) {
    struct spread load = {0};
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct ecf f = ecf_make(SLOTS / per_bucket, per_bucket, 16, lab->seed + round);
        f.plain = true;
        spread_add(&load, (double)ecf_fill(&f, 0, SLOTS) / SLOTS);
        ecf_free(&f);
    }
    return load;
}

/* Slots read by the lookup of a non-member. */
static double slots_read(const struct lab *lab, unsigned per_bucket) {
    struct ecf f = ecf_make(SLOTS / per_bucket, per_bucket, 16, lab->seed);
    f.plain = true;
    for (uint64_t i = 0; i < 1000; i++) ecf_contains(&f, i);
    double slots = (double)f.accesses * per_bucket / 1000;
    ecf_free(&f);
    return slots;
}

/* Doubles the table as the tutorial says, without the keys. The new bucket of an entry needs one more bit of the hash
 * than is stored, so that bit is assumed to be 0. Returns the fraction of members that are false negatives. */
static double false_negatives_after_doubling(const struct lab *lab) {
    struct ecf f = ecf_make(4096, 4, 16, lab->seed), twice = ecf_make(8192, 4, 16, lab->seed);
    f.plain = twice.plain = true;
    uint64_t n = ecf_fill(&f, 0, 4096 * 4 * 9 / 10);
    for (uint64_t i = 0; i < 4096 * 4; i++) twice.slot[i] = f.slot[i];
    double lost = (double)ecf_false_negatives(&twice, 0, n) / (double)n;
    ecf_free(&f);
    ecf_free(&twice);
    return lost;
}

static void check_rate(struct lab *lab) {
    struct ecf f = ecf_make(SLOTS / 4, 4, 8, lab->seed);
    f.plain = true;
    ecf_fill(&f, 0, SLOTS * 95 / 100);
    struct rate r = ecf_fpr(&f, lab->quick ? 100000 : 1000000);
    lab_refute(lab, "the rate is about 1/2^f (f = 8, b = 4, load 0.95)", text("%.4f", 1 / 256.0), rate_text(r),
               r.value > 4 / 256.0);
    lab_must_hold(lab, "it is 2 b load / 2^f", text("%.4f", theory_cuckoo_fpr(8, 0.95, 8)),
                  rate_is(r, theory_cuckoo_fpr(8, 0.95, 8), 0.03));
    ecf_free(&f);
}

/* With every width that the tutorial calls typical, at the rate that the width gives. */
static void compare_memory(struct lab *lab) {
    enum { NARROWEST = 4, WIDEST = 16 };
    unsigned less_from = WIDEST + 1;
    for (unsigned bits = WIDEST; bits >= NARROWEST; bits--)
        if (bits / 0.95 < theory_bloom_bits(theory_cuckoo_fpr(8, 0.95, bits))) less_from = bits;
    lab_compare_fact(lab, "less memory than a Bloom filter of the same rate (4 to 16 bits, b = 4, load 0.95)", "less",
                     text("less from %u bits, more below", less_from), less_from == NARROWEST);
}

void experiment(struct lab *lab) {
    double load[9];
    fputs("slots,load,low,high\n", lab->data);
    for (unsigned b = 1; b <= 8; b *= 2) {
        struct spread s = load_at_failure(lab, b);
        load[b] = s.mean;
        fprintf(lab->data, "%u", b);
        spread_put(lab->data, s);
        fputc('\n', lab->data);
    }
    lab_refute(lab, "with one fingerprint per bucket the filter reaches a very high load", "very high",
               text("%.2f", load[1]), load[1] < 0.6);
    lab_refute(lab, "the load is limited to about 50 % (b = 4, the usual value, also in its own programs)", "0.50",
               text("%.2f", load[4]), load[4] > 0.9);
    lab_must_hold(lab, "b = 4 reaches about 95 %", text("%.3f", load[4]), load[4] > 0.94 && load[4] < 0.985);
    check_rate(lab);
    double read = slots_read(lab, 4);
    lab_refute(lab, "a fingerprint is found by scanning at most two slots (b = 4)", "2", text("%.0f", read), read > 2);
    double lost = false_negatives_after_doubling(lab);
    lab_refute(lab, "a filter can be resized by doubling the buckets", "typical",
               text("%.0f %% false negatives without the keys", 100 * lost), lost > 0.3);
    compare_memory(lab);
    struct ecf f = ecf_make(SLOTS / 4, 4, 16, lab->seed);
    f.plain = true;
    uint64_t n = ecf_fill(&f, 0, SLOTS / 2);
    lab_compare_fact(lab, "insertion takes constant time on average", "constant",
                     text("%.3f kicks per insertion at half load", (double)f.kicks / (double)n),
                     (double)f.kicks / (double)n < 0.1);
    ecf_free(&f);
}
