/* Windows forget while nobody asks. A window that was used has a timer as long as there is something in it; when the timer
 * fires and nobody has asked meanwhile, what has expired is dropped, and replicas are told:
 *
 *     CFW.SEEN ---> timer ---> idle? ---> guira_window_tick, CFW._TICK k time ---> timer ---> ... ---> empty
 *
 * So memory comes back without traffic, and no call after a pause has to walk through the whole window. A timer knows the
 * key by name: if another value is there when it fires, or one with a later timer, it ends. A window whose timer lost it
 * (RENAME, a restart) gets a new one with the next call. Replicas have timers too, which do nothing until they are masters. */
#include "cfw.h"
#include "memory.h"
#include "reply.h"
#include "totals.h"

/* Buckets that a tick may have to walk through: half a millisecond. */
#define BUCKETS_AT_ONCE 65536.0

enum { SHORTEST_PAUSE = 10 }; /* milliseconds */

struct reminder {
    redis_string *name;
    uint64_t timer; /* its own */
};

/* The library sweeps a window once in a sixteenth of its length. Large ones take that in smaller steps. */
static long long pause_of(const struct window *w) {
    guira_stats s;
    double pause = (double)w->options.length / 16;
    guira_window_stats_get(w->guira, &s);
    if ((double)s.buckets > BUCKETS_AT_ONCE) pause *= BUCKETS_AT_ONCE / (double)s.buckets;
    return pause > SHORTEST_PAUSE ? (long long)pause : SHORTEST_PAUSE;
}

static redis_timer_fn on_timer;

static void set_timer(redis_ctx *ctx, struct window *w, struct reminder *r) {
    long long pause = pause_of(w);
    r->timer = redis.CreateTimer(ctx, pause, on_timer, r);
    w->timer = r->timer;
    w->timer_due = redis.Milliseconds() + pause;
}

static void forget(struct reminder *r) {
    redis.FreeString(NULL, r->name);
    memory_give(r);
}

/* Late by a whole pause, it will not come any more. */
void tick_later(redis_ctx *ctx, redis_string *name, struct window *w) {
    if (w->timer != 0 && redis.Milliseconds() < w->timer_due + pause_of(w)) return;
    struct reminder *r = memory_take(sizeof *r);
    if (r == NULL) return; /* the next call will try again */
    r->name = redis.CreateStringFromString(NULL, name);
    set_timer(ctx, w, r);
}

static bool may_change(redis_ctx *ctx) {
    int flags = redis.GetContextFlags(ctx);
    if (redis.AvoidReplicaTraffic != NULL && redis.AvoidReplicaTraffic()) return false;
    return (flags & REDIS_CTX_MASTER) != 0 && (flags & (REDIS_CTX_LOADING | REDIS_CTX_ASYNC_LOADING)) == 0;
}

static void tick(redis_ctx *ctx, redis_string *name, struct window *w) {
    uint64_t now = (uint64_t)redis.Milliseconds(), last = guira_window_now(w->guira);
    if (now < last + (uint64_t)pause_of(w) || guira_window_tick(w->guira, now) != GUIRA_OK) return;
    count_up(&totals.ticks, 1);
    redis.Replicate(ctx, "CFW._TICK", "sl", name, (long long)now);
}

/* NULL if this timer is not the window's any more. Whoever looks at the key here is not its user. */
static struct window *window_of(redis_ctx *ctx, const struct reminder *r) {
    redis_key *key = redis.OpenKey(ctx, r->name, REDIS_READ | REDIS_NO_TOUCH);
    if (key == NULL || redis.ModuleTypeGetType(key) != window_type) return NULL;
    struct window *w = redis.ModuleTypeGetValue(key);
    return w->timer == r->timer ? w : NULL;
}

static void on_timer(redis_ctx *ctx, void *data) {
    struct reminder *r = data;
    guira_stats s;
    redis.AutoMemory(ctx);
    struct window *w = window_of(ctx, r);
    if (w != NULL && may_change(ctx)) tick(ctx, r->name, w);
    if (w != NULL && guira_window_stats_get(w->guira, &s) == GUIRA_OK && s.items > 0) {
        set_timer(ctx, w, r);
        return;
    }
    if (w != NULL) w->timer = 0;
    forget(r);
}
