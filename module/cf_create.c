/* CF.RESERVE and CF._CREATE: create a filter under a key. CF._SEED: the seed for one that RedisBloom made.
 *
 *     sent by the client:         CF.RESERVE k 1000, or CF.ADD to a key that does not exist
 *     sent to replicas and AOF:   CF._CREATE k capacity bucket-size max-iterations expansion error seed
 *
 * The client's command is not replicated as it is: a replica may have other settings, and it would draw another seed.
 * CF._CREATE carries every option and the seed, so all servers create the same filter. */
#include "cf_create.h"

#include <stdio.h>
#include <string.h>

#include "command_util.h"
#include "commands.h"
#include "memory.h"
#include "names.h"
#include "seed.h"
#include "settings.h"

static void replicate_create(redis_ctx *ctx, redis_string *name, const struct filter_options *o) {
    char fpr[32];
    format_double(o->fpr, fpr);
    redis.Replicate(ctx, sent_name(CF_CREATE), "sllllcb", name, o->capacity, o->bucket_size, o->max_iterations,
                    o->expansion, fpr, (const char *)o->seed, sizeof o->seed);
}

struct filter *create_at_key(redis_ctx *ctx, redis_string *name, const struct filter_options *o) {
    struct filter *f;
    if (filter_create(o, &f) != GUIRA_OK) {
        memory_is_missing(ctx);
        redis.ReplyWithError(ctx, "ERR Insufficient memory to create filter");
        return NULL;
    }
    if (memory_is_over(ctx, f->bytes)) {
        filter_free(f);
        redis.ReplyWithError(ctx, OUT_OF_MEMORY);
        return NULL;
    }
    set_value(ctx, name, filter_type, f);
    replicate_create(ctx, name, o);
    return f;
}

bool seed_at_key(redis_ctx *ctx, redis_string *name, struct filter *f) {
    uint8_t seed[16];
    seed_get(seed);
    if (!filter_set_seed(f, seed)) {
        redis.ReplyWithError(ctx, "ERR Insufficient memory");
        return false;
    }
    redis.Replicate(ctx, sent_name(CF_SEED), "sb", name, (const char *)seed, sizeof seed);
    return true;
}

bool check_capacity(redis_ctx *ctx, const char *minimum, const struct filter_options *o) {
    char error[128];
    if (o->capacity >= 2 * o->bucket_size && o->capacity <= MAX_CAPACITY) return true;
    snprintf(error, sizeof error, "Capacity must be in the range [%s, %lld]", minimum, MAX_CAPACITY);
    redis.ReplyWithError(ctx, error);
    return false;
}

bool read_filter_fpr(redis_ctx *ctx, const redis_string *s, double *out) {
    if (!read_fpr(ctx, s, out)) return false;
    if (*out >= MIN_FPR) return true;
    redis.ReplyWithError(ctx, "ERROR: no filter has a rate below 0.0000002");
    return false;
}

/* Reads pairs of an option's name and its value, in any order, each option at most once. On false the error has been
 * replied. */
static bool read_options(redis_ctx *ctx, redis_string **argv, int argc, struct filter_options *o) {
    struct {
        const char *name;
        long long low, high, *to;
        bool given;
    } numbers[] = {{"BUCKETSIZE", 1, MAX_BUCKET_SIZE, &o->bucket_size, false},
                   {"MAXITERATIONS", 1, MAX_ITERATIONS_LIMIT, &o->max_iterations, false},
                   {"EXPANSION", 0, MAX_EXPANSION, &o->expansion, false},
                   {"ERROR", 0, 0, NULL, false}};
    for (int i = 0; i < argc; i += 2) {
        unsigned k = 0;
        while (k < 4 && !is_keyword(argv[i], numbers[k].name)) k++;
        if (k == 4 || numbers[k].given || i + 1 == argc) {
            redis.ReplyWithError(ctx, "Unknown argument received");
            return false;
        }
        numbers[k].given = true;
        bool valid =
            k == 3 ? read_filter_fpr(ctx, argv[i + 1], &o->fpr)
                   : read_integer(ctx, argv[i + 1], numbers[k].name, numbers[k].low, numbers[k].high, numbers[k].to);
        if (!valid) return false;
    }
    return true;
}

