/* CCF: Theorem 2 multiplies the cost of searching a ring by that of reading a bucket; they add. */
#include <math.h>

#include "lab.h"
#include "models/hash_ring.h"

/* Cost of one unsuccessful query in s filters: steps of binary search plus slots read. */
static double query_cost(struct lab_rng *r, unsigned s, unsigned m, unsigned k, unsigned b) {
    enum { QUERIES = 200 };
    uint64_t cost = 0;
    for (unsigned i = 0; i < s; i++) {
        struct ring ring = ring_make(m, 10, r);
        for (uint64_t q = 0; q < QUERIES; q++)
            for (unsigned j = 0; j < k; j++) {
                ring_find(&ring, ring_hash(&ring, q, j));
                cost += b;
            }
        cost += ring.steps;
        ring_free(&ring);
    }
    return (double)cost / QUERIES;
}

void experiment(struct lab *lab) {
    struct lab_rng r = {lab->seed};
    fputs("buckets,measured,sum,product\n", lab->data);
    double worst_sum = 0, worst_product = 0;
    for (unsigned m = 64; m <= 16384; m *= 4) {
        double measured = query_cost(&r, 4, m, 2, 4);
        double sum = 4 * 2 * (log2(m * 10.0) + 4), product = 4 * 2 * 4 * log2(m);
        fprintf(lab->data, "%u,%.2f,%.2f,%.2f\n", m, measured, sum, product);
        worst_sum = fmax(worst_sum, fabs(measured / sum - 1));
        worst_product = fmax(worst_product, fabs(measured / product - 1));
    }
    lab_refute(lab, "Theorem 2: a query costs s k b log m", "product",
               text("off by up to %.0f %%", 100 * worst_product), worst_product > 0.3);
    lab_must_hold(lab, "it costs s k (log(m v) + b)", text("off by at most %.0f %%", 100 * worst_sum), worst_sum < 0.1);
}
