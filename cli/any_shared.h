/* Filters of guira_shared in files, for any_filter.c. The library has them only if liburcu was found at build time. */
#ifndef GUIRA_CLI_ANY_SHARED_H
#define GUIRA_CLI_ANY_SHARED_H

#include "any_filter.h"

/* Sets a->shared. EFORMAT: the file is something else, or the library has no guira_shared. */
guira_status any_shared_load(struct any_filter *a);

/* Only if a->shared is set. */
void any_shared_close(struct any_filter *a);
void any_shared_stats(const struct any_filter *a, guira_stats *s);
void any_shared_config(const struct any_filter *a, guira_config *c);
struct hasher any_shared_hasher(const struct any_filter *a);
uint64_t any_shared_count(const struct any_filter *a, uint64_t hash);

/* Adds what is in `from`: every copy if `sum`, else what is not in `into` yet. */
guira_status any_shared_merge(struct any_filter *into, const struct any_filter *from, bool sum);
guira_status any_shared_save_fd(const struct guira_shared *g, int fd);

#endif
