/* CCF, Fig. 4: capacity, utilisation and empty slots of DCF, CCF_B, CCF_F and tidal on one flow trace, 1,000 samples. The
 * papers leave much of the rules open: several readings are compared, the first three are those of the print. */
#include "quantile.h"

enum { SAMPLES = 1000 };
enum { DCF, CCF_B, CCF_F, TIDAL, DRAWN, DCF_REFILLED = DRAWN, DCF_LIBRARY, CCF_B_LIBRARY, READINGS };
static const struct {
    const char *name, *rules;
} reading[READINGS] = {
    {"DCF", "as printed: only the active filter is filled, merging without kicks"},
    {"CCF_B", "as printed: only buckets with fewer than 2 fingerprints are removed"},
    {"CCF_F", "the library: filters are removed when their entries fit into the others"},
    {"tidal", "the library: grows above load 0.96, shrinks below 0.94"},
    {"DCF, refilled", "free slots of older filters are used before a filter is added"},
    {"DCF, library", "refilled, merging with kicks"},
    {"CCF_B, library", "any bucket is removed when its entries fit into the others"},
};

/* The results of all seeds. */
struct results {
    struct spread at[MEASURES][QUANTILES];
    struct spread mean, highest, below_90, under_500, over_1000, most_empty, bits;
};

static guira_config config_of(int which) {
    guira_config c = replay_config(which == DCF_LIBRARY ? GUIRA_DYNAMIC
                                   : which == TIDAL     ? GUIRA_TIDAL
                                                        : GUIRA_CONSISTENT);
    c.policy = which == CCF_F ? GUIRA_FILTER_LEVEL : GUIRA_BUCKET_LEVEL;
    if (which == DCF_LIBRARY) c.max_load = 0.97;
    if (which == TIDAL) c.max_load = 0.96, c.min_load = 0.94;
    return c;
}

static struct replay replay_model(const struct lab *lab, int which, const struct trace *t) {
    struct replay r;
    if (which == CCF_B) {
        struct i2cf f = i2cf_make((struct i2cf_config){64, 3, 2, 1200, 10, 2}, lab->seed);
        r = replay_run(t, replay_i2cf(&f), SAMPLES, 0);
        i2cf_free(&f);
    } else {
        struct dcf f = dcf_make(64, 3, 1200, lab->seed);
        f.refill = which == DCF_REFILLED;
        r = replay_run(t, replay_dcf(&f), SAMPLES, 0);
        dcf_free(&f);
    }
    return r;
}

static struct replay replay_reading(const struct lab *lab, int which, const struct trace *t) {
    if (which == CCF_B || which == DCF || which == DCF_REFILLED) return replay_model(lab, which, t);
    guira *f = lab_filter(lab, config_of(which));
    struct replay r = replay_run(t, replay_guira(f), SAMPLES, 0);
    guira_destroy(f);
    return r;
}

static double bits_at_peak(const struct replay *r) {
    const struct sample *most = r->sample;
    for (size_t i = 1; i < r->samples; i++)
        if (r->sample[i].items > most->items) most = &r->sample[i];
    return 8.0 * (double)most->bytes / (double)most->items;
}

static void add_results(struct results *x, const struct replay *r, double scale) {
    double most_empty = 0, highest = 0;
    for (int m = 0; m < MEASURES; m++) quantiles_add(r, (enum measure)m, x->at[m]);
    for (size_t i = 0; i < r->samples; i++) {
        double empty = (double)(r->sample[i].slots - r->sample[i].items);
        double load = (double)r->sample[i].items / (double)r->sample[i].slots;
        if (empty > most_empty) most_empty = empty;
        if (load > highest) highest = load;
    }
    spread_add(&x->mean, replay_mean_load(r));
    spread_add(&x->highest, highest);
    spread_add(&x->below_90, fraction_below(r, MEASURE_LOAD, 0.90));
    spread_add(&x->under_500, fraction_below(r, MEASURE_EMPTY, 500 * scale));
    spread_add(&x->over_1000, fraction_above(r, MEASURE_EMPTY, 1000 * scale));
    spread_add(&x->most_empty, most_empty / scale);
    spread_add(&x->bits, bits_at_peak(r));
}

/* A line for every hundredth of the samples: mean, lowest and highest of all seeds. Empty slots are scaled to the paper's
 * trace. */
static void put_distributions(struct lab *lab, const struct results x[READINGS], double scale) {
    static const enum measure drawn[] = {MEASURE_SLOTS, MEASURE_LOAD, MEASURE_EMPTY};
    fputs("part,optimal", lab->data);
    for (int m = 0; m < 3; m++)
        for (int f = 0; f < DRAWN; f++)
            for (int i = 0; i < 3; i++)
                fprintf(lab->data, ",%s_%s_%s", reading[f].name, (const char *[]){"buckets", "load", "empty"}[m],
                        (const char *[]){"mean", "low", "high"}[i]);
    fputc('\n', lab->data);
    for (int q = 0; q < QUANTILES; q++) {
        fprintf(lab->data, "%.2f,%.1f", q / (QUANTILES - 1.0), x[TIDAL].at[MEASURE_ITEMS][q].mean / 3);
        for (int m = 0; m < 3; m++)
            for (int f = 0; f < DRAWN; f++) {
                struct spread s = x[f].at[drawn[m]][q];
                double part = (const double[]){3, 1, scale}[m]; /* slots to buckets */
                fprintf(lab->data, ",%.5g,%.5g,%.5g", s.mean / part, s.low / part, s.high / part);
            }
        fputc('\n', lab->data);
    }
}

