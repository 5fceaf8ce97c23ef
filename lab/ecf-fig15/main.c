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

enum { SIZES = 4 };
struct results {
    struct spread ecf[SIZES][2], dcf[SIZES][2]; /* [size][members, non-members] */
};

static void add_lookups(struct spread x[2], struct lookups l) {
    spread_add(&x[0], l.members);
    spread_add(&x[1], l.non_members);
}

static void run(uint64_t seed, struct results *x) {
    uint64_t buckets = 4096, each = buckets * CELLS * 9 / 10, n = 0;
    struct ecf one = ecf_make(buckets, CELLS, 14, seed), list[MAX_FILTERS];
    unsigned filters = 0;
    for (unsigned step = 0, size = 1; step < SIZES; step++, size *= 2) {
        n = ecf_fill(&one, n, each * size);
        for (; filters < size; filters++) {
            list[filters] = ecf_make(buckets, CELLS, 14, seed + filters);
            list[filters].plain = true;
            ecf_fill(&list[filters], each * filters, each * (filters + 1));
        }
        add_lookups(x->ecf[step], count_accesses(&one, 1, n));
        add_lookups(x->dcf[step], count_accesses(list, filters, n));
        if (size < MAX_FILTERS) ecf_extend(&one, 2);
    }
    ecf_free(&one);
    for (unsigned f = 0; f < filters; f++) ecf_free(&list[f]);
}

void experiment(struct lab *lab) {
    struct results x = {0};
    for (unsigned round = 0; round < lab_seeds(lab); round++) run(lab->seed + 1000 * round, &x);
    fputs("size,ecf,ecf_low,ecf_high,ecf_non,ecf_non_low,ecf_non_high,"
          "dcf,dcf_low,dcf_high,dcf_non,dcf_non_low,dcf_non_high\n",
          lab->data);
    for (unsigned i = 0; i < SIZES; i++) {
        fprintf(lab->data, "%u", 1U << i);
        for (int k = 0; k < 2; k++) spread_put(lab->data, x.ecf[i][k]);
        for (int k = 0; k < 2; k++) spread_put(lab->data, x.dcf[i][k]);
        fputc('\n', lab->data);
    }
    lab_compare_spread(lab, "ECF, members, first size", "1.4", x.ecf[0][0], 0.1);
    lab_compare_spread(lab, "ECF, members, 8 times the size", "1.4", x.ecf[SIZES - 1][0], 0.1);
    lab_compare_bound(lab, "DCF with 8 filters, members (the lookups for which ECF reads 1.4)", "above 10",
                      x.dcf[SIZES - 1][0]);
    lab_note(lab, "DCF with 8 filters, non-members", text("%.2f", x.dcf[SIZES - 1][1].mean));
    lab_note(lab, "ECF, non-members", text("%.2f: always both buckets", x.ecf[SIZES - 1][1].mean));
    lab_note(lab, "tidal", "2: always both buckets");
}
