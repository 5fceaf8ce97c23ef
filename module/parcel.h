/* A value that arrives in chunks, while not all of them are there. It is a value of a type of its own, so that it is saved
 * and replicated like any other, and no command can take it for a filter:
 *
 *     ...LOADCHUNK first -> parcel -> ... -> last chunk -> filter or window in its place
 */
#ifndef GUIRA_MODULE_PARCEL_H
#define GUIRA_MODULE_PARCEL_H

#include <stdbool.h>

#include "redis.h"

extern redis_type *parcel_type;

/* The type "guira-prt". */
bool parcel_register(redis_ctx *ctx);

#endif
