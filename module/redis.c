/* See redis.h. */
#include "redis.h"

#include <stdlib.h>
#include <string.h>

struct redis redis;

typedef int get_api_fn(const char *name, void *function);

/* In every version of Redis and Valkey a context starts with the address of GetApi. */
static get_api_fn *get_api_of(redis_ctx *ctx) {
    get_api_fn *get_api;
    memcpy(&get_api, ctx, sizeof get_api);
    return get_api;
}

const char *redis_load_api(redis_ctx *ctx) {
    get_api_fn *get_api = get_api_of(ctx);
#define FIND_OR_FAIL(result, name, arguments) \
    if (get_api("RedisModule_" #name, (void *)&redis.name) != REDIS_OK) return #name;
#define FIND(result, name, arguments) \
    if (get_api("RedisModule_" #name, (void *)&redis.name) != REDIS_OK) redis.name = NULL;
    REDIS_FUNCTIONS(FIND_OR_FAIL, FIND)
#undef FIND_OR_FAIL
#undef FIND
    return NULL;
}

unsigned redis_valkey_version(redis_ctx *ctx) {
    redis_info_data *info = redis.GetServerInfo(ctx, "server");
    const char *text = redis.ServerInfoGetFieldC(info, "valkey_version"); /* "8.1.1" */
    char *end = NULL;
    unsigned long major = text == NULL ? 0 : strtoul(text, &end, 10), minor = 0;
    if (major > 0 && *end == '.') minor = strtoul(end + 1, NULL, 10);
    redis.FreeServerInfo(ctx, info);
    return (unsigned)(major << 8 | minor);
}
