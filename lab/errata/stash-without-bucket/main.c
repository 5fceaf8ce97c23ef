/* guide: its stash is keyed only by the fingerprint, so each stash entry matches in every bucket. */
#include "lab.h"
#include "models/ecf.h"
#include "theory.h"

enum { BUCKETS = 4096, BITS = 12, STASHED = 252 };

struct guide_filter {
    struct ecf table;
    unsigned count[1 << BITS];       /* the guide's stash: number of entries per fingerprint */
    struct ecf_entry entry[STASHED]; /* the corrected stash: fingerprint and buckets */
    unsigned n;
};

static bool in_stash(const struct guide_filter *g, struct ecf_entry e) {
    for (unsigned i = 0; i < g->n; i++)
        if (g->entry[i].fingerprint == e.fingerprint && (g->entry[i].first == e.first || g->entry[i].second == e.first))
            return true;
    return false;
}

/* Inserts members until STASHED of them are in the stash. */
static void fill(struct guide_filter *g) {
    for (uint64_t i = 0; g->n < STASHED; i++) {
        uint64_t key = (uint64_t)MEMBERS << 56 | i;
        if (ecf_insert(&g->table, key)) continue;
        g->entry[g->n] = ecf_entry_of(&g->table, key);
        g->count[g->entry[g->n++].fingerprint]++;
    }
}

void experiment(struct lab *lab) {
    static struct guide_filter g;
    g.table = ecf_make(BUCKETS, 4, BITS, lab->seed);
    g.table.plain = true;
    fill(&g);
    uint64_t probes = lab->quick ? 200000 : 2000000, table = 0, printed = 0, right = 0;
    for (uint64_t i = 0; i < probes; i++) {
        uint64_t key = (uint64_t)NON_MEMBERS << 56 | i;
        struct ecf_entry e = ecf_entry_of(&g.table, key);
        bool hit = ecf_contains(&g.table, key);
        table += hit;
        printed += hit || g.count[e.fingerprint] > 0;
        right += hit || in_stash(&g, e);
    }
    struct rate without = rate_of(table, probes), with = rate_of(printed, probes), good = rate_of(right, probes);
    lab_refute(lab, text("a stash \"at tiny extra cost\": the false-positive rate with %d entries in it", STASHED),
               text("%s without", rate_text(without)), rate_text(with), with.value > 5 * without.value);
    lab_note(lab, "deletion from the stash (from reading the code)",
             "none of the guide's three programs implements it");
    lab_must_hold(lab, "a stash that stores fingerprint and bucket adds almost nothing", rate_text(good),
                  good.value < without.value * 1.05 + 3 * without.error);
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 20000};
    guira *f = lab_filter(lab, c);
    uint64_t filled = lab_fill(f, 0, 40000);
    guira_stats s = lab_stats(f);
    struct rate r = lab_fpr(f, probes);
    lab_must_hold(lab,
                  "the library's cuckoo filter, completely full and with entries in the stash, has the predicted rate",
                  text("%" PRIu64 " in the stash, predicted %.4f, measured %s", s.stash, s.fpr, rate_text(r)),
                  s.stash > 0 && rate_is(r, s.fpr, 0.05) && lab_false_negatives(f, 0, filled) == 0);
    guira_destroy(f);
    ecf_free(&g.table);
}
