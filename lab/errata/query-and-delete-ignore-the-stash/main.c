/* ECF: after shrinking, some fingerprints are in a stash. Algorithms 1 (query) and 3 (deletion) look only at buckets. */
#include "models/ecf.h"

enum { BUCKETS = 4096, SLOTS = 4, STASH = 4096 };

/* A stash as it must be: fingerprint and bucket. */
struct stash {
    uint16_t fingerprint[STASH];
    uint64_t bucket[STASH];
    unsigned n;
};

/* Halves f without kicks by the corrected rule and keeps what does not fit. */
static void halve_to_stash(struct ecf *f, struct stash *s) {
    struct ecf old = *f, half = ecf_make(f->buckets, f->slots, f->bits, 1);
    half.buckets = half.halved_buckets = (old.buckets + 1) / 2;
    half.halvings = 1;
    for (uint64_t i = 0; i < old.buckets * old.slots; i++) {
        if (old.slot[i] == 0) continue;
        uint64_t offset = ecf_offset(&old, old.slot[i]), d = (i / old.slots + old.buckets - offset) % old.buckets;
        uint64_t bucket = (ecf_offset(&half, old.slot[i]) + d / 2) % half.buckets;
        uint16_t *empty = ecf_find(&half, bucket, 0);
        if (empty != NULL) *empty = old.slot[i];
        else s->fingerprint[s->n] = old.slot[i], s->bucket[s->n++] = bucket;
    }
    ecf_free(&old);
    *f = half;
}

static bool in_stash(const struct stash *s, struct ecf_entry e) {
    for (unsigned i = 0; i < s->n; i++)
        if (s->fingerprint[i] == e.fingerprint && (s->bucket[i] == e.first || s->bucket[i] == e.second)) return true;
    return false;
}

void experiment(struct lab *lab) {
    static struct stash s;
    struct ecf f = ecf_make(BUCKETS, SLOTS, 12, lab->seed);
    uint64_t n = ecf_fill(&f, 0, BUCKETS * SLOTS * 9 / 20), right = 0;
    halve_to_stash(&f, &s);
    uint64_t lost = ecf_false_negatives(&f, 0, n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t key = (uint64_t)MEMBERS << 56 | i;
        right += !ecf_contains(&f, key) && !in_stash(&s, ecf_entry_of(&f, key));
    }
    lab_refute(lab, "Algorithm 1 finds every member after Algorithm 4 has shrunk the filter (load 0.90 afterwards)",
               "no false negatives", text("%" PRIu64 " of %" PRIu64 ", %u in the stash", lost, n, s.n), lost > 0);
    lab_refute(lab, "Algorithm 3 deletes every member", "all",
               text("%" PRIu64 " stay in the stash and remain false positives", lost), lost > 0);
    lab_must_hold(lab, "if the stash (fingerprint and bucket) is looked up too, every member is found",
                  text("%" PRIu64 " lost", right), right == 0);
    ecf_free(&f);
}
