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

/* The default of cf-initial-size. A key that is created by its first item then starts as small as possible, and grows: most
 * servers with many keys have many small ones. Any other value is reserved. */
enum { INITIAL_SIZE = 1024 };

static struct setting {
    const char *name, *old_name;
    long long value, min, max;
    long long normal; /* what the server takes for the default: the value after the arguments were read */
} settings[SETTINGS] = {
    {"cf-bucket-size", NULL, 2, 1, MAX_BUCKET_SIZE, 0},
    {"cf-initial-size", NULL, INITIAL_SIZE, 2, MAX_CAPACITY, 0},
    {"cf-max-iterations", NULL, 20, 1, MAX_ITERATIONS_LIMIT, 0},
    {"cf-expansion-factor", NULL, 1, 0, MAX_EXPANSION, 0},
    {"cf-max-expansions", NULL, 32, 1, 65535, 0}, /* accepted for compatibility with RedisBloom, without effect */
    {"bf-initial-size", "initial-size", 100, 1, MAX_CAPACITY, 0},
    {"bf-expansion-factor", NULL, 2, 0, MAX_EXPANSION, 0},
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
    if (names_have_prefix()) {
        redis.Log(ctx, "warning", "guira: PREFIX is given twice");
        return false;
    }
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

/* Where a setting has two names, the server sets the one that redis.conf does not have to its default, maybe after it has set
 * the other one. */
static bool is_loading;

static int set(const char *name, long long value, void *data, redis_string **error) {
    struct setting *s = data;
    (void)name;
    (void)error;
    if (!is_loading || value != s->normal) s->value = value;
    return REDIS_OK;
}

static redis_string *get_error_rate(const char *name, void *data) {
    (void)name;
    (void)data;
    return bf_error_rate_text;
}

static char normal_rate[32];

static bool is_normal_rate(const redis_string *value) {
    size_t n;
    const char *text = redis.StringPtrLen(value, &n);
    return n == strlen(normal_rate) && memcmp(text, normal_rate, n) == 0;
}

static int set_error_rate_text(const char *name, redis_string *value, void *data, redis_string **error) {
    (void)name;
    (void)data;
    if (is_loading && bf_error_rate_text != NULL && is_normal_rate(value)) return REDIS_OK;
    if (!parse_error_rate(value, &bf_error_rate)) {
        static const char message[] = "must be in the range [0.0000002, 1)";
        if (error != NULL) *error = redis.CreateString(NULL, message, sizeof message - 1);
        return REDIS_ERR;
    }
    if (bf_error_rate_text != NULL) redis.FreeString(NULL, bf_error_rate_text);
    bf_error_rate_text = redis.CreateStringFromString(NULL, value);
    return REDIS_OK;
}

static bool register_all(redis_ctx *ctx, unsigned flags) {
    bool good = true;
    for (int i = 0; i < SETTINGS; i++) {
        struct setting *s = &settings[i];
        good = good && redis.RegisterNumericConfig(ctx, s->name, s->normal, flags, s->min, s->max, get, set, NULL, s) ==
                           REDIS_OK;
    }
    return good && redis.RegisterStringConfig(ctx, "bf-error-rate", normal_rate, flags, get_error_rate,
                                              set_error_rate_text, NULL, NULL) == REDIS_OK;
}

/* RedisBloom's own names, without "guira." in front: since Redis 8.0. Valkey ignores the flag, and would have every name
 * twice. Not with PREFIX, which is for servers that have RedisBloom too. */
static bool has_unprefixed(redis_ctx *ctx) {
    const int first = 0x080000;
    return redis.GetServerVersion != NULL && redis.GetServerVersion() >= first && !names_have_prefix() &&
           redis_valkey_version(ctx) == 0;
}

bool settings_register(redis_ctx *ctx) {
    if (redis.RegisterNumericConfig == NULL || redis.RegisterStringConfig == NULL || redis.LoadConfigs == NULL)
        return true;
    for (int i = 0; i < SETTINGS; i++) settings[i].normal = settings[i].value;
    format_double(bf_error_rate, normal_rate);
    if (has_unprefixed(ctx) && !register_all(ctx, REDIS_CONFIG_UNPREFIXED))
        redis.Log(ctx, "notice", "guira: settings need guira. in front: the server knows others of the same names");
    if (!register_all(ctx, 0)) return false;
    is_loading = true;
    bool good = redis.LoadConfigs(ctx) == REDIS_OK;
    is_loading = false;
    return good;
}

/* ---------------------------------------------------------------------------------------------------------------- values */

bool settings_want_bf(void) { return want_bf; }

void settings_get(struct filter_options *out) {
    const struct setting *size = &settings[CF_INITIAL_SIZE];
    bool grows = settings[CF_EXPANSION_FACTOR].value > 0;
    *out = (struct filter_options){
        .capacity = grows && size->value == INITIAL_SIZE ? 0 : size->value,
        .bucket_size = settings[CF_BUCKET_SIZE].value,
        .max_iterations = settings[CF_MAX_ITERATIONS].value,
        .expansion = settings[CF_EXPANSION_FACTOR].value,
    };
    seed_get(out->seed);
}

void settings_get_bf(struct filter_options *out) {
    settings_get(out);
    out->bucket_size = 2;     /* a cuckoo filter's options. BF._CREATE does not carry them, */
    out->max_iterations = 20; /* so they must not depend on the server's settings */
    out->capacity = settings[BF_INITIAL_SIZE].value;
    out->expansion = settings[BF_EXPANSION_FACTOR].value;
    out->fpr = bf_error_rate;
    out->bloom = true;
}
