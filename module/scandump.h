/* Dumps in progress: see scandump.c. */
#ifndef GUIRA_MODULE_SCANDUMP_H
#define GUIRA_MODULE_SCANDUMP_H

#include "filter.h"

/* Ends the dump of a filter, if one is in progress. */
void dump_end(struct filter *f);

/* Before a filter changes: a dump in progress gets a copy of it, which takes time in proportion to the filter, once. */
void dump_before_change(struct filter *f);

#endif
