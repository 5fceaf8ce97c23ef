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

void experiment(struct lab *lab) {
    uint64_t buckets = lab->quick ? 8192 : 32768, probes = lab->quick ? 100000 : 1000000, lost = 0;
    double first = 0, worst = 0, least_load = 1;
    fputs("part,ecf,ecf_error,tidal,tidal_error,load\n", lab->data);
    for (unsigned part = 1; part <= 8; part *= 2) {
        guira *ecf = shrunk_filter(lab, GUIRA_ELASTIC, buckets, part, &lost),
              *tidal = shrunk_filter(lab, GUIRA_TIDAL, buckets, part, &lost);
        struct rate a = lab_fpr(ecf, probes), b = lab_fpr(tidal, probes);
        double load = lab_stats(ecf).load;
        if (part == 1) first = a.value;
        if (load < least_load) least_load = load;
        double off = a.value / first > 1 ? a.value / first : first / a.value;
        if (off > worst) worst = off;
        fprintf(lab->data, "%u,%.6f,%.6f,%.6f,%.6f,%.4f\n", part, a.value, a.error, b.value, b.error, load);
        lab_note(lab, text("ECF at 1/%u of the size", part), text("%s, load %.3f", rate_text(a), load));
        guira_destroy(ecf);
        guira_destroy(tidal);
    }
    lab_compare_words(lab, "largest change of the rate by halving to 1/2, 1/4 or 1/8, as a ratio", "the same", 1, 1.1,
                      spread_of(worst));
    lab_must_hold(lab, "each was shrunk to the same load, without false negatives",
                  text("load %.3f or more, %" PRIu64 " false negatives", least_load, lost),
                  least_load > 0.93 && lost == 0);
}
