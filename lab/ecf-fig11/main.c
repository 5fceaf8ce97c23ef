/* ECF, Fig. 11: slots read and written while the filter is filled, counted in the plain-array model. */
#include "models/ecf.h"
#include "ecf_filters.h"

static const double loads[] = {0.70, 0.74, 0.78, 0.82, 0.86, 0.90};
enum { LOADS = sizeof loads / sizeof *loads };

/* The ratio of one run has a standard deviation of about 0.006, that of the mean of so many 0.0005. */
enum { ROUNDS = 160 };

enum { ECF_READS, CF_READS, ECF_WRITES, CF_WRITES, COUNTS };

static void count(uint64_t seed, uint64_t buckets, bool plain, double out[COUNTS][LOADS]) {
    struct ecf f = ecf_make(buckets, CELLS, 12, seed);
    f.plain = plain;
    uint64_t n = 0;
    for (int i = 0; i < LOADS; i++) {
        n = ecf_fill(&f, n, (uint64_t)(loads[i] * (double)(buckets * CELLS)));
        out[plain ? CF_READS : ECF_READS][i] = (double)f.reads;
        out[plain ? CF_WRITES : ECF_WRITES][i] = (double)f.writes;
    }
    ecf_free(&f);
}

void experiment(struct lab *lab) {
    uint64_t buckets = lab->quick ? 8192 : 32768;
    struct spread all[COUNTS][LOADS] = {{{0}}}, reads = {0}, writes = {0};
    bool rising = true;
    for (unsigned round = 0; round < ROUNDS; round++) {
        double here[COUNTS][LOADS];
        for (int plain = 0; plain < 2; plain++) count(lab->seed + round, buckets, plain, here);
        spread_add(&reads, here[ECF_READS][LOADS - 1] / here[CF_READS][LOADS - 1]);
        spread_add(&writes, here[ECF_WRITES][LOADS - 1] / here[CF_WRITES][LOADS - 1]);
        for (int c = 0; c < COUNTS; c++)
            for (int i = 0; i < LOADS; i++) {
                spread_add(&all[c][i], here[c][i]);
                rising &= i == 0 || here[c][i] > here[c][i - 1];
            }
    }
    fputs("load,ecf_reads,low,high,cf_reads,low,high,ecf_writes,low,high,cf_writes,low,high\n", lab->data);
    for (int i = 0; i < LOADS; i++) {
        fprintf(lab->data, "%.2f", loads[i]);
        for (int c = 0; c < COUNTS; c++) spread_put(lab->data, all[c][i]);
        fputc('\n', lab->data);
    }
    lab_compare_words(lab, "reads of ECF / of CF, up to load 0.90", "a little higher", 1.001, 1.1, reads);
    lab_compare_words(lab, "writes of ECF / of CF, up to load 0.90", "nearly the same", 0.98, 1.02, writes);
    lab_compare_fact(lab, "both rise with the load, 0.70 to 0.90", "rise", rising ? "rise" : "do not", rising);
}
