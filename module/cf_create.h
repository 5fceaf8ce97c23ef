/* Creating a filter under a key so that replicas and the AOF create the same one. */
#ifndef GUIRA_MODULE_CF_CREATE_H
#define GUIRA_MODULE_CF_CREATE_H

#include "filter.h"

/* Creates the filter, stores it at the key and replicates CF._CREATE with the seed and all options. Returns NULL if there
 * is no memory; the error has then been replied. */
struct filter *create_at_key(redis_ctx *ctx, redis_string *name, const struct filter_options *o);

/* Gives an unseeded filter the server's seed and replicates CF._SEED. On false the error has been replied. */
bool seed_at_key(redis_ctx *ctx, redis_string *name, struct filter *f);

/* Checks o->capacity against the bucket size and the maximum. On false the error has been replied; `minimum` is how it
 * names the lower limit ("2 * BUCKETSIZE"). */
bool check_capacity(redis_ctx *ctx, const char *minimum, const struct filter_options *o);

/* Parses the value of the option ERROR. On false the error has been replied. */
bool read_filter_fpr(redis_ctx *ctx, const redis_string *s, double *out);

#endif
