/* ECF: case 3 of the multiple version moves to B[i/2 - 1], which is B[-1] for i = 0; and a filter that was
 * halved and then extended differs from a new filter of the same size. */
#include "lab.h"
#include "models/ecf.h"

static void check_case_3(struct lab *lab) {
    uint64_t negative = 0, entries = 0, wrapped_right = 0;
    unsigned trials = lab->quick ? 300 : 3000;
    for (unsigned t = 0; t < trials; t++) {
        struct ecf f = ecf_make(48, 4, 12, lab->seed + t);
        for (uint64_t i = 0; i < 80; i++) ecf_insert(&f, (uint64_t)t << 20 | i);
        for (unsigned i = 0; i < 48 * 4; i++) entries += f.slot[i] != 0;
        for (unsigned i = 0; i < 4; i++) { /* bucket 0 */
            uint64_t offset = ecf_offset(&f, f.slot[i]), d = (48 - offset) % 48;
            if (f.slot[i] == 0 || offset % 2 == 0) continue;
            negative++;
            wrapped_right += (offset / 2 + d / 2) % 24 == 23;
        }
        ecf_free(&f);
    }
    lab_refute(lab, "case 3: i even, odd offset: move to B[i/2 - 1] (48 buckets, many filters)",
               "a bucket of the filter",
               text("%" PRIu64 " of %" PRIu64 " entries are moved to B[-1]", negative, entries), negative > 0);
    lab_must_hold(lab, "these entries belong to the last bucket: the index wraps around",
                  text("%" PRIu64 " of %" PRIu64, wrapped_right, negative), wrapped_right == negative);
}

static void check_history(struct lab *lab) {
    struct ecf f = ecf_make(8192, 4, 12, lab->seed), fresh = ecf_make(8192, 4, 12, lab->seed);
    uint64_t n = ecf_fill(&f, 0, 8192 * 4 * 45 / 100), right, wrong;
    ecf_halve(&f, true);
    ecf_extend(&f, 2);
    right = ecf_false_negatives(&f, 0, n);
    uint16_t *own = fresh.slot;
    fresh.slot = f.slot; /* the same table, read with its size but without its history */
    wrong = ecf_false_negatives(&fresh, 0, n);
    fresh.slot = own;
    lab_refute(lab, "size and fingerprints are enough to find entries after shrinking and extending",
               "no false negatives", text("%.0f %% false negatives", 100 * (double)wrong / (double)n), wrong > n / 10);
    lab_must_hold(lab, "with the history of sizes there are no false negatives", text("%" PRIu64, right), right == 0);
    ecf_free(&f);
    ecf_free(&fresh);
}

void experiment(struct lab *lab) {
    check_case_3(lab);
    check_history(lab);
}
