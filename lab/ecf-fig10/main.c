/* ECF, Fig. 10: number of kicks while 32K buckets of 4 slots are filled. */
#include <math.h>
#include <stdlib.h>

#include "models/ecf.h"
#include "ecf_filters.h"

static const double loads[] = {0.70, 0.75, 0.80, 0.85, 0.90, 0.92, 0.95, 0.97, 0.98};
enum { LOADS = sizeof loads / sizeof *loads, AT_70 = 0, AT_90 = 4, AT_95 = 6, AT_97 = 7, AT_98 = 8 };

static void count_in_library(guira *f, double kicks[LOADS]) {
    uint64_t slots = lab_stats(f).slots, n = 0;
    for (int i = 0; i < LOADS; i++) kicks[i] = NAN;
    for (int i = 0; i < LOADS; i++) {
        uint64_t to = (uint64_t)(loads[i] * (double)slots);
        if (fill_in_place(f, n, to) != to) break;
        kicks[i] = (double)lab_stats(f).kicks;
        n = to;
    }
    guira_destroy(f);
}

/* Counts the kicks of the paper's random walk. An item that cannot be inserted is skipped, as in the paper's
 * program. */
static void count_in_model(uint64_t seed, uint64_t buckets, bool plain, struct spread kicks[LOADS]) {
    struct ecf f = ecf_make(buckets, CELLS, 12, seed);
    f.plain = plain;
    uint64_t n = seed << 32;
    for (int i = 0; i < LOADS; i++) {
        while (f.items < (uint64_t)(loads[i] * (double)(buckets * CELLS))) ecf_insert(&f, n++);
        spread_add(&kicks[i], (double)f.kicks);
    }
    ecf_free(&f);
}

void experiment(struct lab *lab) {
    uint64_t buckets = lab->quick ? 8192 : 32768;
    double library[LOADS], tidal[LOADS], scale = (double)buckets / 32768;
    struct spread ecf[LOADS] = {{0}}, cf[LOADS] = {{0}};
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        count_in_model(lab->seed + round, buckets, false, ecf);
        count_in_model(lab->seed + round, buckets, true, cf);
    }
    count_in_library(ecf_filter(lab, buckets, 12), library);
    count_in_library(tidal_filter(lab, buckets * CELLS, 12), tidal);
    fputs("load,ecf,ecf_low,ecf_high,cf,library,tidal\n", lab->data);
    for (int i = 0; i < LOADS; i++)
        fprintf(lab->data, "%.2f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", loads[i], ecf[i].mean, ecf[i].low, ecf[i].high,
                cf[i].mean, library[i], tidal[i]);
    struct spread last = {ecf[AT_98].mean / scale, ecf[AT_98].low / scale, ecf[AT_98].high / scale, ecf[AT_98].n};
    lab_compare_spread(lab, "kicks up to load 0.98, for 32K buckets", "350000", last, 35000);
    lab_compare_words(lab, "kicks up to load 0.70 / kicks up to 0.98", "nearly 0", 0, 0.02,
                      spread_of(ecf[AT_70].mean / ecf[AT_98].mean));
    lab_compare_words(lab, "kicks of ECF / of CF, load 0.95", "almost the same", 0.95, 1.05,
                      spread_of(ecf[AT_95].mean / cf[AT_95].mean));
    static const int at[] = {AT_70, AT_90, AT_95, AT_97};
    static const char *const earlier[] = {"3500", "40000", "110000", "265000"};
    for (int i = 0; i < 4; i++) {
        struct spread x = ecf[at[i]];
        struct spread scaled = {x.mean / scale, x.low / scale, x.high / scale, x.n};
        lab_compare_earlier(lab, text("kicks up to load %.2f, for 32K buckets", loads[at[i]]), earlier[i], scaled,
                            0.1 * atof(earlier[i]));
    }
    lab_note(lab, "the library's ECF, load 0.95", text("%.0f kicks", library[AT_95]));
    lab_note(lab, "tidal, load 0.95 (it searches for a short eviction path first)", text("%.0f kicks", tidal[AT_95]));
}
