/* ECF: Theorem 6.2 has the logarithm of the size where the number of items belongs, and is no lower bound. */
#include "lab.h"
#include "models/ecf.h"
#include "models/exact_placement.h"
#include "theory.h"

enum { BUCKETS = 8, SLOTS = 1, BITS = 8, MAX_ITEMS = 8 };

/* Whether some 2M + 1 of the n items have the same two candidate buckets. */
static bool buckets_collide(const uint32_t (*pair)[2], unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        unsigned equal = 0;
        for (unsigned j = 0; j < n; j++)
            equal += (pair[i][0] == pair[j][0] && pair[i][1] == pair[j][1]) ||
                     (pair[i][0] == pair[j][1] && pair[i][1] == pair[j][0]);
        if (equal >= 2 * SLOTS + 1) return true;
    }
    return false;
}

/* In many small filters: how often 2M + 1 of n items have the same buckets, and how often not all items fit. */
static void run_trials(struct lab *lab, unsigned n, struct rate *alike, struct rate *failed) {
    struct ecf f = ecf_make(BUCKETS, SLOTS, BITS, lab->seed);
    unsigned trials = lab->quick ? 20000 : 200000, collide = 0, fail = 0;
    for (unsigned t = 0; t < trials; t++) {
        struct placement p = placement_make(BUCKETS, SLOTS, 2);
        uint32_t pair[MAX_ITEMS][2];
        bool fits = true;
        for (unsigned i = 0; i < n; i++) {
            struct ecf_entry e = ecf_entry_of(&f, (uint64_t)n << 40 | (uint64_t)t << 8 | i);
            pair[i][0] = (uint32_t)e.first;
            pair[i][1] = (uint32_t)e.second;
            fits = fits && placement_insert(&p, pair[i]);
        }
        fail += !fits;
        collide += buckets_collide((const uint32_t(*)[2])pair, n);
        placement_free(&p);
    }
    ecf_free(&f);
    *alike = rate_of(collide, trials);
    *failed = rate_of(fail, trials);
}

static void check_theorem_6_2(struct lab *lab) {
    bool above = true, constant = true, below = true;
    struct rate alike, failed;
    double printed = theory_ecf_failure(3, BUCKETS, SLOTS, BITS), ours = 0;
    fputs("items,printed,corrected,alike,alike_error,failed\n", lab->data);
    for (unsigned n = 3; n <= MAX_ITEMS; n++) {
        ours = theory_ecf_failure(n, BUCKETS, SLOTS, BITS);
        run_trials(lab, n, &alike, &failed);
        above &= alike.value <= ours * 1.1 + 3 * alike.error;
        below &= ours <= failed.value + 3 * failed.error;
        constant &= printed < 0.5 * failed.value;
        fprintf(lab->data, "%u,%.6f,%.6f,%.6f,%.6f,%.6f\n", n, printed, ours, alike.value, alike.error, failed.value);
    }
    lab_refute(lab, "Theorem 6.2 with C(n, 2M+1), n = log2 of the virtual size: the same for any number of items",
               text("%.5f", printed), text("8 items in 8 slots: %s", rate_text(failed)), constant);
    lab_must_hold(
        lab,
        "C(N, 2M+1) times the pair probability is an upper bound of the probability of such a collision (union bound)",
        text("N = 8: %.4f, measured %s", ours, rate_text(alike)), above);
    lab_must_hold(lab, "up to as many items as slots, P_fail is nevertheless above it",
                  text("N = 8: %.4f, P_fail %s", ours, rate_text(failed)), below);
    double expression = theory_ecf_failure(100, BUCKETS, SLOTS, BITS);
    lab_refute(lab, "it is a lower bound of a probability (N = 100, 8 buckets)", "at most 1", text("%.0f", expression),
               expression > 1);
}

void experiment(struct lab *lab) { check_theorem_6_2(lab); }
