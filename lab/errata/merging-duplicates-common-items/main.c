/* Guide: what happens to items that are in both filters when they are merged. */
#include "models/ecf.h"

/* Merges two filters that have half of their members in common. */
void experiment(struct lab *lab) {
    struct ecf a = ecf_make(2048, 4, 12, lab->seed), b = ecf_make(2048, 4, 12, lab->seed + 1);
    a.plain = b.plain = true;
    ecf_fill(&a, 0, 3000);
    ecf_fill(&b, 1500, 4500);
    uint64_t failed = 0;
    for (uint64_t i = 0; i < b.buckets * b.slots; i++)
        if (b.slot[i] != 0) failed += !ecf_insert_at(&a, i / b.slots, b.slot[i]);
    lab_refute(lab, "merging re-inserts fingerprints: entries for 4,500 different items", "4500",
               text("%" PRIu64 ": two for each of the %d common items", a.items, 1500), a.items > 4500);
    lab_must_hold(lab, "no false negatives after the merge",
                  text("%" PRIu64 ", %" PRIu64 " did not fit", ecf_false_negatives(&a, 0, 4500), failed),
                  ecf_false_negatives(&a, 0, 4500) == 0);
    ecf_free(&a);
    ecf_free(&b);
}
