/* Expires the items of idle windows. A window has a timer while it contains items. If the window was not used since the
 * timer was set, the timer removes what has expired and replicates that:
 *
 *     CFW.SEEN ---> timer ---> idle? ---> guira_window_tick, CFW._TICK k time ---> timer ---> ... ---> empty
 *
 * So memory is freed without traffic, and the first command after a long pause does not have to sweep the whole window.
 * A timer finds its window by the name of the key. If the key has another value now, or its window has a newer timer, the
 * old timer ends. A window that has lost its timer (RENAME, restart) gets a new one with the next command. On replicas the
 * timers run too, but do nothing until the replica becomes a master. */
#include "window_timer.h"

#include "counters.h"
#include "memory.h"
#include "names.h"

/* Buckets that one tick may have to sweep, which takes about half a millisecond. */
#define BUCKETS_PER_TICK 65536.0

enum { MIN_INTERVAL = 10 }; /* milliseconds */

/* A timer outlives a key that was deleted. So none runs longer than this, and those of deleted windows do not pile up. */
enum { MAX_WAIT = 60000 };

struct window_timer {
    redis_string *name; /* of the key */
    uint64_t id;        /* of the server's timer */
};

/* The library sweeps a whole window in a sixteenth of its length. Large windows are swept in several smaller steps. */
static long long timer_interval(const struct window *w) {
    guira_stats s = GUIRA_STATS_INIT;
    double interval = (double)w->options.length / 16;
    guira_window_stats_get(w->guira, &s);
    if ((double)s.buckets > BUCKETS_PER_TICK) interval *= BUCKETS_PER_TICK / (double)s.buckets;
    return interval > MIN_INTERVAL ? (long long)interval : MIN_INTERVAL;
}

static redis_timer_fn on_timer;

static void set_timer(redis_ctx *ctx, struct window *w, struct window_timer *t) {
    long long interval = timer_interval(w), wait = interval < MAX_WAIT ? interval : MAX_WAIT;
    t->id = redis.CreateTimer(ctx, wait, on_timer, t);
    w->timer = t->id;
    w->timer_due = redis.Milliseconds() + wait;
}

static void timer_free(struct window_timer *t) {
    redis.FreeString(NULL, t->name);
    memory_free(t);
}

/* A timer that is late by a whole interval has lost its window, and another one is started. */
void window_timer_start(redis_ctx *ctx, redis_string *name, struct window *w) {
    if (w->timer != 0 && redis.Milliseconds() < w->timer_due + timer_interval(w)) return;
    struct window_timer *t = memory_alloc(sizeof *t);
    if (t == NULL) return; /* the next command tries again */
    t->name = redis.CreateStringFromString(NULL, name);
    set_timer(ctx, w, t);
}

/* False on replicas, while loading, and during a failover. */
static bool may_write(redis_ctx *ctx) {
    int flags = redis.GetContextFlags(ctx);
    if (redis.AvoidReplicaTraffic != NULL && redis.AvoidReplicaTraffic()) return false;
    return (flags & REDIS_CTX_MASTER) != 0 && (flags & (REDIS_CTX_LOADING | REDIS_CTX_ASYNC_LOADING)) == 0;
}

static void tick(redis_ctx *ctx, redis_string *name, struct window *w) {
    uint64_t now = (uint64_t)redis.Milliseconds(), last = guira_window_now(w->guira);
    long long before = memory_of_thread();
    if (now < last + (uint64_t)timer_interval(w) || guira_window_tick(w->guira, now) != GUIRA_OK) return;
    window_changed(w, before);
    counter_add(&counters.window_ticks, 1);
    redis.Replicate(ctx, sent_name(CFW_TICK), "sl", name, (long long)now);
}

/* NULL if there is no window at the key, or it has a newer timer. NO_TOUCH: this is no use of the key for LRU and LFU. */
static struct window *find_window(redis_ctx *ctx, const struct window_timer *t) {
    redis_key *key = redis.OpenKey(ctx, t->name, REDIS_READ | REDIS_NO_TOUCH);
    if (key == NULL || redis.ModuleTypeGetType(key) != window_type) return NULL;
    struct window *w = redis.ModuleTypeGetValue(key);
    return w->timer == t->id ? w : NULL;
}

static void on_timer(redis_ctx *ctx, void *data) {
    struct window_timer *t = data;
    guira_stats s = GUIRA_STATS_INIT;
    redis.AutoMemory(ctx);
    struct window *w = find_window(ctx, t);
    if (w != NULL && may_write(ctx)) tick(ctx, t->name, w);
    if (w != NULL && guira_window_stats_get(w->guira, &s) == GUIRA_OK && s.items > 0) {
        set_timer(ctx, w, t);
        return;
    }
    if (w != NULL) w->timer = 0;
    timer_free(t);
}
