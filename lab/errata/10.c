/* CCF: fingerprints are 0..2^f - 1, so 0 cannot mean empty; and "active" is defined twice. */
#include <string.h>

#include "errata.h"

enum { BUCKETS = 4096, SLOTS = 4 }; /* of 8 bits */

/* A table where 0 is empty and a legal fingerprint. Returns how many of n members left no trace, and sets ghosts to how
 * many buckets have what a stranger with fingerprint 0 looks for. */
static unsigned zero_is_empty(unsigned n, unsigned *ghosts) {
    static uint8_t slot[BUCKETS][SLOTS];
    unsigned placed = 0, traces = 0;
    memset(slot, 0, sizeof slot);
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *room = memchr(slot[mix(i) % BUCKETS], 0, SLOTS);
        if (room == NULL) continue;
        *room = (uint8_t)(mix(i) >> 50);
        placed++;
    }
    *ghosts = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        *ghosts += memchr(slot[b], 0, SLOTS) != NULL;
        for (unsigned s = 0; s < SLOTS; s++) traces += slot[b][s] != 0;
    }
    return placed - traces;
}

/* Four filters under random insertions and removals: how often "least loaded" and "last extended" are not the same. */
static double disagreement(struct dice *r) {
    unsigned items[4] = {0}, capacity[4] = {192, 192, 192, 192}, extended = 0, differ = 0, steps = 20000;
    for (unsigned i = 0; i < steps; i++) {
        unsigned least = 0, from = (unsigned)dice_below(r, 4);
        for (unsigned j = 1; j < 4; j++)
            if (items[j] < items[least]) least = j;
        differ += least != extended;
        if (dice_below(r, 10) < 6) {
            if (++items[least] > capacity[least]) capacity[extended = least] += 3;
        } else if (items[from] > 0) items[from]--;
    }
    return (double)differ / steps;
}

void erratum_10(struct lab *lab) {
    struct dice r = {lab->seed};
    unsigned ghosts, zero = zero_is_empty(BUCKETS, &ghosts);
    lab_refute(lab, "fingerprints from 0 to 2^f - 1, with 0 for empty slots: members that leave no trace", "none",
               text("%u of %d", zero, BUCKETS), zero > 0);
    lab_refute(lab, "strangers with fingerprint 0 that find an empty slot and pass for members", "1 in 2^f",
               text("%.0f %%", 100.0 * ghosts / BUCKETS), ghosts > BUCKETS / 2);
    double differ = disagreement(&r);
    lab_refute(lab, "the active filter: least loaded (section III-C), or last extended (III-B)", "the same",
               text("different in %.0f %% of the insertions", 100 * differ), differ > 0.05);
    guira_config c = {.kind = GUIRA_CONSISTENT, .slot_bits = 8, .max_filters = 4};
    guira *f = lab_filter(lab, c);
    uint64_t filled = lab_fill(f, 0, 150), missing = lab_missing(f, 0, filled);
    lab_hold(lab, "the library's filter with 8-bit fingerprints denies no member",
             text("%" PRIu64 " of %" PRIu64, missing, filled), missing == 0 && filled > 100);
    guira_destroy(f);
}
