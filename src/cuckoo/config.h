/* The false-positive rate that slots of a width keep. */
#ifndef GUIRA_CUCKOO_CONFIG_H
#define GUIRA_CUCKOO_CONFIG_H

#include "guira.h"
#include "slots/layout.h"

/* The rate of a filter with this layout that is filled to this load. */
double guira__cuckoo_rate(struct layout l, double load);

/* Whether a resolved configuration keeps its fpr until the filter is full. */
bool guira__cuckoo_keeps_rate(const guira_config *c);

#endif
