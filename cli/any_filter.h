/* Any file of guira's, for commands that read: a filter, a window (the state of uniq --window), or a filter of
 * guira_shared.
 *
 * A window is looked up at its own time, that of the last line it has seen: a state answers the same today and
 * tomorrow. */
#ifndef GUIRA_CLI_ANY_FILTER_H
#define GUIRA_CLI_ANY_FILTER_H

#include <guira.h>
#include <guira_window.h>
#include <stdbool.h>

#include "line_work.h"

struct guira_shared;

struct any_filter {
    const char *path;
    guira *filter; /* exactly one of the three is set */
    guira_window *window;
    struct guira_shared *shared;
};

/* Opens a file; a filter is mapped, not loaded. On an error none of the pointers is set; filter_note prints it. */
guira_status any_open(struct any_filter *a, const char *path);

/* The same, but exits on an error. */
void any_open_intact(struct any_filter *a, const char *path);

void any_close(struct any_filter *a);

/* "tidal", "cuckoo" and so on, "window" or "shared". */
const char *any_kind(const struct any_filter *a);

guira_stats any_stats(const struct any_filter *a);

/* Of a window, that of the filter in it. */
guira_config any_config(const struct any_filter *a);

/* Bytes of the file. */
uint64_t any_size(const struct any_filter *a);

/* Checks everything. Returns NULL, or what is wrong. */
const char *any_damage(const struct any_filter *a);

struct hasher any_hasher(const struct any_filter *a);

/* Sets found[i]; returns how many are contained. */
size_t any_contains(const struct any_filter *a, const uint64_t *hash, size_t n, bool *found);

/* How many copies of a key there are; in a window 0 or 1. */
uint64_t any_count(const struct any_filter *a, uint64_t hash);

#endif
