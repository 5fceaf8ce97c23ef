/* See any_filter.h. */
#include "any_filter.h"

#include <sys/stat.h>

#include "any_shared.h"
#include "filter_file.h"
#include "report.h"

/* ----------------------------------------------------------------------------------------------------------- opening */

guira_status any_open(struct any_filter *a, const char *path) {
    *a = (struct any_filter){.path = path};
    if (!is_regular(path)) return GUIRA_EIO;
    guira_status s = guira_map(path, &a->filter);
    if (s == GUIRA_EFORMAT) s = guira_window_load(path, &a->window);
    return s == GUIRA_EFORMAT ? any_shared_load(a) : s;
}

void any_open_intact(struct any_filter *a, const char *path) {
    guira_status s = any_open(a, path);
    if (s != GUIRA_OK) filter_trouble(path, s);
}

void any_close(struct any_filter *a) {
    guira_destroy(a->filter);
    guira_window_destroy(a->window);
    if (a->shared != NULL) any_shared_close(a);
}

/* ------------------------------------------------------------------------------------------------------- information */

guira_stats any_stats(const struct any_filter *a) {
    guira_stats s = GUIRA_STATS_INIT;
    if (a->filter != NULL) guira_stats_get(a->filter, &s);
    else if (a->window != NULL) guira_window_stats_get(a->window, &s);
    else any_shared_stats(a, &s);
    return s;
}

guira_config any_config(const struct any_filter *a) {
    guira_config c = {.size = sizeof c};
    if (a->filter != NULL) guira_config_get(a->filter, &c);
    else if (a->shared != NULL) any_shared_config(a, &c);
    else {
        guira_window_config w = GUIRA_WINDOW_CONFIG_INIT;
        guira_file file = GUIRA_FILE_INIT;
        (void)file_info_read(a->path, &file, &c);
        guira_window_config_get(a->window, &w);
        c.fpr = w.fpr;
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
    return a->shared != NULL ? any_shared_hasher(a) : hasher_of_filter(a->filter);
}

uint64_t any_count(const struct any_filter *a, uint64_t hash) {
    bool seen = false;
    if (a->filter != NULL) return guira_count_hash(a->filter, hash);
    if (a->shared != NULL) return any_shared_count(a, hash);
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
