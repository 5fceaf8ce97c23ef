/* ECF: Algorithm 2 returns false after T kicks, when the new fingerprint is stored and the last victim is not. */
#include "models/ecf.h"

/* Algorithm 2, lines 12 to 23. False: `bucket` and `fingerprint` are those of the last victim, which is nowhere. */
static bool kick_as_printed(struct ecf *f, uint64_t *bucket, uint16_t *fingerprint) {
    for (unsigned n = 0; n < f->max_kicks; n++) {
        uint16_t *slot = ecf_bucket(f, *bucket) + lab_rng_below(&f->rng, f->slots), out = *slot;
        *slot = *fingerprint;
        *fingerprint = out;
        *bucket = ecf_alternate(f, *bucket, out);
        uint16_t *empty = ecf_find(f, *bucket, 0);
        if (empty != NULL) return *empty = *fingerprint, true;
    }
    return false;
}

static bool insert_as_printed(struct ecf *f, uint64_t key) {
    struct ecf_entry e = ecf_entry_of(f, key);
    uint16_t *empty = ecf_find(f, e.first, 0);
    if (empty == NULL) empty = ecf_find(f, e.second, 0);
    if (empty != NULL) return *empty = e.fingerprint, true;
    uint64_t bucket = lab_rng_below(&f->rng, 2) ? e.first : e.second;
    return kick_as_printed(f, &bucket, &e.fingerprint);
}

struct outcome {
    uint64_t accepted, refused, lost;
};

/* Offers as many keys as there are slots; `lost` are those that were accepted and are not found. */
static struct outcome fill(const struct lab *lab, bool insert(struct ecf *, uint64_t)) {
    enum { BUCKETS = 3000, SLOTS = 4, KEYS = BUCKETS * SLOTS };
    static bool in[KEYS];
    struct ecf f = ecf_make(BUCKETS, SLOTS, 12, lab->seed);
    struct outcome o = {0, 0, 0};
    for (uint64_t i = 0; i < KEYS; i++) {
        in[i] = insert(&f, i);
        o.accepted += in[i];
        o.refused += !in[i];
    }
    for (uint64_t i = 0; i < KEYS; i++) o.lost += in[i] && !ecf_contains(&f, i);
    ecf_free(&f);
    return o;
}

void experiment(struct lab *lab) {
    struct outcome printed = fill(lab, insert_as_printed), right = fill(lab, ecf_insert);
    lab_refute(
        lab, "an insertion that returns false has changed nothing (12,000 keys offered to 12,000 slots)",
        "no false negatives",
        text("%" PRIu64 " refusals, %" PRIu64 " false negatives among the others", printed.refused, printed.lost),
        printed.lost > printed.refused / 2);
    lab_must_hold(lab, "if the kicks of a refused insertion are taken back, no member is lost",
                  text("%" PRIu64 " refusals, %" PRIu64 " false negatives", right.refused, right.lost),
                  right.refused > 0 && right.lost == 0);
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 10000};
    guira *f = lab_filter(lab, c);
    uint64_t refused = 0, lost = 0;
    static bool in[12000];
    for (uint64_t i = 0; i < 12000; i++) refused += !(in[i] = lab_insert(f, MEMBERS, i) == GUIRA_OK);
    for (uint64_t i = 0; i < 12000; i++) lost += in[i] && !lab_contains(f, MEMBERS, i);
    lab_must_hold(lab, "the library's refusals lose no member",
                  text("%" PRIu64 " refusals, %" PRIu64 " false negatives", refused, lost), refused > 0 && lost == 0);
    guira_destroy(f);
}
