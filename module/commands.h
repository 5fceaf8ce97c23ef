/* One function per command; commands.c has the table of names, flags and descriptions. */
#ifndef GUIRA_MODULE_COMMANDS_H
#define GUIRA_MODULE_COMMANDS_H

#include <stdbool.h>

#include "redis.h"

/* Registers all commands with the server. False: the server refused one because its name is taken, which has been logged. */
bool commands_register(redis_ctx *ctx);

/* cf_create.c */
redis_command_fn cf_reserve, cf_create, cf_seed;
/* cf_merge.c */
redis_command_fn cf_compact, bf_compact, cf_merge, cf_union;
/* cf_write.c */
redis_command_fn cf_add, cf_addnx, cf_insert, cf_insertnx, cf_del;
/* cf_read.c */
redis_command_fn cf_exists, cf_mexists, cf_count, cf_info, cf_stats, cf_debug;
/* scandump.c */
redis_command_fn cf_scandump, bf_scandump;
/* loadchunk.c */
redis_command_fn cf_loadchunk, cfw_loadchunk, bf_loadchunk;
/* cfw.c */
redis_command_fn cfw_reserve, cfw_create, cfw_seen, cfw_seen_at, cfw_tick, cfw_info;
/* bf_create.c */
redis_command_fn bf_reserve, bf_create;
/* bf_write.c */
redis_command_fn bf_add, bf_madd, bf_insert, bf_del;
/* bf_read.c */
redis_command_fn bf_exists, bf_mexists, bf_count, bf_card, bf_info;

/* CF.DEL and BF.DEL key item, for a key of a type: replicates and replies. cf_write.c */
int delete_item(redis_ctx *ctx, redis_string **argv, redis_type *type, const char *event);

#endif
