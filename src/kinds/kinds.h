/* All kinds of filters: which functions a configuration leads to. */
#ifndef GUIRA_KINDS_KINDS_H
#define GUIRA_KINDS_KINDS_H

#include "filter/filter.h"

/* Fills in the defaults of a configuration and checks the rest; draws a seed if there is none. EINVAL, ELIMIT, EIO. */
guira_status guira__config_resolve(guira_config *c);

/* The same without the seed; then the buckets, bytes and fpr of the filter that it leads to: see struct guira__kind. */
guira_status guira__kind_plan(guira_config *c, double growth, guira_plan_row *row);

/* The functions for a resolved configuration; NULL: none for this instruction set. */
const struct guira__ops *guira__kind_ops(enum isa isa, const guira_config *c);

/* guira_create for an instruction set of the caller's choice. */
guira_status guira__create_isa(enum isa isa, const guira_config *c, guira **out);

#endif
