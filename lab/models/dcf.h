/* A model of the dynamic cuckoo filter with the rules that the CCF paper describes. (The library's own implementation is
 * the kind GUIRA_DYNAMIC, which merges with kicks and therefore more often.)
 *
 *     insertion   into the active filter, with kicks; if that fails, a new filter is added and becomes active
 *     merging     a filter is dropped if every fingerprint of it finds a free slot in "its corresponding bucket" of
 *                 another filter, without kicks; tried with the emptiest filter after every removal
 *
 * Neither paper says whether room in older filters is used again: `refill` tries their buckets before a filter is
 * added. */
#ifndef GUIRA_LAB_DCF_H
#define GUIRA_LAB_DCF_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"

struct dcf_filter {
    uint32_t *slot; /* 0: empty */
    unsigned items;
};

struct dcf {
    unsigned buckets, slots, max_kicks; /* of one filter; buckets is a power of two */
    bool refill;
    unsigned filters, room, active; /* in the list; that there is memory for; the number of the active one */
    struct dcf_filter *list;
    uint64_t total;
    struct lab_rng rng;
};

struct dcf dcf_make(unsigned buckets, unsigned slots, unsigned max_kicks, uint64_t seed);
void dcf_free(struct dcf *f);

/* Keys are 64-bit hashes; fingerprints have 30 bits. */
void dcf_insert(struct dcf *f, uint64_t hash);
bool dcf_contains(const struct dcf *f, uint64_t hash);
bool dcf_remove(struct dcf *f, uint64_t hash);

uint64_t dcf_slots(const struct dcf *f);

#endif
