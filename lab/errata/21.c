/* Guide: "delete if present" does not make deletion safe. A false positive is present. */
#include "errata.h"

enum { MEMBERS_IN = 15000 };

static guira *filled(const struct lab *lab) {
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = MEMBERS_IN};
    guira *f = lab_filter(lab, c);
    if (lab_fill(f, 0, MEMBERS_IN) != MEMBERS_IN) lab_die("the filter is full");
    return f;
}

void erratum_21(struct lab *lab) {
    uint64_t strangers = 200000, removed = 0;
    guira *f = filled(lab);
    for (uint64_t i = 0; i < strangers; i++)
        if (lab_contains(f, STRANGERS, i)) removed += lab_remove(f, STRANGERS, i) == GUIRA_OK;
    uint64_t missing = lab_missing(f, 0, MEMBERS_IN);
    lab_refute(lab, text("deleting %" PRIu64 " keys that were never inserted, if present", strangers), "harmless",
               text("%" PRIu64 " deletions, %" PRIu64 " members lost", removed, missing), missing > 0);
    guira_destroy(f);
    f = filled(lab);
    for (uint64_t i = 0; i < 1000; i++) lab_remove(f, MEMBERS, i);
    missing = lab_missing(f, 1000, MEMBERS_IN);
    lab_hold(lab, "deleting only what the store says was inserted loses nobody", text("%" PRIu64 " lost", missing),
             missing == 0);
    guira_destroy(f);
}
