/* Quantiles of a replay's samples, for plots of distributions. */
#ifndef GUIRA_LAB_QUANTILE_H
#define GUIRA_LAB_QUANTILE_H

#include "replay.h"

enum measure { MEASURE_ITEMS, MEASURE_SLOTS, MEASURE_LOAD, MEASURE_EMPTY };
enum { QUANTILES = 101 }; /* 0, 1, ... 100 % */

void quantiles(const struct replay *r, enum measure what, double out[QUANTILES]);

/* The fraction of the samples that is below x. */
double fraction_below(const struct replay *r, enum measure what, double x);

#endif
