/* ECF, Figs. 8 and 9: insertion throughput up to a given load, as ratios to CF in the same run. The paper's programs are
 * models with the paper's random walk; the library's ECF and tidal are shown beside them. */
#include "models/ecf.h"
#include "ecf_filters.h"

enum { ECF24, ECF32, CF32, MODELS, LIBRARY = MODELS, TIDAL, FILTERS };
static const double loads[] = {0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.98};
enum { LOADS = sizeof loads / sizeof *loads, AT_90 = 6 };

/* Seconds per item to fill a filter up to each load; 0 where it grew or was full. */
struct times {
    double at[LOADS];
};

/* An item that cannot be inserted is skipped, as in the paper's program. */
static struct times time_model(uint64_t seed, int which, uint64_t k) {
    uint64_t buckets = (which == ECF24 ? 24 : 32) * k, n = 0;
    struct ecf f = ecf_make(buckets, CELLS, 16, seed);
    f.plain = which == CF32;
    struct times t = {{0}};
    double begin = now();
    for (int i = 0; i < LOADS; i++) {
        while ((double)f.items < loads[i] * (double)(buckets * CELLS)) ecf_insert(&f, n++);
        t.at[i] = (now() - begin) / (double)f.items;
    }
    ecf_free(&f);
    return t;
}

static struct times time_library(const struct lab *lab, int which, uint64_t k) {
    guira *f = which == TIDAL ? tidal_filter(lab, 32 * k * CELLS, 16) : ecf_filter(lab, 32 * k, 16);
    uint64_t slots = lab_stats(f).slots, n = 0;
    struct times t = {{0}};
    double begin = now();
    for (int i = 0; i < LOADS; i++) {
        uint64_t to = (uint64_t)(loads[i] * (double)slots);
        if (lab_fill(f, n, to) != to || lab_stats(f).slots != slots) break;
        n = to;
        t.at[i] = (now() - begin) / (double)n;
    }
    guira_destroy(f);
    return t;
}

/* The shortest times of several rounds; the filters take turns, so that other work on the machine disturbs all. */
static void measure(const struct lab *lab, struct times best[FILTERS]) {
    uint64_t k = lab->quick ? 256 : 1024;
    for (unsigned round = 0; round < (lab->quick ? 2U : 7U); round++)
        for (int f = 0; f < FILTERS; f++) {
            struct times t = f < MODELS ? time_model(lab->seed, f, k) : time_library(lab, f, k);
            for (int i = 0; i < LOADS; i++)
                if (best[f].at[i] == 0 || t.at[i] < best[f].at[i]) best[f].at[i] = t.at[i];
        }
}

/* Throughputs of one seed, relative to that at load 0.60: of CF for the models, of the library's ECF for the library. */
static void add_throughputs(const struct times best[FILTERS], struct spread x[FILTERS][LOADS]) {
    for (int f = 0; f < FILTERS; f++)
        for (int i = 0; i < LOADS; i++)
            if (best[f].at[i] > 0) spread_add(&x[f][i], best[f < MODELS ? CF32 : LIBRARY].at[0] / best[f].at[i]);
}

static void put_data(struct lab *lab, struct spread x[FILTERS][LOADS]) {
    fputs("load", lab->data);
    for (int f = 0; f < FILTERS; f++) {
        const char *name = (const char *[]){"ecf24", "ecf32", "cf32", "library", "tidal"}[f];
        fprintf(lab->data, ",%s,%s_low,%s_high", name, name, name);
    }
    fputc('\n', lab->data);
    for (int i = 0; i < LOADS; i++) {
        fprintf(lab->data, "%.2f", loads[i]);
        for (int f = 0; f < FILTERS; f++)
            if (x[f][i].n > 0) spread_put(lab->data, x[f][i]);
            else fputs(",,,", lab->data);
        fputc('\n', lab->data);
    }
}

void experiment(struct lab *lab) {
    struct spread x[FILTERS][LOADS] = {{{0}}}, sizes = {0}, plain = {0}, drop = {0};
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct lab one = lab_with_seed(lab, round);
        struct times here[FILTERS] = {{{0}}};
        measure(&one, here);
        add_throughputs(here, x);
        spread_add(&sizes, here[ECF32].at[AT_90] / here[ECF24].at[AT_90]);
        spread_add(&plain, here[ECF32].at[AT_90] / here[CF32].at[AT_90]);
        spread_add(&drop, here[ECF32].at[0] / here[ECF32].at[LOADS - 1]);
    }
    put_data(lab, x);
    lab_compare_words(lab, "Fig. 8: throughput of 24K buckets / 32K buckets, load 0.90", "roughly the same", 0.9, 1.1,
                      sizes);
    lab_compare_words(lab, "Fig. 9: throughput of CF / ECF, load 0.90", "a little higher", 1.01, 1.25, plain);
    lab_compare_spread(lab, "Figs. 8, 9: throughput at load 0.98 / at 0.60 (1.5K / 4K Kips)", "0.375", drop, 0.075);
    lab_note(lab, "tidal at load 0.95, relative to the library's ECF at 0.60", text("%.2f", x[TIDAL][7].mean));
}
