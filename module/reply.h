/* What commands have in common: finding a key's value, reading options, answering as the client's protocol wants it. */
#ifndef GUIRA_MODULE_REPLY_H
#define GUIRA_MODULE_REPLY_H

#include <stdbool.h>

#include "redis.h"

#define WRONG_TYPE "WRONGTYPE Operation against a key holding the wrong kind of value"

/* ABSENT: no such key. REFUSED: it is something else, and the client has been told so. */
enum found { FOUND, ABSENT, REFUSED };
enum found find_value(redis_ctx *ctx, redis_string *name, int mode, redis_type *type, void **value);

/* Makes the key, or replaces what it has. */
void set_value(redis_ctx *ctx, redis_string *name, redis_type *type, void *value);

/* Room for n of them until the command ends. */
redis_string **room_for_strings(redis_ctx *ctx, int n);

/* Whether s is this word, in upper or lower case. */
bool is_word(const redis_string *s, const char *word);

/* "NAME: value must be in the range [low, high]" and "Couldn't parse NAME" are replied here, and false returned. */
bool read_number(redis_ctx *ctx, const redis_string *s, const char *name, long long low, long long high,
                 long long *out);
bool read_rate(redis_ctx *ctx, const redis_string *s, double *out);

/* So that read back it is the same. */
void print_fraction(double x, char text[32]);

/* Clients with RESP3 get a boolean, the others 1 or 0: the server knows which, and asking it takes time. */
int reply_flag(redis_ctx *ctx, bool yes);
bool speaks_resp3(redis_ctx *ctx);

/* Pairs of a name and something follow, n of them: a map, or for RESP2 an array of 2n. */
void reply_map(redis_ctx *ctx, long n);
void reply_pair(redis_ctx *ctx, const char *name, uint64_t n);
void reply_fraction(redis_ctx *ctx, const char *name, double x);

#endif
