/* CF.ADD, CF.ADDNX, CF.INSERT, CF.INSERTNX, CF.DEL: the commands that add and remove items.
 *
 * Replication carries the effect of a command, not its text. If the key had to be created, CF._CREATE goes first. Then
 * follow the items, without those that were already present (...NX) and those that failed for lack of memory: a replica
 * may have that memory and would add them. */
#include "cf_create.h"
#include "command_util.h"
#include "commands.h"
#include "counters.h"
#include "filter.h"
#include "memory.h"
#include "names.h"
#include "settings.h"

enum { BATCH = 128 }; /* items that are hashed before the first of them is inserted */

/* The arguments of CF.ADD, CF.ADDNX, CF.INSERT or CF.INSERTNX. */
struct insertion {
    redis_string *name;
    redis_string **items;
    int n;
    bool unique;    /* ...NX: do not add an item that is present */
    bool is_many;   /* CF.INSERT, CF.INSERTNX: the reply is an array */
    bool no_create; /* NOCREATE: the key must exist */
    struct filter_options options;
};

/* ------------------------------------------------------------------------------------------------------------- replies */

static const char *insert_error(guira_status s) {
    switch (s) {
    case GUIRA_ENOMEM: return "ERR Insufficient memory";
    case GUIRA_EDUPLICATE: return "ERR too many copies of this item";
    case GUIRA_ELIMIT: return "Maximum expansions reached";
    default: return "Filter is full";
    }
}

/* Once per batch: an atomic addition per item would cost more than replying. */
static void count_results(const guira_status *s, int n) {
    unsigned added = 0, present = 0;
    for (int i = 0; i < n; i++) {
        added += s[i] == GUIRA_OK;
        present += s[i] == GUIRA_EEXIST;
    }
    counter_add(&counters.added, added);
    if (added == (unsigned)n) return;
    counter_add(&counters.present, present);
    counter_add(&counters.refused, (unsigned)n - added - present);
}

/* In RESP3 CF.INSERT replies with booleans, so a refused item is false. CF.INSERTNX replies with integers in both
 * protocols, because it has to distinguish 0 (present) from -1 (refused). */
static void reply_status(redis_ctx *ctx, const struct insertion *in, guira_status s) {
    bool refused = s != GUIRA_OK && s != GUIRA_EEXIST, is_number = in->unique && in->is_many;
    if (refused && !in->is_many) redis.ReplyWithError(ctx, insert_error(s));
    else if (refused && (is_number || !client_uses_resp3(ctx))) redis.ReplyWithLongLong(ctx, -1);
    else if (is_number) redis.ReplyWithLongLong(ctx, s == GUIRA_OK);
    else reply_bool(ctx, s == GUIRA_OK);
}

/* ------------------------------------------------------------------------------------------------------------ inserting */

static guira_status insert_unique(guira *g, uint64_t hash) {
    return guira_contains_hash(g, hash) ? GUIRA_EEXIST : guira_insert_hash(g, hash);
}

/* Into a filter with an old part or of fixed size: one by one. */
static void insert_singly(struct filter *f, redis_string **items, int n, bool unique, guira_status *out) {
    for (int i = 0; i < n; i++) {
        size_t length;
        const char *item = redis.StringPtrLen(items[i], &length);
        out[i] = unique ? filter_insert_unique(f, item, length) : filter_insert(f, item, length);
    }
}

/* n is at most BATCH. */
static void insert_batch(struct filter *f, redis_string **items, int n, bool unique, guira_status *out) {
    guira *g = f->guira;
    uint64_t hash[BATCH];
    if (filter_old(f) != NULL || f->expansion == 0) {
        insert_singly(f, items, n, unique, out);
        return;
    }
    for (int i = 0; i < n; i++) {
        size_t length;
        const char *item = redis.StringPtrLen(items[i], &length);
        hash[i] = guira_hash(g, item, length);
    }
    if (!unique) guira_insert_hash_many(g, hash, (size_t)n, out);
    else
        for (int i = 0; i < n; i++) out[i] = insert_unique(g, hash[i]);
}

/* Inserts all items and replies for each. Stores the items that replicas have to insert in `to_replicate` and returns
 * their number. */
static int insert_all(redis_ctx *ctx, const struct insertion *in, struct filter *f, redis_string **to_replicate) {
    int n = 0;
    for (int start = 0; start < in->n; start += BATCH) {
        guira_status status[BATCH];
        int batch = in->n - start < BATCH ? in->n - start : BATCH;
        insert_batch(f, in->items + start, batch, in->unique, status);
        count_results(status, batch);
        for (int i = 0; i < batch; i++) {
            if (status[i] == GUIRA_ENOMEM) memory_is_missing(ctx);
            reply_status(ctx, in, status[i]);
            if (status[i] != GUIRA_EEXIST && status[i] != GUIRA_ENOMEM) to_replicate[n++] = in->items[start + i];
        }
    }
    return n;
}

/* Items refused because the filter is full are replicated too: the replica refuses them as well, and its failure counter
 * stays equal. If all items have to be replicated, forwarding the client's command is cheaper; but the server's API does
 * not allow to combine that with another replicated command (verbatim: there is none), such as CF._CREATE. */
