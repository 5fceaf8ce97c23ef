/* CF.EXISTS, CF.MEXISTS, CF.COUNT, CF.INFO, CF.STATS, CF.DEBUG: the commands that only read a filter.
 *
 * A missing key is an empty filter for the lookups, and an error for the others. Items are hashed and looked up in batches,
 * so that the library can prefetch the buckets of a whole batch. */
#include <inttypes.h>
#include <stdio.h>

#include "command_util.h"
#include "commands.h"
#include "counters.h"
#include "filter.h"

enum { BATCH = 128 }; /* items that are hashed before the first of them is looked up */

/* ---------------------------------------------------------------------------------------------------------------- items */

static uint64_t hash_of(const guira *g, const redis_string *item) {
    size_t n;
    const char *bytes = redis.StringPtrLen(item, &n);
    return guira_hash(g, bytes, n);
}

/* Replies with one boolean per item; f may be NULL: then none of the items exists. */
static void reply_exists(redis_ctx *ctx, const struct filter *f, redis_string **items, int n) {
    for (int start = 0; start < n; start += BATCH) {
        int batch = n - start < BATCH ? n - start : BATCH;
        uint64_t hash[BATCH];
        bool present[BATCH] = {false};
        for (int i = 0; f != NULL && i < batch; i++) hash[i] = hash_of(f->guira, items[start + i]);
        if (f != NULL) counter_add(&counters.found, guira_contains_hash_many(f->guira, hash, (size_t)batch, present));
        for (int i = 0; i < batch; i++) reply_bool(ctx, present[i]);
    }
    counter_add(&counters.looked_up, (unsigned long long)n);
}

/* *out is NULL if the key does not exist. Returns false if the key has another type; the error has then been replied. */
static bool find_filter(redis_ctx *ctx, redis_string *name, const struct filter **out) {
    void *value = NULL;
    enum key_state state = find_value(ctx, name, REDIS_READ, filter_type, &value);
    *out = value;
    return state != KEY_WRONG_TYPE;
}

int cf_exists(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    if (argc != 3) return redis.WrongArity(ctx);
    if (find_filter(ctx, argv[1], &f)) reply_exists(ctx, f, argv + 2, 1);
    return REDIS_OK;
}

int cf_mexists(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    if (argc < 3) return redis.WrongArity(ctx);
    if (!find_filter(ctx, argv[1], &f)) return REDIS_OK;
    redis.ReplyWithArray(ctx, argc - 2);
    reply_exists(ctx, f, argv + 2, argc - 2);
    return REDIS_OK;
}

int cf_count(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    size_t n;
    if (argc != 3) return redis.WrongArity(ctx);
    if (!find_filter(ctx, argv[1], &f)) return REDIS_OK;
    const char *item = redis.StringPtrLen(argv[2], &n);
    uint64_t count = f != NULL ? guira_count(f->guira, item, n) : 0;
    counter_add(&counters.looked_up, 1);
    counter_add(&counters.found, count > 0);
    return redis.ReplyWithLongLong(ctx, (long long)count);
}

/* ---------------------------------------------------------------------------------------------------------- statistics */

/* Like find_filter, but a key that does not exist is an error too. On false the error has been replied. */
static bool find_stats(redis_ctx *ctx, redis_string *name, const struct filter **f, guira_stats *s) {
    if (!find_filter(ctx, name, f)) return false;
    if (*f == NULL) redis.ReplyWithError(ctx, "ERR not found");
    return *f != NULL && guira_stats_get((*f)->guira, s) == GUIRA_OK;
}

/* Exactly these eight fields in this order: one client library fails on an unknown name, another reads by position. */
int cf_info(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s = GUIRA_STATS_INIT;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_stats(ctx, argv[1], &f, &s)) return REDIS_OK;
    reply_map(ctx, 8);
    reply_integer_field(ctx, "Size", filter_bytes(f));
    reply_integer_field(ctx, "Number of buckets", s.buckets);
    reply_integer_field(ctx, "Number of filters", s.filters);
    reply_integer_field(ctx, "Number of items inserted", s.items);
    reply_integer_field(ctx, "Number of items deleted", f->deleted);
    reply_integer_field(ctx, "Bucket size", (uint64_t)f->options.bucket_size);
    reply_integer_field(ctx, "Expansion rate", (uint64_t)f->options.expansion);
    reply_integer_field(ctx, "Max iterations", (uint64_t)f->options.max_iterations);
    return REDIS_OK;
}

int cf_stats(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s = GUIRA_STATS_INIT;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_stats(ctx, argv[1], &f, &s)) return REDIS_OK;
    double bits = s.items > 0 ? 8.0 * (double)s.bytes / (double)s.items : 0;
    reply_map(ctx, 16);
    redis.ReplyWithSimpleString(ctx, "kind");
    redis.ReplyWithSimpleString(ctx, f->options.expansion == 0 ? "cuckoo" : "tidal");
    reply_integer_field(ctx, "capacity", (uint64_t)f->options.capacity);
    reply_integer_field(ctx, "items", s.items);
    reply_integer_field(ctx, "slots", s.slots);
    reply_integer_field(ctx, "bytes", s.bytes);
    reply_double_field(ctx, "bits_per_item", bits);
    reply_double_field(ctx, "load", s.load);
    reply_double_field(ctx, "false_positive_rate", s.fpr);
    reply_double_field(ctx, "requested_false_positive_rate", f->options.fpr);
    reply_integer_field(ctx, "stash", s.stash);
    reply_integer_field(ctx, "elders", s.elders);
    reply_integer_field(ctx, "kicks", s.kicks);
    reply_integer_field(ctx, "evictions", s.evictions);
    reply_integer_field(ctx, "refused", s.failures);
    reply_integer_field(ctx, "buckets_added", s.grows);
    reply_integer_field(ctx, "buckets_removed", s.shrinks);
    return REDIS_OK;
}

/* Checks every bucket, then replies with the line that RedisBloom's CF.DEBUG prints. */
int cf_debug(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s = GUIRA_STATS_INIT;
    char line[256];
    const char *reason;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_stats(ctx, argv[1], &f, &s)) return REDIS_OK;
    const struct filter_options *o = &f->options;
    if (guira_validate(f->guira, &reason) != GUIRA_OK) {
        snprintf(line, sizeof line, "ERR broken: %s", reason);
        return redis.ReplyWithError(ctx, line);
    }
    snprintf(line, sizeof line,
             "bktsize:%lld buckets:%" PRIu64 " items:%" PRIu64 " deletes:%" PRIu64 " filters:%" PRIu64
             " max_iterations:%lld expansion:%lld",
             o->bucket_size, s.buckets, s.items, f->deleted, s.filters, o->max_iterations, o->expansion);
    return redis.ReplyWithSimpleString(ctx, line);
}
