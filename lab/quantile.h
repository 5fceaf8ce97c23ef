/* Distributions of a replay's samples, over several seeds. */
#ifndef GUIRA_LAB_QUANTILE_H
#define GUIRA_LAB_QUANTILE_H

#include "replay.h"

enum measure { MEASURE_ITEMS, MEASURE_SLOTS, MEASURE_LOAD, MEASURE_EMPTY, MEASURES };
enum { QUANTILES = 101 }; /* 0, 1, ... 100 % */

/* Adds the quantiles of one replay to those of the seeds before. */
void quantiles_add(const struct replay *r, enum measure what, struct spread out[QUANTILES]);

/* The fractions of the samples below x, and above x. */
double fraction_below(const struct replay *r, enum measure what, double x);
double fraction_above(const struct replay *r, enum measure what, double x);

#endif
