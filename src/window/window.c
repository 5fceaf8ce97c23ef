/* The public functions of windows. A window has a tidal filter, and most of these functions are the filter's under another
 * name. What differs is that each call sets the time first:
 *
 *     guira_window_seen(w, key, now)  ->  time and sweep (sweep.c)  ->  age of key (tidal/stamp.inc)  ->  insert */
#include "window/window.h"

#include "base/alloc.h"
#include "format/contents.h"
#include "io/io.h"
#include "kinds/kinds.h"
#include "tidal/config.h"

static guira *head_of(const guira_window *w) { return w == NULL ? NULL : &w->filter->head; }

/* -------------------------------------------------------------------------------------------------- create, destroy */

static struct layout layout_for(const guira_config *c) { return layout_stamped(window_key_bits(c->slot_bits)); }

/* What is not particular to windows is filled in and checked as for a filter. */
guira_status guira__window_resolve(guira_config *c) {
    unsigned slot_bits = c->slot_bits;
    if (c->kind != GUIRA_TIDAL || layout_for(c).form == FORM_NONE) return GUIRA_EFORMAT;
    c->slot_bits = layout_stored_bits(LAYOUT_STAMPED);
    guira_status s = guira__config_resolve(c);
    c->slot_bits = slot_bits;
    return s;
}

const struct guira__ops *guira__window_ops(enum isa isa, const guira_config *c) {
    const struct tidal_ops *ops = guira__tidal_ops(isa, layout_for(c));
    return ops == NULL ? NULL : &ops->common;
}

/* The narrowest slots that keep the rate, as in a filter. */
static guira_status choose_layout(guira_config *c) {
    for (unsigned bits = 1; bits <= WINDOW_SLOT_BITS; bits++) {
        struct layout l = layout_stamped(bits);
        if (l.form == FORM_NONE || !guira__tidal_keeps_rate(c, l)) continue;
        c->slot_bits = window_slot_bits(bits);
        return GUIRA_OK;
    }
    return GUIRA_ELIMIT;
}

/* The configuration of a window's filter. */
static guira_status resolve(const guira_window_config *c, guira_config *out) {
    guira_config_init(out);
    out->slot_bits = WINDOW_SLOT_BITS;
    out->fpr = c->fpr == 0 ? 1e-5 : c->fpr;
    out->growth = c->growth;
    out->capacity = c->capacity;
    memcpy(out->seed, c->seed, sizeof c->seed);
    if (c->length == 0) return GUIRA_EINVAL;
    guira_status s = guira__window_resolve(out);
    return s == GUIRA_OK ? choose_layout(out) : s;
}

guira_window *guira__window_new(struct tidal *filter, uint64_t length, bool slides) {
    guira_window *w = (guira_window *)guira__alloc(sizeof *w);
    if (w == NULL) return NULL;
    *w = (guira_window){filter, {.length = length, .slides = slides}};
    guira__clock_set(&w->clock, 0);
    guira__sweep_start(w);
    return w;
}

guira_status guira__window_create_isa(enum isa isa, const guira_window_config *wanted, guira_window **out) {
    guira_window_config c;
    guira_config config;
    guira *f;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (wanted == NULL) return GUIRA_EINVAL;
    guira_status s = guira__struct_in(wanted, WINDOW_CONFIG_FIRST_SIZE, sizeof c, &c);
    if (s == GUIRA_OK) s = resolve(&c, &config);
    if (s != GUIRA_OK) return s;
    const struct guira__ops *ops = guira__window_ops(isa, &config);
    s = ops == NULL ? GUIRA_EUNSUPPORTED : ops->create(ops, &config, &f);
    if (s != GUIRA_OK) return s;
    *out = guira__window_new(tidal_of(f), c.length, c.slides);
    if (*out != NULL) return GUIRA_OK;
    guira_destroy(f);
    return GUIRA_ENOMEM;
}

guira_status guira_window_create(const guira_window_config *c, guira_window **out) {
    return guira__window_create_isa(ISA_BEST, c, out);
}

void guira_window_destroy(guira_window *w) {
    guira_destroy(head_of(w));
    guira__free(w);
}

/* -------------------------------------------------------------------------------------------------------------- seeing */

static bool may_be_now(const guira_window *w, uint64_t now) { return w != NULL && now >= w->clock.now; }

static bool is_key(const void *key, size_t len) { return key != NULL || len == 0; }

