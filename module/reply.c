/* See reply.h. */
#include "reply.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parcel.h"

/* The server could close the key itself when the command ends (AutoMemory), but that takes it longer. */
enum found find_value(redis_ctx *ctx, redis_string *name, int mode, redis_type *type, void **value) {
    redis_key *key = redis.OpenKey(ctx, name, mode);
    if (key == NULL) return ABSENT;
    redis_type *there = redis.ModuleTypeGetType(key); /* NULL: none, or one of the server's own */
    enum found found = there == type ? FOUND : redis.KeyType(key) == REDIS_KEY_EMPTY ? ABSENT : REFUSED;
    if (found == FOUND) *value = redis.ModuleTypeGetValue(key);
    redis.CloseKey(key);
    if (found == REFUSED)
        redis.ReplyWithError(ctx, there == parcel_type ? "ERR not loaded yet: chunks are missing" : WRONG_TYPE);
    return found;
}

void set_value(redis_ctx *ctx, redis_string *name, redis_type *type, void *value) {
    redis_key *key = redis.OpenKey(ctx, name, REDIS_READ | REDIS_WRITE);
    redis.ModuleTypeSetValue(key, type, value);
    redis.CloseKey(key);
}

redis_string **room_for_strings(redis_ctx *ctx, int n) {
    return redis.PoolAlloc(ctx, (size_t)n * sizeof(redis_string *)); /* NOLINT(bugprone-sizeof-expression) */
}

/* ------------------------------------------------------------------------------------------------------------- options */

bool is_word(const redis_string *s, const char *word) {
    size_t n;
    const char *text = redis.StringPtrLen(s, &n);
    return n == strlen(word) && strncasecmp(text, word, n) == 0;
}

bool read_number(redis_ctx *ctx, const redis_string *s, const char *name, long long low, long long high,
                 long long *out) {
    char error[128];
    if (redis.StringToLongLong(s, out) != REDIS_OK) snprintf(error, sizeof error, "Couldn't parse %s", name);
    else if (*out < low || *out > high)
        snprintf(error, sizeof error, "%s: value must be in the range [%lld, %lld]", name, low, high);
    else return true;
    redis.ReplyWithError(ctx, error);
    return false;
}

bool read_rate(redis_ctx *ctx, const redis_string *s, double *out) {
    const char *error = NULL;
    if (redis.StringToDouble(s, out) != REDIS_OK || isnan(*out)) error = "Couldn't parse ERROR";
    else if (*out <= 0 || *out >= 1) error = "ERROR: value must be in the range (0, 1)";
    if (error != NULL) redis.ReplyWithError(ctx, error);
    return error == NULL;
}

void print_fraction(double x, char text[32]) { snprintf(text, 32, "%.17g", x); }

/* ------------------------------------------------------------------------------------------------------------- answers */

bool speaks_resp3(redis_ctx *ctx) {
    return redis.ReplyWithBool != NULL && (redis.GetContextFlags(ctx) & REDIS_CTX_RESP3) != 0;
}

int reply_flag(redis_ctx *ctx, bool yes) {
    return redis.ReplyWithBool != NULL ? redis.ReplyWithBool(ctx, yes) : redis.ReplyWithLongLong(ctx, yes);
}

void reply_map(redis_ctx *ctx, long n) {
    if (redis.ReplyWithMap != NULL) redis.ReplyWithMap(ctx, n);
    else redis.ReplyWithArray(ctx, 2 * n);
}

void reply_pair(redis_ctx *ctx, const char *name, uint64_t n) {
    redis.ReplyWithSimpleString(ctx, name);
    redis.ReplyWithLongLong(ctx, (long long)n);
}

void reply_fraction(redis_ctx *ctx, const char *name, double x) {
    redis.ReplyWithSimpleString(ctx, name);
    redis.ReplyWithDouble(ctx, x);
}
