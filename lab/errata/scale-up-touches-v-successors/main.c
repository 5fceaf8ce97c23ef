/* CCF: a new bucket with v points takes entries from up to v successors, it may get more than its slots, and
 * some of the entries mapped to it can stay where they are. */
#include "lab.h"
#include "models/exact_placement.h"
#include "models/hash_ring.h"

enum { BUCKETS = 64, SLOTS = 3, CANDIDATES = 2, NODES = 10 };

struct tally {
    unsigned trials, successors, max_successors, overflows, moved, stay;
};

static bool is_in(uint32_t x, const uint32_t *set, unsigned n) {
    while (n > 0)
        if (set[--n] == x) return true;
    return false;
}

static unsigned count_distinct(const uint32_t *x, unsigned n) {
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) count += !is_in(x[i], x, i);
    return count;
}

/* The candidate buckets of a fingerprint. */
static void candidates(struct ring *ring, uint64_t fingerprint, uint32_t choice[CANDIDATES]) {
    for (unsigned i = 0; i < CANDIDATES; i++) choice[i] = ring_find(ring, ring_hash(ring, fingerprint, i));
}

static void check_entries(struct tally *t, struct ring *ring, const struct placement *p, const uint64_t *fingerprint,
                          uint32_t fresh) {
    unsigned must_move = 0;
    for (uint32_t slot = 0; slot < p->capacity; slot++) {
        if (p->in[slot] >= p->items) continue;
        uint32_t choice[CANDIDATES];
        candidates(ring, fingerprint[p->in[slot]], choice);
        if (!is_in(fresh, choice, CANDIDATES)) continue;
        if (is_in(slot / SLOTS, choice, CANDIDATES)) t->stay++;
        else must_move++;
    }
    t->moved += must_move;
    t->overflows += must_move > SLOTS;
}

/* Fills a filter until the first failure, then adds one bucket. */
static void scale_up_once(struct tally *t, struct lab_rng *r) {
    struct ring ring = ring_make(BUCKETS, NODES, r);
    struct placement p = placement_make(BUCKETS, SLOTS, CANDIDATES);
    uint64_t fingerprint[BUCKETS * SLOTS];
    uint32_t choice[CANDIDATES], successor[NODES];
    do {
        fingerprint[p.items] = lab_rng_below(r, UINT64_C(1) << 30);
        candidates(&ring, fingerprint[p.items], choice);
    } while (placement_insert(&p, choice));
    uint32_t fresh = ring_add(&ring, r, successor);
    unsigned n = count_distinct(successor, NODES);
    t->trials++;
    t->successors += n;
    if (n > t->max_successors) t->max_successors = n;
    check_entries(t, &ring, &p, fingerprint, fresh);
    placement_free(&p);
    ring_free(&ring);
}

void experiment(struct lab *lab) {
    struct lab_rng r = {lab->seed};
    struct tally t = {0};
    for (unsigned i = 0; i < (lab->quick ? 200 : 2000); i++) scale_up_once(&t, &r);
    double n = t.trials;
    lab_refute(lab, "only the new bucket's successor may be affected", "1 bucket",
               text("%.1f buckets on average, at most %u", t.successors / n, t.max_successors),
               t.successors > 2 * t.trials);
    lab_refute(
        lab, "the new bucket has enough slots for the entries moved to it", text("at most %d", SLOTS),
        text("more in %.0f %% of %u cases, %.1f entries on average", 100 * t.overflows / n, t.trials, t.moved / n),
        t.overflows > 0);
    lab_refute(lab, "a fingerprint mapped to the new arc must move", "always",
               text("%.2f per new bucket can stay: they are still in one of their candidates", t.stay / n), t.stay > 0);
    lab_must_hold(lab, "at most v successors are affected", text("%u", t.max_successors), t.max_successors <= NODES);
    guira_config c = {.kind = GUIRA_CONSISTENT, .policy = GUIRA_BUCKET_LEVEL, .bucket_slots = SLOTS, .max_load = 0.94};
    guira *f = lab_filter(lab, c);
    uint64_t items = lab->quick ? 2000 : 7000;
    uint64_t filled = lab_fill(f, 0, items), lost = lab_false_negatives(f, 0, filled);
    lab_must_hold(lab, "the library adds buckets one at a time and loses no member",
                  text("%" PRIu64 " buckets added, %" PRIu64 " lost", lab_stats(f).grows, lost),
                  filled == items && lost == 0 && lab_stats(f).grows > 100);
    guira_destroy(f);
}
