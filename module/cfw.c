/* CFW.RESERVE, CFW.SEEN, CFW.INFO: de-duplication with expiry in one round trip.
 *
 *     client: CFW.SEEN k item...                  time is the server's
 *     replica, AOF: CFW._SEEN k time item...      what happened then, whenever it is replayed
 *
 * A server's clock may jump back, and another server's may be behind; a window's time cannot. It stands still until the
 * clock has caught up. */
#include "cfw.h"

#include <string.h>

#include "commands.h"
#include "reply.h"
#include "seed.h"
#include "totals.h"

enum { BATCH = 64 };

/* ------------------------------------------------------------------------------------------------------------- making */

/* Replies, too. */
static int make_window(redis_ctx *ctx, redis_string *name, const struct window_options *o) {
    void *there;
    struct window *w;
    enum found found = find_value(ctx, name, REDIS_READ | REDIS_WRITE, window_type, &there);
    if (found == REFUSED) return REDIS_OK;
    if (found == FOUND) return redis.ReplyWithError(ctx, "ERR item exists");
    switch (window_create(o, &w)) {
    case GUIRA_OK: break;
    case GUIRA_ELIMIT: return redis.ReplyWithError(ctx, "ERROR: no window has a rate below 0.000004");
    default: return redis.ReplyWithError(ctx, "ERR Insufficient memory to create window");
    }
    char error[32];
    print_fraction(o->error, error);
    set_value(ctx, name, window_type, w);
    redis.Replicate(ctx, "CFW._CREATE", "slcb", name, o->length, error, (const char *)o->seed, sizeof o->seed);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cfw.reserve", name);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int cfw_reserve(redis_ctx *ctx, redis_string **argv, int argc) {
    struct window_options o = {0};
    if (argc != 3 && argc != 5) return redis.WrongArity(ctx);
    if (!read_number(ctx, argv[2], "milliseconds", SHORTEST_WINDOW, LONGEST_WINDOW, &o.length)) return REDIS_OK;
    if (argc == 5 && !is_word(argv[3], "ERROR")) return redis.ReplyWithError(ctx, "Unknown argument received");
    if (argc == 5 && !read_rate(ctx, argv[4], &o.error)) return REDIS_OK;
    redis.GetRandomBytes(o.seed, sizeof o.seed);
    return make_window(ctx, argv[1], &o);
}

/* CFW._CREATE key milliseconds error seed: from a master or an AOF. */
int cfw_create(redis_ctx *ctx, redis_string **argv, int argc) {
    struct window_options o = {0};
    size_t n;
    if (argc != 5) return redis.WrongArity(ctx);
    const char *seed = redis.StringPtrLen(argv[4], &n);
    if (!read_number(ctx, argv[2], "milliseconds", SHORTEST_WINDOW, LONGEST_WINDOW, &o.length)) return REDIS_OK;
    if (redis.StringToDouble(argv[3], &o.error) != REDIS_OK || !(o.error >= 0 && o.error < 1) || !seed_is(seed, n))
        return redis.ReplyWithError(ctx, "ERR no such window can be");
    memcpy(o.seed, seed, sizeof o.seed);
    return make_window(ctx, argv[1], &o);
}

/* -------------------------------------------------------------------------------------------------------------- asking */

/* 1: seen; 0: not, and from now on it was; -1: not, and there was no room to remember it. */
enum { NO_ROOM = -1 };

/* At most BATCH items at once. The library tells the first failure of a batch; which items failed is told by asking for
 * them again. Returns it. */
static guira_status see_batch(struct window *w, redis_string **items, int n, uint64_t now, int8_t *out) {
    uint64_t hash[BATCH];
    bool seen[BATCH];
    for (int i = 0; i < n; i++) {
        size_t length;
        const char *item = redis.StringPtrLen(items[i], &length);
        hash[i] = guira_window_hash(w->guira, item, length);
    }
    guira_status s = guira_window_seen_hash_many(w->guira, hash, (size_t)n, now, seen);
    for (int i = 0; i < n; i++) {
        bool kept = true;
        if (s != GUIRA_OK && !seen[i]) guira_window_contains_hash(w->guira, hash[i], now, &kept);
        out[i] = seen[i] ? 1 : kept ? 0 : NO_ROOM;
        count_up(&totals.repeats, seen[i]);
    }
    count_up(&totals.sightings, (unsigned long long)n);
    return s;
}

