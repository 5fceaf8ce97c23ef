/* Tutorial: each claim of its text, tried. (Its programs are erratum 23.) */
#include "models/ecf.h"
#include "theory.h"

enum { SLOTS = 1 << 15 };

/* Load at the first failure of a plain filter with so many slots per bucket. */
static double full_at(const struct lab *lab, unsigned per_bucket) {
    struct ecf f = ecf_make(SLOTS / per_bucket, per_bucket, 16, lab->seed);
    f.plain = true;
    double load = (double)ecf_fill(&f, 0, SLOTS) / SLOTS;
    ecf_free(&f);
    return load;
}

/* The slots a lookup of a stranger reads. */
static double read_by_lookup(const struct lab *lab, unsigned per_bucket) {
    struct ecf f = ecf_make(SLOTS / per_bucket, per_bucket, 16, lab->seed);
    f.plain = true;
    for (uint64_t i = 0; i < 1000; i++) ecf_has(&f, i);
    double slots = (double)f.accesses * per_bucket / 1000;
    ecf_free(&f);
    return slots;
}

/* Doubles the table as the tutorial says, without the keys: an entry's new bucket needs one more bit of the hash than was
 * kept, so it is guessed to be 0. The part of the members that is denied then. */
static double denied_after_doubling(const struct lab *lab) {
    struct ecf f = ecf_make(4096, 4, 16, lab->seed), twice = ecf_make(8192, 4, 16, lab->seed);
    f.plain = twice.plain = true;
    uint64_t n = ecf_fill(&f, 0, 4096 * 4 * 9 / 10);
    for (uint64_t i = 0; i < 4096 * 4; i++) twice.slot[i] = f.slot[i];
    double denied = (double)ecf_missing(&twice, 0, n) / (double)n;
    ecf_free(&f);
    ecf_free(&twice);
    return denied;
}

static void rate(struct lab *lab) {
    struct ecf f = ecf_make(SLOTS / 4, 4, 8, lab->seed);
    f.plain = true;
    ecf_fill(&f, 0, SLOTS * 95 / 100);
    struct rate r = ecf_fpr(&f, lab->quick ? 100000 : 1000000);
    lab_refute(lab, "the rate is about 1/2^f (f = 8, b = 4, load 0.95)", text("%.4f", 1 / 256.0), rate_text(r),
               r.value > 4 / 256.0);
    lab_hold(lab, "it is 2 b load / 2^f", text("%.4f", theory_cuckoo_fpr(8, 0.95, 8)),
             rate_is(r, theory_cuckoo_fpr(8, 0.95, 8), 0.03));
    ecf_free(&f);
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "tutorial");
    double load[9];
    fputs("slots,load\n", lab.data);
    for (unsigned b = 1; b <= 8; b *= 2) fprintf(lab.data, "%u,%.4f\n", b, load[b] = full_at(&lab, b));
    lab_refute(&lab, "with one fingerprint per bucket the filter holds a very high load", "very high",
               text("%.2f", load[1]), load[1] < 0.6);
    lab_refute(&lab, "the load is limited to about 50 % (b = 4, what everybody uses, its own programs too)", "0.50",
               text("%.2f", load[4]), load[4] > 0.9);
    lab_hold(&lab, "b = 4 reaches about 95 %", text("%.3f", load[4]), load[4] > 0.94 && load[4] < 0.985);
    rate(&lab);
    double read = read_by_lookup(&lab, 4);
    lab_refute(&lab, "a fingerprint is found by scanning at most two slots (b = 4)", "2", text("%.0f", read), read > 2);
    double denied = denied_after_doubling(&lab);
    lab_refute(&lab, "resizing doubles the buckets", "typical",
               text("%.0f %% of the members denied without the keys", 100 * denied), denied > 0.3);
    lab_agree(&lab, "less memory than a Bloom filter for a comparable rate (10^-4; not above 0.4 %)", "less",
              text("%.1f against %.1f bits", theory_cuckoo_bits(1e-4, 4, 0.95), theory_bloom_bits(1e-4)),
              theory_cuckoo_bits(1e-4, 4, 0.95) < theory_bloom_bits(1e-4));
    struct ecf f = ecf_make(SLOTS / 4, 4, 16, lab.seed);
    f.plain = true;
    uint64_t n = ecf_fill(&f, 0, SLOTS / 2);
    lab_agree(&lab, "insertion takes constant time on average", "constant",
              text("%.3f kicks per insertion at half load", (double)f.kicks / (double)n),
              (double)f.kicks / (double)n < 0.1);
    ecf_free(&f);
    return lab_close(&lab);
}
