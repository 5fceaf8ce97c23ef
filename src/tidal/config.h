/* The false-positive rate that slots of a width keep. */
#ifndef GUIRA_TIDAL_CONFIG_H
#define GUIRA_TIDAL_CONFIG_H

#include "guira.h"
#include "slots/layout.h"

/* The highest rate of a filter with this layout and load that grows by this factor. */
double guira__tidal_rate(struct layout l, double load, double growth);

/* Whether a filter with this layout and a resolved configuration keeps its fpr at every size that its growth allows. */
bool guira__tidal_keeps_rate(const guira_config *c, struct layout l);

#endif