int cf_reserve(redis_ctx *ctx, redis_string **argv, int argc) {
    struct filter_options o;
    void *existing;
    if (argc < 3) return redis.WrongArity(ctx);
    settings_get(&o);
    if (redis.StringToLongLong(argv[2], &o.capacity) != REDIS_OK) return redis.ReplyWithError(ctx, "Bad capacity");
    if (!read_options(ctx, argv + 3, argc - 3, &o)) return REDIS_OK;
    if (!check_capacity(ctx, "2 * BUCKETSIZE", &o)) return REDIS_OK;
    enum key_state state = find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &existing);
    if (state == KEY_FOUND) return redis.ReplyWithError(ctx, "ERR item exists");
    if (state == KEY_WRONG_TYPE || create_at_key(ctx, argv[1], &o) == NULL) return REDIS_OK;
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cf.reserve", argv[1]);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

/* CF._CREATE key capacity bucket-size max-iterations expansion error seed: sent by a master or read from an AOF. */
int cf_create(redis_ctx *ctx, redis_string **argv, int argc) {
    struct filter_options o = {0};
    void *existing;
    size_t n;
    if (argc != 8) return redis.WrongArity(ctx);
    const char *seed = redis.StringPtrLen(argv[7], &n);
    if (!read_integer(ctx, argv[2], "capacity", 0, MAX_CAPACITY, &o.capacity) ||
        !read_integer(ctx, argv[3], "bucket size", 1, MAX_BUCKET_SIZE, &o.bucket_size) ||
        !read_integer(ctx, argv[4], "max iterations", 1, MAX_ITERATIONS_LIMIT, &o.max_iterations) ||
        !read_integer(ctx, argv[5], "expansion", 0, MAX_EXPANSION, &o.expansion))
        return REDIS_OK;
    if (redis.StringToDouble(argv[6], &o.fpr) != REDIS_OK || !(o.fpr >= 0 && o.fpr < 1) || !seed_is_valid(seed, n) ||
        (o.capacity == 0 && o.expansion == 0))
        return redis.ReplyWithError(ctx, "ERR no such filter can be");
    memcpy(o.seed, seed, sizeof o.seed);
    enum key_state state = find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &existing);
    if (state == KEY_FOUND) return redis.ReplyWithError(ctx, "ERR item exists");
    if (state == KEY_WRONG_TYPE || create_at_key(ctx, argv[1], &o) == NULL) return REDIS_OK;
    seed_adopt(o.seed, redis.GetContextFlags(ctx));
    return redis.ReplyWithSimpleString(ctx, "OK");
}

/* CF._SEED key seed: sent by a master or read from an AOF before the first item that is added to an unseeded filter. */
int cf_seed(redis_ctx *ctx, redis_string **argv, int argc) {
    void *value;
    size_t n;
    if (argc != 3) return redis.WrongArity(ctx);
    const char *seed = redis.StringPtrLen(argv[2], &n);
    if (!seed_is_valid(seed, n)) return redis.ReplyWithError(ctx, "ERR no such seed can be");
    enum key_state state = find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &value);
    if (state == KEY_WRONG_TYPE) return REDIS_OK;
    if (state == KEY_MISSING || !((struct filter *)value)->unseeded) return redis.ReplyWithError(ctx, "ERR not found");
    if (!filter_set_seed(value, (const uint8_t *)seed)) {
        memory_is_missing(ctx);
        return redis.ReplyWithError(ctx, "ERR Insufficient memory");
    }
    seed_adopt((const uint8_t *)seed, redis.GetContextFlags(ctx));
    redis.ReplicateVerbatim(ctx);
    return redis.ReplyWithSimpleString(ctx, "OK");
}
