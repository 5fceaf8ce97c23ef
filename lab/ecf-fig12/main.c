/* ECF, Figs. 12 and 13: query throughput after halving and after extension, over that before, in the same run. */
#include "ecf_filters.h"

/* Seconds per query, half members, half strangers; the best of a few passes. */
static double query_time(const guira *f, uint64_t members, unsigned passes) {
    double best = 0;
    uint64_t hits = 0;
    for (unsigned pass = 0; pass < passes; pass++) {
        double begin = now();
        for (uint64_t i = 0; i < members; i++) {
            hits += lab_contains(f, MEMBERS, i);
            hits += lab_contains(f, STRANGERS, i);
        }
        double spent = (now() - begin) / (2 * (double)members);
        if (pass == 0 || spent < best) best = spent;
    }
    if (hits < passes * members) lab_die("a member was denied"); /* and the lookups cannot be optimised away */
    return best;
}

/* Throughput after the change over that before; 0: the change did not happen. */
static double ratio(guira *f, double load, bool extend, unsigned passes, uint64_t *missing) {
    uint64_t slots = lab_stats(f).slots, n = lab_fill(f, 0, (uint64_t)(load * (double)slots));
    double before = query_time(f, n, passes);
    guira_status s = extend ? guira_reserve(f, (uint64_t)((double)slots * 1.1)) : guira_shrink_to_fit(f);
    double after = query_time(f, n, passes);
    bool changed = s == GUIRA_OK && (extend ? lab_stats(f).slots > slots : lab_stats(f).slots < slots);
    *missing += lab_missing(f, 0, n);
    guira_destroy(f);
    return changed ? before / after : 0;
}

static double sweep(struct lab *lab, bool extend, const double *loads, unsigned n, uint64_t *missing) {
    uint64_t buckets = lab->quick ? 8192 : 32768;
    unsigned passes = lab->quick ? 3 : 25;
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        double ecf = ratio(ecf_filter(lab, buckets, 16), loads[i], extend, passes, missing);
        double tidal = ratio(tidal_filter(lab, buckets * CELLS, 16), loads[i], extend, passes, missing);
        fprintf(lab->data, "%d,%.2f,%.3f,%.3f\n", extend, loads[i], ecf, tidal);
        sum += ecf;
    }
    return sum / n;
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "ecf-fig12");
    static const double sparse[] = {0.30, 0.35, 0.40, 0.45, 0.48}, dense[] = {0.75, 0.80, 0.85, 0.90, 0.95};
    uint64_t missing = 0;
    fputs("extended,load,ecf,tidal\n", lab.data);
    double halved = sweep(&lab, false, sparse, 5, &missing), extended = sweep(&lab, true, dense, 5, &missing);
    lab_compare(&lab, "Fig. 12: ECF's query throughput after halving, over that before", 1, halved, 0.25);
    lab_compare(&lab, "Fig. 13: after extension", 1, extended, 0.25);
    lab_hold(&lab, "no member is denied after either", text("%" PRIu64, missing), missing == 0);
    return lab_close(&lab);
}
