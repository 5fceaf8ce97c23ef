/* BF.RESERVE and BF._CREATE: create a filter for the BF.* commands under a key. As for CF.* (cf_create.c), replicas and the
 * AOF get the second form, which has every option and the seed:
 *
 *     BF._CREATE key rate capacity expansion seed */
#include <string.h>

#include "bf.h"
#include "command_util.h"
#include "commands.h"
#include "memory.h"
#include "names.h"
#include "seed.h"
#include "settings.h"

struct filter *bf_create_at_key(redis_ctx *ctx, redis_string *name, const struct filter_options *o) {
    struct filter *f;
    char rate[32];
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
    format_double(o->fpr, rate);
    set_value(ctx, name, bloom_type, f);
    redis.Replicate(ctx, sent_name(BF_CREATE), "scllb", name, rate, o->capacity, o->expansion, (const char *)o->seed,
                    sizeof o->seed);
    return f;
}

/* ------------------------------------------------------------------------------------------------------------- options */

const char *bf_read_rate(const redis_string *s, double *out) {
    if (redis.StringToDouble(s, out) != REDIS_OK || *out != *out) return "ERR bad error rate";
    if (*out <= 0 || *out >= 1) return "ERR error rate must be in the range (0.000000, 1.000000)";
    return *out < MIN_FPR ? "ERR no filter has an error rate below 0.0000002" : NULL;
}

const char *bf_read_capacity(const redis_string *s, long long *out) {
    bool good = redis.StringToLongLong(s, out) == REDIS_OK && *out >= 1 && *out <= MAX_CAPACITY;
    return good ? NULL : "ERR bad capacity";
}

const char *bf_read_expansion(const redis_string *s, long long *out) {
    bool good = redis.StringToLongLong(s, out) == REDIS_OK && *out >= 0 && *out <= MAX_EXPANSION;
    return good ? NULL : "ERR bad expansion";
}

/* [EXPANSION n] [NONSCALING], in any order. Returns NULL or the error to reply. */
static const char *read_options(redis_string **argv, int argc, struct filter_options *o) {
    bool fixed = false, expands = false;
    const char *error = NULL;
    for (int i = 0; i < argc && error == NULL; i++) {
        if (is_keyword(argv[i], "NONSCALING")) fixed = true;
        else if (!is_keyword(argv[i], "EXPANSION")) error = "Unknown argument received";
        else if (++i == argc) error = "ERR no expansion";
        else {
            error = bf_read_expansion(argv[i], &o->expansion);
            expands = o->expansion > 0;
        }
    }
    if (error == NULL && fixed && expands) error = "Nonscaling filters cannot expand";
    if (fixed) o->expansion = 0;
    return error;
}

/* ------------------------------------------------------------------------------------------------------------ commands */

/* Replies unless the filter was created. */
static bool create_new(redis_ctx *ctx, redis_string *name, const struct filter_options *o) {
    void *existing;
    enum key_state state = find_value(ctx, name, REDIS_READ | REDIS_WRITE, bloom_type, &existing);
    if (state == KEY_FOUND) redis.ReplyWithError(ctx, "ERR item exists");
    return state == KEY_MISSING && bf_create_at_key(ctx, name, o) != NULL;
}

int bf_reserve(redis_ctx *ctx, redis_string **argv, int argc) {
    struct filter_options o;
    if (argc < 4) return redis.WrongArity(ctx);
    settings_get_bf(&o);
    const char *error = bf_read_rate(argv[2], &o.fpr);
    if (error == NULL) error = bf_read_capacity(argv[3], &o.capacity);
    if (error == NULL) error = read_options(argv + 4, argc - 4, &o);
    if (error != NULL) return redis.ReplyWithError(ctx, error);
    if (!create_new(ctx, argv[1], &o)) return REDIS_OK;
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "bf.reserve", argv[1]);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int bf_create(redis_ctx *ctx, redis_string **argv, int argc) {
    struct filter_options o;
    size_t n;
    if (argc != 6) return redis.WrongArity(ctx);
    settings_get_bf(&o);
    const char *seed = redis.StringPtrLen(argv[5], &n), *error = bf_read_rate(argv[2], &o.fpr);
    if (error == NULL) error = bf_read_capacity(argv[3], &o.capacity);
    if (error == NULL) error = bf_read_expansion(argv[4], &o.expansion);
    if (error == NULL && !seed_is_valid(seed, n)) error = "ERR no such filter can be";
    if (error != NULL) return redis.ReplyWithError(ctx, error);
    memcpy(o.seed, seed, sizeof o.seed);
    if (!create_new(ctx, argv[1], &o)) return REDIS_OK;
    seed_adopt(o.seed, redis.GetContextFlags(ctx));
    return redis.ReplyWithSimpleString(ctx, "OK");
}
