/* Every command, one function each; commands.c has their names and what they are for. */
#ifndef GUIRA_MODULE_COMMANDS_H
#define GUIRA_MODULE_COMMANDS_H

#include <stdbool.h>

#include "redis.h"

bool commands_register(redis_ctx *ctx);

/* cf_make.c */
redis_command_fn cf_reserve, cf_create, cf_compact, cf_merge;
/* cf_change.c */
redis_command_fn cf_add, cf_addnx, cf_insert, cf_insertnx, cf_del;
/* cf_ask.c */
redis_command_fn cf_exists, cf_mexists, cf_count, cf_info, cf_stats, cf_debug;
/* scandump.c */
redis_command_fn cf_scandump;
/* parcel.c */
redis_command_fn cf_loadchunk, cfw_loadchunk;
/* cfw.c */
redis_command_fn cfw_reserve, cfw_create, cfw_seen, cfw_seen_at, cfw_tick, cfw_info;

#endif
