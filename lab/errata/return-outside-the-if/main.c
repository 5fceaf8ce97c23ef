/* ECF: as printed, line 22 of Algorithm 2 is outside the `if` of line 20, so the first kick ends the loop. */
#include "models/ecf.h"

enum { BUCKETS = 3000, SLOTS = 4 };

/* The loop body once: the victim is stored if its alternate bucket has room; "Return true" in any case. */
static void insert_as_printed(struct ecf *f, uint64_t key) {
    struct ecf_entry e = ecf_entry_of(f, key);
    uint16_t *empty = ecf_find(f, e.first, 0);
    if (empty == NULL) empty = ecf_find(f, e.second, 0);
    if (empty != NULL) {
        *empty = e.fingerprint;
        return;
    }
    uint64_t bucket = lab_rng_below(&f->rng, 2) ? e.first : e.second;
    uint16_t *slot = ecf_bucket(f, bucket) + lab_rng_below(&f->rng, f->slots), out = *slot;
    *slot = e.fingerprint;
    empty = ecf_find(f, ecf_alternate(f, bucket, out), 0);
    if (empty != NULL) *empty = out;
}

void experiment(struct lab *lab) {
    struct spread lost = {0};
    uint64_t n = BUCKETS * SLOTS * 9 / 10, right = 0;
    for (unsigned round = 0; round < lab_seeds(lab); round++) {
        struct ecf f = ecf_make(BUCKETS, SLOTS, 12, lab->seed + round);
        for (uint64_t i = 0; i < n; i++) insert_as_printed(&f, (uint64_t)MEMBERS << 56 | i);
        spread_add(&lost, (double)ecf_false_negatives(&f, 0, n));
        ecf_free(&f);
        f = ecf_make(BUCKETS, SLOTS, 12, lab->seed + round);
        right += ecf_false_negatives(&f, 0, ecf_fill(&f, 0, n));
        ecf_free(&f);
    }
    lab_refute(lab, "\"Return true\" at line 22: members lost at load 0.90", "none",
               text("%.0f of %" PRIu64 " (%.0f to %.0f in %u runs)", lost.mean, n, lost.low, lost.high, lost.n),
               lost.low > 0);
    lab_must_hold(lab, "inside the if of line 20 no member is lost", text("%" PRIu64 " lost", right), right == 0);
}
