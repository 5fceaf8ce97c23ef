/* CF.EXISTS, CF.MEXISTS, CF.COUNT, CF.INFO, CF.STATS, CF.DEBUG: whatever changes nothing. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "filter.h"
#include "reply.h"
#include "totals.h"

enum { BATCH = 128 };

/* ---------------------------------------------------------------------------------------------------------------- items */

static uint64_t hash_of(const guira *g, const redis_string *item) {
    size_t n;
    const char *bytes = redis.StringPtrLen(item, &n);
    return guira_hash(g, bytes, n);
}

/* Answers for each of the items; f may be NULL, which has none of them. */
static void reply_exists(redis_ctx *ctx, const struct filter *f, redis_string **items, int n) {
    for (int start = 0; start < n; start += BATCH) {
        int batch = n - start < BATCH ? n - start : BATCH;
        uint64_t hash[BATCH];
        bool there[BATCH] = {false};
        for (int i = 0; f != NULL && i < batch; i++) hash[i] = hash_of(f->guira, items[start + i]);
        if (f != NULL) count_up(&totals.found, guira_contains_hash_many(f->guira, hash, (size_t)batch, there));
        for (int i = 0; i < batch; i++) reply_flag(ctx, there[i]);
    }
    count_up(&totals.looked_up, (unsigned long long)n);
}

/* NULL for a key that is not there. False: the client has been told that it is something else. */
static bool find_filter(redis_ctx *ctx, redis_string *name, const struct filter **out) {
    void *value = NULL;
    enum found found = find_value(ctx, name, REDIS_READ, filter_type, &value);
    *out = value;
    return found != REFUSED;
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
    count_up(&totals.looked_up, 1);
    count_up(&totals.found, count > 0);
    return redis.ReplyWithLongLong(ctx, (long long)count);
}

/* ---------------------------------------------------------------------------------------------------------- the filter */

/* False: the client has been told why there is nothing to tell. */
static bool find_stats(redis_ctx *ctx, redis_string *name, const struct filter **f, guira_stats *s) {
    if (!find_filter(ctx, name, f)) return false;
    if (*f == NULL) redis.ReplyWithError(ctx, "ERR not found");
    return *f != NULL && guira_stats_get((*f)->guira, s) == GUIRA_OK;
}

/* These eight and no others, in this order: one client fails on an unknown name, another reads by position. */
int cf_info(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_stats(ctx, argv[1], &f, &s)) return REDIS_OK;
    reply_map(ctx, 8);
    reply_pair(ctx, "Size", filter_bytes(f));
    reply_pair(ctx, "Number of buckets", s.buckets);
    reply_pair(ctx, "Number of filters", s.filters);
    reply_pair(ctx, "Number of items inserted", s.items);
    reply_pair(ctx, "Number of items deleted", f->deleted);
    reply_pair(ctx, "Bucket size", (uint64_t)f->options.bucket_size);
    reply_pair(ctx, "Expansion rate", (uint64_t)f->options.expansion);
    reply_pair(ctx, "Max iterations", (uint64_t)f->options.max_iterations);
    return REDIS_OK;
}

int cf_stats(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_stats(ctx, argv[1], &f, &s)) return REDIS_OK;
    double bits = s.items > 0 ? 8.0 * (double)s.bytes / (double)s.items : 0;
    reply_map(ctx, 16);
    redis.ReplyWithSimpleString(ctx, "kind");
    redis.ReplyWithSimpleString(ctx, f->options.expansion == 0 ? "fixed" : "elastic");
    reply_pair(ctx, "capacity", (uint64_t)f->options.capacity);
    reply_pair(ctx, "items", s.items);
    reply_pair(ctx, "slots", s.slots);
    reply_pair(ctx, "bytes", s.bytes);
    reply_fraction(ctx, "bits_per_item", bits);
    reply_fraction(ctx, "load", s.load);
    reply_fraction(ctx, "false_positive_rate", s.fpr);
    reply_fraction(ctx, "wanted_false_positive_rate", f->options.error);
    reply_pair(ctx, "stash", s.stash);
    reply_pair(ctx, "elders", s.elders);
    reply_pair(ctx, "kicks", s.kicks);
    reply_pair(ctx, "evictions", s.evictions);
    reply_pair(ctx, "refused", s.failures);
    reply_pair(ctx, "buckets_added", s.grows);
    reply_pair(ctx, "buckets_given_back", s.shrinks);
    return REDIS_OK;
}

/* The line that clients know, after a look at every bucket. */
int cf_debug(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s;
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
