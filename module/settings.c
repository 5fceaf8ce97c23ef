/* See settings.h. */
#include "settings.h"

#include "command_util.h"
#include "seed.h"

/* Indexes into the table. */
enum { BUCKET_SIZE, INITIAL_SIZE, MAX_ITERATIONS, EXPANSION_FACTOR, MAX_EXPANSIONS, SETTINGS };

static struct setting {
    const char *name;
    long long value, min, max;
} settings[SETTINGS] = {
    {"cf-bucket-size", 2, 1, MAX_BUCKET_SIZE},
    {"cf-initial-size", 1024, 2, MAX_CAPACITY},
    {"cf-max-iterations", 20, 1, MAX_ITERATIONS_LIMIT},
    {"cf-expansion-factor", 1, 0, MAX_EXPANSION},
    {"cf-max-expansions", 32, 1, 65535}, /* accepted for compatibility with RedisBloom, without effect */
};

static long long get(const char *name, void *data) {
    (void)name;
    return ((const struct setting *)data)->value;
}

static int set(const char *name, long long value, void *data, redis_string **error) {
    (void)name;
    (void)error;
    ((struct setting *)data)->value = value;
    return REDIS_OK;
}

/* False: unknown setting or invalid value, which has been logged. */
static bool set_argument(redis_ctx *ctx, const redis_string *name, const redis_string *value) {
    for (int i = 0; i < SETTINGS; i++) {
        struct setting *s = &settings[i];
        long long n;
        if (!is_keyword(name, s->name)) continue;
        bool good = redis.StringToLongLong(value, &n) == REDIS_OK && n >= s->min && n <= s->max;
        if (good) s->value = n;
        else redis.Log(ctx, "warning", "guira: %s must be in the range [%lld, %lld]", s->name, s->min, s->max);
        return good;
    }
    redis.Log(ctx, "warning", "guira: unknown argument %s", redis.StringPtrLen(name, NULL));
    return false;
}

bool settings_load(redis_ctx *ctx, redis_string **argv, int argc) {
    if (argc % 2 != 0) {
        redis.Log(ctx, "warning", "guira: module arguments must be pairs of a setting and its value");
        return false;
    }
    for (int i = 0; i < argc; i += 2)
        if (!set_argument(ctx, argv[i], argv[i + 1])) return false;
    if (redis.RegisterNumericConfig == NULL || redis.LoadConfigs == NULL) return true;
    for (int i = 0; i < SETTINGS; i++) {
        struct setting *s = &settings[i];
        if (redis.RegisterNumericConfig(ctx, s->name, s->value, 0, s->min, s->max, get, set, NULL, s) != REDIS_OK)
            return false;
    }
    return redis.LoadConfigs(ctx) == REDIS_OK;
}

void settings_get(struct filter_options *out) {
    *out = (struct filter_options){
        .capacity = settings[INITIAL_SIZE].value,
        .bucket_size = settings[BUCKET_SIZE].value,
        .max_iterations = settings[MAX_ITERATIONS].value,
        .expansion = settings[EXPANSION_FACTOR].value,
    };
    seed_get(out->seed);
}
