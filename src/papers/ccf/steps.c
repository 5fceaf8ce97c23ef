/* The single steps of a CCF on demand, and the report on its filters: public functions. */
#include "papers/ccf/ccf.h"

/* A view, which cannot be changed, has other functions. */
static guira_status check_is_ccf(const guira *head) {
    if (head == NULL) return GUIRA_EINVAL;
    return head->ops == &guira__ccf_ops ? GUIRA_OK : GUIRA_EUNSUPPORTED;
}

/* *it: filter number `index` of the list. */
static guira_status find(guira *head, size_t index, struct i2cf **it) {
    guira_status s = check_is_ccf(head);
    if (s != GUIRA_OK) return s;
    if (index >= ccf_of(head)->filters) return GUIRA_EINVAL;
    *it = &ccf_of(head)->list[index];
    return GUIRA_OK;
}

static guira_status lower_reservation(guira *head, guira_status s) {
    if (s == GUIRA_OK) guira__ccf_lower_reservation(ccf_of(head));
    return s;
}

guira_status guira_consistent_scale_up(guira *head) {
    guira_status s = check_is_ccf(head);
    return s == GUIRA_OK ? guira__ccf_up(ccf_of(head), NULL, 0) : s;
}

guira_status guira_consistent_scale_up_at(guira *head, size_t index) {
    struct i2cf *to;
    guira_status s = find(head, index, &to);
    return s == GUIRA_OK ? guira__ccf_up_at(ccf_of(head), to, NULL, 0) : s;
}

guira_status guira_consistent_scale_down(guira *head) {
    guira_status s = check_is_ccf(head);
    return s == GUIRA_OK ? lower_reservation(head, guira__ccf_down(ccf_of(head))) : s;
}

guira_status guira_consistent_scale_down_at(guira *head, size_t index) {
    struct i2cf *from;
    guira_status s = find(head, index, &from);
    return s == GUIRA_OK ? lower_reservation(head, guira__ccf_down_at(ccf_of(head), from)) : s;
}

guira_status guira_consistent_scale_out(guira *head, const guira_config *c) {
    guira_status s = check_is_ccf(head);
    if (s != GUIRA_OK) return s;
    guira_config resolved = ccf_of(head)->base.config;
    resolved.capacity = 0; /* like the first filter */
    if (c != NULL && (s = guira__config_read(c, &resolved)) == GUIRA_OK) {
        resolved.kind = GUIRA_CONSISTENT;
        s = guira__ccf_kind.resolve(&resolved);
    }
    if (s != GUIRA_OK) return s;
    struct i2cf like = guira__i2cf_like(&resolved);
    return guira__ccf_out(ccf_of(head), &like, guira__ccf_buckets_for(&resolved, resolved.capacity));
}

guira_status guira_consistent_compact(guira *head) {
    guira_status s = check_is_ccf(head);
    if (s != GUIRA_OK) return s;
    struct ccf *f = ccf_of(head);
    s = guira__ccf_compact(f, guira__ccf_next_compact(f));
    while (s == GUIRA_OK && guira__ccf_compact(f, guira__ccf_next_compact(f)) == GUIRA_OK) {
    }
    return lower_reservation(head, s);
}

guira_status guira_consistent_compact_at(guira *head, size_t index) {
    struct i2cf *from;
    guira_status s = find(head, index, &from);
    return s == GUIRA_OK ? lower_reservation(head, guira__ccf_compact(ccf_of(head), from)) : s;
}

/* ------------------------------------------------------------------------------------------------------------- report */

enum { ROW_FIRST_SIZE = sizeof(guira_consistent_filter) }; /* version 1 of the struct: never changed again */

static guira_consistent_filter row_of(const struct ccf *f, const struct i2cf *it) {
    return (guira_consistent_filter){.size = sizeof(guira_consistent_filter),
                                     .buckets = it->table.buckets,
                                     .ring = it->ring.size,
                                     .items = it->table.items,
                                     .slots = table_slots(&it->table),
                                     .bytes = guira__i2cf_bytes(it),
                                     .load = i2cf_load(it),
                                     .bucket_slots = it->table.layout.slots,
                                     .slot_bits = it->table.layout.bits,
                                     .candidates = it->candidates,
                                     .virtual_nodes = it->nodes,
                                     .active = it == guira__ccf_least_loaded(f)};
}

size_t guira_consistent_filters(const guira *head, guira_consistent_filter *rows, size_t n) {
    if (head == NULL || guira__config_of(head).kind != GUIRA_CONSISTENT) return 0;
    const struct ccf *f = const_ccf_of(head);
    if (rows == NULL || n == 0) return (size_t)f->filters;
    if (!guira__struct_size_ok(rows, ROW_FIRST_SIZE)) return 0;
    size_t size = rows->size, stride = size != 0 ? size : (size_t)ROW_FIRST_SIZE;
    for (size_t i = 0; i < n && i < f->filters; i++) {
        guira_consistent_filter row = row_of(f, &f->list[i]);
        void *to = (char *)rows + i * stride;
        memcpy(to, &size, sizeof size); /* set by the caller in the first row only */
        guira__struct_out(to, &row, ROW_FIRST_SIZE, sizeof row);
    }
    return (size_t)f->filters;
}
