/* CCF: a new bucket with v points takes from up to v successors, may get more than it can hold, and a fingerprint near it
 * may stay where it is. */
#include "errata.h"
#include "models/orient.h"
#include "models/ring.h"

enum { BUCKETS = 64, SLOTS = 3, CANDIDATES = 2, NODES = 10 };

struct tally {
    unsigned trials, successors, most, overflows, moved, stay;
};

static bool among(uint32_t x, const uint32_t *set, unsigned n) {
    while (n > 0)
        if (set[--n] == x) return true;
    return false;
}

static unsigned different(const uint32_t *x, unsigned n) {
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) count += !among(x[i], x, i);
    return count;
}

/* Which buckets a fingerprint's hashes lead to. */
static void candidates(struct ring *ring, uint64_t fingerprint, uint32_t choice[CANDIDATES]) {
    for (unsigned i = 0; i < CANDIDATES; i++) choice[i] = ring_find(ring, ring_hash(ring, fingerprint, i));
}

static void look_at_entries(struct tally *t, struct ring *ring, const struct orient *o, const uint64_t *fingerprint,
                            uint32_t fresh) {
    unsigned must_move = 0;
    for (uint32_t slot = 0; slot < o->room; slot++) {
        if (o->in[slot] >= o->items) continue;
        uint32_t choice[CANDIDATES];
        candidates(ring, fingerprint[o->in[slot]], choice);
        if (!among(fresh, choice, CANDIDATES)) continue;
        if (among(slot / SLOTS, choice, CANDIDATES)) t->stay++;
        else must_move++;
    }
    t->moved += must_move;
    t->overflows += must_move > SLOTS;
}

static void scale_up_once(struct tally *t, struct dice *r) {
    struct ring ring = ring_make(BUCKETS, NODES, r);
    struct orient o = orient_make(BUCKETS, SLOTS, CANDIDATES);
    uint64_t fingerprint[BUCKETS * SLOTS];
    uint32_t choice[CANDIDATES], successor[NODES];
    do {
        fingerprint[o.items] = dice_below(r, UINT64_C(1) << 30);
        candidates(&ring, fingerprint[o.items], choice);
    } while (orient_insert(&o, choice));
    uint32_t fresh = ring_add(&ring, r, successor);
    unsigned n = different(successor, NODES);
    t->trials++;
    t->successors += n;
    if (n > t->most) t->most = n;
    look_at_entries(t, &ring, &o, fingerprint, fresh);
    orient_free(&o);
    ring_free(&ring);
}

void erratum_07(struct lab *lab) {
    struct dice r = {lab->seed};
    struct tally t = {0};
    for (unsigned i = 0; i < (lab->quick ? 200 : 2000); i++) scale_up_once(&t, &r);
    double n = t.trials;
    lab_refute(lab, "only the new bucket's successor may be affected", "1 bucket",
               text("%.1f buckets on average, at most %u", t.successors / n, t.most), t.successors > 2 * t.trials);
    lab_refute(
        lab, "the new bucket has room for what is moved to it", text("at most %d", SLOTS),
        text("more in %.0f %% of %u cases, %.1f entries on average", 100 * t.overflows / n, t.trials, t.moved / n),
        t.overflows > 0);
    lab_refute(lab, "a fingerprint mapped to the new arc must move", "always",
               text("%.2f per new bucket may stay: another of their hashes still leads there", t.stay / n), t.stay > 0);
    lab_hold(lab, "at most v successors are touched", text("%u", t.most), t.most <= NODES);
    guira_config c = {.kind = GUIRA_CONSISTENT, .policy = GUIRA_BUCKET_LEVEL, .bucket_slots = SLOTS, .max_load = 0.94};
    guira *f = lab_filter(lab, c);
    uint64_t items = lab->quick ? 2000 : 7000;
    uint64_t filled = lab_fill(f, 0, items), missing = lab_missing(f, 0, filled);
    lab_hold(lab, "the library adds buckets one at a time and loses nobody",
             text("%" PRIu64 " buckets added, %" PRIu64 " lost", lab_stats(f).grows, missing),
             filled == items && missing == 0 && lab_stats(f).grows > 100);
    guira_destroy(f);
}
