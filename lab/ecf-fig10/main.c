/* ECF, Fig. 10: number of kicks while 32K buckets of 4 slots are filled. */
#include <math.h>

#include "models/ecf.h"
#include "ecf_filters.h"

static const double loads[] = {0.70, 0.75, 0.80, 0.85, 0.90, 0.92, 0.95, 0.97, 0.98};
enum { LOADS = sizeof loads / sizeof *loads };

static void count_in_library(guira *f, double kicks[LOADS]) {
    uint64_t slots = lab_stats(f).slots, n = 0;
    for (int i = 0; i < LOADS; i++) {
        uint64_t to = (uint64_t)(loads[i] * (double)slots);
        kicks[i] = NAN;
        if (fill_in_place(f, n, to) != to) break;
        kicks[i] = (double)lab_stats(f).kicks;
        n = to;
    }
    guira_destroy(f);
}

/* Counts the kicks of the paper's random walk. An item that cannot be inserted is skipped, as in the paper's
 * program. */
static void count_in_model(const struct lab *lab, uint64_t buckets, bool plain, double kicks[LOADS]) {
    struct ecf f = ecf_make(buckets, CELLS, 12, lab->seed);
    f.plain = plain;
    uint64_t n = 0;
    for (int i = 0; i < LOADS; i++) {
        while (f.items < (uint64_t)(loads[i] * (double)(buckets * CELLS))) ecf_insert(&f, n++);
        kicks[i] = (double)f.kicks;
    }
    ecf_free(&f);
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "ecf-fig10");
    uint64_t buckets = lab.quick ? 8192 : 32768;
    static const char *const at[] = {"0.70", "", "", "", "0.90", "", "0.95", "0.97", "0.98"};
    static const double expected[] = {3500, 0, 0, 0, 40000, 0, 110000, 265000, 350000};
    double ecf[LOADS] = {0}, cf[LOADS] = {0}, library[LOADS] = {0}, tidal[LOADS] = {0}, scale = (double)buckets / 32768;
    count_in_model(&lab, buckets, false, ecf);
    count_in_model(&lab, buckets, true, cf);
    count_in_library(ecf_filter(&lab, buckets, 12), library);
    count_in_library(tidal_filter(&lab, buckets * CELLS, 12), tidal);
    fputs("load,ecf,cf,library,tidal\n", lab.data);
    for (int i = 0; i < LOADS; i++)
        fprintf(lab.data, "%.2f,%.0f,%.0f,%.0f,%.0f\n", loads[i], ecf[i], cf[i], library[i], tidal[i]);
    for (int i = 0; i < LOADS; i++)
        if (expected[i] > 0) lab_compare(&lab, text("kicks up to load %s", at[i]), expected[i] * scale, ecf[i], 0.25);
    lab_compare(&lab, "ratio of ECF's kicks to CF's, load 0.95", 1, ecf[6] / cf[6], 0.15);
    lab_note(&lab, "the library's ECF, load 0.95", text("%.0f kicks", library[6]));
    lab_note(&lab, "tidal, load 0.95 (it searches for a short eviction path first)", text("%.0f kicks", tidal[6]));
    return lab_close(&lab);
}
