/* The public functions of windows. A window is a tidal filter, so most of them are a filter's under another name; what is
 * its own is that time comes first:
 *
 *     guira_window_seen(w, key, now)  ->  it becomes now (window_hand.c)  ->  age of key (tidal_sight.h)  ->  insert */
#include "window.h"

#include <math.h>

#include "format.h"
#include "isa.h"
#include "tidal_age.h"

/* The head is the first thing in a window. */
static guira_window *window_of(guira *f) { return (guira_window *)f; }
static guira *filter_of(guira_window *w) { return w == NULL ? NULL : &w->filter.head; }
static const guira *const_filter_of(const guira_window *w) { return w == NULL ? NULL : &w->filter.head; }

/* ------------------------------------------------------------------------------------------------------- life and death */

/* Of an entry 26 bits count, the 27th being the mark. A window that may start small is to keep its promise until it has
 * grown a millionfold. Entries that move across the tide line may lose a bit, which costs up to 11 %. */
static double best_rate(const guira_config *c) {
    double growth = c->capacity > 0 ? 1 : 0x1p20;
    return 1.15 * ldexp(2 * bucket_slots(AGED) * c->max_load, 1 - AGED) * (1 + log(growth));
}

static guira_status resolve(const guira_window_config *c, guira_config *out) {
    guira_config_init(out);
    out->fpr = c->fpr == 0 ? 1e-5 : c->fpr;
    out->capacity = c->capacity;
    memcpy(out->seed, c->seed, sizeof c->seed);
    if (c->length == 0) return GUIRA_EINVAL;
    guira_status s = guira__config_resolve_aged(out);
    return s == GUIRA_OK && out->fpr < best_rate(out) ? GUIRA_ELIMIT : s;
}

guira_status guira__window_create_on(const char *isa, const guira_window_config *c, guira_window **out) {
    guira_config config;
    guira *f;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    guira_status s = c == NULL ? GUIRA_EINVAL : resolve(c, &config);
    if (s != GUIRA_OK) return s;
    const struct guira__ops *ops = guira__isa_ops(isa, GUIRA_TIDAL, AGED);
    s = ops == NULL ? GUIRA_EUNSUPPORTED : ops->create(ops, &config, &f);
    if (s != GUIRA_OK) return s;
    struct clock *clock = &((struct tidal *)f)->clock;
    clock->length = c->length;
    clock->slides = c->slides;
    guira__clock_set(clock, 0);
    guira__hand_start(clock);
    *out = window_of(f);
    return GUIRA_OK;
}

guira_status guira_window_create(const guira_window_config *c, guira_window **out) {
    return guira__window_create_on(NULL, c, out);
}

void guira_window_destroy(guira_window *w) { guira_destroy(filter_of(w)); }

/* -------------------------------------------------------------------------------------------------------------- seeing */

static bool may_be(const guira_window *w, uint64_t now) { return w != NULL && now >= w->filter.clock.now; }

static bool is_key(const void *key, size_t len) { return key != NULL || len == 0; }

guira_status guira_window_seen_hash(guira_window *w, uint64_t hash, uint64_t now, bool *seen) {
    if (!may_be(w, now) || seen == NULL) return GUIRA_EINVAL;
    guira__window_advance(&w->filter, now, BUCKETS_PER_CALL);
    guira *f = filter_of(w);
    *seen = w->filter.clock.slides ? f->ops->renew(f, hash) : f->ops->age(f, hash) <= OLDEST_ALIVE;
    return *seen ? GUIRA_OK : guira_insert_hash(f, hash);
}

/* With the buckets of the next ones on their way into the cache. */
guira_status guira_window_seen_hash_many(guira_window *w, const uint64_t *hash, size_t n, uint64_t now, bool *seen) {
    enum { AHEAD = 16 };
    guira_status first = GUIRA_OK;
    if (!may_be(w, now) || hash == NULL || seen == NULL) return GUIRA_EINVAL;
    const guira *f = const_filter_of(w);
    for (size_t i = 0; i < n && i < AHEAD; i++) f->ops->prefetch(f, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (n - i > AHEAD) f->ops->prefetch(f, hash[i + AHEAD]);
        guira_status s = guira_window_seen_hash(w, hash[i], now, &seen[i]);
        if (first == GUIRA_OK) first = s;
    }
    return first;
}

