/* What a run found: tables for people while it goes on, files for machines at its end. */
#ifndef GUIRA_BENCH_REPORT_H
#define GUIRA_BENCH_REPORT_H

#include "meta.h"
#include "results.h"

#include <stdio.h>

void report_head(const struct meta *m);

/* The tables of one workload and size, as columns that suit it. */
void report_fixed(const struct results *r, uint64_t slots, uint64_t items);
void report_grow(const struct results *r, uint64_t items);
void report_shrink(const struct results *r, uint64_t items, uint64_t left);
void report_threads(const struct results *r, uint64_t items);
void report_churn(const struct results *r, const char *workload, uint64_t items, uint64_t steps);

/* Rates and bytes on the way of a growing filter: a line per size, a column per filter. */
void report_milestones(const struct results *r);

void report_notes(const struct results *r);

/* Everything, with the circumstances: the same figures in both. False: writing failed. */
bool export_csv(const struct results *r, const struct meta *m, FILE *out);
bool export_json(const struct results *r, const struct meta *m, FILE *out);

#endif
