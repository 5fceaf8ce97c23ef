/* Checks of options that depend on --redis, see redis.h. Compiled with and without hiredis. */
#include <string.h>

#include "redis.h"
#include "report.h"

void redis_require_url(const struct redis_options *redis) {
    const struct tls_options *t = &redis->tls;
    bool tls = redis->url != NULL && strncmp(redis->url, "rediss://", 9) == 0;
    const char *given = t->ca != NULL     ? "ca"
                        : t->cert != NULL ? "cert"
                        : t->key != NULL  ? "key"
                        : t->name != NULL ? "name"
                                          : NULL;
    if (given != NULL && !tls) trouble("--tls-%s requires --redis rediss://...", given);
    if (redis->url != NULL) return;
    if (redis->shards > 0) trouble("--shards requires --redis");
    if (redis->timeout > 0) trouble("--redis-timeout requires --redis");
}

void redis_reject_option(const struct redis_options *redis, bool given, const char *option) {
    if (redis->url != NULL && given) trouble("--%s cannot be combined with --redis", option);
}
