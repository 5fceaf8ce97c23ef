/* CCF, Fig. 4: capacity, utilisation and empty slots of DCF, CCF_B, CCF_F and tidal on one flow trace, 1,000
 * samples. */
#include <string.h>

#include "quantile.h"

enum { FILTERS = 4, SAMPLES = 1000 };
enum { DCF, CCF_B, CCF_F, TIDAL };
static const char *const name[] = {"DCF", "CCF_B", "CCF_F", "tidal"};

/* The paper does not specify when to resize; our choice is explained in text.txt. */
static guira_config config_of(int which) {
    guira_config c = replay_config(which == DCF ? GUIRA_DYNAMIC : which == TIDAL ? GUIRA_TIDAL : GUIRA_CONSISTENT);
    c.policy = which == CCF_F ? GUIRA_FILTER_LEVEL : GUIRA_BUCKET_LEVEL;
    if (which == DCF) c.max_load = 0.97;
    if (which == TIDAL) c.max_load = 0.96, c.min_load = 0.94;
    return c;
}

static void put_distributions(struct lab *lab, const struct replay r[FILTERS]) {
    static double optimal[QUANTILES], at[FILTERS][3][QUANTILES];
    quantiles(&r[TIDAL], MEASURE_ITEMS, optimal);
    for (int f = 0; f < FILTERS; f++) {
        quantiles(&r[f], MEASURE_SLOTS, at[f][0]);
        quantiles(&r[f], MEASURE_LOAD, at[f][1]);
        quantiles(&r[f], MEASURE_EMPTY, at[f][2]);
    }
    fputs("part,optimal", lab->data);
    for (int m = 0; m < 3; m++)
        for (int f = 0; f < FILTERS; f++)
            fprintf(lab->data, ",%s_%s", name[f], (const char *[]){"buckets", "load", "empty"}[m]);
    fputc('\n', lab->data);
    for (int q = 0; q < QUANTILES; q++) {
        fprintf(lab->data, "%.2f,%.1f", q / (QUANTILES - 1.0), optimal[q] / 3);
        for (int m = 0; m < 3; m++)
            for (int f = 0; f < FILTERS; f++) fprintf(lab->data, ",%.5g", m == 0 ? at[f][m][q] / 3 : at[f][m][q]);
        fputc('\n', lab->data);
    }
}

static void compare(struct lab *lab, const struct replay r[FILTERS], double scale) {
    static const double mean[] = {0.8809, 0.9481, 0.9425}, best[] = {0.970, 1.0, 0.999}, few[] = {0.62, 0.93, 0.97};
    static const double low[] = {0.37, 0.10, 0.10};
    double load[QUANTILES], empty[QUANTILES];
    for (int f = DCF; f <= CCF_F; f++) {
        quantiles(&r[f], MEASURE_LOAD, load);
        lab_compare(lab, text("mean utilisation, %s", name[f]), mean[f], replay_mean_load(&r[f]), 0.02);
        lab_compare(lab, text("highest utilisation, %s", name[f]), best[f], load[QUANTILES - 1], 0.02);
        double below = fraction_below(&r[f], MEASURE_LOAD, 0.90);
        bool agrees = f == DCF ? below > 0.27 && below < 0.47 : below < low[f];
        lab_compare_text(lab, text("samples with a utilisation below 0.90, %s", name[f]),
                         f == DCF ? "37 %" : "under 10 %", text("%.1f %%", 100 * below), agrees);
        lab_compare(lab, text("samples with fewer than 500 empty slots, %s", name[f]), few[f],
                    fraction_below(&r[f], MEASURE_EMPTY, 500 * scale), 0.10);
    }
    quantiles(&r[DCF], MEASURE_EMPTY, empty);
    lab_compare(lab, "most empty slots, DCF", 3176 * scale, empty[QUANTILES - 1], 0.10);
    lab_compare_text(lab, "DCF is the least utilised of the three", "yes", text("%.4f", replay_mean_load(&r[DCF])),
                     replay_mean_load(&r[DCF]) < replay_mean_load(&r[CCF_B]) &&
                         replay_mean_load(&r[DCF]) < replay_mean_load(&r[CCF_F]));
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "ccf-fig4");
    struct trace t = replay_trace(&lab);
    struct replay r[FILTERS];
    lab_progress("trace: %zu flows, %zu concurrent at the peak", t.flows, t.peak);
    for (int f = 0; f < FILTERS; f++) {
        guira *filter = lab_filter(&lab, config_of(f));
        double begin = now();
        r[f] = replay_run(&t, filter, SAMPLES, 0);
        lab_progress("%s: mean utilisation %.4f, %.1f s", name[f], replay_mean_load(&r[f]), now() - begin);
        guira_destroy(filter);
    }
    replay_check(&lab, r, FILTERS);
    put_distributions(&lab, r);
    compare(&lab, r, (double)t.peak / PAPER_PEAK);
    lab_note(&lab, "mean utilisation, tidal", text("%.4f", replay_mean_load(&r[TIDAL])));
    lab_note(&lab, "trace", text("%zu flows, %zu concurrent at the peak", t.flows, t.peak));
    for (int f = 0; f < FILTERS; f++) replay_free(&r[f]);
    trace_free(&t);
    return lab_close(&lab);
}
