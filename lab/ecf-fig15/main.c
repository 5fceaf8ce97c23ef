/* ECF, Fig. 15: buckets looked at per lookup, as ECF is extended and DCF gets more filters. Counted in the model. */
#include "models/ecf.h"
#include "ecf_filters.h"

enum { MOST = 8 };

struct lookups {
    double members, strangers;
};

/* A lookup in a list goes from filter to filter until one has it. */
static struct lookups count(struct ecf *list, unsigned filters, uint64_t n) {
    uint64_t accesses[2] = {0, 0};
    for (unsigned who = 0; who < 2; who++)
        for (uint64_t i = 0; i < n; i++) {
            uint64_t key = (uint64_t)(who == 0 ? MEMBERS : STRANGERS) << 56 | i;
            bool found = false;
            for (unsigned f = 0; f < filters && !found; f++) {
                uint64_t before = list[f].accesses;
                found = ecf_has(&list[f], key);
                accesses[who] += list[f].accesses - before;
            }
        }
    return (struct lookups){(double)accesses[0] / (double)n, (double)accesses[1] / (double)n};
}

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv, "ecf-fig15");
    uint64_t buckets = 4096, each = buckets * CELLS * 9 / 10, n = 0;
    struct ecf one = ecf_make(buckets, CELLS, 14, lab.seed), list[MOST];
    struct lookups ecf[4], dcf[4];
    unsigned filters = 0;
    fputs("size,ecf,ecf_strangers,dcf,dcf_strangers\n", lab.data);
    for (unsigned step = 0, size = 1; step < 4; step++, size *= 2) {
        n = ecf_fill(&one, n, each * size);
        for (; filters < size; filters++) {
            list[filters] = ecf_make(buckets, CELLS, 14, lab.seed + filters);
            list[filters].plain = true;
            ecf_fill(&list[filters], each * filters, each * (filters + 1));
        }
        ecf[step] = count(&one, 1, n);
        dcf[step] = count(list, filters, n);
        fprintf(lab.data, "%u,%.3f,%.3f,%.3f,%.3f\n", size, ecf[step].members, ecf[step].strangers, dcf[step].members,
                dcf[step].strangers);
        if (size < MOST) ecf_extend(&one, 2);
    }
    lab_compare(&lab, "ECF, members, first size", 1.4, ecf[0].members, 0.1);
    lab_compare(&lab, "ECF, members, 8 times the size", 1.4, ecf[3].members, 0.1);
    lab_agree(&lab, "DCF with 8 filters", "above 10",
              text("members %.1f, strangers %.1f", dcf[3].members, dcf[3].strangers),
              (dcf[3].members + dcf[3].strangers) / 2 > 10);
    lab_note(&lab, "ECF, strangers", text("%.2f: both buckets always", ecf[3].strangers));
    lab_note(&lab, "tidal", "both buckets, always: 2");
    ecf_free(&one);
    for (unsigned f = 0; f < filters; f++) ecf_free(&list[f]);
    return lab_close(&lab);
}
