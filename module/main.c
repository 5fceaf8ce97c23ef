/* guira.so: cuckoo filters that grow and shrink, and windows, as keys of Redis and Valkey. docs/redis.md tells how to use it.
 *
 *     commands.c         names and documentation of the commands
 *     cf_*.c, scandump.c CF.*: filters           filter.c    their values
 *     cfw*.c             CFW.*: windows          window.c    their values
 *     parcel.c           ...LOADCHUNK: values that arrive in chunks
 *     codec.c            values as bytes: RDB, AOF, dumps, digests
 *     redis.h            what we call of the server */
#include "commands.h"
#include "filter.h"
#include "memory.h"
#include "parcel.h"
#include "settings.h"
#include "totals.h"
#include "window.h"

__attribute__((visibility("default"))) int RedisModule_OnLoad(redis_ctx *ctx, redis_string **argv, int argc);

int RedisModule_OnLoad(redis_ctx *ctx, redis_string **argv, int argc) {
    const char *missing = redis_connect(ctx);
    if (redis.SetModuleAttribs == NULL || redis.IsModuleNameBusy == NULL || redis.IsModuleNameBusy("guira"))
        return REDIS_ERR;
    redis.SetModuleAttribs(ctx, "guira", MODULE_VERSION, REDIS_API_VERSION);
    if (missing != NULL) {
        if (redis.Log != NULL) redis.Log(ctx, "warning", "guira: this server is too old, it has no %s", missing);
        return REDIS_ERR;
    }
    memory_hook();
    redis.SetModuleOptions(ctx, REDIS_OPTION_HANDLE_IO_ERRORS | REDIS_OPTION_HANDLE_ASYNC_LOAD);
    bool good = filter_register(ctx) && window_register(ctx) && parcel_register(ctx) && commands_register(ctx) &&
                settings_load(ctx, argv, argc);
    redis.RegisterInfoFunc(ctx, totals_tell);
    return good ? REDIS_OK : REDIS_ERR;
}
