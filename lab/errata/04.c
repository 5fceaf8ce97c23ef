/* CCF: Algorithm 4, compact, never fails and never ends as printed. Filters are bags of a fixed size here: the point is
 * the flow of control, not where in a bag an entry is. */
#include "errata.h"

enum { BAG = 192, MOST = 64, ROUNDS = 10000 };

struct bags {
    unsigned items[MOST], n;
};

static unsigned total(const struct bags *c) {
    unsigned sum = 0;
    for (unsigned i = 0; i < c->n; i++) sum += c->items[i];
    return sum;
}

static unsigned least(const struct bags *c) {
    unsigned best = 0;
    for (unsigned i = 1; i < c->n; i++)
        if (c->items[i] < c->items[best]) best = i;
    return best;
}

static bool insert_without_extending(struct bags *c) {
    for (unsigned i = 0; i < c->n; i++)
        if (c->items[i] < BAG) return c->items[i]++, true;
    return false;
}

/* Algorithm 1: when nothing has room, extend (here: scale out). It has no way to say no. */
static bool insert_as_printed(struct bags *c) {
    if (!insert_without_extending(c)) c->items[c->n++] = 1;
    return true;
}

/* One round of Algorithm 4. False: the filter could not be emptied, and nothing has changed. */
static bool compact_round(struct bags *c, bool insert(struct bags *)) {
    struct bags without = *c;
    unsigned removed = least(c), entries = c->items[removed];
    without.items[removed] = without.items[--without.n];
    for (unsigned i = 0; i < entries; i++)
        if (!insert(&without)) return false;
    *c = without;
    return true;
}

/* The library's compact: fill, remove two thirds, compact. */
static void library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_CONSISTENT, .policy = GUIRA_FILTER_LEVEL, .bucket_slots = 3, .min_load = -1};
    guira *f = lab_filter(lab, c);
    lab_fill(f, 0, 3000);
    uint64_t before = lab_stats(f).buckets;
    for (uint64_t i = 1000; i < 3000; i++) lab_remove(f, MEMBERS, i);
    guira_status s = guira_shrink_to_fit(f);
    uint64_t after = lab_stats(f).buckets, missing = lab_missing(f, 0, 1000);
    lab_hold(lab, "the library's filter compacts, ends, and loses nobody",
             text("%" PRIu64 " -> %" PRIu64 " buckets, %" PRIu64 " lost", before, after, missing),
             s == GUIRA_OK && after < before && missing == 0);
    guira_destroy(f);
}

void erratum_04(struct lab *lab) {
    struct bags printed = {{192, 150, 120, 100}, 4}, right = printed;
    unsigned before = total(&printed), rounds = 0;
    while (rounds < ROUNDS && compact_round(&printed, insert_as_printed)) rounds++;
    lab_refute(lab, "compact ends when a filter cannot be removed", "stops at the first failure",
               text("%u rounds, still going, %u filters", rounds, printed.n), rounds == ROUNDS);
    for (rounds = 0; right.n > 1 && compact_round(&right, insert_without_extending);) rounds++;
    lab_hold(lab, "with an insertion that does not extend, and a stop at one filter, it ends and keeps every entry",
             text("4 filters -> %u in %u rounds, %u of %u entries", right.n, rounds, total(&right), before),
             right.n == (before + BAG - 1) / BAG && total(&right) == before);
    struct bags full = {{192, 192}, 2}, copy = full;
    bool refused = !compact_round(&full, insert_without_extending);
    lab_hold(lab, "a refused round changes nothing", refused ? "refused" : "accepted",
             refused && full.n == copy.n && total(&full) == total(&copy));
    library(lab);
}
