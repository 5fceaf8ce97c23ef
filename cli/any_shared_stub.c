/* Replaces any_shared.c if the library has no guira_shared: a->shared is never set, so only the first function is called. */
#include "any_shared.h"

guira_status any_shared_load(struct any_filter *a) {
    (void)a;
    return GUIRA_EFORMAT;
}

void any_shared_close(struct any_filter *a) { (void)a; }

void any_shared_stats(const struct any_filter *a, guira_stats *s) {
    (void)a;
    (void)s;
}

void any_shared_config(const struct any_filter *a, guira_config *c) {
    (void)a;
    (void)c;
}

struct hasher any_shared_hasher(const struct any_filter *a) {
    return hasher_of_filter(a->filter);
}

uint64_t any_shared_count(const struct any_filter *a, uint64_t hash) {
    (void)a;
    (void)hash;
    return 0;
}

guira_status any_shared_merge(struct any_filter *into, const struct any_filter *from, bool sum) {
    (void)into;
    (void)from;
    (void)sum;
    return GUIRA_EUNSUPPORTED;
}

guira_status any_shared_save_fd(const struct guira_shared *g, int fd) {
    (void)g;
    (void)fd;
    return GUIRA_EUNSUPPORTED;
}
