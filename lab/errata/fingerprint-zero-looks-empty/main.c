/* CCF: fingerprints are 0..2^f - 1, so 0 cannot mark an empty slot. */
#include <string.h>

#include "lab.h"

enum { BUCKETS = 4096, SLOTS = 4 }; /* of 8 bits */

/* A table in which 0 is both the mark of an empty slot and a valid fingerprint. Returns how many of n members left
 * their slot empty, and sets *not_full to the number of buckets in which a lookup of fingerprint 0 is positive. */
static unsigned zero_is_empty(unsigned n, unsigned *not_full) {
    static uint8_t slot[BUCKETS][SLOTS];
    unsigned inserted = 0, stored = 0;
    memset(slot, 0, sizeof slot);
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *empty = memchr(slot[mix(i) % BUCKETS], 0, SLOTS);
        if (empty == NULL) continue;
        *empty = (uint8_t)(mix(i) >> 50);
        inserted++;
    }
    *not_full = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        *not_full += memchr(slot[b], 0, SLOTS) != NULL;
        for (unsigned s = 0; s < SLOTS; s++) stored += slot[b][s] != 0;
    }
    return inserted - stored;
}

void experiment(struct lab *lab) {
    unsigned not_full, zero = zero_is_empty(BUCKETS, &not_full);
    lab_refute(lab, "fingerprints from 0 to 2^f - 1, with 0 for empty slots: members that are not stored", "none",
               text("%u of %d", zero, BUCKETS), zero > 0);
    lab_refute(lab, "false-positive rate of non-members with fingerprint 0", "1 in 2^f",
               text("%.0f %%", 100.0 * not_full / BUCKETS), not_full > BUCKETS / 2);
    guira_config c = {.kind = GUIRA_CONSISTENT, .slot_bits = 8, .max_filters = 4};
    guira *f = lab_filter(lab, c);
    uint64_t filled = lab_fill(f, 0, 150), lost = lab_false_negatives(f, 0, filled);
    lab_must_hold(lab, "the library's filter with 8-bit fingerprints has no false negatives",
                  text("%" PRIu64 " of %" PRIu64, lost, filled), lost == 0 && filled > 100);
    guira_destroy(f);
}
