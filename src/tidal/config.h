/* The configuration of a tidal filter, and the false-positive rate that slots of a width keep. */
#ifndef GUIRA_TIDAL_CONFIG_H
#define GUIRA_TIDAL_CONFIG_H

#include "guira.h"
#include "slots/layout.h"

/* The highest rate of a filter with this layout and load that grows by this factor from so many items. */
double guira__tidal_rate(struct layout l, double load, double smallest, double growth);

/* Whether a filter with this layout and a resolved configuration keeps its fpr at every size that its growth allows. */
bool guira__tidal_keeps_rate(const guira_config *c, struct layout l);

/* The buckets that such a filter must not shrink below in order to do so; 0: any size will do. */
uint64_t guira__tidal_least_buckets(const guira_config *c, struct layout l);

struct tidal;

/* Puts a resolved configuration into a new filter. False: no memory. guira__tidal_config gets it back. */
bool guira__tidal_set_config(struct tidal *f, const guira_config *c);

/* The rate that a filter was asked to keep, at which load, and between which numbers of items. False: none. */
struct rate_wanted {
    double fpr, load, least, most;
};
bool guira__tidal_rate_wanted(const struct tidal *f, struct rate_wanted *out);

/* What is planned for each of the two terms of the formula 1 + ln(n / n0). */
#define RATE_AT_ONE_SIZE 1.08
#define RATE_OF_GROWTH 1.02

void guira__tidal_loads(const struct tidal *f, double *max_load, double *min_load);

#endif
