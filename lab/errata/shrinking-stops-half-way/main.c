/* ECF: Algorithm 4 (shrinkage) visits only half of the buckets, and treats buckets as full whose entries it
 * is about to move. */
#include <string.h>

#include "lab.h"
#include "models/ecf.h"

/* Moves the entries of buckets 0..visited-1 from B[i] to B[i/2] in place, as printed. Returns the number that go to the
 * stash. */
static uint64_t shrink_in_place(struct ecf *f, uint64_t visited, bool clear_first, uint64_t *moved) {
    uint64_t stash = 0;
    *moved = 0;
    for (uint64_t i = 0; i < visited; i++) {
        uint16_t entries[16];
        memcpy(entries, ecf_bucket(f, i), f->slots * sizeof *entries);
        if (clear_first) memset(ecf_bucket(f, i), 0, f->slots * sizeof *entries);
        for (unsigned j = 0; j < f->slots; j++) {
            if (entries[j] == 0) continue;
            uint16_t *empty = ecf_find(f, i / 2, 0);
            if (!clear_first) ecf_bucket(f, i)[j] = 0; /* as printed: cleared after the test for an empty slot */
            if (empty != NULL) *empty = entries[j];
            else stash++;
            (*moved)++;
        }
    }
    return stash;
}

/* Shrinks many small filters, so that a full first bucket occurs often enough. Sets the fractions of the entries that
 * were kept and that went to the stash. */
static void shrink_many(struct lab *lab, bool all_buckets, bool clear_first, double *kept_fraction, double *stashed) {
    enum { BUCKETS = 32, FILTERS = 2000 };
    uint64_t n = 0, kept = 0, stash = 0, moved;
    for (uint64_t t = 0; t < FILTERS; t++) {
        struct ecf f = ecf_make(BUCKETS, 4, 12, lab->seed + t);
        n += ecf_fill(&f, t << 10, (t << 10) + BUCKETS * 4 * 45 / 100) - (t << 10);
        stash += shrink_in_place(&f, all_buckets ? BUCKETS : BUCKETS / 2, clear_first, &moved);
        kept += moved;
        ecf_free(&f);
    }
    *kept_fraction = (double)kept / (double)n;
    *stashed = (double)stash / (double)n;
}

void experiment(struct lab *lab) {
    double kept, printed_stash, stash;
    shrink_many(lab, false, false, &kept, &printed_stash);
    lab_refute(lab, "the loop runs over L/2 buckets: members that are kept", "100 %", text("%.1f %%", 100 * kept),
               kept < 0.6);
    shrink_many(lab, true, false, &kept, &printed_stash);
    lab_must_hold(lab, "over all L buckets every member is kept", text("%.1f %%", 100 * kept), kept == 1);
    shrink_many(lab, true, true, &kept, &stash);
    lab_refute(lab, "a bucket is tested for an empty slot before its own entries are moved: entries sent to the stash",
               text("no more than needed, %.2f %%", 100 * stash), text("%.2f %%", 100 * printed_stash),
               printed_stash > stash);
    lab_must_hold(lab, "clearing a bucket first sends fewer entries to the stash", text("%.2f %%", 100 * stash),
                  stash < printed_stash && kept == 1);
}
