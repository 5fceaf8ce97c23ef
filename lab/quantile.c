/* Quantiles of a replay's samples. */
#include "quantile.h"

#include <stdlib.h>

static double value_of(const struct sample *s, enum measure what) {
    switch (what) {
    case MEASURE_ITEMS: return (double)s->items;
    case MEASURE_SLOTS: return (double)s->slots;
    case MEASURE_LOAD: return s->slots > 0 ? (double)s->items / (double)s->slots : 0;
    case MEASURE_EMPTY:
    case MEASURES: break;
    }
    return (double)(s->slots - s->items);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void quantiles_add(const struct replay *r, enum measure what, struct spread out[QUANTILES]) {
    double *value = malloc(r->samples * sizeof *value + 1);
    if (value == NULL) lab_fatal("no memory for a distribution");
    for (size_t i = 0; i < r->samples; i++) value[i] = value_of(&r->sample[i], what);
    qsort(value, r->samples, sizeof *value, by_value);
    for (size_t q = 0; q < QUANTILES; q++) spread_add(&out[q], value[q * (r->samples - 1) / (QUANTILES - 1)]);
    free(value);
}

double fraction_below(const struct replay *r, enum measure what, double x) {
    size_t below = 0;
    for (size_t i = 0; i < r->samples; i++) below += value_of(&r->sample[i], what) < x;
    return (double)below / (double)r->samples;
}

double fraction_above(const struct replay *r, enum measure what, double x) {
    size_t above = 0;
    for (size_t i = 0; i < r->samples; i++) above += value_of(&r->sample[i], what) > x;
    return (double)above / (double)r->samples;
}
