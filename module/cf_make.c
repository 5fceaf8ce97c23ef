/* CF.RESERVE, CF.COMPACT, CF.MERGE: filters as a whole.
 *
 *     client: CF.RESERVE k 1000           or CF.ADD of a key that is not there
 *     replica, AOF: CF._CREATE k capacity bucket-size max-iterations expansion error seed
 *
 * because a replica may have other settings, and would draw another seed. */
#include "cf_make.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "reply.h"
#include "seed.h"
#include "settings.h"

/* ------------------------------------------------------------------------------------------------------------- making */

static void replicate_create(redis_ctx *ctx, redis_string *name, const struct filter_options *o) {
    char error[32];
    print_fraction(o->error, error);
    redis.Replicate(ctx, "CF._CREATE", "sllllcb", name, o->capacity, o->bucket_size, o->max_iterations, o->expansion,
                    error, (const char *)o->seed, sizeof o->seed);
}

struct filter *make_at(redis_ctx *ctx, redis_string *name, const struct filter_options *o) {
    struct filter *f;
    if (filter_create(o, &f) != GUIRA_OK) {
        redis.ReplyWithError(ctx, "ERR Insufficient memory to create filter");
        return NULL;
    }
    set_value(ctx, name, filter_type, f);
    replicate_create(ctx, name, o);
    return f;
}

bool check_capacity(redis_ctx *ctx, const char *least, const struct filter_options *o) {
    char error[128];
    if (o->capacity >= 2 * o->bucket_size && o->capacity <= MOST_CAPACITY) return true;
    snprintf(error, sizeof error, "Capacity must be in the range [%s, %lld]", least, MOST_CAPACITY);
    redis.ReplyWithError(ctx, error);
    return false;
}

/* Name and value, name and value. Each is read where it stands, and at most once. */
static bool read_options(redis_ctx *ctx, redis_string **argv, int argc, struct filter_options *o) {
    struct {
        const char *name;
        long long low, high, *to;
        bool given;
    } numbers[] = {{"BUCKETSIZE", 1, MOST_BUCKET_SIZE, &o->bucket_size, false},
                   {"MAXITERATIONS", 1, MOST_ITERATIONS, &o->max_iterations, false},
                   {"EXPANSION", 0, MOST_EXPANSION, &o->expansion, false},
                   {"ERROR", 0, 0, NULL, false}};
    for (int i = 0; i < argc; i += 2) {
        unsigned k = 0;
        while (k < 4 && !is_word(argv[i], numbers[k].name)) k++;
        if (k == 4 || numbers[k].given || i + 1 == argc) {
            redis.ReplyWithError(ctx, "Unknown argument received");
            return false;
        }
        numbers[k].given = true;
        bool good =
            k == 3 ? read_rate(ctx, argv[i + 1], &o->error)
                   : read_number(ctx, argv[i + 1], numbers[k].name, numbers[k].low, numbers[k].high, numbers[k].to);
        if (!good) return false;
    }
    if (!numbers[3].given || o->error >= LEAST_ERROR) return true;
    redis.ReplyWithError(ctx, "ERROR: no filter has a rate below 0.0000001");
    return false;
}

int cf_reserve(redis_ctx *ctx, redis_string **argv, int argc) {
    struct filter_options o;
    void *there;
    if (argc < 3) return redis.WrongArity(ctx);
    settings_get(&o);
    if (redis.StringToLongLong(argv[2], &o.capacity) != REDIS_OK) return redis.ReplyWithError(ctx, "Bad capacity");
    if (!read_options(ctx, argv + 3, argc - 3, &o)) return REDIS_OK;
    if (!check_capacity(ctx, "2 * BUCKETSIZE", &o)) return REDIS_OK;
    enum found found = find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &there);
    if (found == FOUND) return redis.ReplyWithError(ctx, "ERR item exists");
    if (found == REFUSED || make_at(ctx, argv[1], &o) == NULL) return REDIS_OK;
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cf.reserve", argv[1]);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

