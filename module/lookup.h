/* Lookups in a filter, the same for CF.* and BF.*: only the type of the key differs. */
#ifndef GUIRA_MODULE_LOOKUP_H
#define GUIRA_MODULE_LOOKUP_H

#include "filter.h"

/* key item; key item...; key item. A missing key is an empty filter. */
int lookup_exists(redis_ctx *ctx, redis_string **argv, int argc, redis_type *type);
int lookup_mexists(redis_ctx *ctx, redis_string **argv, int argc, redis_type *type);
int lookup_count(redis_ctx *ctx, redis_string **argv, int argc, redis_type *type);

/* *out is NULL if the key does not exist. Returns false if the key has another type; the error has then been replied. */
bool find_filter(redis_ctx *ctx, redis_string *name, redis_type *type, const struct filter **out);

/* The same, with statistics; a key that does not exist is an error too. */
bool find_stats(redis_ctx *ctx, redis_string *name, redis_type *type, const struct filter **f, guira_stats *s);

#endif
