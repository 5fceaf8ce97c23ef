/* ECF, Fig. 11: slots read and written while the filter is filled, counted in the plain-array model. */
#include "models/ecf.h"
#include "ecf_filters.h"

static const double loads[] = {0.70, 0.74, 0.78, 0.82, 0.86, 0.90};
enum { LOADS = sizeof loads / sizeof *loads };

struct counts {
    double reads, writes;
};

static void count(const struct lab *lab, uint64_t buckets, bool plain, struct counts out[LOADS]) {
    struct ecf f = ecf_make(buckets, CELLS, 12, lab->seed);
    f.plain = plain;
    uint64_t n = 0;
    for (int i = 0; i < LOADS; i++) {
        n = ecf_fill(&f, n, (uint64_t)(loads[i] * (double)(buckets * CELLS)));
        out[i] = (struct counts){(double)f.reads, (double)f.writes};
    }
    ecf_free(&f);
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "ecf-fig11");
    uint64_t buckets = lab.quick ? 8192 : 32768;
    struct counts ecf[LOADS], cf[LOADS];
    bool rising = true;
    count(&lab, buckets, false, ecf);
    count(&lab, buckets, true, cf);
    fputs("load,ecf_reads,cf_reads,ecf_writes,cf_writes\n", lab.data);
    for (int i = 0; i < LOADS; i++) {
        fprintf(lab.data, "%.2f,%.0f,%.0f,%.0f,%.0f\n", loads[i], ecf[i].reads, cf[i].reads, ecf[i].writes,
                cf[i].writes);
        rising &= i == 0 || (ecf[i].reads > ecf[i - 1].reads && ecf[i].writes > ecf[i - 1].writes);
    }
    double reads = ecf[LOADS - 1].reads / cf[LOADS - 1].reads, writes = ecf[LOADS - 1].writes / cf[LOADS - 1].writes;
    lab_compare_text(&lab, "ECF reads a little more than CF (load 0.90)", "a little more", text("%.3f times", reads),
                     reads > 0.98 && reads < 1.1);
    lab_compare_text(&lab, "ECF writes nearly as much as CF", "nearly the same", text("%.3f times", writes),
                     writes > 0.95 && writes < 1.05);
    lab_compare_text(&lab, "both rise with the load", "0.70 to 0.90", rising ? "yes" : "no", rising);
    return lab_close(&lab);
}
