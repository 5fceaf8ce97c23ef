/* CF.EXISTS, CF.MEXISTS, CF.COUNT, CF.INFO, CF.STATS, CF.DEBUG: the commands that only read a filter. A missing key is an
 * empty filter for the lookups, and an error for the others. */
#include <inttypes.h>
#include <stdio.h>

#include "command_util.h"
#include "commands.h"
#include "lookup.h"

int cf_exists(redis_ctx *ctx, redis_string **argv, int argc) { return lookup_exists(ctx, argv, argc, filter_type); }
int cf_mexists(redis_ctx *ctx, redis_string **argv, int argc) { return lookup_mexists(ctx, argv, argc, filter_type); }
int cf_count(redis_ctx *ctx, redis_string **argv, int argc) { return lookup_count(ctx, argv, argc, filter_type); }

/* Exactly these eight fields in this order: one client library fails on an unknown name, another reads by position. */
int cf_info(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s = GUIRA_STATS_INIT;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_stats(ctx, argv[1], filter_type, &f, &s)) return REDIS_OK;
    const struct old_part *old = filter_old(f);
    reply_map(ctx, 8);
    reply_integer_field(ctx, "Size", f->bytes);
    reply_integer_field(ctx, "Number of buckets", s.buckets);
    reply_integer_field(ctx, "Number of filters", s.filters + (old == NULL ? 0 : old->n));
    reply_integer_field(ctx, "Number of items inserted", s.items + (old == NULL ? 0 : old->items));
    reply_integer_field(ctx, "Number of items deleted", filter_deleted(f));
    reply_integer_field(ctx, "Bucket size", f->bucket_size);
    reply_integer_field(ctx, "Expansion rate", f->expansion);
    reply_integer_field(ctx, "Max iterations", f->max_iterations);
    return REDIS_OK;
}

/* bloom_type if that is the type of the key, otherwise filter_type. */
static redis_type *type_for_stats(redis_ctx *ctx, redis_string *name) {
    redis_key *key = redis.OpenKey(ctx, name, REDIS_READ | REDIS_NO_TOUCH);
    bool bloom = key != NULL && redis.ModuleTypeGetType(key) == bloom_type;
    if (key != NULL) redis.CloseKey(key);
    return bloom ? bloom_type : filter_type;
}

/* The only command of CF.* for keys of BF.* too: it exists only here, and metrics need it. */
int cf_stats(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s = GUIRA_STATS_INIT;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_stats(ctx, argv[1], type_for_stats(ctx, argv[1]), &f, &s)) return REDIS_OK;
    const struct old_part *old = filter_old(f);
    guira_config c = filter_config(f);
    double bits = s.items > 0 ? 8.0 * (double)s.bytes / (double)s.items : 0;
    reply_map(ctx, 18);
    redis.ReplyWithSimpleString(ctx, "kind");
    redis.ReplyWithSimpleString(ctx, c.kind == GUIRA_CUCKOO ? "cuckoo" : "tidal");
    reply_integer_field(ctx, "capacity", c.capacity);
    reply_integer_field(ctx, "items", s.items);
    reply_integer_field(ctx, "slots", s.slots);
    reply_integer_field(ctx, "bytes", s.bytes);
    reply_double_field(ctx, "bits_per_item", bits);
    reply_double_field(ctx, "load", s.load);
    reply_double_field(ctx, "false_positive_rate", s.fpr);
    reply_double_field(ctx, "requested_false_positive_rate", c.fpr);
    reply_integer_field(ctx, "stash", s.stash);
    reply_integer_field(ctx, "elders", s.elders);
    reply_integer_field(ctx, "kicks", s.kicks);
    reply_integer_field(ctx, "evictions", s.evictions);
    reply_integer_field(ctx, "refused", s.failures);
    reply_integer_field(ctx, "buckets_added", s.grows);
    reply_integer_field(ctx, "buckets_removed", s.shrinks);
    reply_integer_field(ctx, "old_items", old == NULL ? 0 : old->items);
    reply_integer_field(ctx, "old_bytes", old == NULL ? 0 : old_part_size(old));
    return REDIS_OK;
}

/* Checks every bucket, then replies with the line that RedisBloom's CF.DEBUG prints. */
int cf_debug(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s = GUIRA_STATS_INIT;
    char line[256];
    const char *reason;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_stats(ctx, argv[1], filter_type, &f, &s)) return REDIS_OK;
    if (guira_validate(f->guira, &reason) != GUIRA_OK) {
        snprintf(line, sizeof line, "ERR broken: %s", reason);
        return redis.ReplyWithError(ctx, line);
    }
    snprintf(line, sizeof line,
             "bktsize:%u buckets:%" PRIu64 " items:%" PRIu64 " deletes:%" PRIu64 " filters:%" PRIu64
             " max_iterations:%u expansion:%u",
             f->bucket_size, s.buckets, s.items, filter_deleted(f), s.filters, f->max_iterations, f->expansion);
    return redis.ReplyWithSimpleString(ctx, line);
}
