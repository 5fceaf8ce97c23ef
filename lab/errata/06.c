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
    struct dice r = {lab->seed};
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

static void library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_CONSISTENT, .bucket_slots = SLOTS, .policy = GUIRA_BUCKET_LEVEL};
    guira *f = lab_filter(lab, c);
    lab_fill(f, 0, 100);
    uint64_t before = lab_stats(f).buckets;
    guira_status s = GUIRA_OK;
    unsigned copies = 0;
    while (s == GUIRA_OK && copies < 1000) {
        s = lab_insert(f, OTHERS, 1);
        copies += s == GUIRA_OK;
    }
    uint64_t added = lab_stats(f).buckets - before;
    lab_hold(lab, "the library takes at most k b copies, then says so, without growing for it",
             text("%u copies, %" PRIu64 " buckets added, then: %s", copies, added, guira_strerror(s)),
             s == GUIRA_EDUPLICATE && copies <= CANDIDATES * SLOTS && added <= copies && lab_missing(f, 0, 100) == 0);
    guira_destroy(f);
}

void erratum_06(struct lab *lab) {
    as_printed(lab);
    library(lab);
}
