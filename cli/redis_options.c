/* Options that do not go together: see redis.h. */
#include "redis.h"
#include "report.h"

void redis_check_options(const struct redis_options *redis) {
    if (redis->url != NULL) return;
    if (redis->shards > 0) trouble("--shards: of what? say where with --redis");
    if (redis->timeout > 0) trouble("--redis-timeout: of what? say where with --redis");
}

void redis_refuse(const struct redis_options *redis, bool given, const char *option) {
    if (redis->url != NULL && given) trouble("--%s does not go with --redis", option);
}
