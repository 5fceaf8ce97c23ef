/* ECF, Fig. 10: number of kicks while 32K buckets of 4 slots are filled. */
#include <stdlib.h>

#include "models/ecf.h"
#include "ecf_filters.h"

static const double loads[] = {0.70, 0.75, 0.80, 0.85, 0.90, 0.92, 0.95, 0.97, 0.98};
enum { LOADS = sizeof loads / sizeof *loads, AT_70 = 0, AT_90 = 4, AT_95 = 6, AT_97 = 7, AT_98 = 8 };

/* Where the filter is full or grows there is no number any more. */
static void count_in_library(guira *f, struct spread kicks[LOADS]) {
    uint64_t slots = lab_stats(f).slots, n = 0;
    for (int i = 0; i < LOADS; i++) {
        uint64_t to = (uint64_t)(loads[i] * (double)slots);
        if (fill_in_place(f, n, to) != to) break;
        spread_add(&kicks[i], (double)lab_stats(f).kicks);
        n = to;
    }
    guira_destroy(f);
}

/* Counts the kicks of the paper's random walk. An item that cannot be inserted is skipped, as in the paper's
 * program. */
static void count_in_model(uint64_t seed, uint64_t buckets, bool plain, double kicks[LOADS]) {
    struct ecf f = ecf_make(buckets, CELLS, 12, seed);
    f.plain = plain;
    uint64_t n = seed << 32;
    for (int i = 0; i < LOADS; i++) {
        while (f.items < (uint64_t)(loads[i] * (double)(buckets * CELLS))) ecf_insert(&f, n++);
        kicks[i] = (double)f.kicks;
    }
    ecf_free(&f);
}

struct results {
    struct spread ecf[LOADS], cf[LOADS], library[LOADS], tidal[LOADS]; /* kicks, for 32K buckets */
    struct spread first_to_last, ecf_to_cf;
};

static void run(const struct lab *lab, struct results *x) {
    uint64_t buckets = lab->quick ? 8192 : 32768;
    double ecf[LOADS], cf[LOADS], scale = (double)buckets / 32768;
    count_in_model(lab->seed, buckets, false, ecf);
    count_in_model(lab->seed, buckets, true, cf);
    for (int i = 0; i < LOADS; i++) {
        spread_add(&x->ecf[i], ecf[i] / scale);
        spread_add(&x->cf[i], cf[i] / scale);
    }
    spread_add(&x->first_to_last, ecf[AT_70] / ecf[AT_98]);
    spread_add(&x->ecf_to_cf, ecf[AT_95] / cf[AT_95]);
    count_in_library(ecf_filter(lab, buckets, 12), x->library);
    count_in_library(tidal_filter(lab, buckets * CELLS, 12), x->tidal);
}

static void put_data(struct lab *lab, const struct results *x) {
    const struct spread *const row[] = {x->ecf, x->cf, x->library, x->tidal};
    fputs("load,ecf,ecf_low,ecf_high,cf,cf_low,cf_high,library,library_low,library_high,tidal,tidal_low,tidal_high\n",
          lab->data);
    for (int i = 0; i < LOADS; i++) {
        fprintf(lab->data, "%.2f", loads[i]);
        for (int f = 0; f < 4; f++)
            if (row[f][i].n > 0) spread_put(lab->data, row[f][i]);
            else fputs(",,,", lab->data);
        fputc('\n', lab->data);
    }
}

void experiment(struct lab *lab) {
    struct results x = {0};
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct lab one = lab_with_seed(lab, round);
        run(&one, &x);
    }
    put_data(lab, &x);
    lab_compare_spread(lab, "kicks up to load 0.98, for 32K buckets", "350000", x.ecf[AT_98], 35000);
    lab_compare_words(lab, "kicks up to load 0.70 / kicks up to 0.98", "nearly 0", 0, 0.02, x.first_to_last);
    lab_compare_words(lab, "kicks of ECF / of CF, load 0.95", "almost the same", 0.95, 1.05, x.ecf_to_cf);
    static const int at[] = {AT_70, AT_90, AT_95, AT_97};
    static const char *const earlier[] = {"3500", "40000", "110000", "265000"};
    for (int i = 0; i < 4; i++)
        lab_compare_earlier(lab, text("kicks up to load %.2f, for 32K buckets", loads[at[i]]), earlier[i], x.ecf[at[i]],
                            0.1 * atof(earlier[i]));
    lab_note(lab, "the library's ECF, load 0.95", text("%.0f kicks", x.library[AT_95].mean));
    lab_note(lab, "tidal, load 0.95 (it searches for a short eviction path first)",
             text("%.0f kicks", x.tidal[AT_95].mean));
}
