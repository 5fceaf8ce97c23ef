/* ECF: Algorithm 4, shrinkage, visits half of the buckets, and finds buckets full that it is about to empty. */
#include <string.h>

#include "errata.h"
#include "models/ecf.h"

/* Moves what is in buckets 0..visited-1 of f by B[i] -> B[i/2] in place, as printed. Returns how many go to the stash. */
static uint64_t shrink_in_place(struct ecf *f, uint64_t visited, bool take_out_first, uint64_t *moved) {
    uint64_t stash = 0;
    *moved = 0;
    for (uint64_t i = 0; i < visited; i++) {
        uint16_t held[16];
        memcpy(held, ecf_bucket(f, i), f->slots * sizeof *held);
        if (take_out_first) memset(ecf_bucket(f, i), 0, f->slots * sizeof *held);
        for (unsigned j = 0; j < f->slots; j++) {
            if (held[j] == 0) continue;
            uint16_t *room = ecf_find(f, i / 2, 0);
            if (!take_out_first) ecf_bucket(f, i)[j] = 0; /* printed: tested before, taken out after */
            if (room != NULL) *room = held[j];
            else stash++;
            (*moved)++;
        }
    }
    return stash;
}

/* Many small filters, so that a full first bucket is met often enough. */
static void try_it(struct lab *lab, bool whole, bool take_out_first, double *reached, double *stashed) {
    enum { BUCKETS = 32, FILTERS = 2000 };
    uint64_t n = 0, kept = 0, stash = 0, moved;
    for (uint64_t t = 0; t < FILTERS; t++) {
        struct ecf f = ecf_make(BUCKETS, 4, 12, lab->seed + t);
        n += ecf_fill(&f, t << 10, (t << 10) + BUCKETS * 4 * 45 / 100) - (t << 10);
        stash += shrink_in_place(&f, whole ? BUCKETS : BUCKETS / 2, take_out_first, &moved);
        kept += moved;
        ecf_free(&f);
    }
    *reached = (double)kept / (double)n;
    *stashed = (double)stash / (double)n;
}

void erratum_14(struct lab *lab) {
    double reached, printed_stash, stash;
    try_it(lab, false, false, &reached, &printed_stash);
    lab_refute(lab, "the loop runs over L/2 buckets: members that are kept", "100 %", text("%.1f %%", 100 * reached),
               reached < 0.6);
    try_it(lab, true, false, &reached, &printed_stash);
    lab_hold(lab, "over all L buckets every member is kept", text("%.1f %%", 100 * reached), reached == 1);
    try_it(lab, true, true, &reached, &stash);
    lab_refute(lab, "a bucket is tested for room before its own entries are out: entries sent to the stash",
               text("no more than needed, %.2f %%", 100 * stash), text("%.2f %%", 100 * printed_stash),
               printed_stash > stash);
    lab_hold(lab, "taking a bucket's entries out first sends fewer to the stash", text("%.2f %%", 100 * stash),
             stash < printed_stash && reached == 1);
}
