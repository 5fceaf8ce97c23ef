/* guide: when a cuckoo filter is smaller than a Bloom filter, and where the guide's 218 MB come from. */
#include <math.h>
#include <string.h>

#include "lab.h"
#include "theory.h"

/* The kind of filter that the library's planner recommends as the smallest. */
static const char *smallest_kind(double items, double fpr) {
    guira_plan_row rows[GUIRA_PLAN_ROWS] = {{.size = sizeof *rows}};
    size_t smallest = 0;
    if (guira_plan((uint64_t)items, fpr, 1, rows, &smallest) != GUIRA_OK) lab_fatal("guira_plan failed");
    return rows[smallest].name;
}

void experiment(struct lab *lab) {
    double crossing = theory_bloom_crossover(4, 0.95);
    fputs("fpr,bloom,cuckoo\n", lab->data);
    for (int i = 0; i <= 25; i++) {
        double e = 0.1 * pow(0.63, i); /* down to 10^-6 */
        fprintf(lab->data, "%.3g,%.3f,%.3f\n", e, theory_bloom_bits(e), theory_cuckoo_bits(e, 4, 0.95));
    }
    lab_refute(lab, "at 3 % a cuckoo filter takes fewer bits than a Bloom filter", "fewer",
               text("%.2f and %.2f bits per item", theory_cuckoo_bits(0.03, 4, 0.95), theory_bloom_bits(0.03)),
               theory_cuckoo_bits(0.03, 4, 0.95) > theory_bloom_bits(0.03));
    lab_refute(lab, "the crossover is at about 3 %", "0.03", text("%.4f", crossing), crossing < 0.01);
    struct sizing s = theory_guide_sizing(1e8, 0.001, 4, 0.90);
    double dense = theory_guide_sizing(1e8, 0.001, 4, 0.95).bytes_any;
    lab_refute(lab, "100 million items at 0.1 %: a cuckoo filter takes 218 MB, Bloom 180 MB", "218 MB",
               text("%.0f MB with any number of buckets, %.0f MB at load 0.95, Bloom %.0f MB", s.bytes_any / 1e6,
                    dense / 1e6, s.bytes_bloom / 1e6),
               s.bytes_any < 0.9 * (double)s.bytes);
    lab_must_hold(lab, "below the crossover the cuckoo filter is smaller",
                  text("1e-4: %.2f and %.2f bits", theory_cuckoo_bits(1e-4, 4, 0.95), theory_bloom_bits(1e-4)),
                  crossing > 0.003 && crossing < 0.005 && theory_cuckoo_bits(1e-4, 4, 0.95) < theory_bloom_bits(1e-4));
    const char *at_3_percent = smallest_kind(1e8, 0.03), *at_1e_4 = smallest_kind(1e8, 0.0001);
    lab_must_hold(lab, "the library's planner recommends \"bloom\" at 3 %", at_3_percent,
                  strcmp(at_3_percent, "bloom") == 0);
    lab_note(lab, "and at 0.01 %", at_1e_4);
}
