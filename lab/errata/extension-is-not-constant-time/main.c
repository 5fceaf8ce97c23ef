/* ECF: extension copies every bucket. */
#include "models/ecf.h"

void experiment(struct lab *lab) {
    uint64_t cost[2];
    for (unsigned i = 0; i < 2; i++) {
        struct ecf f = ecf_make(UINT64_C(1024) << (3 * i), 4, 12, lab->seed);
        f.writes = 0;
        ecf_extend(&f, 2);
        cost[i] = f.writes;
        ecf_free(&f);
    }
    lab_refute(lab, "extension takes O(1) time: slots written, 8,192 buckets compared with 1,024", "the same",
               text("%.1f times as many", (double)cost[1] / (double)cost[0]), cost[1] > 4 * cost[0]);
    lab_must_hold(lab, "the cost is proportional to the new size",
                  text("%.1f times", (double)cost[1] / (double)cost[0]), cost[1] == 8 * cost[0]);
}
