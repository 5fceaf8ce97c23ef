/* CF.ADD, CF.ADDNX, CF.INSERT, CF.INSERTNX, CF.DEL: items go in and out.
 *
 * What is replicated is what happened, not the call: a key that had to be made as CF._CREATE, and then the items without
 * those that were there already (...NX) or found no memory, which a replica may have. */
#include "cf_make.h"
#include "commands.h"
#include "filter.h"
#include "reply.h"
#include "settings.h"
#include "totals.h"

enum { BATCH = 128 }; /* items that are hashed before the first of them is looked for */

/* A call of one of the four. */
struct insertion {
    redis_string *name;
    redis_string **items;
    int n;
    bool unique;    /* ...NX: not if it is there */
    bool is_many;   /* the answer is an array */
    bool no_create; /* the key must be there */
    struct filter_options options;
};

/* ------------------------------------------------------------------------------------------------------------- answers */

static const char *refusal(guira_status s) {
    switch (s) {
    case GUIRA_ENOMEM: return "ERR Insufficient memory";
    case GUIRA_EDUPLICATE: return "ERR too many copies of this item";
    case GUIRA_ELIMIT: return "Maximum expansions reached";
    default: return "Filter is full";
    }
}

/* All in one go: a counter that other threads may look at takes longer than an answer. */
static void count(const guira_status *s, int n) {
    unsigned added = 0, present = 0;
    for (int i = 0; i < n; i++) {
        added += s[i] == GUIRA_OK;
        present += s[i] == GUIRA_EEXIST;
    }
    count_up(&totals.added, added);
    if (added == (unsigned)n) return;
    count_up(&totals.present, present);
    count_up(&totals.refused, (unsigned)n - added - present);
}

/* In RESP3 an array of booleans cannot say -1; that of CF.INSERTNX, which has to tell it from 0, is of integers. */
static void reply_status(redis_ctx *ctx, const struct insertion *in, guira_status s) {
    bool refused = s != GUIRA_OK && s != GUIRA_EEXIST, is_number = in->unique && in->is_many;
    if (refused && !in->is_many) redis.ReplyWithError(ctx, refusal(s));
    else if (refused && (is_number || !speaks_resp3(ctx))) redis.ReplyWithLongLong(ctx, -1);
    else if (is_number) redis.ReplyWithLongLong(ctx, s == GUIRA_OK);
    else reply_flag(ctx, s == GUIRA_OK);
}

/* ------------------------------------------------------------------------------------------------------------ inserting */

static guira_status insert_unique(guira *g, uint64_t hash) {
    return guira_contains_hash(g, hash) ? GUIRA_EEXIST : guira_insert_hash(g, hash);
}

/* At most BATCH of them. */
static void insert_batch(guira *g, redis_string **items, int n, bool unique, guira_status *out) {
    uint64_t hash[BATCH];
    for (int i = 0; i < n; i++) {
        size_t length;
        const char *item = redis.StringPtrLen(items[i], &length);
        hash[i] = guira_hash(g, item, length);
    }
    if (!unique) guira_insert_hash_many(g, hash, (size_t)n, out);
    else
        for (int i = 0; i < n; i++) out[i] = insert_unique(g, hash[i]);
}

/* Inserts all and answers for each. The items that replicas must insert too go to `kept`; returns how many. */
static int insert_all(redis_ctx *ctx, const struct insertion *in, guira *g, redis_string **kept) {
    int n = 0;
    for (int start = 0; start < in->n; start += BATCH) {
        guira_status status[BATCH];
        int batch = in->n - start < BATCH ? in->n - start : BATCH;
        insert_batch(g, in->items + start, batch, in->unique, status);
        count(status, batch);
        for (int i = 0; i < batch; i++) {
            reply_status(ctx, in, status[i]);
            if (status[i] != GUIRA_EEXIST && status[i] != GUIRA_ENOMEM) kept[n++] = in->items[start + i];
        }
    }
    return n;
}

/* What was refused for want of room is replicated as well: there it is refused too, and the counter of failures moves.
 * Where call and outcome are the same the call will do, which is cheaper; but not together with another command. */
