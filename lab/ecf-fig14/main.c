/* ECF, Fig. 14: false-positive rate of ECF and DCF when they are filled to 0.90 and doubled, three times. */
#include <math.h>

#include "ecf_filters.h"
#include "theory.h"

enum { ECF, DCF, TIDAL, FILTERS };

static guira *make(const struct lab *lab, int which, uint64_t buckets) {
    guira_config c = {.slot_bits = 12, .buckets = buckets, .bucket_slots = CELLS, .max_load = 0.905, .min_load = -1};
    c.kind = which == ECF ? GUIRA_ELASTIC : which == DCF ? GUIRA_DYNAMIC : GUIRA_TIDAL;
    if (which == TIDAL) c.capacity = (uint64_t)(0.9 * (double)(buckets * CELLS)); /* starts as large as the others */
    return lab_filter(lab, c);
}

/* The measurements of all seeds at one point: a size and a load. */
struct point {
    unsigned size, percent;
    double theory;
    struct spread rate[FILTERS], ratio; /* ratio: ECF to DCF */
};
enum { POINTS = 7 };

struct run {
    guira *f[FILTERS];
    uint64_t members, probes, lost;
};

/* Fills all filters up to n members and adds their rates to the point. */
static void measure(struct run *run, uint64_t n, struct point *p) {
    double rate[FILTERS];
    for (int i = 0; i < FILTERS; i++) {
        lab_fill(run->f[i], run->members, n);
        rate[i] = lab_fpr(run->f[i], run->probes).value;
        spread_add(&p->rate[i], rate[i]);
        run->lost += lab_false_negatives(run->f[i], 0, n);
    }
    spread_add(&p->ratio, rate[ECF] / rate[DCF]);
    run->members = n;
}

/* Fills to 0.90, doubles (0.45), fills again, and so on; returns the number of false negatives. */
static uint64_t grow(const struct lab *lab, uint64_t buckets, struct point points[POINTS]) {
    struct run run = {.probes = lab->quick ? 50000 : 200000};
    for (int i = 0; i < FILTERS; i++) run.f[i] = make(lab, i, buckets);
    for (struct point *p = points; p < points + POINTS; p++) {
        uint64_t full = (uint64_t)(0.9 * (double)(buckets * CELLS * p->size));
        if (p->percent == 45) {
            guira_reserve(run.f[ECF], run.members + 100);
            guira_reserve(run.f[DCF], full);
        }
        measure(&run, p->percent == 45 ? run.members : full, p);
    }
    for (int i = 0; i < FILTERS; i++) guira_destroy(run.f[i]);
    return run.lost;
}

static void put_data(struct lab *lab, const struct point points[POINTS]) {
    fputs("step,label,ecf,ecf_low,ecf_high,dcf,dcf_low,dcf_high,tidal,tidal_low,tidal_high,theory\n", lab->data);
    for (unsigned i = 0; i < POINTS; i++) {
        fprintf(lab->data, "%u,%u-%u%%", i, points[i].size, points[i].percent);
        for (int f = 0; f < FILTERS; f++) spread_put(lab->data, points[i].rate[f]);
        fprintf(lab->data, ",%.5f\n", points[i].theory);
    }
}

static void compare(struct lab *lab, const struct point points[POINTS]) {
    const struct point *first = &points[0], *last = &points[POINTS - 1];
    struct spread ratio[POINTS];
    for (unsigned i = 0; i < POINTS; i++) ratio[i] = points[i].ratio;
    lab_compare_each(lab, "rate of ECF / of DCF, at each of seven points", "nearly the same", 0.9, 1.1, ratio, POINTS);
    lab_must_hold(lab, "ECF's rate grows in proportion to its size",
                  text("8-90%%: %.4f, %.1f times that of 1-90%%, theory %.4f", last->rate[ECF].mean,
                       last->rate[ECF].mean / first->rate[ECF].mean, last->theory),
                  fabs(last->rate[ECF].mean / last->theory - 1) < 0.08); /* 10^5 probes or more: five times the error */
    lab_note(lab, "tidal, ratio of 8-90% to 1-90%", text("%.1f", last->rate[TIDAL].mean / first->rate[TIDAL].mean));
}

void experiment(struct lab *lab) {
    uint64_t buckets = lab->quick ? 1024 : 4096, lost = 0;
    struct point points[POINTS] = {{.size = 1, .percent = 90}};
    for (unsigned i = 1; i < POINTS; i++) {
        points[i].percent = i % 2 == 1 ? 45 : 90;
        points[i].size = points[i - 1].size * (i % 2 == 1 ? 2 : 1);
    }
    for (unsigned i = 0; i < POINTS; i++)
        points[i].theory =
            theory_ecf_fpr(buckets * points[i].size, CELLS, points[i].percent / 100.0, 12, points[i].size);
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct lab one = lab_with_seed(lab, round);
        lost += grow(&one, buckets, points);
    }
    put_data(lab, points);
    compare(lab, points);
    lab_must_hold(lab, "no false negatives", text("%" PRIu64, lost), lost == 0);
}
