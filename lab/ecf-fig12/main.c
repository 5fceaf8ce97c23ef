/* ECF, Figs. 12 and 13: ratio of the query throughput after halving, or after extension, to that before, in one run. */
#include "ecf_filters.h"

/* Seconds per query, half members and half non-members; the best of a few passes. */
static double query_time(const guira *f, uint64_t members, unsigned passes) {
    double best = 0;
    uint64_t hits = 0;
    for (unsigned pass = 0; pass < passes; pass++) {
        double begin = now();
        for (uint64_t i = 0; i < members; i++) {
            hits += lab_contains(f, MEMBERS, i);
            hits += lab_contains(f, NON_MEMBERS, i);
        }
        double spent = (now() - begin) / (2 * (double)members);
        if (pass == 0 || spent < best) best = spent;
    }
    if (hits < passes * members) lab_fatal("false negative"); /* also keeps the lookups from being optimised away */
    return best;
}

/* Ratio of the throughput after resizing to that before; 0: the filter was not resized. Destroys f. */
static double throughput_ratio(guira *f, double load, bool extend, unsigned passes, uint64_t *lost) {
    uint64_t slots = lab_stats(f).slots, n = lab_fill(f, 0, (uint64_t)(load * (double)slots));
    double before = query_time(f, n, passes);
    guira_status s = extend ? guira_reserve(f, (uint64_t)((double)slots * 1.1)) : guira_shrink_to_fit(f);
    double after = query_time(f, n, passes);
    bool changed = s == GUIRA_OK && (extend ? lab_stats(f).slots > slots : lab_stats(f).slots < slots);
    *lost += lab_false_negatives(f, 0, n);
    guira_destroy(f);
    return changed ? before / after : 0;
}

/* Writes one line per load; returns ECF's ratios. */
static struct spread sweep_loads(struct lab *lab, bool extend, const double *loads, unsigned n, uint64_t *lost) {
    uint64_t buckets = lab->quick ? 8192 : 32768;
    unsigned passes = lab->quick ? 2 : 15;
    struct spread ratios = {0};
    for (unsigned i = 0; i < n; i++) {
        double ecf = throughput_ratio(ecf_filter(lab, buckets, 16), loads[i], extend, passes, lost);
        double tidal = throughput_ratio(tidal_filter(lab, buckets * CELLS, 16), loads[i], extend, passes, lost);
        fprintf(lab->data, "%d,%.2f,%.3f,%.3f\n", extend, loads[i], ecf, tidal);
        spread_add(&ratios, ecf);
    }
    return ratios;
}

void experiment(struct lab *lab) {
    static const double sparse[] = {0.30, 0.35, 0.40, 0.45, 0.48}, dense[] = {0.75, 0.80, 0.85, 0.90, 0.95};
    uint64_t lost = 0;
    fputs("extended,load,ecf,tidal\n", lab->data);
    struct spread halved = sweep_loads(lab, false, sparse, 5, &lost),
                  extended = sweep_loads(lab, true, dense, 5, &lost);
    lab_compare_words(lab, "Fig. 12: ECF's query throughput after halving / before", "roughly unchanged", 0.85, 1.15,
                      halved);
    lab_compare_words(lab, "Fig. 13: ECF's query throughput after extension / before", "roughly unchanged", 0.85, 1.15,
                      extended);
    lab_must_hold(lab, "no false negatives after resizing", text("%" PRIu64, lost), lost == 0);
}
