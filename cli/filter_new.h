/* Creates filters from what the user specifies: the number of lines and the acceptable false-positive rate. */
#ifndef GUIRA_CLI_FILTER_NEW_H
#define GUIRA_CLI_FILTER_NEW_H

#include <guira.h>

#include "parameters.h"

struct filter_spec {
    unsigned kind;  /* a guira_kind */
    uint64_t items; /* expected number; 0: unknown */
    bool may_grow;  /* beyond `items`, up to 10^10; without `items` it always may */
    double fpr;     /* 0: the default of the kind; kept as long as it does not grow beyond that */
    struct parameters parameters;
};

/* Creates the filter, or exits with the reason why it cannot be created. */
guira *filter_new(const struct filter_spec *spec);

#endif
