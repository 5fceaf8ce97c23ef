/* Options of BF.* commands: see bf_create.c. */
#ifndef GUIRA_MODULE_BF_H
#define GUIRA_MODULE_BF_H

#include "filter.h"

/* Creates the filter, stores it at the key and replicates BF._CREATE with the seed and all options. NULL: no memory; the
 * error has then been replied. */
struct filter *bf_create_at_key(redis_ctx *ctx, redis_string *name, const struct filter_options *o);

/* Parse an option's value. NULL: it is good; otherwise the error to reply. */
const char *bf_read_rate(const redis_string *s, double *out);
const char *bf_read_capacity(const redis_string *s, long long *out);
const char *bf_read_expansion(const redis_string *s, long long *out);

#endif
