/* The filters of the ECF experiments; the contracts are in ecf_filters.h. */
#include "ecf_filters.h"

static const double never_reached = 0.995; /* insertions fail before this load, so the filter never grows */

guira *ecf_filter(const struct lab *lab, uint64_t buckets, unsigned bits) {
    guira_config c = {.kind = GUIRA_ELASTIC, .slot_bits = bits, .buckets = buckets, .bucket_slots = CELLS};
    c.max_load = never_reached;
    c.min_load = -1;
    return lab_filter(lab, c);
}

guira *cf_filter(const struct lab *lab, uint64_t buckets, unsigned bits) {
    guira_config c = {.kind = GUIRA_DYNAMIC, .slot_bits = bits, .buckets = buckets, .bucket_slots = CELLS};
    c.max_load = never_reached;
    c.min_load = -1;
    c.max_filters = 1;
    return lab_filter(lab, c);
}

guira *tidal_filter(const struct lab *lab, uint64_t slots, unsigned bits) {
    guira_config c = {.kind = GUIRA_TIDAL, .slot_bits = bits, .max_load = 0.98, .min_load = -1};
    c.capacity = (uint64_t)((double)slots * c.max_load);
    return lab_filter(lab, c);
}

uint64_t fill_in_place(guira *f, uint64_t from, uint64_t to) {
    uint64_t buckets = lab_stats(f).buckets;
    for (uint64_t i = from; i < to; i++) {
        if (lab_insert(f, MEMBERS, i) != GUIRA_OK) return i;
        if (i % 64 == 0 && lab_stats(f).buckets != buckets) return i; /* it has grown instead of failing */
    }
    return lab_stats(f).buckets == buckets ? to : to - 1;
}