guira_status guira_window_seen_hash(guira_window *w, uint64_t hash, uint64_t now, bool *seen) {
    if (!may_be_now(w, now) || seen == NULL) return GUIRA_EINVAL;
    guira__window_advance(w, now, BUCKETS_PER_CALL);
    struct tidal *f = w->filter;
    *seen = w->clock.slides ? tidal_ops(f)->refresh(f, hash) : tidal_ops(f)->age(f, hash) <= OLDEST_ALIVE;
    return *seen ? GUIRA_OK : guira_insert_hash(&f->head, hash);
}

/* With the buckets of the next ones being prefetched. */
guira_status guira_window_seen_hash_many(guira_window *w, const uint64_t *hash, size_t n, uint64_t now, bool *seen) {
    enum { AHEAD = 16 };
    guira_status first = GUIRA_OK;
    if (!may_be_now(w, now) || hash == NULL || seen == NULL) return GUIRA_EINVAL;
    const guira *f = head_of(w);
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
    if (!may_be_now(w, now) || seen == NULL) return GUIRA_EINVAL;
    unsigned age = tidal_ops(w->filter)->age(w->filter, hash);
    *seen = age + guira__clock_ahead(&w->clock, now, &then) <= OLDEST_ALIVE;
    return GUIRA_OK;
}

uint64_t guira_window_hash(const guira_window *w, const void *key, size_t len) {
    return guira_hash(head_of(w), key, len);
}

guira_status guira_window_hash_many(const guira_window *w, const void *keys, size_t size, size_t n, uint64_t *out) {
    return guira_hash_many(head_of(w), keys, size, n, out);
}

guira_status guira_window_seen(guira_window *w, const void *key, size_t len, uint64_t now, bool *seen) {
    return is_key(key, len) ? guira_window_seen_hash(w, guira_window_hash(w, key, len), now, seen) : GUIRA_EINVAL;
}

guira_status guira_window_contains(const guira_window *w, const void *key, size_t len, uint64_t now, bool *seen) {
    return is_key(key, len) ? guira_window_contains_hash(w, guira_window_hash(w, key, len), now, seen) : GUIRA_EINVAL;
}

guira_status guira_window_tick(guira_window *w, uint64_t now) {
    if (!may_be_now(w, now)) return GUIRA_EINVAL;
    guira__window_advance(w, now, UINT64_MAX);
    return GUIRA_OK;
}

uint64_t guira_window_now(const guira_window *w) { return w == NULL ? 0 : w->clock.now; }

/* --------------------------------------------------------------------------------------------------- the window as a whole */

guira_status guira_window_config_get(const guira_window *w, guira_window_config *out) {
    if (w == NULL || out == NULL) return GUIRA_EINVAL;
    guira_config c = guira__config_of(&w->filter->head);
    guira_window_config own = {.size = sizeof own,
                               .length = w->clock.length,
                               .fpr = c.fpr,
                               .slides = w->clock.slides,
                               .capacity = c.capacity,
                               .growth = c.growth};
    memcpy(own.seed, c.seed, sizeof c.seed);
    return guira__struct_out(out, &own, WINDOW_CONFIG_FIRST_SIZE, sizeof own);
}

guira_status guira_window_stats_get(const guira_window *w, guira_stats *out) {
    guira_stats s = {.size = sizeof s};
    if (w == NULL || out == NULL) return GUIRA_EINVAL;
    guira_stats_get(head_of(w), &s);
    s.bytes += guira__alloc_cost(sizeof *w);
    return guira__struct_out(out, &s, STATS_FIRST_SIZE, sizeof s);
}

guira_status guira_window_validate(const guira_window *w, const char **reason) {
    if (w == NULL) return GUIRA_EINVAL;
    const char *broken = guira__window_check(w);
    if (reason != NULL) *reason = broken;
    return broken == NULL ? GUIRA_OK : GUIRA_ECORRUPT;
}

guira_status guira_window_clear(guira_window *w) {
    guira_status s = guira_clear(head_of(w));
    if (s == GUIRA_OK) guira__sweep_start(w);
    return s;
}

guira_status guira_window_clone(const guira_window *w, guira_window **out) {
    guira *f;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    guira_status s = guira_clone(head_of(w), &f);
    if (s != GUIRA_OK) return s;
    *out = guira__window_new(tidal_of(f), w->clock.length, w->clock.slides);
    if (*out == NULL) {
        guira_destroy(f);
        return GUIRA_ENOMEM;
    }
    (*out)->clock = w->clock;
    return GUIRA_OK;
}