/* CF._CREATE key capacity bucket-size max-iterations expansion error seed: from a master or an AOF. */
int cf_create(redis_ctx *ctx, redis_string **argv, int argc) {
    struct filter_options o = {0};
    void *there;
    size_t n;
    if (argc != 8) return redis.WrongArity(ctx);
    const char *seed = redis.StringPtrLen(argv[7], &n);
    if (!read_number(ctx, argv[2], "capacity", 1, MOST_CAPACITY, &o.capacity) ||
        !read_number(ctx, argv[3], "bucket size", 1, MOST_BUCKET_SIZE, &o.bucket_size) ||
        !read_number(ctx, argv[4], "max iterations", 1, MOST_ITERATIONS, &o.max_iterations) ||
        !read_number(ctx, argv[5], "expansion", 0, MOST_EXPANSION, &o.expansion))
        return REDIS_OK;
    if (redis.StringToDouble(argv[6], &o.error) != REDIS_OK || !(o.error >= 0 && o.error < 1) || !seed_is(seed, n))
        return redis.ReplyWithError(ctx, "ERR no such filter can be");
    memcpy(o.seed, seed, sizeof o.seed);
    enum found found = find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &there);
    if (found == FOUND) return redis.ReplyWithError(ctx, "ERR item exists");
    if (found == REFUSED || make_at(ctx, argv[1], &o) == NULL) return REDIS_OK;
    seed_adopt(o.seed, redis.GetContextFlags(ctx));
    return redis.ReplyWithSimpleString(ctx, "OK");
}

/* ----------------------------------------------------------------------------------------------------------- compacting */

/* A filter of fixed size has nothing to give back; that is no error. */
int cf_compact(redis_ctx *ctx, redis_string **argv, int argc) {
    void *value;
    if (argc != 2) return redis.WrongArity(ctx);
    switch (find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &value)) {
    case ABSENT: return redis.ReplyWithError(ctx, "Cuckoo filter was not found");
    case REFUSED: return REDIS_OK;
    case FOUND: break;
    }
    struct filter *f = value;
    guira_shrink_to_fit(f->guira);
    f->deleted = 0;
    filter_changed(f);
    redis.ReplicateVerbatim(ctx);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cf.compact", argv[1]);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

/* -------------------------------------------------------------------------------------------------------------- merging */

static const char *merge_error(guira_status s) {
    switch (s) {
    case GUIRA_EINVAL: return "ERR filters of different seed or rate cannot be merged";
    case GUIRA_EUNSUPPORTED: return "ERR filters of fixed size cannot be merged";
    case GUIRA_EFULL:
    case GUIRA_EDUPLICATE: return "ERR too many copies of one item";
    default: return "ERR Insufficient memory";
    }
}

/* The source names[0] ... names[n - 1] one after the other into `into`. False: the client has been told why not. */
static bool merge_all(redis_ctx *ctx, struct filter *into, redis_string **names, int n) {
    for (int i = 0; i < n; i++) {
        void *from;
        enum found found = find_value(ctx, names[i], REDIS_READ, filter_type, &from);
        if (found == ABSENT) redis.ReplyWithError(ctx, "ERR not found");
        if (found != FOUND) return false;
        guira_status s = guira_merge(into->guira, ((struct filter *)from)->guira);
        if (s == GUIRA_OK) continue;
        redis.ReplyWithError(ctx, merge_error(s));
        return false;
    }
    return true;
}

/* The value stays, so that the key keeps its expiry; what is in it changes. */
static void swap_in(struct filter *f, struct filter *merged) {
    guira *old = f->guira;
    f->guira = merged->guira;
    merged->guira = old;
    filter_changed(f);
    filter_free(merged);
}

/* CF.MERGE dest source...: all or nothing, so it works on a copy; without dest, on one of the first source. */
int cf_merge(redis_ctx *ctx, redis_string **argv, int argc) {
    void *value;
    if (argc < 3) return redis.WrongArity(ctx);
    enum found found = find_value(ctx, argv[1], REDIS_READ | REDIS_WRITE, filter_type, &value);
    int start = found == ABSENT ? 3 : 2;
    if (found == ABSENT) found = find_value(ctx, argv[2], REDIS_READ, filter_type, &value);
    if (found == ABSENT) return redis.ReplyWithError(ctx, "ERR not found");
    if (found == REFUSED) return REDIS_OK;
    struct filter *merged = filter_clone(value);
    if (merged == NULL) return redis.ReplyWithError(ctx, "ERR Insufficient memory");
    if (!merge_all(ctx, merged, argv + start, argc - start)) {
        filter_free(merged);
        return REDIS_OK;
    }
    if (start == 3) set_value(ctx, argv[1], filter_type, merged);
    else swap_in(value, merged);
    redis.ReplicateVerbatim(ctx);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cf.merge", argv[1]);
    return redis.ReplyWithSimpleString(ctx, "OK");
}