guira_status guira_window_contains_hash(const guira_window *w, uint64_t hash, uint64_t now, bool *seen) {
    struct clock then;
    if (!may_be(w, now) || seen == NULL) return GUIRA_EINVAL;
    const guira *f = const_filter_of(w);
    unsigned age = f->ops->age(f, hash);
    *seen = age + guira__clock_ahead(&w->filter.clock, now, &then) <= OLDEST_ALIVE;
    return GUIRA_OK;
}

uint64_t guira_window_hash(const guira_window *w, const void *key, size_t len) {
    return guira_hash(const_filter_of(w), key, len);
}

guira_status guira_window_seen(guira_window *w, const void *key, size_t len, uint64_t now, bool *seen) {
    return is_key(key, len) ? guira_window_seen_hash(w, guira_window_hash(w, key, len), now, seen) : GUIRA_EINVAL;
}

guira_status guira_window_contains(const guira_window *w, const void *key, size_t len, uint64_t now, bool *seen) {
    return is_key(key, len) ? guira_window_contains_hash(w, guira_window_hash(w, key, len), now, seen) : GUIRA_EINVAL;
}

guira_status guira_window_tick(guira_window *w, uint64_t now) {
    if (!may_be(w, now)) return GUIRA_EINVAL;
    guira__window_advance(&w->filter, now, UINT64_MAX);
    return GUIRA_OK;
}

uint64_t guira_window_now(const guira_window *w) { return w == NULL ? 0 : w->filter.clock.now; }

/* ----------------------------------------------------------------------------------------------------------- the whole */

guira_status guira_window_config_get(const guira_window *w, guira_window_config *out) {
    if (w == NULL || out == NULL) return GUIRA_EINVAL;
    const guira_config *c = &w->filter.head.config;
    *out = (guira_window_config){
        .length = w->filter.clock.length, .fpr = c->fpr, .slides = w->filter.clock.slides, .capacity = c->capacity};
    memcpy(out->seed, c->seed, sizeof c->seed);
    return GUIRA_OK;
}

guira_status guira_window_stats_get(const guira_window *w, guira_stats *out) {
    return guira_stats_get(const_filter_of(w), out);
}

guira_status guira_window_validate(const guira_window *w, const char **reason) {
    return guira_validate(const_filter_of(w), reason);
}

guira_status guira_window_clear(guira_window *w) {
    guira_status s = guira_clear(filter_of(w));
    if (s == GUIRA_OK) guira__hand_start(&w->filter.clock);
    return s;
}

guira_status guira_window_clone(const guira_window *w, guira_window **out) {
    guira *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira_clone(const_filter_of(w), &f);
    *out = window_of(f);
    return s;
}

guira_status guira_window_save(const guira_window *w, const char *path) { return guira_save(const_filter_of(w), path); }

guira_status guira_window_save_fd(const guira_window *w, int fd) { return guira_save_fd(const_filter_of(w), fd); }

guira_status guira_window_save_to(const guira_window *w, guira_write_fn *write, void *to) {
    return guira_save_to(const_filter_of(w), write, to);
}

uint64_t guira_window_saved_size(const guira_window *w) { return guira_saved_size(const_filter_of(w)); }

guira_status guira_window_load(const char *path, guira_window **out) {
    guira *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load(path, A_WINDOW, &f);
    *out = window_of(f);
    return s;
}

guira_status guira_window_load_fd(int fd, guira_window **out) {
    guira *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_fd(fd, A_WINDOW, &f);
    *out = window_of(f);
    return s;
}

guira_status guira_window_load_from(const void *bytes, size_t n, guira_window **out) {
    guira *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_from(bytes, n, A_WINDOW, &f);
    *out = window_of(f);
    return s;
}
