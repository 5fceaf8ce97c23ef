/* The parameters of a filter beyond items and rate. One table has them all: 'build' sets them, 'info' prints them, and
 * the names are those of the options. */
#ifndef GUIRA_CLI_PARAMETERS_H
#define GUIRA_CLI_PARAMETERS_H

#include <guira.h>

#include "options.h"

/* The integers; 0: the default of the kind. */
enum {
    PARAM_SLOT_BITS,
    PARAM_BUCKET_SLOTS,
    PARAM_BUCKETS,
    PARAM_MAX_FILTERS,
    PARAM_FACTOR,
    PARAM_CANDIDATES,
    PARAM_VIRTUAL_NODES,
    PARAM_RING,
    PARAM_MAX_KICKS,
    PARAM_COUNT
};

struct parameters {
    uint64_t integer[PARAM_COUNT];
    double max_load, min_load, growth; /* 0: the default of the kind */
    bool never_shrinks;
    unsigned policy; /* a guira_policy */
};

extern const char *const policy_names[];

#define PARAMETER_INTEGER(to, name, which, help) \
    { 0, name, OPT_COUNT, &(to)->integer[which], "N", help, NULL }

#define PARAMETER_OPTIONS(to)                                                                                          \
    PARAMETER_INTEGER(to, "slot-bits", PARAM_SLOT_BITS, "bits of a slot (default: from the rate, or 16)"),             \
        {0, "max-load", OPT_RATE, &(to)->max_load, "LOAD", "grow above this load; cuckoo: size for it", NULL},         \
        {0, "min-load", OPT_RATE, &(to)->min_load, "LOAD", "shrink below this load", NULL},                            \
        {0, "never-shrink", OPT_FLAG, &(to)->never_shrinks, NULL, "never shrink by itself", NULL},                     \
        {0, "growth", OPT_FACTOR, &(to)->growth, "FACTOR", "tidal: most lines ever, divided by those expected", NULL}, \
        PARAMETER_INTEGER(to, "max-kicks", PARAM_MAX_KICKS, "most entries moved for one line, up to 2000"),            \
        PARAMETER_INTEGER(to, "bucket-slots", PARAM_BUCKET_SLOTS, "slots of a bucket, up to 16"),                      \
        PARAMETER_INTEGER(to, "buckets", PARAM_BUCKETS, "buckets of one filter"),                                      \
        PARAMETER_INTEGER(to, "max-filters", PARAM_MAX_FILTERS, "dynamic, consistent: most filters in the list"),      \
        PARAMETER_INTEGER(to, "factor", PARAM_FACTOR, "elastic: factor of an extension, 2 to 16"),                     \
        PARAMETER_INTEGER(to, "candidates", PARAM_CANDIDATES, "consistent: buckets for an entry, up to 32"),           \
        PARAMETER_INTEGER(to, "virtual-nodes", PARAM_VIRTUAL_NODES,                                                    \
                          "consistent: points of a bucket on the ring, up to 1024"),                                   \
        PARAMETER_INTEGER(to, "ring", PARAM_RING, "consistent: size of the ring, at least 3"), {                       \
        0, "policy", OPT_CHOICE, &(to)->policy, "LEVEL", "consistent: what is added", policy_names                     \
    }

/* Unsets number i, from 0 to PARAM_OPTIONS - 1, and returns the name of its option; NULL: it was not given. */
enum { PARAM_OPTIONS = PARAM_COUNT + 3 };
const char *parameter_unset(struct parameters *p, unsigned i);

/* Whether any is set. */
bool parameters_given(const struct parameters *p);

/* Sets the fields of c, whose kind is set. Exits if the kind does not have a parameter that is set. */
void parameters_apply(const struct parameters *p, guira_config *c);

/* Prints the parameters that the kind of c has, but for the slot bits: "max-load 0.93, max-kicks 500, ...", or as fields
 * of a JSON object, each with a comma before it. */
void parameters_print(const guira_config *c);
void parameters_print_json(const guira_config *c);

#endif
