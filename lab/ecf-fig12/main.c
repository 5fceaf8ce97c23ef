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

enum { LOADS = 5 };
static const double loads[2][LOADS] = {{0.30, 0.35, 0.40, 0.45, 0.48}, {0.75, 0.80, 0.85, 0.90, 0.95}}; /* [extended] */

struct ratios {
    struct spread ecf[2][LOADS], tidal[2][LOADS];
};

static void add_ratios(const struct lab *lab, struct ratios *r, uint64_t *lost) {
    uint64_t buckets = lab->quick ? 8192 : 32768;
    unsigned passes = lab->quick ? 2 : 5;
    for (int extend = 0; extend < 2; extend++)
        for (int i = 0; i < LOADS; i++) {
            double load = loads[extend][i];
            spread_add(&r->ecf[extend][i], throughput_ratio(ecf_filter(lab, buckets, 16), load, extend, passes, lost));
            spread_add(&r->tidal[extend][i],
                       throughput_ratio(tidal_filter(lab, buckets * CELLS, 16), load, extend, passes, lost));
        }
}

void experiment(struct lab *lab) {
    struct ratios r = {0};
    uint64_t lost = 0;
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct lab one = lab_with_seed(lab, round);
        add_ratios(&one, &r, &lost);
    }
    fputs("extended,load,ecf,ecf_low,ecf_high,tidal,tidal_low,tidal_high\n", lab->data);
    for (int extend = 0; extend < 2; extend++)
        for (int i = 0; i < LOADS; i++) {
            fprintf(lab->data, "%d,%.2f", extend, loads[extend][i]);
            spread_put(lab->data, r.ecf[extend][i]);
            spread_put(lab->data, r.tidal[extend][i]);
            fputc('\n', lab->data);
        }
    lab_compare_each(lab, "Fig. 12: ECF's query throughput after halving / before, at each load", "roughly unchanged",
                     0.85, 1.15, r.ecf[0], LOADS);
    lab_compare_each(lab, "Fig. 13: ECF's query throughput after extension / before, at each load", "roughly unchanged",
                     0.85, 1.15, r.ecf[1], LOADS);
    lab_must_hold(lab, "no false negatives after resizing", text("%" PRIu64, lost), lost == 0);
}