static void replicate_items(redis_ctx *ctx, const struct insertion *in, bool made, redis_string **kept, int n) {
    if (!made && !in->unique && n == in->n) redis.ReplicateVerbatim(ctx);
    else if (n == 1) redis.Replicate(ctx, "CF.ADD", "ss", in->name, kept[0]);
    else redis.Replicate(ctx, "CF.INSERT", "sccv", in->name, "NOCREATE", "ITEMS", kept, (size_t)n);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, in->is_many ? "cf.insert" : "cf.add", in->name);
}

static int insert(redis_ctx *ctx, const struct insertion *in) {
    void *value;
    redis_string *few[BATCH];
    enum found found = find_value(ctx, in->name, REDIS_READ | REDIS_WRITE, filter_type, &value);
    if (found == REFUSED) return REDIS_OK;
    if (found == ABSENT && in->no_create) return redis.ReplyWithError(ctx, "ERR not found");
    if (found == ABSENT) value = make_at(ctx, in->name, &in->options);
    struct filter *f = value;
    if (f == NULL) return REDIS_OK;
    redis_string **kept = in->n <= BATCH ? few : room_for_strings(ctx, in->n);
    if (in->is_many) redis.ReplyWithArray(ctx, in->n);
    int n = insert_all(ctx, in, f->guira, kept);
    if (n == 0) return REDIS_OK;
    filter_changed(f);
    replicate_items(ctx, in, found == ABSENT, kept, n);
    return REDIS_OK;
}

/* ------------------------------------------------------------------------------------------------------------- commands */

static int add(redis_ctx *ctx, redis_string **argv, int argc, bool unique) {
    if (argc != 3) return redis.WrongArity(ctx);
    struct insertion in = {.name = argv[1], .items = argv + 2, .n = 1, .unique = unique};
    settings_get(&in.options);
    return insert(ctx, &in);
}

int cf_add(redis_ctx *ctx, redis_string **argv, int argc) { return add(ctx, argv, argc, false); }
int cf_addnx(redis_ctx *ctx, redis_string **argv, int argc) { return add(ctx, argv, argc, true); }

/* CF.INSERT key [CAPACITY c] [NOCREATE] ITEMS item... */
static int insert_many(redis_ctx *ctx, redis_string **argv, int argc, bool unique) {
    struct insertion in = {.unique = unique, .is_many = true};
    int at = 2;
    if (argc < 4) return redis.WrongArity(ctx);
    in.name = argv[1];
    settings_get(&in.options);
    for (; at < argc && !is_word(argv[at], "ITEMS"); at++) {
        if (is_word(argv[at], "NOCREATE")) in.no_create = true;
        else if (!is_word(argv[at], "CAPACITY")) return redis.ReplyWithError(ctx, "Unknown argument received");
        else if (++at == argc) return redis.WrongArity(ctx);
        else if (redis.StringToLongLong(argv[at], &in.options.capacity) != REDIS_OK)
            return redis.ReplyWithError(ctx, "Bad capacity");
        else if (!check_capacity(ctx, "cf-bucket-size * 2", &in.options)) return REDIS_OK;
    }
    in.items = argv + at + 1;
    in.n = argc - at - 1;
    return in.n > 0 ? insert(ctx, &in) : redis.WrongArity(ctx);
}

int cf_insert(redis_ctx *ctx, redis_string **argv, int argc) { return insert_many(ctx, argv, argc, false); }
int cf_insertnx(redis_ctx *ctx, redis_string **argv, int argc) { return insert_many(ctx, argv, argc, true); }

int cf_del(redis_ctx *ctx, redis_string **argv, int argc) {
    void *value;
    size_t n;
    if (argc != 3) return redis.WrongArity(ctx);
    switch (find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &value)) {
    case ABSENT: return redis.ReplyWithError(ctx, "Not found");
    case REFUSED: return REDIS_OK;
    case FOUND: break;
    }
    struct filter *f = value;
    const char *item = redis.StringPtrLen(argv[2], &n);
    bool gone = guira_remove(f->guira, item, n) == GUIRA_OK;
    count_up(gone ? &totals.deleted : &totals.not_deleted, 1);
    if (gone) {
        f->deleted++;
        filter_changed(f);
        redis.ReplicateVerbatim(ctx);
        redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cf.del", argv[1]);
    }
    return reply_flag(ctx, gone);
}
