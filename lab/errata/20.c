/* Guide: its stash is keyed by the fingerprint alone. Each entry then answers for every bucket. */
#include "errata.h"
#include "models/ecf.h"
#include "theory.h"

enum { BUCKETS = 4096, BITS = 12, STASHED = 252 };

struct guide {
    struct ecf table;
    unsigned of[1 << BITS];       /* the guide's stash: how many of each fingerprint */
    struct ecf_entry in[STASHED]; /* the right one: with its buckets */
    unsigned n;
};

static bool in_stash(const struct guide *g, struct ecf_entry e) {
    for (unsigned i = 0; i < g->n; i++)
        if (g->in[i].fingerprint == e.fingerprint && (g->in[i].first == e.first || g->in[i].second == e.first))
            return true;
    return false;
}

static void fill(struct guide *g) {
    for (uint64_t i = 0; g->n < STASHED; i++) {
        uint64_t key = (uint64_t)MEMBERS << 56 | i;
        if (ecf_insert(&g->table, key)) continue;
        g->in[g->n] = ecf_entry_of(&g->table, key);
        g->of[g->in[g->n++].fingerprint]++;
    }
}

void erratum_20(struct lab *lab) {
    static struct guide g;
    g.table = ecf_make(BUCKETS, 4, BITS, lab->seed);
    g.table.plain = true;
    fill(&g);
    uint64_t probes = lab->quick ? 200000 : 2000000, table = 0, printed = 0, right = 0;
    for (uint64_t i = 0; i < probes; i++) {
        uint64_t key = (uint64_t)STRANGERS << 56 | i;
        struct ecf_entry e = ecf_entry_of(&g.table, key);
        bool hit = ecf_has(&g.table, key);
        table += hit;
        printed += hit || g.of[e.fingerprint] > 0;
        right += hit || in_stash(&g, e);
    }
    struct rate without = rate_of(table, probes), with = rate_of(printed, probes), good = rate_of(right, probes);
    lab_refute(lab, text("a stash \"at tiny extra cost\": the rate with %d entries in it", STASHED),
               text("%s without", rate_text(without)), rate_text(with), with.value > 5 * without.value);
    lab_note(lab, "deleting from it (read, not run)", "none of the guide's three programs has a deletion");
    lab_hold(lab, "a stash of fingerprint and bucket adds almost nothing", rate_text(good),
             good.value < without.value * 1.05 + 3 * without.error);
    guira_config c = {.kind = GUIRA_CUCKOO, .slot_bits = 12, .capacity = 20000};
    guira *f = lab_filter(lab, c);
    uint64_t filled = lab_fill(f, 0, 40000);
    guira_stats s = lab_stats(f);
    struct rate r = lab_fpr(f, probes);
    lab_hold(lab, "the library's cuckoo filter, filled to the brim with a stash in use, keeps its predicted rate",
             text("%" PRIu64 " in the stash, predicted %.4f, measured %s", s.stash, s.fpr, rate_text(r)),
             s.stash > 0 && rate_is(r, s.fpr, 0.05) && lab_missing(f, 0, filled) == 0);
    guira_destroy(f);
    ecf_free(&g.table);
}
