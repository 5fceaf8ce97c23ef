/* CFW.RESERVE, CFW.SEEN, CFW.INFO: deduplication with expiry in one round trip.
 *
 *     sent by the client:         CFW.SEEN k item...          uses the server's clock
 *     sent to replicas and AOF:   CFW._SEEN k time item...    has the same effect whenever it is executed
 *
 * The time of a window never goes backwards. If the server's clock jumps back, or a replica with a slower clock becomes the
 * master, the window keeps its time until the clock has caught up. */
#include "window_timer.h"

#include <string.h>

#include "command_util.h"
#include "commands.h"
#include "counters.h"
#include "memory.h"
#include "names.h"
#include "seed.h"

enum { BATCH = 64 }; /* items that are hashed before the first of them is looked up */

/* ------------------------------------------------------------------------------------------------------------- creating */

/* Creates the window, replicates CFW._CREATE and replies. */
static int create_at_key(redis_ctx *ctx, redis_string *name, const struct window_options *o) {
    void *existing;
    struct window *w;
    enum key_state state = find_value(ctx, name, REDIS_READ | REDIS_WRITE, window_type, &existing);
    if (state == KEY_WRONG_TYPE) return REDIS_OK;
    if (state == KEY_FOUND) return redis.ReplyWithError(ctx, "ERR item exists");
    switch (window_create(o, &w)) {
    case GUIRA_OK: break;
    case GUIRA_ELIMIT: return redis.ReplyWithError(ctx, "ERROR: no window has a rate below 0.000005");
    default: memory_is_missing(ctx); return redis.ReplyWithError(ctx, "ERR Insufficient memory to create window");
    }
    char fpr[32];
    format_double(o->fpr, fpr);
    set_value(ctx, name, window_type, w);
    redis.Replicate(ctx, sent_name(CFW_CREATE), "slcb", name, o->length, fpr, (const char *)o->seed, sizeof o->seed);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cfw.reserve", name);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int cfw_reserve(redis_ctx *ctx, redis_string **argv, int argc) {
    struct window_options o = {0};
    if (argc != 3 && argc != 5) return redis.WrongArity(ctx);
    if (!read_integer(ctx, argv[2], "milliseconds", MIN_WINDOW_MS, MAX_WINDOW_MS, &o.length)) return REDIS_OK;
    if (argc == 5 && !is_keyword(argv[3], "ERROR")) return redis.ReplyWithError(ctx, "Unknown argument received");
    if (argc == 5 && !read_fpr(ctx, argv[4], &o.fpr)) return REDIS_OK;
    redis.GetRandomBytes(o.seed, sizeof o.seed);
    return create_at_key(ctx, argv[1], &o);
}

/* CFW._CREATE key milliseconds error seed: sent by a master or read from an AOF. */
int cfw_create(redis_ctx *ctx, redis_string **argv, int argc) {
    struct window_options o = {0};
    size_t n;
    if (argc != 5) return redis.WrongArity(ctx);
    const char *seed = redis.StringPtrLen(argv[4], &n);
    if (!read_integer(ctx, argv[2], "milliseconds", MIN_WINDOW_MS, MAX_WINDOW_MS, &o.length)) return REDIS_OK;
    if (redis.StringToDouble(argv[3], &o.fpr) != REDIS_OK || !(o.fpr >= 0 && o.fpr < 1) || !seed_is_valid(seed, n))
        return redis.ReplyWithError(ctx, "ERR no such window can be");
    memcpy(o.seed, seed, sizeof o.seed);
    return create_at_key(ctx, argv[1], &o);
}

/* ----------------------------------------------------------------------------------------------- checking and recording */

/* The reply for an item: seen within the window; new, and now recorded; or new, but not recorded for lack of room. */
enum { NOT_RECORDED = -1, NEW = 0, SEEN = 1 };

/* Checks and records n items, at most BATCH. Returns the first failure in the batch: the library does not report which
 * items failed, so after a failure each new item is looked up once more. */
static guira_status check_batch(struct window *w, redis_string **items, int n, uint64_t now, int8_t *out) {
    uint64_t hash[BATCH];
    bool seen[BATCH];
    for (int i = 0; i < n; i++) {
        size_t length;
        const char *item = redis.StringPtrLen(items[i], &length);
        hash[i] = guira_window_hash(w->guira, item, length);
    }
    guira_status s = guira_window_seen_hash_many(w->guira, hash, (size_t)n, now, seen);
    for (int i = 0; i < n; i++) {
        bool recorded = true;
        if (s != GUIRA_OK && !seen[i]) guira_window_contains_hash(w->guira, hash[i], now, &recorded);
        out[i] = seen[i] ? SEEN : recorded ? NEW : NOT_RECORDED;
        counter_add(&counters.window_repeats, seen[i]);
    }
    counter_add(&counters.window_items, (unsigned long long)n);
    return s;
}

/* Checks, records and replies for all items. Stores the items that replicas have to record in `to_replicate` and returns
 * their number: all but those that failed for lack of memory, which a replica may have. */
