/* ECF: rounding, Theorem 6.2, and what an extension costs. */
#include "errata.h"
#include "models/ecf.h"
#include "models/orient.h"
#include "theory.h"

enum { BUCKETS = 8, SLOTS = 1, BITS = 8, MOST = 8 };

/* Do three of the n pairs lie on the same two buckets? */
static bool three_alike(const uint32_t (*pair)[2], unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        unsigned alike = 0;
        for (unsigned j = 0; j < n; j++)
            alike += (pair[i][0] == pair[j][0] && pair[i][1] == pair[j][1]) ||
                     (pair[i][0] == pair[j][1] && pair[i][1] == pair[j][0]);
        if (alike >= 2 * SLOTS + 1) return true;
    }
    return false;
}

/* Of many small filters: how often some 2M + 1 of n items share their buckets, how often they do not all fit. */
static void trials_of(struct lab *lab, unsigned n, struct rate *alike, struct rate *failed) {
    struct ecf f = ecf_make(BUCKETS, SLOTS, BITS, lab->seed);
    unsigned trials = lab->quick ? 20000 : 200000, collide = 0, fail = 0;
    for (unsigned t = 0; t < trials; t++) {
        struct orient o = orient_make(BUCKETS, SLOTS, 2);
        uint32_t pair[MOST][2];
        bool fits = true;
        for (unsigned i = 0; i < n; i++) {
            struct ecf_entry e = ecf_entry_of(&f, (uint64_t)n << 40 | (uint64_t)t << 8 | i);
            pair[i][0] = (uint32_t)e.first;
            pair[i][1] = (uint32_t)e.second;
            fits = fits && orient_insert(&o, pair[i]);
        }
        fail += !fits;
        collide += three_alike((const uint32_t(*)[2])pair, n);
        orient_free(&o);
    }
    ecf_free(&f);
    *alike = rate_of(collide, trials);
    *failed = rate_of(fail, trials);
}

static void theorem_6_2(struct lab *lab) {
    bool above = true, constant = true, below = true;
    struct rate alike, failed;
    double printed = theory_ecf_failure(3, BUCKETS, SLOTS, BITS), ours = 0;
    fputs("items,printed,corrected,alike,alike_error,failed\n", lab->data);
    for (unsigned n = 3; n <= MOST; n++) {
        ours = theory_ecf_failure(n, BUCKETS, SLOTS, BITS);
        trials_of(lab, n, &alike, &failed);
        above &= alike.value <= ours * 1.1 + 3 * alike.error;
        below &= ours <= failed.value + 3 * failed.error;
        constant &= printed < 0.5 * failed.value;
        fprintf(lab->data, "%u,%.6f,%.6f,%.6f,%.6f,%.6f\n", n, printed, ours, alike.value, alike.error, failed.value);
    }
    lab_refute(lab, "Theorem 6.2 with C(n, 2M+1), n = log2 of the virtual size: the same for any number of items",
               text("%.5f", printed), text("8 items in 8 slots: %s", rate_text(failed)), constant);
    lab_hold(lab, "C(N, 2M+1) times the pair probability is above the chance of such a collision (a union bound)",
             text("N = 8: %.4f, measured %s", ours, rate_text(alike)), above);
    lab_hold(lab, "while there are no more items than slots, P_fail is above it all the same",
             text("N = 8: %.4f, P_fail %s", ours, rate_text(failed)), below);
    double absurd = theory_ecf_failure(100, BUCKETS, SLOTS, BITS);
    lab_refute(lab, "it is a lower bound of a probability (N = 100, 8 buckets)", "at most 1", text("%.0f", absurd),
               absurd > 1);
}

static void extension_cost(struct lab *lab) {
    uint64_t cost[2];
    for (unsigned i = 0; i < 2; i++) {
        struct ecf f = ecf_make(UINT64_C(1024) << (3 * i), 4, 12, lab->seed);
        f.writes = 0;
        ecf_extend(&f, 2);
        cost[i] = f.writes;
        ecf_free(&f);
    }
    lab_refute(lab, "extension takes O(1) time: cells written, 8,192 buckets against 1,024", "the same",
               text("%.1f times as many", (double)cost[1] / (double)cost[0]), cost[1] > 4 * cost[0]);
}

void erratum_18(struct lab *lab) {
    lab_refute(lab, "\"round to the next integer; e.g., 3/2 = 1\"", "the next integer is 2", text("floor: %d", 3 / 2),
               3 / 2 != 2);
    theorem_6_2(lab);
    extension_cost(lab);
}
