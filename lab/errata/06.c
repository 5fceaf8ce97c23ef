/* CCF: Algorithm 1 can add buckets for ever. One fingerprint has k b slots, however many buckets there are. */
#include "errata.h"
#include "models/ring.h"

enum { SLOTS = 3, CANDIDATES = 2 };

/* The slots that fingerprint may use: its different candidate buckets, times b. */
static unsigned places(struct ring *ring, uint64_t fingerprint) {
    uint32_t a = ring_find(ring, ring_hash(ring, fingerprint, 0)), b = ring_find(ring, ring_hash(ring, fingerprint, 1));
    return SLOTS * (a == b ? 1 : 2);
}

static void as_printed(struct lab *lab) {
    struct rng r = {lab->seed};
    struct ring ring = ring_make(64, 10, &r);
    unsigned copies = CANDIDATES * SLOTS + 1, most = 0, added = 0, limit = lab->quick ? 500 : 3000;
    while (added < limit && places(&ring, 42) < copies) {
        ring_add(&ring, &r, NULL);
        added++;
        if (places(&ring, 42) > most) most = places(&ring, 42);
    }
    lab_refute(lab, text("copy number %u of one key is inserted after extending", copies), "returns True",
               text("no room after %u added buckets: never more than %u slots", added, most), added == limit);
    ring_free(&ring);
}

void erratum_06(struct lab *lab) { as_printed(lab); }
