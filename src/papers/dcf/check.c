/* The invariants of a DCF. */
#include "papers/dcf/dcf.h"

const char *guira__dcf_check_list(const struct dcf *f) {
    struct table t = table_of_config(&f->base.config, f->base.config.buckets);
    if (f->filters == 0 || f->filters > f->room || f->filters > f->base.config.max_filters)
        return "list: impossible length";
    if (f->active >= f->filters) return "list: the active filter does not exist";
    if (f->min_filters == 0 || f->min_filters > f->filters) return "list: shorter than reserved";
    return guira__stash_valid(&f->base.stash, &t) ? NULL : "stash: impossible entry";
}

const char *guira__dcf_check(const guira *head) {
    const struct dcf *f = const_dcf_of(head);
    uint64_t items = f->base.stash.n;
    const char *broken = guira__dcf_check_list(f);
    for (uint64_t i = 0; broken == NULL && i < f->filters; i++) {
        const struct table *t = &f->list[i];
        if (guira__table_count_taken(t, table_bytes(t)) != t->items) broken = "list: wrong number of items in a filter";
        items += t->items;
    }
    if (broken != NULL) return broken;
    return items == head->items ? NULL : "counters: items";
}
