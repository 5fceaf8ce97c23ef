/* ECF, Fig. 15: buckets read per lookup when ECF is extended and DCF gets more filters, counted in the model. */
#include "models/ecf.h"
#include "ecf_filters.h"

enum { MAX_FILTERS = 8 };

struct lookups {
    double members, non_members;
};

/* Mean number of buckets read. A lookup tries the filters of the list in order until one is positive. */
static struct lookups count_accesses(struct ecf *list, unsigned filters, uint64_t n) {
    uint64_t accesses[2] = {0, 0};
    for (unsigned kind = 0; kind < 2; kind++)
        for (uint64_t i = 0; i < n; i++) {
            uint64_t key = (uint64_t)(kind == 0 ? MEMBERS : NON_MEMBERS) << 56 | i;
            bool found = false;
            for (unsigned f = 0; f < filters && !found; f++) {
                uint64_t before = list[f].accesses;
                found = ecf_contains(&list[f], key);
                accesses[kind] += list[f].accesses - before;
            }
        }
    return (struct lookups){(double)accesses[0] / (double)n, (double)accesses[1] / (double)n};
}

void experiment(struct lab *lab) {
    uint64_t buckets = 4096, each = buckets * CELLS * 9 / 10, n = 0;
    struct ecf one = ecf_make(buckets, CELLS, 14, lab->seed), list[MAX_FILTERS];
    struct lookups ecf[4], dcf[4];
    unsigned filters = 0;
    fputs("size,ecf,ecf_non_members,dcf,dcf_non_members\n", lab->data);
    for (unsigned step = 0, size = 1; step < 4; step++, size *= 2) {
        n = ecf_fill(&one, n, each * size);
        for (; filters < size; filters++) {
            list[filters] = ecf_make(buckets, CELLS, 14, lab->seed + filters);
            list[filters].plain = true;
            ecf_fill(&list[filters], each * filters, each * (filters + 1));
        }
        ecf[step] = count_accesses(&one, 1, n);
        dcf[step] = count_accesses(list, filters, n);
        fprintf(lab->data, "%u,%.3f,%.3f,%.3f,%.3f\n", size, ecf[step].members, ecf[step].non_members,
                dcf[step].members, dcf[step].non_members);
        if (size < MAX_FILTERS) ecf_extend(&one, 2);
    }
    lab_compare(lab, "ECF, members, first size", "1.4", ecf[0].members, 0.1);
    lab_compare(lab, "ECF, members, 8 times the size", "1.4", ecf[3].members, 0.1);
    lab_compare_bound(lab, "DCF with 8 filters, members (the lookups for which ECF reads 1.4)", "above 10",
                      spread_of(dcf[3].members));
    lab_note(lab, "DCF with 8 filters, non-members", text("%.2f", dcf[3].non_members));
    lab_note(lab, "ECF, non-members", text("%.2f: always both buckets", ecf[3].non_members));
    lab_note(lab, "tidal", "2: always both buckets");
    ecf_free(&one);
    for (unsigned f = 0; f < filters; f++) ecf_free(&list[f]);
}
