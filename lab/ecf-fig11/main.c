/* ECF, Fig. 11: slots read and written while the filter is filled, counted in the plain-array model. */
#include "models/ecf.h"
#include "ecf_filters.h"

static const double loads[] = {0.70, 0.74, 0.78, 0.82, 0.86, 0.90};
enum { LOADS = sizeof loads / sizeof *loads };

struct counts {
    double reads, writes;
};

static void count(uint64_t seed, uint64_t buckets, bool plain, struct counts out[LOADS]) {
    struct ecf f = ecf_make(buckets, CELLS, 12, seed);
    f.plain = plain;
    uint64_t n = 0;
    for (int i = 0; i < LOADS; i++) {
        n = ecf_fill(&f, n, (uint64_t)(loads[i] * (double)(buckets * CELLS)));
        out[i] = (struct counts){(double)f.reads, (double)f.writes};
    }
    ecf_free(&f);
}

void experiment(struct lab *lab) {
    uint64_t buckets = lab->quick ? 8192 : 32768;
    struct counts ecf[LOADS], cf[LOADS];
    struct spread reads = {0}, writes = {0};
    bool rising = true;
    for (unsigned round = lab_seeds(lab); round-- > 0;) { /* the first seed last: its counts are drawn */
        count(lab->seed + round, buckets, false, ecf);
        count(lab->seed + round, buckets, true, cf);
        spread_add(&reads, ecf[LOADS - 1].reads / cf[LOADS - 1].reads);
        spread_add(&writes, ecf[LOADS - 1].writes / cf[LOADS - 1].writes);
        for (int i = 1; i < LOADS; i++) rising &= ecf[i].reads > ecf[i - 1].reads && ecf[i].writes > ecf[i - 1].writes;
    }
    fputs("load,ecf_reads,cf_reads,ecf_writes,cf_writes\n", lab->data);
    for (int i = 0; i < LOADS; i++)
        fprintf(lab->data, "%.2f,%.0f,%.0f,%.0f,%.0f\n", loads[i], ecf[i].reads, cf[i].reads, ecf[i].writes,
                cf[i].writes);
    lab_compare_words(lab, "reads of ECF / of CF, up to load 0.90", "a little higher", 1.001, 1.1, reads);
    lab_compare_words(lab, "writes of ECF / of CF, up to load 0.90", "nearly the same", 0.98, 1.02, writes);
    lab_compare_fact(lab, "both rise with the load, 0.70 to 0.90", "rise", rising ? "rise" : "do not", rising);
}
