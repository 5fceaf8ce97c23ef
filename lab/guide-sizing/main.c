/* Guide: its sizing table, by its own formulas and by the library's planner. */
#include <math.h>

#include "lab.h"
#include "theory.h"

/* Measures the formula of step 1: with 13 bits at load 0.90 the rate is below 0.1 %. */
static void measure_rate(struct lab *lab) {
    guira_config c = {.kind = GUIRA_DYNAMIC, .slot_bits = 13, .bucket_slots = 4, .buckets = 27778, .max_filters = 1};
    guira *f = lab_filter(lab, c);
    lab_fill(f, 0, 100000);
    struct rate r = lab_fpr(f, lab->quick ? 200000 : 2000000);
    lab_must_hold(lab, text("13 bits, b = 4, load %.2f: the rate is below the target of 0.1 %%", lab_stats(f).load),
                  rate_text(r), r.value - r.error < 0.001);
    guira_destroy(f);
}

/* The library's planner for the same question. */
static void note_plan(struct lab *lab) {
    guira_plan_row rows[GUIRA_PLAN_ROWS] = {{.size = sizeof *rows}};
    size_t smallest;
    if (guira_plan(100000000, 0.001, 1, rows, &smallest) != GUIRA_OK) lab_fatal("guira_plan failed");
    for (size_t i = 0; i < GUIRA_PLAN_ROWS; i++)
        lab_note(lab, text("the library's plan: %s%s", rows[i].name, i == smallest ? " (the smallest)" : ""),
                 text("%.0f MB, rate %.5f", (double)rows[i].bytes / 1e6, rows[i].fpr));
}

void experiment(struct lab *lab) {
    struct sizing s = theory_guide_sizing(1e8, 0.001, 4, 0.90);
    lab_compare(lab, "fingerprint bits", "13", s.bits, 0);
    lab_compare(lab, "slots", "111111112", (double)s.slots, 0);
    lab_compare(lab, "buckets, the next power of two", "33554432", (double)s.buckets, 0);
    lab_compare(lab, "megabytes of the cuckoo filter", "218", (double)s.bytes / 1e6, 0.5);
    lab_compare(lab, "megabytes of a Bloom filter", "180", s.bytes_bloom / 1e6, 0.5);
    fputs("items,power_of_two,any,bloom\n", lab->data);
    for (int i = 0; i <= 58; i++) { /* up to about 16 million items */
        double items = 1e6 * pow(1.05, i);
        struct sizing x = theory_guide_sizing(items, 0.001, 4, 0.90);
        fprintf(lab->data, "%.0f,%.3f,%.3f,%.3f\n", items, 8 * (double)x.bytes / items, 8 * x.bytes_any / items,
                8 * x.bytes_bloom / items);
    }
    note_plan(lab);
    measure_rate(lab);
}
