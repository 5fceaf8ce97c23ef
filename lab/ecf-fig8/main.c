/* ECF, Figs. 8 and 9: insertion throughput up to a given load, as ratios to CF in the same run. */
#include <string.h>

#include "ecf_filters.h"

enum { ECF24, ECF32, CF32, TIDAL, FILTERS };
static const double loads[] = {0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.97};
enum { LOADS = sizeof loads / sizeof *loads };

static guira *make(const struct lab *lab, int which, uint64_t k) {
    switch (which) {
    case ECF24: return ecf_filter(lab, 24 * k, 16);
    case ECF32: return ecf_filter(lab, 32 * k, 16);
    case CF32: return cf_filter(lab, 32 * k, 16);
    default: return tidal_filter(lab, 32 * k * CELLS, 16);
    }
}

/* Fills one filter; best[i] is the shortest time per item, over all rounds, to fill it up to loads[i]. */
static void time_filling(const struct lab *lab, int which, uint64_t k, double best[LOADS]) {
    guira *f = make(lab, which, k);
    uint64_t slots = lab_stats(f).slots, n = 0;
    double spent = 0;
    for (int i = 0; i < LOADS; i++) {
        uint64_t to = (uint64_t)(loads[i] * (double)slots);
        double begin = now();
        uint64_t got = lab_fill(f, n, to);
        spent += now() - begin;
        if (got != to || lab_stats(f).slots != slots) break; /* it grew or is full: no measurement */
        n = to;
        if (spent / (double)n < best[i] || best[i] == 0) best[i] = spent / (double)n;
    }
    guira_destroy(f);
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "ecf-fig8");
    static double best[FILTERS][LOADS];
    unsigned rounds = lab.quick ? 3 : 15;
    for (unsigned round = 0; round < rounds;
         round++) /* interleaved, so that all are disturbed equally by other load on the machine */
        for (int f = 0; f < FILTERS; f++) time_filling(&lab, f, lab.quick ? 256 : 1024, best[f]);
    fputs("load,ecf24,ecf32,cf32,tidal\n", lab.data);
    double base = best[CF32][0];
    for (int i = 0; i < LOADS; i++) {
        fprintf(lab.data, "%.2f", loads[i]);
        for (int f = 0; f < FILTERS; f++) {
            if (best[f][i] > 0) fprintf(lab.data, ",%.4f", base / best[f][i]);
            else fputs(",", lab.data);
        }
        fputc('\n', lab.data);
    }
    double sizes = best[ECF32][6] / best[ECF24][6], plain = best[CF32][6] / best[ECF32][6],
           drop = best[ECF32][7] / best[ECF32][0];
    lab_compare_text(&lab, "24K and 32K buckets are equally fast (load 0.90)", "roughly the same",
                     text("ratio %.2f", sizes), sizes > 0.75 && sizes < 1.33);
    lab_compare_text(&lab, "ECF is a little slower than CF (load 0.90)", "a little",
                     text("%.2f of CF's throughput", plain), plain > 0.6 && plain < 1.05);
    lab_compare_text(&lab, "throughput falls with the load (paper: from 4 M/s to 1.5 M/s at 0.98; here up to 0.95)",
                     "falls", text("to %.2f of the throughput at 0.60", 1 / drop), drop > 1);
    lab_note(&lab, "tidal at load 0.95, relative to CF at 0.60",
             text("%.2f", best[TIDAL][7] > 0 ? base / best[TIDAL][7] : 0));
    return lab_close(&lab);
}
