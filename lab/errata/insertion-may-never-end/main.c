/* CCF: Algorithm 1 can add buckets forever. One fingerprint has at most k b slots, independent of the number
 * of buckets. */
#include "lab.h"
#include "models/hash_ring.h"

enum { SLOTS = 3, CANDIDATES = 2 };

/* Number of slots that a fingerprint can use: its distinct candidate buckets, times b. */
static unsigned usable_slots(struct ring *ring, uint64_t fingerprint) {
    uint32_t a = ring_find(ring, ring_hash(ring, fingerprint, 0)), b = ring_find(ring, ring_hash(ring, fingerprint, 1));
    return SLOTS * (a == b ? 1 : 2);
}

static void check_as_printed(struct lab *lab) {
    struct lab_rng r = {lab->seed};
    struct ring ring = ring_make(64, 10, &r);
    unsigned copies = CANDIDATES * SLOTS + 1, max_slots = 0, added = 0, limit = lab->quick ? 500 : 3000;
    while (added < limit && usable_slots(&ring, 42) < copies) {
        ring_add(&ring, &r, NULL);
        added++;
        if (usable_slots(&ring, 42) > max_slots) max_slots = usable_slots(&ring, 42);
    }
    lab_refute(lab, text("copy number %u of one key is inserted after extending", copies), "returns True",
               text("no empty slot after adding %u buckets: never more than %u slots", added, max_slots),
               added == limit);
    ring_free(&ring);
}

static void check_library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_CONSISTENT, .bucket_slots = SLOTS, .policy = GUIRA_BUCKET_LEVEL};
    guira *f = lab_filter(lab, c);
    lab_fill(f, 0, 100);
    uint64_t before = lab_stats(f).buckets;
    guira_status s = GUIRA_OK;
    unsigned copies = 0;
    while (s == GUIRA_OK && copies < 1000) {
        s = lab_insert(f, EXTRA, 1);
        copies += s == GUIRA_OK;
    }
    uint64_t added = lab_stats(f).buckets - before;
    lab_must_hold(lab, "the library accepts at most k b copies, then returns an error without growing",
                  text("%u copies, %" PRIu64 " bucket%s added, then: %s", copies, added, added == 1 ? "" : "s",
                       guira_strerror(s)),
                  s == GUIRA_EDUPLICATE && copies <= CANDIDATES * SLOTS && added <= copies &&
                      lab_false_negatives(f, 0, 100) == 0);
    guira_destroy(f);
}

void experiment(struct lab *lab) {
    check_as_printed(lab);
    check_library(lab);
}
