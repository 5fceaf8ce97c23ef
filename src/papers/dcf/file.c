/* A DCF as a file: see format/sections.h. Its sections:
 *
 *     head     counters and stash
 *     list     filters, active, min_filters, retry_below, then the items of each filter
 *     table    the slots; one section for each filter */
#include "base/alloc.h"
#include "filter/head.h"
#include "papers/dcf/dcf.h"

enum { LIST_NUMBERS = 4 };

void guira__dcf_save(const guira *head, struct guira__writer *w) {
    const struct dcf *f = const_dcf_of(head);
    const uint64_t number[LIST_NUMBERS] = {f->filters, f->active, f->min_filters, f->retry_below};
    guira__section_start(w, "list", 8 * (LIST_NUMBERS + f->filters));
    for (size_t i = 0; i < LIST_NUMBERS; i++) guira__section_put_u64(w, number[i]);
    for (uint64_t i = 0; i < f->filters; i++) guira__section_put_u64(w, f->list[i].items);
    for (uint64_t i = 0; i < f->filters; i++) {
        guira__section_start(w, "table", table_bytes(&f->list[i]));
        guira__section_put(w, f->list[i].bytes, table_bytes(&f->list[i]));
    }
}

static guira_status view_list(struct dcf *f, struct guira__reader *r) {
    uint64_t length, *const number[LIST_NUMBERS] = {&f->filters, &f->active, &f->min_filters, &f->retry_below};
    const uint8_t *p = guira__section_get(r, "list", &length);
    if (p == NULL || length < 8 * LIST_NUMBERS) return GUIRA_ECORRUPT;
    for (size_t i = 0; i < LIST_NUMBERS; i++, p += 8) *number[i] = get_u64(p);
    f->room = f->filters;
    if (guira__dcf_check_list(f) != NULL || length != 8 * (LIST_NUMBERS + f->filters)) return GUIRA_ECORRUPT;
    f->list = (struct table *)guira__alloc(f->filters * sizeof *f->list);
    if (f->list == NULL) return GUIRA_ENOMEM;
    for (uint64_t i = 0; i < f->filters; i++, p += 8) {
        struct table t = table_of_config(&f->base.config, f->base.config.buckets);
        t.bytes = (uint8_t *)(uintptr_t)guira__section_expect(r, "table", table_bytes(&t));
        t.items = get_u64(p);
        if (t.bytes == NULL) return GUIRA_ECORRUPT;
        f->list[i] = t;
    }
    return GUIRA_OK;
}

guira_status guira__dcf_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r,
                             guira **out) {
    struct dcf *f = (struct dcf *)guira__papers_alloc(sizeof *f, &guira__dcf_paper, 1);
    if (f == NULL) return GUIRA_ENOMEM;
    guira_status s = guira__papers_read(&f->base, ops, c, r) ? GUIRA_OK : GUIRA_ECORRUPT;
    f->is_view = true;
    if (s == GUIRA_OK) s = view_list(f, r);
    return guira__papers_made(&f->head, s, guira__dcf_destroy, out);
}
