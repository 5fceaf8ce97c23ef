/* See lookup.h. Items are hashed and looked up in batches, so that the library can prefetch the buckets of a whole batch. */
#include "lookup.h"

#include "command_util.h"
#include "counters.h"
#include "murmur.h"

enum { BATCH = 128 }; /* items that are hashed before the first of them is looked up */

static uint64_t hash_of(const guira *g, const redis_string *item) {
    size_t n;
    const char *bytes = redis.StringPtrLen(item, &n);
    return guira_hash(g, bytes, n);
}

/* The items that were not found in our own part. Returns how many more are present. */
static uint64_t look_in_old_part(const struct old_part *p, redis_string **items, int n, bool *present) {
    uint64_t more = 0;
    for (int i = 0; i < n; i++) {
        size_t length;
        const char *item = redis.StringPtrLen(items[i], &length);
        if (present[i]) continue;
        present[i] = old_part_contains(p, murmur(item, length));
        more += present[i];
    }
    return more;
}

/* Replies with one boolean per item; f may be NULL: then none of the items exists. */
static void reply_exists(redis_ctx *ctx, const struct filter *f, redis_string **items, int n) {
    for (int start = 0; start < n; start += BATCH) {
        int batch = n - start < BATCH ? n - start : BATCH;
        uint64_t hash[BATCH];
        bool present[BATCH] = {false};
        for (int i = 0; f != NULL && i < batch; i++) hash[i] = hash_of(f->guira, items[start + i]);
        uint64_t found = f != NULL ? guira_contains_hash_many(f->guira, hash, (size_t)batch, present) : 0;
        if (f != NULL && filter_old(f) != NULL) found += look_in_old_part(filter_old(f), items + start, batch, present);
        counter_add(&counters.found, found);
        for (int i = 0; i < batch; i++) reply_bool(ctx, present[i]);
    }
    counter_add(&counters.looked_up, (unsigned long long)n);
}

bool find_filter(redis_ctx *ctx, redis_string *name, redis_type *type, const struct filter **out) {
    void *value = NULL;
    enum key_state state = find_value(ctx, name, REDIS_READ, type, &value);
    *out = value;
    return state != KEY_WRONG_TYPE;
}

int lookup_exists(redis_ctx *ctx, redis_string **argv, int argc, redis_type *type) {
    const struct filter *f;
    if (argc != 3) return redis.WrongArity(ctx);
    if (find_filter(ctx, argv[1], type, &f)) reply_exists(ctx, f, argv + 2, 1);
    return REDIS_OK;
}

int lookup_mexists(redis_ctx *ctx, redis_string **argv, int argc, redis_type *type) {
    const struct filter *f;
    if (argc < 3) return redis.WrongArity(ctx);
    if (!find_filter(ctx, argv[1], type, &f)) return REDIS_OK;
    redis.ReplyWithArray(ctx, argc - 2);
    reply_exists(ctx, f, argv + 2, argc - 2);
    return REDIS_OK;
}

int lookup_count(redis_ctx *ctx, redis_string **argv, int argc, redis_type *type) {
    const struct filter *f;
    size_t n;
    if (argc != 3) return redis.WrongArity(ctx);
    if (!find_filter(ctx, argv[1], type, &f)) return REDIS_OK;
    const char *item = redis.StringPtrLen(argv[2], &n);
    uint64_t count = f != NULL ? filter_count(f, item, n) : 0;
    counter_add(&counters.looked_up, 1);
    counter_add(&counters.found, count > 0);
    return redis.ReplyWithLongLong(ctx, (long long)count);
}

bool find_stats(redis_ctx *ctx, redis_string *name, redis_type *type, const struct filter **f, guira_stats *s) {
    if (!find_filter(ctx, name, type, f)) return false;
    if (*f == NULL) redis.ReplyWithError(ctx, "ERR not found");
    return *f != NULL && guira_stats_get((*f)->guira, s) == GUIRA_OK;
}
