/* CCF: after the maximum number of kicks, Algorithm 1 inserts the new fingerprint again. But that one is
 * stored already; the last victim is not. */
#include "lab.h"
#include "models/ecf.h"

enum { FILTERS = 64 };

/* Kicks without undo. If it fails, *fingerprint and *bucket are those of the last victim, which is not stored. */
static bool kick(struct ecf *f, uint64_t *bucket, uint16_t *fingerprint) {
    for (unsigned i = 0; i < 100; i++) {
        uint16_t *empty = ecf_find(f, *bucket, 0);
        if (empty != NULL) return *empty = *fingerprint, true;
        uint16_t *slot = ecf_bucket(f, *bucket) + lab_rng_below(&f->rng, f->slots), out = *slot;
        *slot = *fingerprint;
        *fingerprint = out;
        *bucket = ecf_alternate(f, *bucket, out);
    }
    return false;
}

/* Inserts n members into a list of equal filters, adding one when an insertion fails. Returns the false negatives. */
static uint64_t count_false_negatives(struct lab *lab, uint64_t n, bool as_printed, unsigned *filters) {
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
        if (as_printed) ecf_insert_at(&f[s - 1], e.first, e.fingerprint);
        else ecf_insert_at(&f[s - 1], bucket, fingerprint);
    }
    uint64_t missing = 0;
    for (uint64_t i = 0; i < n; i++) {
        bool found = false;
        for (unsigned j = 0; j < s; j++) found |= ecf_contains(&f[j], i);
        missing += !found;
    }
    for (unsigned j = 0; j < s; j++) ecf_free(&f[j]);
    *filters = s;
    return missing;
}

void experiment(struct lab *lab) {
    unsigned filters;
    uint64_t n = 6000, lost = count_false_negatives(lab, n, true, &filters);
    lab_refute(lab, "insert the new fingerprint into the extended filter", "no false negatives",
               text("%" PRIu64 " members lost in %u extensions", lost, filters - 1), lost > 0);
    lab_note(lab, "members lost per extension", text("%.2f", (double)lost / (filters - 1)));
    lost = count_false_negatives(lab, n, false, &filters);
    lab_must_hold(lab, "insert the last victim instead: no member is lost", text("%" PRIu64 " lost", lost), lost == 0);
}
