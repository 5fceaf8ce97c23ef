/* The configuration of a tidal filter, and the false-positive rate that slots of a width keep. */
#ifndef GUIRA_TIDAL_CONFIG_H
#define GUIRA_TIDAL_CONFIG_H

#include "guira.h"
#include "slots/layout.h"

/* The highest rate of a filter with this layout and load that grows by this factor. */
double guira__tidal_rate(struct layout l, double load, double growth);

/* Whether a filter with this layout and a resolved configuration keeps its fpr at every size that its growth allows. */
bool guira__tidal_keeps_rate(const guira_config *c, struct layout l);

/* The buckets that such a filter must not shrink below in order to do so; 0: any size will do. */
uint64_t guira__tidal_least_buckets(const guira_config *c, struct layout l);

struct tidal;

/* Puts a resolved configuration into a new filter. False: no memory. guira__tidal_config gets it back. */
bool guira__tidal_set_config(struct tidal *f, const guira_config *c);

void guira__tidal_loads(const struct tidal *f, double *max_load, double *min_load);

#endif
