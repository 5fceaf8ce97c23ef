/* The false-positive rate that slots of a width keep. */
#ifndef GUIRA_TIDAL_CONFIG_H
#define GUIRA_TIDAL_CONFIG_H

#include "guira.h"
#include "slots/layout.h"

/* The highest rate of a filter with this layout and load that grows by this factor. */
double guira__tidal_rate(struct layout l, double load, double growth);

/* Whether a resolved configuration keeps its fpr up to the growth that it allows. */
bool guira__tidal_keeps_rate(const guira_config *c);

#endif
