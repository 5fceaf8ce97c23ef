/* CCF: Algorithm 4 (compact) as printed never fails and never ends. Each filter is modelled by its number of
 * entries: only the control flow matters here, not the position of entries. */
#include "lab.h"

enum { CAPACITY = 192, MAX_FILTERS = 64, ROUNDS = 10000 };

struct filters {
    unsigned items[MAX_FILTERS], n;
};

static unsigned total(const struct filters *c) {
    unsigned sum = 0;
    for (unsigned i = 0; i < c->n; i++) sum += c->items[i];
    return sum;
}

static unsigned emptiest(const struct filters *c) {
    unsigned best = 0;
    for (unsigned i = 1; i < c->n; i++)
        if (c->items[i] < c->items[best]) best = i;
    return best;
}

static bool insert_without_extending(struct filters *c) {
    for (unsigned i = 0; i < c->n; i++)
        if (c->items[i] < CAPACITY) return c->items[i]++, true;
    return false;
}

/* Algorithm 1: when all filters are full, extend (here: add a filter). It always succeeds. */
static bool insert_as_printed(struct filters *c) {
    if (!insert_without_extending(c)) c->items[c->n++] = 1;
    return true;
}

/* One round of Algorithm 4. False: the filter could not be emptied; nothing has changed. */
static bool compact_round(struct filters *c, bool insert(struct filters *)) {
    struct filters without = *c;
    unsigned removed = emptiest(c), entries = c->items[removed];
    without.items[removed] = without.items[--without.n];
    for (unsigned i = 0; i < entries; i++)
        if (!insert(&without)) return false;
    *c = without;
    return true;
}

/* The library's filter: fill, remove two thirds, compact. */
static void check_library(struct lab *lab) {
    guira_config c = {.kind = GUIRA_CONSISTENT, .policy = GUIRA_FILTER_LEVEL, .bucket_slots = 3, .min_load = -1};
    guira *f = lab_filter(lab, c);
    lab_fill(f, 0, 3000);
    uint64_t before = lab_stats(f).buckets;
    for (uint64_t i = 1000; i < 3000; i++) lab_remove(f, MEMBERS, i);
    guira_status s = guira_shrink_to_fit(f);
    uint64_t after = lab_stats(f).buckets, missing = lab_false_negatives(f, 0, 1000);
    lab_must_hold(lab, "the library's compaction ends and loses no member",
                  text("%" PRIu64 " -> %" PRIu64 " buckets, %" PRIu64 " lost", before, after, missing),
                  s == GUIRA_OK && after < before && missing == 0);
    guira_destroy(f);
}

void experiment(struct lab *lab) {
    struct filters printed = {{192, 150, 120, 100}, 4}, right = printed;
    unsigned before = total(&printed), rounds = 0;
    while (rounds < ROUNDS && compact_round(&printed, insert_as_printed)) rounds++;
    lab_refute(lab, "compact ends when a filter cannot be removed", "stops at the first failure",
               text("not finished after %u rounds, %u filters", rounds, printed.n), rounds == ROUNDS);
    for (rounds = 0; right.n > 1 && compact_round(&right, insert_without_extending);) rounds++;
    lab_must_hold(lab,
                  "with an insertion that does not extend, and a stop at one filter, it ends and keeps all entries",
                  text("4 filters -> %u in %u round%s, %u of %u entries", right.n, rounds, rounds == 1 ? "" : "s",
                       total(&right), before),
                  right.n == (before + CAPACITY - 1) / CAPACITY && total(&right) == before);
    struct filters full = {{192, 192}, 2}, copy = full;
    bool failed = !compact_round(&full, insert_without_extending);
    lab_must_hold(lab, "a failed round changes nothing",
                  failed ? text("%u of %u entries in %u filters", total(&full), total(&copy), full.n)
                         : "it did not fail",
                  failed && full.n == copy.n && total(&full) == total(&copy));
    check_library(lab);
}
