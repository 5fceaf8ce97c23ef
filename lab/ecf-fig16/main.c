/* ECF, Fig. 16: false-positive rate before and after halving once, twice and three times, at the same load. */
#include "ecf_filters.h"

/* A filter with members 0..n/part-1 left, shrunk to fit. Adds its false negatives to *lost. */
static guira *shrunk_filter(const struct lab *lab, guira_kind kind, uint64_t buckets, unsigned part, uint64_t *lost) {
    guira_config c = {.kind = kind, .slot_bits = 12, .buckets = buckets, .bucket_slots = CELLS, .max_load = 0.955};
    if (kind == GUIRA_TIDAL) c.capacity = (uint64_t)(0.95 * (double)(buckets * CELLS));
    guira *f = lab_filter(lab, c);
    uint64_t n = (uint64_t)(0.95 * (double)(buckets * CELLS)), keep = n / part;
    n = lab_fill(f, 0, n);
    for (uint64_t i = keep; i < n; i++) lab_remove(f, MEMBERS, i);
    guira_shrink_to_fit(f);
    *lost += lab_false_negatives(f, 0, keep);
    return f;
}

enum { PARTS = 4 }; /* 1, 1/2, 1/4, 1/8 */
struct results {
    struct spread ecf[PARTS], tidal[PARTS], ratio[PARTS], load; /* ratio: to the rate before */
    uint64_t lost;
};

static void run(const struct lab *lab, struct results *x) {
    uint64_t buckets = lab->quick ? 8192 : 32768, probes = lab->quick ? 200000 : 1000000;
    double first = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        guira *ecf = shrunk_filter(lab, GUIRA_ELASTIC, buckets, 1U << i, &x->lost),
              *tidal = shrunk_filter(lab, GUIRA_TIDAL, buckets, 1U << i, &x->lost);
        double rate = lab_fpr(ecf, probes).value;
        if (i == 0) first = rate;
        spread_add(&x->ecf[i], rate);
        spread_add(&x->ratio[i], rate / first);
        spread_add(&x->tidal[i], lab_fpr(tidal, probes).value);
        spread_add(&x->load, lab_stats(ecf).load);
        guira_destroy(ecf);
        guira_destroy(tidal);
    }
}

void experiment(struct lab *lab) {
    struct results x = {0};
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct lab one = lab_with_seed(lab, round);
        run(&one, &x);
    }
    fputs("part,ecf,ecf_low,ecf_high,tidal,tidal_low,tidal_high\n", lab->data);
    for (unsigned i = 0; i < PARTS; i++) {
        fprintf(lab->data, "%u", 1U << i);
        spread_put(lab->data, x.ecf[i]);
        spread_put(lab->data, x.tidal[i]);
        fputc('\n', lab->data);
        lab_note(lab, text("ECF at 1/%u of the size", 1U << i),
                 text("%.5f (%.5f to %.5f in %u runs)", x.ecf[i].mean, x.ecf[i].low, x.ecf[i].high, x.ecf[i].n));
    }
    lab_compare_each(lab, "rate after halving to 1/2, 1/4, 1/8, relative to that before", "the same", 0.9, 1.1,
                     x.ratio + 1, PARTS - 1);
    lab_must_hold(lab, "each was shrunk to the same load, without false negatives",
                  text("load %.3f or more, %" PRIu64 " false negatives", x.load.low, x.lost),
                  x.load.low > 0.93 && x.lost == 0);
}