static void put_table(struct lab *lab, const struct results x[READINGS]) {
    FILE *out = lab_file(lab, "table-readings.csv");
    fputs(
        "# caption: Readings of the rules that the papers leave open; means over all seeds. Bits per item at the peak "
        "include the ring.\n",
        out);
    fputs("filter,mean utilisation,highest,below 0.90,under 500 empty,over 1000 empty,most empty,bits per item,rules\n",
          out);
    for (int f = 0; f < READINGS; f++)
        fprintf(out, "\"%s\",%.4f,%.3f,%.0f %%,%.0f %%,%.0f %%,%.0f,%.1f,\"%s\"\n", reading[f].name, x[f].mean.mean,
                x[f].highest.mean, 100 * x[f].below_90.mean, 100 * x[f].under_500.mean, 100 * x[f].over_1000.mean,
                x[f].most_empty.mean, x[f].bits.mean, reading[f].rules);
    fputs("\"DCF, printed\",0.8809,0.970,37 %,62 %,16 %,3176,,what the paper prints\n"
          "\"CCF_B, printed\",0.9481,1.0,under 10 %,93 %,,,,what the paper prints\n"
          "\"CCF_F, printed\",0.9425,0.999,under 10 %,97 %,,,,what the paper prints\n",
          out);
    if (fclose(out) != 0) lab_fatal("%s: cannot write to %s", lab->name, lab->out);
}

static void compare(struct lab *lab, const struct results x[READINGS]) {
    static const char *const mean[] = {"0.8809", "0.9481", "0.9425"}, *const highest[] = {"0.970", "1.0", "0.999"};
    static const char *const few[] = {"62 %", "93 %", "97 %"};
    for (int f = DCF; f <= CCF_F; f++) {
        const char *name = reading[f].name;
        replay_compare_mean(lab, name, mean[f], x[f].mean);
        lab_compare_spread(lab, text("highest utilisation, %s", name), highest[f], x[f].highest, 0.02);
        lab_compare_spread(lab, text("samples with fewer than 500 empty slots, %s", name), few[f], x[f].under_500,
                           0.05);
        const char *what = text("samples with a utilisation below 0.90, %s", name);
        if (f == DCF) lab_compare_spread(lab, what, "37 %", x[f].below_90, 0.05);
        else lab_compare_bound(lab, what, "under 10 %", x[f].below_90);
    }
    lab_compare_spread(lab, "most empty slots, DCF", "3176", x[DCF].most_empty, 318);
    lab_compare_spread(lab, "samples with more than 1,000 empty slots, DCF", "16 %", x[DCF].over_1000, 0.05);
    lab_compare_fact(lab, "DCF has the lowest mean utilisation of the three", "lowest", text("%.4f", x[DCF].mean.mean),
                     x[DCF].mean.mean < x[CCF_B].mean.mean && x[DCF].mean.mean < x[CCF_F].mean.mean);
    lab_compare_fact(lab, "CCF_B has more empty slots than CCF_F (share of samples with fewer than 500)", "more",
                     text("%.0f %% and %.0f %%", 100 * x[CCF_B].under_500.mean, 100 * x[CCF_F].under_500.mean),
                     x[CCF_B].under_500.mean < x[CCF_F].under_500.mean);
}

void experiment(struct lab *lab) {
    static struct results x[READINGS];
    double scale = 1;
    unsigned rounds = lab->quick ? 2 : 3;
    for (unsigned round = 0; round < rounds; round++) {
        struct lab one = lab_with_seed(lab, round);
        struct trace t = replay_trace(&one);
        scale = (double)t.peak / PAPER_PEAK;
        if (round == 0) lab_note(lab, "trace", text("%zu flows, %zu concurrent at the peak", t.flows, t.peak));
        struct replay r[READINGS];
        int n = 0;
        for (int f = 0; f < READINGS; f++) {
            if (f == CCF_B_LIBRARY && round > 0) continue; /* it takes longest: one seed */
            r[n] = replay_reading(&one, f, &t);
            add_results(&x[f], &r[n], scale);
            lab_progress("%s: mean utilisation %.4f", reading[f].name, replay_mean_load(&r[n]));
            n++;
        }
        replay_check(lab, r, n, round);
        while (n > 0) replay_free(&r[--n]);
        trace_free(&t);
    }
    put_distributions(lab, x, scale);
    put_table(lab, x);
    compare(lab, x);
}
