/* RedisBloom's data type for cuckoo filters: see old_type.c. */
#ifndef GUIRA_MODULE_OLD_TYPE_H
#define GUIRA_MODULE_OLD_TYPE_H

#include "filter.h"

/* Registers the data type, unless another module has it. */
bool old_type_register(redis_ctx *ctx);

/* Reads a dump of RedisBloom: its header and all slots. Only for reading. */
extern const struct serializer old_dump_serializer;

#endif
