/* Making a filter under a key, so that replicas and the AOF make the very same. */
#ifndef GUIRA_MODULE_CF_MAKE_H
#define GUIRA_MODULE_CF_MAKE_H

#include "filter.h"

/* Replicates CF._CREATE, which has the seed and all options in it. NULL: no memory, and the client has been told so. */
struct filter *make_at(redis_ctx *ctx, redis_string *name, const struct filter_options *o);

/* Whether this capacity goes with the bucket size; if not, the client has been told so. least: what to call the least. */
bool check_capacity(redis_ctx *ctx, const char *least, const struct filter_options *o);

#endif
