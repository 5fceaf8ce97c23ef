/* A module for tests that has a command of guira's name, as RedisBloom has: CF.ADD. */
#include "redis.h"

__attribute__((visibility("default"))) int RedisModule_OnLoad(redis_ctx *ctx, redis_string **argv, int argc);

static int add(redis_ctx *ctx, redis_string **argv, int argc) {
    (void)argv;
    (void)argc;
    return redis.ReplyWithSimpleString(ctx, "other");
}

int RedisModule_OnLoad(redis_ctx *ctx, redis_string **argv, int argc) {
    (void)argv;
    (void)argc;
    if (redis_load_api(ctx) != NULL) return REDIS_ERR;
    redis.SetModuleAttribs(ctx, "other", 1, REDIS_API_VERSION);
    return redis.CreateCommand(ctx, "CF.ADD", add, "write", 1, 1, 1);
}
