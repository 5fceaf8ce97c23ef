/* See any_filter.h. Without liburcu the library has no guira_shared; then such a file is refused. */
#include "any_filter.h"

#include <sys/stat.h>

#include "filter_file.h"
#include "report.h"
#ifdef HAVE_SHARED
#include <guira_shared.h>
#endif

/* ----------------------------------------------------------------------------------------------- filters of several threads */

#ifdef HAVE_SHARED
static uint64_t hash_for_shared(const void *g, const void *key, size_t n) { return guira_shared_hash(g, key, n); }
static guira_status shared_load(struct any_filter *a) { return guira_shared_load(a->path, &a->shared); }
static void shared_close(struct any_filter *a) { guira_shared_destroy(a->shared); }
static void shared_stats(const struct any_filter *a, guira_stats *s) { guira_shared_stats_get(a->shared, s); }
static void shared_config(const struct any_filter *a, guira_config *c) { guira_shared_config_get(a->shared, c); }
static struct hasher shared_hasher(const struct any_filter *a) { return (struct hasher){hash_for_shared, a->shared}; }
static uint64_t shared_count(const struct any_filter *a, uint64_t hash) {
    return guira_shared_count_hash(a->shared, hash);
}
#else
static guira_status shared_load(struct any_filter *a) {
    (void)a;
    return GUIRA_EFORMAT;
}
static void shared_close(struct any_filter *a) { a->shared = NULL; }
static void shared_stats(const struct any_filter *a, guira_stats *s) { s->items = a->shared != NULL; }
static void shared_config(const struct any_filter *a, guira_config *c) { c->capacity = a->shared != NULL; }
static struct hasher shared_hasher(const struct any_filter *a) { return hasher_of_filter(a->filter); }
static uint64_t shared_count(const struct any_filter *a, uint64_t hash) { return a->shared != NULL && hash > 0; }
#endif

/* ----------------------------------------------------------------------------------------------------------- opening */

bool any_open(struct any_filter *a, const char *path) {
    *a = (struct any_filter){.path = path};
    must_be_regular(path);
    guira_status s = guira_map(path, &a->filter);
    if (s == GUIRA_EFORMAT) s = guira_window_load(path, &a->window);
    if (s == GUIRA_EFORMAT) s = shared_load(a);
    if (s != GUIRA_OK && s != GUIRA_ECORRUPT) filter_trouble(path, s);
    return s == GUIRA_OK;
}

void any_open_intact(struct any_filter *a, const char *path) {
    if (!any_open(a, path)) filter_trouble(path, GUIRA_ECORRUPT);
}

void any_close(struct any_filter *a) {
    guira_destroy(a->filter);
    guira_window_destroy(a->window);
    if (a->shared != NULL) shared_close(a);
}

/* ------------------------------------------------------------------------------------------------------- information */

guira_stats any_stats(const struct any_filter *a) {
    guira_stats s = GUIRA_STATS_INIT;
    if (a->filter != NULL) guira_stats_get(a->filter, &s);
    else if (a->window != NULL) guira_window_stats_get(a->window, &s);
    else shared_stats(a, &s);
    return s;
}

guira_config any_config(const struct any_filter *a) {
    guira_config c = {.size = sizeof c};
    guira_window_config w = GUIRA_WINDOW_CONFIG_INIT;
    if (a->filter != NULL) guira_config_get(a->filter, &c);
    else if (a->shared != NULL) shared_config(a, &c);
    else {
        guira_window_config_get(a->window, &w);
        c.fpr = w.fpr;
        c.max_load = 0.93; /* windows are tidal filters with the default */
        c.slot_bits = 32;
    }
    return c;
}

const char *any_kind(const struct any_filter *a) {
    if (a->window != NULL) return "window";
    return a->shared != NULL ? "shared" : kind_names[any_config(a).kind];
}

uint64_t any_size(const struct any_filter *a) {
    struct stat st;
    return stat(a->path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Loading a window or a shared filter has checked all of it. */
const char *any_damage(const struct any_filter *a) {
    const char *reason = "it is damaged";
    return a->filter == NULL || guira_validate(a->filter, &reason) == GUIRA_OK ? NULL : reason;
}

/* ----------------------------------------------------------------------------------------------------------- lookups */

struct hasher any_hasher(const struct any_filter *a) {
    if (a->window != NULL) return hasher_of_window(a->window);
    return a->shared != NULL ? shared_hasher(a) : hasher_of_filter(a->filter);
}

uint64_t any_count(const struct any_filter *a, uint64_t hash) {
    bool seen = false;
    if (a->filter != NULL) return guira_count_hash(a->filter, hash);
    if (a->shared != NULL) return shared_count(a, hash);
    guira_window_contains_hash(a->window, hash, guira_window_now(a->window), &seen);
    return seen;
}

size_t any_contains(const struct any_filter *a, const uint64_t *hash, size_t n, bool *found) {
    size_t count = 0;
    if (a->filter != NULL) return guira_contains_hash_many(a->filter, hash, n, found);
    for (size_t i = 0; i < n; i++) {
        found[i] = any_count(a, hash[i]) > 0;
        count += found[i];
    }
    return count;
}
