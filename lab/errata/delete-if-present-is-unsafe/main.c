/* guide: "delete if present" does not make deletion safe, because the test is positive for a false positive
 * too. */
#include "lab.h"

enum { ITEMS = 15000 };

static guira *filled_filter(const struct lab *lab) {
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = ITEMS};
    guira *f = lab_filter(lab, c);
    if (lab_fill(f, 0, ITEMS) != ITEMS) lab_fatal("the filter is full");
    return f;
}

void experiment(struct lab *lab) {
    uint64_t non_members = 200000, removed = 0;
    guira *f = filled_filter(lab);
    for (uint64_t i = 0; i < non_members; i++)
        if (lab_contains(f, NON_MEMBERS, i)) removed += lab_remove(f, NON_MEMBERS, i) == GUIRA_OK;
    uint64_t lost = lab_false_negatives(f, 0, ITEMS);
    lab_refute(lab, text("deleting %" PRIu64 " keys that were never inserted, if present", non_members), "harmless",
               text("%" PRIu64 " deletions, %" PRIu64 " members lost", removed, lost), lost > 0);
    guira_destroy(f);
    f = filled_filter(lab);
    for (uint64_t i = 0; i < 1000; i++) lab_remove(f, MEMBERS, i);
    lost = lab_false_negatives(f, 1000, ITEMS);
    lab_must_hold(lab, "deleting only keys that were inserted loses no other member", text("%" PRIu64 " lost", lost),
                  lost == 0);
    guira_destroy(f);
}
