/* Checks of options that depend on --redis, see redis.h. Compiled with and without hiredis. */
#include "redis.h"
#include "report.h"

void redis_require_url(const struct redis_options *redis) {
    if (redis->url != NULL) return;
    if (redis->shards > 0) trouble("--shards requires --redis");
    if (redis->timeout > 0) trouble("--redis-timeout requires --redis");
}

void redis_reject_option(const struct redis_options *redis, bool given, const char *option) {
    if (redis->url != NULL && given) trouble("--%s cannot be combined with --redis", option);
}
