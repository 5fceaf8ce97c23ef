/* The operations of CCF: see ccf.h.
 *
 * WHERE DOES AN ENTRY GO? To the filter with the lowest load, moving others there if need be; else to any other with a
 * free slot among the candidates; else the filter grows. */
#include "papers/ccf/ccf.h"

/* ------------------------------------------------------------------------------------------------------------ lookups */

static bool contains(const guira *head, uint64_t hash) {
    const struct ccf *f = const_ccf_of(head);
    uint64_t slot;
    for (uint64_t i = 0; i < f->filters; i++)
        if (guira__i2cf_find(&f->list[i], i2cf_fingerprint(&f->list[i], hash), &slot)) return true;
    return false;
}

/* How many copies there are, and how many there could be in the candidate buckets. */
static uint64_t count_copies(const struct ccf *f, uint64_t hash, uint64_t *possible) {
    uint64_t n = 0;
    struct candidates c;
    *possible = 0;
    for (uint64_t i = 0; i < f->filters; i++) {
        const struct table *table = &f->list[i].table;
        guira__i2cf_candidates(&f->list[i], i2cf_fingerprint(&f->list[i], hash), &c);
        n += guira__table_count(table, &c);
        *possible += (uint64_t)c.n * table->layout.slots;
    }
    return n;
}

static uint64_t count(const guira *head, uint64_t hash) {
    uint64_t possible;
    return count_copies(const_ccf_of(head), hash, &possible);
}

/* To find out what to fetch takes as long as to use it. */
static void prefetch(const guira *head, uint64_t hash) {
    (void)head;
    (void)hash;
}

/* ------------------------------------------------------------------------------------------------------------ changes */

static bool insert_into(struct ccf *f, struct i2cf *to, uint64_t hash, unsigned kicks) {
    return guira__i2cf_insert(to, i2cf_fingerprint(to, hash), kicks, &f->base);
}

static bool insert_without_growing(struct ccf *f, uint64_t hash) {
    if (insert_into(f, guira__ccf_least_loaded(f), hash, f->head.config.max_kicks)) return true;
    for (uint64_t i = 0; i < f->filters; i++)
        if (insert_into(f, &f->list[i], hash, 0)) return true;
    return false;
}

/* Whether copies take all the slots there are for them, or as many as one filter could give them. More of them may go
 * where there is room, but they do not make the filter grow, or a single key could make it grow without end. */
static bool has_too_many_copies(const struct ccf *f, uint64_t hash) {
    uint64_t possible, copies = count_copies(f, hash, &possible);
    return copies == possible || copies >= (uint64_t)f->head.config.candidates * f->head.config.bucket_slots;
}

static guira_status insert(guira *head, uint64_t hash) {
    struct ccf *f = ccf_of(head);
    if (!insert_without_growing(f, hash)) {
        if (has_too_many_copies(f, hash)) return GUIRA_EDUPLICATE;
        guira_status s = guira__ccf_grow(f, &hash);
        if (s != GUIRA_OK) return s == GUIRA_ELIMIT ? GUIRA_EFULL : s;
    }
    head->items++;
    if (ccf_load(f) > head->config.max_load) (void)guira__ccf_grow(f, NULL); /* if not now, when there is no room */
    return GUIRA_OK;
}

static guira_status remove_one(guira *head, uint64_t hash) {
    struct ccf *f = ccf_of(head);
    struct table *longest = NULL;
    uint64_t found, slot = 0;
    for (uint64_t i = 0; i < f->filters; i++) {
        struct i2cf *it = &f->list[i];
        if (longest != NULL && it->table.layout.bits <= longest->layout.bits) continue;
        if (!guira__i2cf_find(it, i2cf_fingerprint(it, hash), &found)) continue;
        longest = &it->table;
        slot = found;
    }
    if (longest == NULL) return GUIRA_ENOTFOUND;
    table_set(longest, slot, 0);
    longest->items--;
    head->items--;
    guira__ccf_shrink_if_sparse(f);
    return GUIRA_OK;
}

/* ------------------------------------------------------------------------------------------- single steps, on demand */

/* A view, which cannot be changed, has other functions. */
static guira_status check_is_ccf(const guira *head) {
    if (head == NULL) return GUIRA_EINVAL;
    return head->ops == &guira__ccf_ops ? GUIRA_OK : GUIRA_EUNSUPPORTED;
}

/* Asking for less room gives up what was reserved. */
static void lower_reservation(struct ccf *f) {
    double room = (double)guira__ccf_totals(f).slots * f->head.config.max_load;
    if ((double)f->reserved > room) f->reserved = (uint64_t)room;
}

guira_status guira_consistent_scale_up(guira *head) {
    guira_status s = check_is_ccf(head);
    return s == GUIRA_OK ? guira__ccf_up(ccf_of(head), NULL) : s;
}

guira_status guira_consistent_scale_down(guira *head) {
    guira_status s = check_is_ccf(head);
    if (s == GUIRA_OK) s = guira__ccf_down(ccf_of(head));
    if (s == GUIRA_OK) lower_reservation(ccf_of(head));
    return s;
}

guira_status guira_consistent_scale_out(guira *head, const guira_config *c) {
    guira_status s = check_is_ccf(head);
    if (s != GUIRA_OK) return s;
    guira_config resolved = head->config;
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
    if (s == GUIRA_OK) s = guira__ccf_compact(ccf_of(head));
    if (s != GUIRA_OK) return s;
    while (guira__ccf_compact(ccf_of(head)) == GUIRA_OK) {
    }
    lower_reservation(ccf_of(head));
    return GUIRA_OK;
}

const struct guira__ops guira__ccf_ops = {
    .create = guira__ccf_create,
    .destroy = guira__ccf_destroy,
    .insert = insert,
    .contains = contains,
    .remove = remove_one,
    .count = count,
    .contains_many = guira__papers_contains_many,
    .prefetch = prefetch,
    .reserve = guira__ccf_reserve,
    .shrink_to_fit = guira__ccf_shrink_to_fit,
    .clear = guira__ccf_clear,
    .clone = guira__ccf_clone,
    .stats = guira__ccf_stats,
    .check = guira__ccf_check,
    .dump = guira__papers_dump,
    .save = guira__papers_save,
    .view = guira__ccf_view,
};