static int check_all(redis_ctx *ctx, struct window *w, redis_string **items, int n, uint64_t now,
                     redis_string **to_replicate) {
    int count = 0;
    redis.ReplyWithArray(ctx, n);
    for (int start = 0; start < n; start += BATCH) {
        int8_t answer[BATCH];
        int batch = n - start < BATCH ? n - start : BATCH;
        guira_status s = check_batch(w, items + start, batch, now, answer);
        if (s == GUIRA_ENOMEM) memory_is_missing(ctx);
        for (int i = 0; i < batch; i++) {
            redis.ReplyWithLongLong(ctx, answer[i]);
            if (answer[i] != NOT_RECORDED || s != GUIRA_ENOMEM) to_replicate[count++] = items[start + i];
        }
    }
    return count;
}

static int check_and_record(redis_ctx *ctx, redis_string *name, struct window *w, redis_string **items, int n,
                            uint64_t now) {
    redis_string **to_replicate = alloc_strings(ctx, n);
    long long before = memory_of_thread();
    int count = check_all(ctx, w, items, n, now, to_replicate);
    window_changed(w, before);
    redis.Replicate(ctx, sent_name(CFW_SEEN), "slv", name, (long long)now, to_replicate, (size_t)count);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cfw.seen", name);
    window_timer_start(ctx, name, w);
    return REDIS_OK;
}

/* NULL: there is no window at the key, and the error has been replied. */
static struct window *find_window(redis_ctx *ctx, redis_string *name, int mode) {
    void *w = NULL;
    if (find_value(ctx, name, mode, window_type, &w) == KEY_MISSING) redis.ReplyWithError(ctx, "ERR not found");
    return w;
}

/* The server's clock in milliseconds. All commands of a script or transaction should get the same time, so that no item
 * expires within it; servers without CachedMicroseconds cannot provide that. */
static uint64_t command_time(void) {
    return (uint64_t)(redis.CachedMicroseconds != NULL ? redis.CachedMicroseconds() / 1000 : redis.Milliseconds());
}

int cfw_seen(redis_ctx *ctx, redis_string **argv, int argc) {
    if (argc < 3) return redis.WrongArity(ctx);
    struct window *w = find_window(ctx, argv[1], REDIS_READ | REDIS_WRITE);
    if (w == NULL) return REDIS_OK;
    uint64_t now = command_time(), before = guira_window_now(w->guira);
    return check_and_record(ctx, argv[1], w, argv + 2, argc - 2, now > before ? now : before);
}

/* Parses the time of a replicated command, which must not be before the window's time. On false the error has been
 * replied. */
static bool read_time(redis_ctx *ctx, const redis_string *s, const struct window *w, uint64_t *now) {
    long long n;
    bool good = redis.StringToLongLong(s, &n) == REDIS_OK && n >= 0 && (uint64_t)n >= guira_window_now(w->guira);
    if (good) *now = (uint64_t)n;
    else redis.ReplyWithError(ctx, "ERR time does not go backwards");
    return good;
}

int cfw_seen_at(redis_ctx *ctx, redis_string **argv, int argc) {
    uint64_t now;
    if (argc < 3) return redis.WrongArity(ctx); /* without items it still sets the time: the master had no memory */
    struct window *w = find_window(ctx, argv[1], REDIS_READ | REDIS_WRITE);
    if (w == NULL || !read_time(ctx, argv[2], w, &now)) return REDIS_OK;
    return check_and_record(ctx, argv[1], w, argv + 3, argc - 3, now);
}

/* CFW._TICK key time: replicates an expiration by a master's timer, see window_timer.c. */
int cfw_tick(redis_ctx *ctx, redis_string **argv, int argc) {
    uint64_t now;
    if (argc != 3) return redis.WrongArity(ctx);
    struct window *w = find_window(ctx, argv[1], REDIS_READ | REDIS_WRITE);
    if (w == NULL || !read_time(ctx, argv[2], w, &now)) return REDIS_OK;
    long long before = memory_of_thread();
    guira_window_tick(w->guira, now);
    window_changed(w, before);
    redis.ReplicateVerbatim(ctx);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int cfw_info(redis_ctx *ctx, redis_string **argv, int argc) {
    guira_stats s = GUIRA_STATS_INIT;
    if (argc != 2) return redis.WrongArity(ctx);
    struct window *w = find_window(ctx, argv[1], REDIS_READ);
    if (w == NULL || guira_window_stats_get(w->guira, &s) != GUIRA_OK) return REDIS_OK;
    reply_map(ctx, 9);
    reply_integer_field(ctx, "milliseconds", (uint64_t)w->options.length);
    reply_integer_field(ctx, "last_call", guira_window_now(w->guira));
    reply_integer_field(ctx, "items", s.items);
    reply_integer_field(ctx, "slots", s.slots);
    reply_integer_field(ctx, "bytes", s.bytes);
    reply_double_field(ctx, "load", s.load);
    reply_double_field(ctx, "false_positive_rate", s.fpr);
    reply_double_field(ctx, "requested_false_positive_rate", w->options.fpr);
    reply_integer_field(ctx, "refused", s.failures);
    return REDIS_OK;
}
