/* CCF, Fig. 5: the effect of k, b, max and v on the utilisation of CCF_B, on the flow trace of Fig. 4. With the printed
 * rule (only buckets with fewer than 2 fingerprints are removed) and with the library's. */
#include "quantile.h"

enum { SAMPLES = 1000 };

struct variant {
    const char *column, *what;
    struct i2cf_config config; /* m, b, k, max, v, merge_below */
};
static const struct variant variants[] = {
    {"reference", "reference (k = 2, b = 3, max = 1200, v = 10)", {64, 3, 2, 1200, 10, 2}},
    {"k4", "k = 4", {64, 3, 4, 1200, 10, 2}},
    {"k16", "k = 16", {64, 3, 16, 1200, 10, 2}},
    {"b6", "b = 6", {64, 6, 2, 1200, 10, 2}},
    {"max700", "max = 700", {64, 3, 2, 700, 10, 2}},
    {"v1", "v = 1", {64, 3, 2, 1200, 1, 2}},
};
enum { REFERENCE, K4, K16, B6, MAX700, V1, VARIANTS };

struct results {
    struct spread at[QUANTILES];
    struct spread mean, above_98, above_95;
    double library; /* mean utilisation with the library's rules, one seed */
};

static struct replay run_model(const struct lab *lab, const struct trace *t, const struct variant *x) {
    struct i2cf f = i2cf_make(x->config, lab->seed);
    struct replay r = replay_run(t, replay_i2cf(&f), SAMPLES, 0);
    i2cf_free(&f);
    return r;
}

static struct replay run_library(const struct lab *lab, const struct trace *t, const struct variant *x) {
    guira_config c = replay_config(GUIRA_CONSISTENT);
    c.policy = GUIRA_BUCKET_LEVEL;
    c.candidates = x->config.candidates;
    c.bucket_slots = x->config.slots;
    c.max_kicks = x->config.max_kicks;
    c.virtual_nodes = x->config.virtual_nodes;
    guira *f = lab_filter(lab, c);
    struct replay r = replay_run(t, replay_guira(f), SAMPLES, 0);
    guira_destroy(f);
    return r;
}

static void compare(struct lab *lab, const struct results x[VARIANTS]) {
    replay_compare_mean(lab, "k = 16", "0.9599", x[K16].mean);
    replay_compare_mean(lab, "b = 6", "0.9986", x[B6].mean);
    replay_compare_mean(lab, "v = 1", "0.9298", x[V1].mean);
    lab_note(lab, "mean utilisation, reference (compared in Fig. 4)", text("%.4f", x[REFERENCE].mean.mean));
    lab_compare_fact(lab, "fewer kicks (max = 700) lower the mean utilisation", "lower",
                     text("%.4f, reference %.4f", x[MAX700].mean.mean, x[REFERENCE].mean.mean),
                     x[MAX700].mean.mean < x[REFERENCE].mean.mean);
    lab_compare_words(lab, "samples above 0.98, k = 16", "nearly half", 0.40, 0.50, x[K16].above_98);
    lab_compare_bound(lab, "samples above 0.98, k = 2", "under 12 %", x[REFERENCE].above_98);
    lab_compare_spread(lab, "samples above 0.95, v = 1", "16 %", x[V1].above_95, 0.05);
    lab_compare_spread(lab, "samples above 0.95, v = 10", "76 %", x[REFERENCE].above_95, 0.05);
    for (int i = 0; i < VARIANTS && !lab->quick; i++)
        lab_note(lab, text("mean utilisation with the library's rules, %s", variants[i].what),
                 text("%.4f", x[i].library));
}

static void put_data(struct lab *lab, const struct results x[VARIANTS]) {
    fputs("part", lab->data);
    for (int i = 0; i < VARIANTS; i++)
        fprintf(lab->data, ",%s,%s_low,%s_high", variants[i].column, variants[i].column, variants[i].column);
    fputc('\n', lab->data);
    for (int q = 0; q < QUANTILES; q++) {
        fprintf(lab->data, "%.2f", q / (QUANTILES - 1.0));
        for (int i = 0; i < VARIANTS; i++)
            fprintf(lab->data, ",%.5f,%.5f,%.5f", x[i].at[q].mean, x[i].at[q].low, x[i].at[q].high);
        fputc('\n', lab->data);
    }
}

void experiment(struct lab *lab) {
    static struct results x[VARIANTS];
    unsigned rounds = lab->quick ? 2 : 3;
    for (unsigned round = 0; round < rounds; round++) {
        struct lab one = lab_with_seed(lab, round);
        struct trace t = replay_trace(&one);
        struct replay r[2 * VARIANTS];
        int n = 0;
        for (int i = 0; i < VARIANTS; i++) {
            r[n] = run_model(&one, &t, &variants[i]);
            quantiles_add(&r[n], MEASURE_LOAD, x[i].at);
            spread_add(&x[i].mean, replay_mean_load(&r[n]));
            spread_add(&x[i].above_98, fraction_above(&r[n], MEASURE_LOAD, 0.98));
            spread_add(&x[i].above_95, fraction_above(&r[n], MEASURE_LOAD, 0.95));
            n++;
            if (round == 0 && !lab->quick) { /* it takes longest */
                r[n] = run_library(&one, &t, &variants[i]);
                x[i].library = replay_mean_load(&r[n++]);
            }
            lab_progress("%s: mean utilisation %.4f", variants[i].what, x[i].mean.mean);
        }
        replay_check(lab, r, n, round);
        while (n > 0) replay_free(&r[--n]);
        trace_free(&t);
    }
    put_data(lab, x);
    compare(lab, x);
}
