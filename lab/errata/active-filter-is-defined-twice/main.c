/* CCF: "active" is defined twice, and the definitions name different filters. */
#include "lab.h"

/* How often "least loaded" and "last extended" name different filters, in four filters with random insertions and
 * removals. */
static double disagreement(struct lab_rng *r) {
    unsigned items[4] = {0}, capacity[4] = {192, 192, 192, 192}, extended = 0, differ = 0, steps = 20000;
    for (unsigned i = 0; i < steps; i++) {
        unsigned least = 0, from = (unsigned)lab_rng_below(r, 4);
        for (unsigned j = 1; j < 4; j++)
            if (items[j] < items[least]) least = j;
        differ += least != extended;
        if (lab_rng_below(r, 10) < 6) {
            if (++items[least] > capacity[least]) capacity[extended = least] += 3;
        } else if (items[from] > 0) items[from]--;
    }
    return (double)differ / steps;
}

void experiment(struct lab *lab) {
    struct lab_rng r = {lab->seed};
    double differ = disagreement(&r);
    lab_refute(lab, "the active filter: least loaded (section III-C), or last extended (III-B)", "the same",
               text("different in %.0f %% of the insertions", 100 * differ), differ > 0.05);
    guira_config c = {.kind = GUIRA_CONSISTENT, .policy = GUIRA_FILTER_LEVEL, .bucket_slots = 3};
    guira *f = lab_filter(lab, c);
    uint64_t filled = lab_fill(f, 0, 2000), lost = lab_false_negatives(f, 0, filled);
    lab_must_hold(lab, "the library uses one definition, the filter with the lowest load, and loses no member",
                  text("%" PRIu64 " of %" PRIu64 " in %" PRIu64 " filters", lost, filled, lab_stats(f).filters),
                  lost == 0 && filled == 2000 && lab_stats(f).filters > 1);
    guira_destroy(f);
}
