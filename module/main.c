/* guira.so: tidal and cuckoo filters and time windows as data types of Redis and Valkey. docs/redis.md explains its use.
 *
 *     main.c           loads the module
 *     commands.c       table of all commands: names, flags, documentation
 *     cf_create.c      CF.RESERVE                     filter.c         the data type "filter"
 *     cf_write.c       CF.ADD, CF.INSERT, CF.DEL      window.c         the data type "window"
 *     cf_read.c        CF.EXISTS, CF.INFO, ...        window_timer.c   expires items of idle windows
 *     cf_merge.c       CF.COMPACT, CF.MERGE           serialize.c      values as bytes: RDB, AOF, dumps, digests
 *     scandump.c       CF.SCANDUMP                    seed.c           the server's hash seed
 *     loadchunk.c      CF.LOADCHUNK                   settings.c       the module's arguments and settings
 *     cfw.c            CFW.*                          counters.c       the section of INFO
 *                                                     old_type.c       RedisBloom's filters: its data type,
 *                                                     old_part.c copies.c   and what we do with them
 *     bf_create.c bf_write.c bf_read.c   BF.*         lookup.c         lookups, for CF.* and BF.*
 *     command_util.c   used by all commands           names.c          the names of commands, with a prefix
 *     commands.c       uses syntax.c                  redis.h          the server's API */
#include "commands.h"
#include "counters.h"
#include "filter.h"
#include "loadchunk.h"
#include "memory.h"
#include "old_type.h"
#include "settings.h"
#include "window.h"

__attribute__((visibility("default"))) int RedisModule_OnLoad(redis_ctx *ctx, redis_string **argv, int argc);

int RedisModule_OnLoad(redis_ctx *ctx, redis_string **argv, int argc) {
    const char *missing = redis_load_api(ctx);
    if (redis.SetModuleAttribs == NULL || redis.IsModuleNameBusy == NULL) return REDIS_ERR;
    if (redis.IsModuleNameBusy("guira")) {
        if (redis.Log != NULL)
            redis.Log(ctx, "warning", "guira: loaded already. To change its arguments, restart the server");
        return REDIS_ERR;
    }
    redis.SetModuleAttribs(ctx, "guira", MODULE_VERSION, REDIS_API_VERSION);
    if (missing != NULL) {
        if (redis.Log != NULL) redis.Log(ctx, "warning", "guira: this server is too old: it lacks %s", missing);
        return REDIS_ERR;
    }
    memory_use_server_allocator();
    memory_ask_server(ctx);
    redis.SetModuleOptions(ctx, REDIS_OPTION_HANDLE_IO_ERRORS | REDIS_OPTION_HANDLE_ASYNC_LOAD);
    bool registered = settings_read_arguments(ctx, argv, argc) && commands_register(ctx) && filter_register(ctx) &&
                      old_type_register(ctx) && window_register(ctx) && partial_register(ctx) && settings_register(ctx);
    redis.RegisterInfoFunc(ctx, counters_report);
    return registered ? REDIS_OK : REDIS_ERR;
}