static void replicate_items(redis_ctx *ctx, const struct insertion *in, bool verbatim, redis_string **to_replicate,
                            int n) {
    if (verbatim && !in->unique && n == in->n) redis.ReplicateVerbatim(ctx);
    else if (n == 1) redis.Replicate(ctx, sent_name(CF_ADD), "ss", in->name, to_replicate[0]);
    else redis.Replicate(ctx, sent_name(CF_INSERT), "sccv", in->name, "NOCREATE", "ITEMS", to_replicate, (size_t)n);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, in->is_many ? "cf.insert" : "cf.add", in->name);
}

/* A filter that would grow from the smallest size starts with room for the items of the command: for 100 items this takes 20 %
 * less time, and 5 % less memory. */
static struct filter *create_for(redis_ctx *ctx, const struct insertion *in) {
    struct filter_options o = in->options;
    if (in->n > 1 && o.capacity == 0 && o.fpr == 0) o.capacity = in->n < SMALL_CAPACITY ? in->n : SMALL_CAPACITY;
    return create_at_key(ctx, in->name, &o);
}

static int insert(redis_ctx *ctx, const struct insertion *in) {
    void *value;
    redis_string *few[BATCH];
    enum key_state state = find_value(ctx, in->name, REDIS_READ | REDIS_WRITE, filter_type, &value);
    if (state == KEY_WRONG_TYPE) return REDIS_OK;
    if (state == KEY_MISSING && in->no_create) return redis.ReplyWithError(ctx, "ERR not found");
    if (state == KEY_MISSING) value = create_for(ctx, in);
    struct filter *f = value;
    if (f == NULL) return REDIS_OK;
    bool verbatim = state == KEY_FOUND && !f->unseeded;
    if (f->unseeded && !seed_at_key(ctx, in->name, f)) return REDIS_OK;
    long long before = filter_before_change(f);
    redis_string **to_replicate = in->n <= BATCH ? few : alloc_strings(ctx, in->n);
    if (in->is_many) redis.ReplyWithArray(ctx, in->n);
    int n = insert_all(ctx, in, f, to_replicate);
    if (n == 0) return REDIS_OK;
    filter_changed(f, before);
    replicate_items(ctx, in, verbatim, to_replicate, n);
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

/* On false the error has been replied. */
static bool read_capacity(redis_ctx *ctx, const redis_string *value, struct filter_options *o) {
    if (redis.StringToLongLong(value, &o->capacity) == REDIS_OK) return check_capacity(ctx, "cf-bucket-size * 2", o);
    redis.ReplyWithError(ctx, "Bad capacity");
    return false;
}

/* CF.INSERT key [CAPACITY c] [ERROR rate] [NOCREATE] ITEMS item... */
static int insert_many(redis_ctx *ctx, redis_string **argv, int argc, bool unique) {
    struct insertion in = {.unique = unique, .is_many = true};
    int at = 2;
    if (argc < 4) return redis.WrongArity(ctx);
    in.name = argv[1];
    settings_get(&in.options);
    for (; at < argc && !is_keyword(argv[at], "ITEMS"); at++) {
        bool capacity = is_keyword(argv[at], "CAPACITY"), error = is_keyword(argv[at], "ERROR");
        if (is_keyword(argv[at], "NOCREATE")) in.no_create = true;
        else if (!capacity && !error) return redis.ReplyWithError(ctx, "Unknown argument received");
        else if (++at == argc) return redis.WrongArity(ctx);
        else if (capacity && !read_capacity(ctx, argv[at], &in.options)) return REDIS_OK;
        else if (error && !read_filter_fpr(ctx, argv[at], &in.options.fpr)) return REDIS_OK;
    }
    in.items = argv + at + 1;
    in.n = argc - at - 1;
    return in.n > 0 ? insert(ctx, &in) : redis.WrongArity(ctx);
}

int cf_insert(redis_ctx *ctx, redis_string **argv, int argc) { return insert_many(ctx, argv, argc, false); }
int cf_insertnx(redis_ctx *ctx, redis_string **argv, int argc) { return insert_many(ctx, argv, argc, true); }

int delete_item(redis_ctx *ctx, redis_string **argv, redis_type *type, const char *event) {
    void *value;
    size_t n;
    switch (find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, type, &value)) {
    case KEY_MISSING: return redis.ReplyWithError(ctx, "Not found");
    case KEY_WRONG_TYPE: return REDIS_OK;
    case KEY_FOUND: break;
    }
    struct filter *f = value;
    const char *item = redis.StringPtrLen(argv[2], &n);
    long long before = filter_before_change(f);
    if (!filter_make_extra(f)) {
        memory_is_missing(ctx);
        return redis.ReplyWithError(ctx, "ERR Insufficient memory");
    }
    bool removed = filter_remove(f, item, n);
    counter_add(removed ? &counters.deleted : &counters.not_deleted, 1);
    if (removed) {
        f->extra->deleted++;
        filter_end_reservation(f);
        filter_changed(f, before);
        redis.ReplicateVerbatim(ctx);
        redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, event, argv[1]);
    }
    if (!removed) filter_count_memory(f, before);
    return reply_bool(ctx, removed);
}

int cf_del(redis_ctx *ctx, redis_string **argv, int argc) {
    return argc == 3 ? delete_item(ctx, argv, filter_type, "cf.del") : redis.WrongArity(ctx);
}
