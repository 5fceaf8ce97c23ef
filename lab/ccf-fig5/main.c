/* CCF, Fig. 5: the effect of k, b, max and v on the utilisation of CCF_B, on the flow trace of Fig. 4. */
#include "quantile.h"

enum { SAMPLES = 1000 };

struct variant {
    const char *column, *what;
    unsigned k, b, max, v;
};
static const struct variant variants[] = {
    {"reference", "reference (k = 2, b = 3, max = 1200, v = 10)", 2, 3, 1200, 10},
    {"k4", "k = 4", 4, 3, 1200, 10},
    {"k16", "k = 16", 16, 3, 1200, 10},
    {"b6", "b = 6", 2, 6, 1200, 10},
    {"max700", "max = 700", 2, 3, 700, 10},
    {"v1", "v = 1", 2, 3, 1200, 1},
};
enum { REFERENCE, K4, K16, B6, MAX700, V1, VARIANTS };

static struct replay run(struct lab *lab, const struct trace *t, const struct variant *x) {
    guira_config c = replay_config(GUIRA_CONSISTENT);
    c.policy = GUIRA_BUCKET_LEVEL;
    c.candidates = x->k;
    c.bucket_slots = x->b;
    c.max_kicks = x->max;
    c.virtual_nodes = x->v;
    guira *f = lab_filter(lab, c);
    double begin = now();
    struct replay r = replay_run(t, f, SAMPLES, 0);
    guira_destroy(f);
    lab_progress("%s: mean utilisation %.4f, %.1f s", x->what, replay_mean_load(&r), now() - begin);
    return r;
}

static void compare(struct lab *lab, const struct replay r[VARIANTS]) {
    double mean[VARIANTS];
    for (int i = 0; i < VARIANTS; i++) mean[i] = replay_mean_load(&r[i]);
    lab_compare(lab, "mean utilisation, reference", 0.9481, mean[REFERENCE], 0.02);
    lab_compare(lab, "mean utilisation, k = 16", 0.9599, mean[K16], 0.02);
    lab_compare(lab, "mean utilisation, b = 6", 0.9986, mean[B6], 0.02);
    lab_compare(lab, "mean utilisation, v = 1", 0.9298, mean[V1], 0.02);
    lab_compare_text(lab, "fewer kicks (max = 700) lower the utilisation", "lower",
                     text("%.4f, reference %.4f", mean[MAX700], mean[REFERENCE]), mean[MAX700] < mean[REFERENCE]);
    lab_compare_text(lab, "more candidates raise the utilisation (k = 2, 4, 16)", "higher",
                     text("%.4f, %.4f, %.4f", mean[REFERENCE], mean[K4], mean[K16]), mean[K16] > mean[REFERENCE]);
    double above = 1 - fraction_below(&r[K16], MEASURE_LOAD, 0.98),
           before = 1 - fraction_below(&r[REFERENCE], MEASURE_LOAD, 0.98);
    lab_compare_text(lab, "samples above 0.98 with k = 16, and with k = 2", "nearly half; under 12 %",
                     text("%.0f %%; %.0f %%", 100 * above, 100 * before), above > 0.4 && before < 0.12);
    above = 1 - fraction_below(&r[V1], MEASURE_LOAD, 0.95),
    before = 1 - fraction_below(&r[REFERENCE], MEASURE_LOAD, 0.95);
    lab_compare_text(lab, "samples above 0.95 with v = 1, and with v = 10", "16 %; 76 %",
                     text("%.0f %%; %.0f %%", 100 * above, 100 * before),
                     above > 0.06 && above < 0.26 && before > 0.66 && before < 0.86);
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "ccf-fig5");
    struct trace t = replay_trace(&lab);
    struct replay r[VARIANTS];
    double load[VARIANTS][QUANTILES];
    fputs("part", lab.data);
    for (int i = 0; i < VARIANTS; i++) {
        r[i] = run(&lab, &t, &variants[i]);
        quantiles(&r[i], MEASURE_LOAD, load[i]);
        fprintf(lab.data, ",%s", variants[i].column);
    }
    fputc('\n', lab.data);
    replay_check(&lab, r, VARIANTS);
    for (int q = 0; q < QUANTILES; q++) {
        fprintf(lab.data, "%.2f", q / (QUANTILES - 1.0));
        for (int i = 0; i < VARIANTS; i++) fprintf(lab.data, ",%.5f", load[i][q]);
        fputc('\n', lab.data);
    }
    compare(&lab, r);
    for (int i = 0; i < VARIANTS; i++) replay_free(&r[i]);
    trace_free(&t);
    return lab_close(&lab);
}