/* Answers for all of them. To `kept` go those that a replica must see too: not what found no memory here. */
static int see_all(redis_ctx *ctx, struct window *w, redis_string **items, int n, uint64_t now, redis_string **kept) {
    int count = 0;
    redis.ReplyWithArray(ctx, n);
    for (int start = 0; start < n; start += BATCH) {
        int8_t answer[BATCH];
        int batch = n - start < BATCH ? n - start : BATCH;
        guira_status s = see_batch(w, items + start, batch, now, answer);
        for (int i = 0; i < batch; i++) {
            redis.ReplyWithLongLong(ctx, answer[i]);
            if (answer[i] != NO_ROOM || s != GUIRA_ENOMEM) kept[count++] = items[start + i];
        }
    }
    return count;
}

static int see(redis_ctx *ctx, redis_string *name, struct window *w, redis_string **items, int n, uint64_t now) {
    redis_string **kept = room_for_strings(ctx, n);
    int count = see_all(ctx, w, items, n, now, kept);
    redis.Replicate(ctx, "CFW._SEEN", "slv", name, (long long)now, kept, (size_t)count);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, "cfw.seen", name);
    tick_later(ctx, name, w);
    return REDIS_OK;
}

/* NULL: the client has been told why not. */
static struct window *find_window(redis_ctx *ctx, redis_string *name, int mode) {
    void *w = NULL;
    if (find_value(ctx, name, mode, window_type, &w) == ABSENT) redis.ReplyWithError(ctx, "ERR not found");
    return w;
}

/* In a script or a transaction it is all the same time, if the server can tell it: what is seen at its start must not expire
 * before its end. */
static uint64_t time_of_call(void) {
    return (uint64_t)(redis.CachedMicroseconds != NULL ? redis.CachedMicroseconds() / 1000 : redis.Milliseconds());
}

int cfw_seen(redis_ctx *ctx, redis_string **argv, int argc) {
    if (argc < 3) return redis.WrongArity(ctx);
    struct window *w = find_window(ctx, argv[1], REDIS_READ | REDIS_WRITE);
    if (w == NULL) return REDIS_OK;
    uint64_t now = time_of_call(), before = guira_window_now(w->guira);
    return see(ctx, argv[1], w, argv + 2, argc - 2, now > before ? now : before);
}

/* The time in a replicated command, which is not before the window's. */
static bool read_time(redis_ctx *ctx, const redis_string *s, const struct window *w, uint64_t *now) {
    long long n;
    bool good = redis.StringToLongLong(s, &n) == REDIS_OK && n >= 0 && (uint64_t)n >= guira_window_now(w->guira);
    if (good) *now = (uint64_t)n;
    else redis.ReplyWithError(ctx, "ERR time does not go backwards");
    return good;
}

int cfw_seen_at(redis_ctx *ctx, redis_string **argv, int argc) {
    uint64_t now;
    if (argc < 3) return redis.WrongArity(ctx); /* no items: all found no memory, but it was that time */
    struct window *w = find_window(ctx, argv[1], REDIS_READ | REDIS_WRITE);
    if (w == NULL || !read_time(ctx, argv[2], w, &now)) return REDIS_OK;
    return see(ctx, argv[1], w, argv + 3, argc - 3, now);
}

/* CFW._TICK key time: a master's timer, see cfw_tick.c. */
int cfw_tick(redis_ctx *ctx, redis_string **argv, int argc) {
    uint64_t now;
    if (argc != 3) return redis.WrongArity(ctx);
    struct window *w = find_window(ctx, argv[1], REDIS_READ | REDIS_WRITE);
    if (w == NULL || !read_time(ctx, argv[2], w, &now)) return REDIS_OK;
    guira_window_tick(w->guira, now);
    redis.ReplicateVerbatim(ctx);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int cfw_info(redis_ctx *ctx, redis_string **argv, int argc) {
    guira_stats s;
    if (argc != 2) return redis.WrongArity(ctx);
    struct window *w = find_window(ctx, argv[1], REDIS_READ);
    if (w == NULL || guira_window_stats_get(w->guira, &s) != GUIRA_OK) return REDIS_OK;
    reply_map(ctx, 9);
    reply_pair(ctx, "milliseconds", (uint64_t)w->options.length);
    reply_pair(ctx, "last_call", guira_window_now(w->guira));
    reply_pair(ctx, "items", s.items);
    reply_pair(ctx, "slots", s.slots);
    reply_pair(ctx, "bytes", s.bytes);
    reply_fraction(ctx, "load", s.load);
    reply_fraction(ctx, "false_positive_rate", s.fpr);
    reply_fraction(ctx, "wanted_false_positive_rate", w->options.error);
    reply_pair(ctx, "refused", s.failures);
    return REDIS_OK;
}
