/* Functions that all commands use: finding the value of a key, parsing options, and replying in the client's protocol
 * version (RESP2 or RESP3). */
#ifndef GUIRA_MODULE_COMMAND_UTIL_H
#define GUIRA_MODULE_COMMAND_UTIL_H

#include <stdbool.h>

#include "redis.h"

#define WRONG_TYPE "WRONGTYPE Operation against a key holding the wrong kind of value"

/* Opens the key in `mode` (REDIS_READ, REDIS_WRITE) and stores its value in *value if it has this type. On KEY_WRONG_TYPE
 * the error has been replied. */
enum key_state { KEY_FOUND, KEY_MISSING, KEY_WRONG_TYPE };
enum key_state find_value(redis_ctx *ctx, redis_string *name, int mode, redis_type *type, void **value);

/* Creates the key, or replaces and frees its value. The key owns the value from now on. */
void set_value(redis_ctx *ctx, redis_string *name, redis_type *type, void *value);

/* An array for n strings that the server frees when the command ends. */
redis_string **alloc_strings(redis_ctx *ctx, int n);

/* Compares without regard to case. */
bool is_keyword(const redis_string *s, const char *keyword);

/* Parse an integer in [low, high], and a false positive rate in (0, 1). On false an error has been replied: "Couldn't parse
 * NAME" or "NAME: value must be in the range ...". */
bool read_integer(redis_ctx *ctx, const redis_string *s, const char *name, long long low, long long high,
                  long long *out);
bool read_fpr(redis_ctx *ctx, const redis_string *s, double *out);

/* With all 17 digits, so that parsing the text gives the same number again. */
void format_double(double x, char text[32]);

/* A boolean in RESP3, 1 or 0 in RESP2. The server converts it, which is faster than asking client_uses_resp3. */
int reply_bool(redis_ctx *ctx, bool yes);
bool client_uses_resp3(redis_ctx *ctx);

/* Starts a map of n fields (RESP2: an array of 2n elements); n calls of reply_..._field have to follow. */
void reply_map(redis_ctx *ctx, long n);
void reply_integer_field(redis_ctx *ctx, const char *name, uint64_t n);
void reply_double_field(redis_ctx *ctx, const char *name, double x);

#endif
