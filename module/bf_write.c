/* BF.ADD, BF.MADD, BF.INSERT, BF.DEL: an item is in the filter once, however often it is added.
 *
 * Items are added one after the other until one fails: then the reply ends with the error. Replicas get the items that
 * were added, and no others. */
#include "bf.h"
#include "command_util.h"
#include "commands.h"
#include "counters.h"
#include "memory.h"
#include "names.h"
#include "settings.h"

struct insertion {
    redis_string *name;
    redis_string **items;
    int n;
    bool is_many;   /* the reply is an array */
    bool no_create; /* NOCREATE: the key must exist */
    struct filter_options options;
};

/* ----------------------------------------------------------------------------------------------------------- inserting */

static guira_status insert_item(struct filter *f, const redis_string *item) {
    size_t n;
    const char *bytes = redis.StringPtrLen(item, &n);
    return filter_insert_unique(f, bytes, n);
}

static void reply_status(redis_ctx *ctx, guira_status s) {
    if (s == GUIRA_OK || s == GUIRA_EEXIST) reply_bool(ctx, s == GUIRA_OK);
    else redis.ReplyWithError(ctx, s == GUIRA_ENOMEM ? "ERR Insufficient memory" : "ERR non scaling filter is full");
}

/* What happened to the items, up to the first one that failed, that included. */
struct outcome {
    guira_status *status;
    int n;
    redis_string **added;
    int n_added;
};

static void insert_items(redis_ctx *ctx, struct filter *f, const struct insertion *in, struct outcome *out) {
    bool failed = false;
    for (int i = 0; i < in->n && !failed; i++) {
        guira_status s = out->status[out->n++] = insert_item(f, in->items[i]);
        if (s == GUIRA_OK) out->added[out->n_added++] = in->items[i];
        failed = s != GUIRA_OK && s != GUIRA_EEXIST;
        if (s == GUIRA_ENOMEM) memory_is_missing(ctx);
        counter_add(s == GUIRA_OK ? &counters.added : failed ? &counters.refused : &counters.present, 1);
    }
}

static void replicate(redis_ctx *ctx, const struct insertion *in, const struct outcome *out, bool created) {
    if (!created && out->n_added == in->n) redis.ReplicateVerbatim(ctx);
    else redis.Replicate(ctx, sent_name(BF_MADD), "sv", in->name, out->added, (size_t)out->n_added);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, in->is_many ? "bf.insert" : "bf.add", in->name);
}

static int insert(redis_ctx *ctx, const struct insertion *in) {
    void *value;
    guira_status one;
    redis_string *only;
    struct outcome out = {&one, 0, &only, 0};
    enum key_state state = find_value(ctx, in->name, REDIS_READ | REDIS_WRITE, bloom_type, &value);
    if (state == KEY_WRONG_TYPE) return REDIS_OK;
    if (state == KEY_MISSING && in->no_create) return redis.ReplyWithError(ctx, "ERR not found");
    if (state == KEY_MISSING) value = bf_create_at_key(ctx, in->name, &in->options);
    struct filter *f = value;
    if (f == NULL) return REDIS_OK;
    long long before = filter_before_change(f);
    if (in->n > 1) {
        out.status = redis.PoolAlloc(ctx, (size_t)in->n * sizeof one);
        out.added = alloc_strings(ctx, in->n);
    }
    insert_items(ctx, f, in, &out);
    if (in->is_many) redis.ReplyWithArray(ctx, out.n);
    for (int i = 0; i < out.n; i++) reply_status(ctx, out.status[i]);
    if (out.n_added == 0) return REDIS_OK;
    filter_changed(f, before);
    replicate(ctx, in, &out, state == KEY_MISSING);
    return REDIS_OK;
}

/* ------------------------------------------------------------------------------------------------------------ commands */

int bf_add(redis_ctx *ctx, redis_string **argv, int argc) {
    if (argc != 3) return redis.WrongArity(ctx);
    struct insertion in = {.name = argv[1], .items = argv + 2, .n = 1};
    settings_get_bf(&in.options);
    return insert(ctx, &in);
}

int bf_madd(redis_ctx *ctx, redis_string **argv, int argc) {
    if (argc < 3) return redis.WrongArity(ctx);
    struct insertion in = {.name = argv[1], .items = argv + 2, .n = argc - 2, .is_many = true};
    settings_get_bf(&in.options);
    return insert(ctx, &in);
}

/* Parses one option of BF.INSERT with a value. Returns NULL or the error to reply. */
static const char *read_option(const redis_string *name, const redis_string *value, struct filter_options *o) {
    if (is_keyword(name, "CAPACITY")) return bf_read_capacity(value, &o->capacity) != NULL ? "Bad capacity" : NULL;
    if (is_keyword(name, "ERROR")) return bf_read_rate(value, &o->fpr) != NULL ? "Bad error rate" : NULL;
    if (is_keyword(name, "EXPANSION")) return bf_read_expansion(value, &o->expansion) != NULL ? "Bad expansion" : NULL;
    return "Unknown argument received";
}

/* BF.INSERT key [CAPACITY c] [ERROR rate] [EXPANSION n] [NOCREATE] [NONSCALING] ITEMS item... */
int bf_insert(redis_ctx *ctx, redis_string **argv, int argc) {
    struct insertion in = {.is_many = true};
    bool fixed = false;
    int at = 2;
    if (argc < 4) return redis.WrongArity(ctx);
    in.name = argv[1];
    settings_get_bf(&in.options);
    for (; at < argc && !is_keyword(argv[at], "ITEMS"); at++) {
        if (is_keyword(argv[at], "NOCREATE")) in.no_create = true;
        else if (is_keyword(argv[at], "NONSCALING")) fixed = true;
        else if (at + 1 == argc) return redis.WrongArity(ctx);
        else {
            const char *error = read_option(argv[at], argv[at + 1], &in.options);
            if (error != NULL) return redis.ReplyWithError(ctx, error);
            at++;
        }
    }
    if (fixed) in.options.expansion = 0;
    in.items = argv + at + 1;
    in.n = argc - at - 1;
    return in.n > 0 ? insert(ctx, &in) : redis.WrongArity(ctx);
}

/* Ours alone: a Bloom filter cannot delete. */
int bf_del(redis_ctx *ctx, redis_string **argv, int argc) {
    return argc == 3 ? delete_item(ctx, argv, bloom_type, "bf.del") : redis.WrongArity(ctx);
}
