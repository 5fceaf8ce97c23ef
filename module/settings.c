/* See settings.h. RedisBloom's names of settings are accepted too: CF_INITIAL_SIZE is cf-initial-size, and its oldest
 * versions had INITIAL_SIZE and ERROR_RATE for Bloom filters. */
#include "settings.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "command_util.h"
#include "names.h"
#include "seed.h"

/* Indexes into the table. */
enum {
    CF_BUCKET_SIZE,
    CF_INITIAL_SIZE,
    CF_MAX_ITERATIONS,
    CF_EXPANSION_FACTOR,
    CF_MAX_EXPANSIONS,
    BF_INITIAL_SIZE,
    BF_EXPANSION_FACTOR,
    SETTINGS
};

static struct setting {
    const char *name, *old_name;
    long long value, min, max;
} settings[SETTINGS] = {
    {"cf-bucket-size", NULL, 2, 1, MAX_BUCKET_SIZE},
    {"cf-initial-size", NULL, 1024, 2, MAX_CAPACITY},
    {"cf-max-iterations", NULL, 20, 1, MAX_ITERATIONS_LIMIT},
    {"cf-expansion-factor", NULL, 1, 0, MAX_EXPANSION},
    {"cf-max-expansions", NULL, 32, 1, 65535}, /* accepted for compatibility with RedisBloom, without effect */
    {"bf-initial-size", "initial-size", 100, 1, MAX_CAPACITY},
    {"bf-expansion-factor", NULL, 2, 0, MAX_EXPANSION},
};

static double bf_error_rate = 0.01;
static redis_string *bf_error_rate_text; /* as CONFIG GET shows it; NULL: the server has no settings of modules */
static bool want_bf;

/* ----------------------------------------------------------------------------------------------------------- arguments */

/* Compares without regard to case; '_' is equal to '-'. */
static bool is_name(const redis_string *s, const char *name) {
    size_t n;
    const char *text = redis.StringPtrLen(s, &n);
    if (name == NULL || n != strlen(name)) return false;
    for (size_t i = 0; i < n; i++)
        if ((text[i] == '_' ? '-' : tolower((unsigned char)text[i])) != name[i]) return false;
    return true;
}

static bool set_number(redis_ctx *ctx, struct setting *s, const redis_string *value) {
    long long n;
    bool good = redis.StringToLongLong(value, &n) == REDIS_OK && n >= s->min && n <= s->max;
    if (good) s->value = n;
    else redis.Log(ctx, "warning", "guira: %s must be in the range [%lld, %lld]", s->name, s->min, s->max);
    return good;
}

static bool parse_error_rate(const redis_string *value, double *out) {
    double x;
    if (redis.StringToDouble(value, &x) != REDIS_OK || !(x >= MIN_FPR && x < 1)) return false;
    *out = x;
    return true;
}

static bool set_error_rate(redis_ctx *ctx, const redis_string *value) {
    bool good = parse_error_rate(value, &bf_error_rate);
    if (!good) redis.Log(ctx, "warning", "guira: bf-error-rate must be in the range [0.0000002, 1)");
    return good;
}

static bool set_prefix(redis_ctx *ctx, const redis_string *value) {
    size_t n;
    const char *prefix = redis.StringPtrLen(value, &n);
    bool good = names_set_prefix(prefix, n);
    if (!good) redis.Log(ctx, "warning", "guira: PREFIX must have 1 to 32 letters, digits, '_' or '-'");
    return good;
}

static bool set_bf(redis_ctx *ctx, const redis_string *value) {
    want_bf = is_keyword(value, "yes");
    bool good = want_bf || is_keyword(value, "no");
    if (!good) redis.Log(ctx, "warning", "guira: BF must be yes or no");
    return good;
}

/* False: unknown argument or invalid value, which has been logged. */
static bool set_argument(redis_ctx *ctx, const redis_string *name, const redis_string *value) {
    if (is_name(name, "prefix")) return set_prefix(ctx, value);
    if (is_name(name, "bf")) return set_bf(ctx, value);
    if (is_name(name, "bf-error-rate") || is_name(name, "error-rate")) return set_error_rate(ctx, value);
    for (int i = 0; i < SETTINGS; i++)
        if (is_name(name, settings[i].name) || is_name(name, settings[i].old_name))
            return set_number(ctx, &settings[i], value);
    redis.Log(ctx, "warning", "guira: unknown argument %s", redis.StringPtrLen(name, NULL));
    return false;
}

bool settings_read_arguments(redis_ctx *ctx, redis_string **argv, int argc) {
    names_set_prefix(NULL, 0);
    if (argc % 2 != 0) {
        redis.Log(ctx, "warning", "guira: module arguments must be pairs of a setting and its value");
        return false;
    }
    for (int i = 0; i < argc; i += 2)
        if (!set_argument(ctx, argv[i], argv[i + 1])) return false;
    return true;
}

/* -------------------------------------------------------------------------------------------------- settings of the server */

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

static redis_string *get_error_rate(const char *name, void *data) {
    (void)name;
    (void)data;
    return bf_error_rate_text;
}

static int set_error_rate_text(const char *name, redis_string *value, void *data, redis_string **error) {
    (void)name;
    (void)data;
    if (!parse_error_rate(value, &bf_error_rate)) {
        static const char message[] = "must be in the range [0.0000002, 1)";
        if (error != NULL) *error = redis.CreateString(NULL, message, sizeof message - 1);
        return REDIS_ERR;
    }
    if (bf_error_rate_text != NULL) redis.FreeString(NULL, bf_error_rate_text);
    bf_error_rate_text = redis.CreateStringFromString(NULL, value);
    return REDIS_OK;
}

static bool register_error_rate(redis_ctx *ctx) {
    char text[32];
    if (redis.RegisterStringConfig == NULL) return true;
    format_double(bf_error_rate, text);
    return redis.RegisterStringConfig(ctx, "bf-error-rate", text, 0, get_error_rate, set_error_rate_text, NULL, NULL) ==
           REDIS_OK;
}

bool settings_register(redis_ctx *ctx) {
    if (redis.RegisterNumericConfig == NULL || redis.LoadConfigs == NULL) return true;
    for (int i = 0; i < SETTINGS; i++) {
        struct setting *s = &settings[i];
        if (redis.RegisterNumericConfig(ctx, s->name, s->value, 0, s->min, s->max, get, set, NULL, s) != REDIS_OK)
            return false;
    }
    return register_error_rate(ctx) && redis.LoadConfigs(ctx) == REDIS_OK;
}

/* ---------------------------------------------------------------------------------------------------------------- values */

bool settings_want_bf(void) { return want_bf; }

void settings_get(struct filter_options *out) {
    *out = (struct filter_options){
        .capacity = settings[CF_INITIAL_SIZE].value,
        .bucket_size = settings[CF_BUCKET_SIZE].value,
        .max_iterations = settings[CF_MAX_ITERATIONS].value,
        .expansion = settings[CF_EXPANSION_FACTOR].value,
    };
    seed_get(out->seed);
}

void settings_get_bf(struct filter_options *out) {
    settings_get(out);
    out->capacity = settings[BF_INITIAL_SIZE].value;
    out->expansion = settings[BF_EXPANSION_FACTOR].value;
    out->fpr = bf_error_rate;
    out->bloom = true;
}
