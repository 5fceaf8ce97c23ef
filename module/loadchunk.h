/* CF.LOADCHUNK and CFW._LOADCHUNK: build a value from chunks. While chunks are missing, the key holds a value of a data type
 * of its own, "partial". So it is saved and replicated like any other value, and no command takes it for a filter:
 *
 *     LOADCHUNK of the first chunk -> partial -> ... -> last chunk -> replaced by the filter or window
 */
#ifndef GUIRA_MODULE_LOADCHUNK_H
#define GUIRA_MODULE_LOADCHUNK_H

#include <stdbool.h>

#include "redis.h"

extern redis_type *partial_type;

/* Registers the data type "guira-prt". */
bool partial_register(redis_ctx *ctx);

#endif
