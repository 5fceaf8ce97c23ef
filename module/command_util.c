/* See command_util.h. */
#include "command_util.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "loadchunk.h"
#include "old_type.h"

/* Closes the key by hand: letting the server do it at the end of the command (AutoMemory) is slower. */
enum key_state find_value(redis_ctx *ctx, redis_string *name, int mode, redis_type *type, void **value) {
    redis_key *key = redis.OpenKey(ctx, name, mode);
    if (key == NULL) return KEY_MISSING;
    redis_type *actual = redis.ModuleTypeGetType(key); /* NULL: no value, or one of the server's own types */
    enum key_state state = KEY_WRONG_TYPE;
    bool is_old = actual != NULL && actual == old_type && type == filter_type;
    if (actual == type || is_old) state = KEY_FOUND;
    else if (redis.KeyType(key) == REDIS_KEY_EMPTY) state = KEY_MISSING;
    if (state == KEY_FOUND) *value = redis.ModuleTypeGetValue(key);
    redis.CloseKey(key);
    if (state == KEY_WRONG_TYPE)
        redis.ReplyWithError(ctx, actual == partial_type ? "ERR not loaded yet: chunks are missing" : WRONG_TYPE);
    return state;
}

void set_value(redis_ctx *ctx, redis_string *name, redis_type *type, void *value) {
    redis_key *key = redis.OpenKey(ctx, name, REDIS_READ | REDIS_WRITE);
    redis.ModuleTypeSetValue(key, type, value);
    redis.CloseKey(key);
}

redis_string **alloc_strings(redis_ctx *ctx, int n) {
    return redis.PoolAlloc(ctx, (size_t)n * sizeof(redis_string *)); /* NOLINT(bugprone-sizeof-expression) */
}

/* ------------------------------------------------------------------------------------------------------------- options */

bool is_keyword(const redis_string *s, const char *keyword) {
    size_t n;
    const char *text = redis.StringPtrLen(s, &n);
    return n == strlen(keyword) && strncasecmp(text, keyword, n) == 0;
}

bool read_integer(redis_ctx *ctx, const redis_string *s, const char *name, long long low, long long high,
                  long long *out) {
    char error[128];
    if (redis.StringToLongLong(s, out) != REDIS_OK) snprintf(error, sizeof error, "Couldn't parse %s", name);
    else if (*out < low || *out > high)
        snprintf(error, sizeof error, "%s: value must be in the range [%lld, %lld]", name, low, high);
    else return true;
    redis.ReplyWithError(ctx, error);
    return false;
}

bool read_fpr(redis_ctx *ctx, const redis_string *s, double *out) {
    const char *error = NULL;
    if (redis.StringToDouble(s, out) != REDIS_OK || isnan(*out)) error = "Couldn't parse ERROR";
    else if (*out <= 0 || *out >= 1) error = "ERROR: value must be in the range (0, 1)";
    if (error != NULL) redis.ReplyWithError(ctx, error);
    return error == NULL;
}

void format_double(double x, char text[32]) { snprintf(text, 32, "%.17g", x); }

/* ------------------------------------------------------------------------------------------------------------- replies */

bool client_uses_resp3(redis_ctx *ctx) {
    return redis.ReplyWithBool != NULL && (redis.GetContextFlags(ctx) & REDIS_CTX_RESP3) != 0;
}

int reply_bool(redis_ctx *ctx, bool yes) {
    return redis.ReplyWithBool != NULL ? redis.ReplyWithBool(ctx, yes) : redis.ReplyWithLongLong(ctx, yes);
}

void reply_map(redis_ctx *ctx, long n) {
    if (redis.ReplyWithMap != NULL) redis.ReplyWithMap(ctx, n);
    else redis.ReplyWithArray(ctx, 2 * n);
}

void reply_integer_field(redis_ctx *ctx, const char *name, uint64_t n) {
    redis.ReplyWithSimpleString(ctx, name);
    redis.ReplyWithLongLong(ctx, (long long)n);
}

void reply_double_field(redis_ctx *ctx, const char *name, double x) {
    redis.ReplyWithSimpleString(ctx, name);
    redis.ReplyWithDouble(ctx, x);
}
