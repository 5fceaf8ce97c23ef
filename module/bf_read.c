/* BF.EXISTS, BF.MEXISTS, BF.COUNT, BF.CARD, BF.INFO: the commands that only read a filter. */
#include "command_util.h"
#include "commands.h"
#include "lookup.h"

int bf_exists(redis_ctx *ctx, redis_string **argv, int argc) { return lookup_exists(ctx, argv, argc, bloom_type); }
int bf_mexists(redis_ctx *ctx, redis_string **argv, int argc) { return lookup_mexists(ctx, argv, argc, bloom_type); }
int bf_count(redis_ctx *ctx, redis_string **argv, int argc) { return lookup_count(ctx, argv, argc, bloom_type); }

int bf_card(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s = GUIRA_STATS_INIT;
    if (argc != 2) return redis.WrongArity(ctx);
    if (!find_filter(ctx, argv[1], bloom_type, &f)) return REDIS_OK;
    if (f != NULL) guira_stats_get(f->guira, &s);
    return redis.ReplyWithLongLong(ctx, (long long)s.items);
}

/* What was asked for; once the filter has outgrown that, how many items it holds before it takes more memory. */
static uint64_t capacity_of(const struct filter *f, const guira_stats *s) {
    guira_config c = filter_config(f);
    uint64_t room = (uint64_t)((double)s->slots * c.max_load), reserved = c.capacity;
    return f->expansion == 0 || s->items <= reserved || room < reserved ? reserved : room;
}

/* The five values of BF.INFO; number 4, the expansion, is nil for a filter that does not grow. */
enum { CAPACITY, SIZE, FILTERS, ITEMS, EXPANSION, FIELDS };
static const char *const field_names[FIELDS] = {"Capacity", "Size", "Number of filters", "Number of items inserted",
                                                "Expansion rate"};
static const char *const keywords[FIELDS] = {"CAPACITY", "SIZE", "FILTERS", "ITEMS", "EXPANSION"};

static void reply_value(redis_ctx *ctx, const struct filter *f, const guira_stats *s, int field) {
    uint64_t values[FIELDS] = {capacity_of(f, s), f->bytes, s->filters, s->items, f->expansion};
    if (field == EXPANSION && f->expansion == 0) redis.ReplyWithNull(ctx);
    else redis.ReplyWithLongLong(ctx, (long long)values[field]);
}

static void reply_field(redis_ctx *ctx, const struct filter *f, const guira_stats *s, int field) {
    redis.ReplyWithSimpleString(ctx, field_names[field]);
    reply_value(ctx, f, s, field);
}

/* One field: in RESP2 an array of its value alone. */
static int reply_one(redis_ctx *ctx, const struct filter *f, const guira_stats *s, int field) {
    if (client_uses_resp3(ctx)) {
        reply_map(ctx, 1);
        reply_field(ctx, f, s, field);
    } else {
        redis.ReplyWithArray(ctx, 1);
        reply_value(ctx, f, s, field);
    }
    return REDIS_OK;
}

int bf_info(redis_ctx *ctx, redis_string **argv, int argc) {
    const struct filter *f;
    guira_stats s = GUIRA_STATS_INIT;
    int field = 0;
    if (argc != 2 && argc != 3) return redis.WrongArity(ctx);
    while (argc == 3 && field < FIELDS && !is_keyword(argv[2], keywords[field])) field++;
    if (field == FIELDS) return redis.ReplyWithError(ctx, "Invalid information value");
    if (!find_stats(ctx, argv[1], bloom_type, &f, &s)) return REDIS_OK;
    if (argc == 3) return reply_one(ctx, f, &s, field);
    reply_map(ctx, FIELDS);
    for (field = 0; field < FIELDS; field++) reply_field(ctx, f, &s, field);
    return REDIS_OK;
}
