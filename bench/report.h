/* Output of the results: tables during the run, CSV and JSON files at its end. */
#ifndef GUIRA_BENCH_REPORT_H
#define GUIRA_BENCH_REPORT_H

#include "meta.h"
#include "results.h"

#include <stdio.h>

void report_head(const struct meta *m);

/* Print the table of one workload and size. */
void report_fixed(const struct results *r, uint64_t slots, uint64_t items);
void report_grown(const struct results *r, uint64_t items);
void report_grow(const struct results *r, uint64_t items);
void report_shrink(const struct results *r, uint64_t items, uint64_t left);
void report_threads(const struct results *r, uint64_t items);
void report_interleaved(const struct results *r, uint64_t slots);
void report_zipf(const struct results *r, const char *workload, uint64_t draws, uint64_t distinct);
void report_scale(const struct results *r, uint64_t items);
void report_churn(const struct results *r, const char *workload, uint64_t items, uint64_t steps);

/* Prints bytes and false-positive rates of growing filters: one line per size, one column per filter. */
void report_milestones(const struct results *r);

void report_notes(const struct results *r);

/* Write all results with the metadata. False: writing failed. */
bool export_csv(const struct results *r, const struct meta *m, FILE *out);
bool export_json(const struct results *r, const struct meta *m, FILE *out);

#endif
