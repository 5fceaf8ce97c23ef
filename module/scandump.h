/* Dumps in progress: see scandump.c. */
#ifndef GUIRA_MODULE_SCANDUMP_H
#define GUIRA_MODULE_SCANDUMP_H

#include "filter.h"

/* Ends the dump of a filter, if one is in progress. */
void dump_end(struct filter *f);

#endif
