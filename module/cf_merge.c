/* CF.COMPACT, CF.MERGE and CF.UNION: commands that process a whole filter, so their time grows with its size. */
#include "command_util.h"
#include "commands.h"
#include "filter.h"
#include "memory.h"

/* ----------------------------------------------------------------------------------------------------------- compacting */

/* A filter of fixed size keeps its memory, which is for its capacity: the call succeeds and does nothing to it. */
static int compact(redis_ctx *ctx, redis_string *name, redis_type *type, const char *missing, const char *event) {
    void *value;
    switch (find_value(ctx, name, REDIS_READ | REDIS_WRITE, type, &value)) {
    case KEY_MISSING: return redis.ReplyWithError(ctx, missing);
    case KEY_WRONG_TYPE: return REDIS_OK;
    case KEY_FOUND: break;
    }
    struct filter *f = value;
    long long before = filter_before_change(f);
    if (f->expansion > 0) guira_shrink_to_fit(f->guira);
    if (f->extra != NULL) f->extra->deleted = 0;
    filter_changed(f, before);
    redis.ReplicateVerbatim(ctx);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, event, name);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int cf_compact(redis_ctx *ctx, redis_string **argv, int argc) {
    if (argc != 2) return redis.WrongArity(ctx);
    return compact(ctx, argv[1], filter_type, "Cuckoo filter was not found", "cf.compact");
}

/* Ours alone: a Bloom filter cannot shrink. */
int bf_compact(redis_ctx *ctx, redis_string **argv, int argc) {
    if (argc != 2) return redis.WrongArity(ctx);
    return compact(ctx, argv[1], bloom_type, "ERR not found", "bf.compact");
}

/* -------------------------------------------------------------------------------------------------------------- merging */

typedef guira_status merge_fn(guira *into, const guira *from); /* guira_merge or guira_union */

static const char *merge_error(guira_status s) {
    switch (s) {
    case GUIRA_EINVAL:
        return "ERR filters of different seed or fixed size, or of 12-bit and wider slots, cannot be merged";
    case GUIRA_EUNSUPPORTED: return "ERR filters of fixed size have no union";
    case GUIRA_EFULL:
    case GUIRA_EDUPLICATE: return "ERR too many copies of one item";
    case GUIRA_ELIMIT: return "ERR too many copies for one filter";
    default: return "ERR Insufficient memory";
    }
}

/* RedisBloom's fingerprints are too short to compute ours from them. Replies if so. */
static bool has_old_part(redis_ctx *ctx, const struct filter *f) {
    if (filter_old(f) != NULL) redis.ReplyWithError(ctx, "ERR a filter with items from RedisBloom cannot be merged");
    return filter_old(f) != NULL;
}

/* Merges the filters at the keys names[0] ... names[n - 1] into `into`. On false the error has been replied, and `into`
 * may already contain some of them. */
static bool merge_all(redis_ctx *ctx, struct filter *into, redis_string **names, int n, merge_fn *merge) {
    for (int i = 0; i < n; i++) {
        void *from;
        enum key_state state = find_value(ctx, names[i], REDIS_READ, filter_type, &from);
        if (state == KEY_MISSING) redis.ReplyWithError(ctx, "ERR not found");
        if (state != KEY_FOUND) return false;
        if (has_old_part(ctx, from)) return false;
        guira_status s = merge(into->guira, ((struct filter *)from)->guira);
        if (s == GUIRA_OK) continue;
        if (s == GUIRA_ENOMEM) memory_is_missing(ctx);
        redis.ReplyWithError(ctx, merge_error(s));
        return false;
    }
    return true;
}

/* Moves the content of `merged` into f, the value that the key already has, and frees the rest. Storing `merged` as the
 * key's value instead would remove the key's expiry. */
static void replace_content(struct filter *f, struct filter *merged) {
    long long before = filter_before_change(f);
    guira *old = f->guira;
    f->bytes += merged->bytes;
    f->guira = merged->guira;
    merged->guira = old;
    filter_free(merged);
    filter_changed(f, before);
}

/* CF.MERGE and CF.UNION dest source...: all or nothing. It therefore merges into a copy: of dest, or of the first source if dest does
 * not exist. */
static int merge_keys(redis_ctx *ctx, redis_string **argv, int argc, merge_fn *merge, const char *event) {
    void *value;
    if (argc < 3) return redis.WrongArity(ctx);
    enum key_state state = find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &value);
    int start = state == KEY_MISSING ? 3 : 2;
    if (state == KEY_MISSING) state = find_value(ctx, argv[2], REDIS_READ, filter_type, &value);
    if (state == KEY_MISSING) return redis.ReplyWithError(ctx, "ERR not found");
    if (state == KEY_WRONG_TYPE) return REDIS_OK;
    if (has_old_part(ctx, value)) return REDIS_OK;
    struct filter *merged = filter_clone(value);
    if (merged == NULL) {
        memory_is_missing(ctx);
        return redis.ReplyWithError(ctx, "ERR Insufficient memory");
    }
    long long before = memory_of_thread();
    if (!merge_all(ctx, merged, argv + start, argc - start, merge)) {
        filter_free(merged);
        return REDIS_OK;
    }
    filter_changed(merged, before);
    if (memory_is_over(ctx, merged->bytes)) {
        filter_free(merged);
        return redis.ReplyWithError(ctx, OUT_OF_MEMORY);
    }
    if (start == 3) set_value(ctx, argv[1], filter_type, merged);
    else replace_content(value, merged);
    redis.ReplicateVerbatim(ctx);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, event, argv[1]);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int cf_merge(redis_ctx *ctx, redis_string **argv, int argc) {
    return merge_keys(ctx, argv, argc, guira_merge, "cf.merge");
}
int cf_union(redis_ctx *ctx, redis_string **argv, int argc) {
    return merge_keys(ctx, argv, argc, guira_union, "cf.union");
}
