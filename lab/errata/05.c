/* CCF: Algorithm 1 inserts the new fingerprint again after failed kicks. But the one without a home is the last victim. */
#include "errata.h"
#include "models/ecf.h"

enum { FILTERS = 64 };

/* Kicks without undo: afterwards *fingerprint and *bucket are those of whoever has no home. */
static bool kick(struct ecf *f, uint64_t *bucket, uint16_t *fingerprint) {
    for (unsigned i = 0; i < 100; i++) {
        uint16_t *room = ecf_find(f, *bucket, 0);
        if (room != NULL) return *room = *fingerprint, true;
        uint16_t *slot = ecf_bucket(f, *bucket) + dice_below(&f->dice, f->slots), out = *slot;
        *slot = *fingerprint;
        *fingerprint = out;
        *bucket = ecf_other(f, *bucket, out);
    }
    return false;
}

/* Fills equal filters one after the other. Returns how many of n members are denied at the end. */
static uint64_t lost(struct lab *lab, uint64_t n, bool as_printed, unsigned *filters) {
    struct ecf f[FILTERS];
    unsigned s = 0;
    f[s++] = ecf_make(64, 3, 16, lab->seed);
    for (uint64_t i = 0; i < n; i++) {
        struct ecf_entry e = ecf_entry_of(&f[0], i);
        uint64_t bucket = e.first;
        uint16_t fingerprint = e.fingerprint;
        if (kick(&f[s - 1], &bucket, &fingerprint)) continue;
        f[s] = ecf_make(64, 3, 16, lab->seed + s);
        s++;
        if (as_printed) ecf_put(&f[s - 1], e.first, e.fingerprint);
        else ecf_put(&f[s - 1], bucket, fingerprint);
    }
    uint64_t missing = 0;
    for (uint64_t i = 0; i < n; i++) {
        bool found = false;
        for (unsigned j = 0; j < s; j++) found |= ecf_has(&f[j], i);
        missing += !found;
    }
    for (unsigned j = 0; j < s; j++) ecf_free(&f[j]);
    *filters = s;
    return missing;
}

void erratum_05(struct lab *lab) {
    unsigned filters;
    uint64_t n = 6000, missing = lost(lab, n, true, &filters);
    lab_refute(lab, "insert the new fingerprint into the extended filter", "no false negatives",
               text("%" PRIu64 " members lost in %u extensions", missing, filters - 1), missing > 0);
    lab_note(lab, "one victim per extension", text("%.2f", (double)missing / (filters - 1)));
    missing = lost(lab, n, false, &filters);
    lab_hold(lab, "insert the last victim instead: nothing is lost", text("%" PRIu64 " lost", missing), missing == 0);
}
