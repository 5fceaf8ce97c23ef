/* The operations of CCF: see ccf.h.
 *
 * WHERE DOES AN ENTRY GO? To the filter with the lowest load, moving others there if need be; else to any other with a
 * free slot among the candidates; else the filter grows; and if it cannot, other entries move in any filter of the list,
 * at last so that a bucket can be added for one of them. Before an insertion is refused, steps that make the list smaller
 * are tried: see last_resort.c. */
#include "papers/ccf/ccf.h"

/* ------------------------------------------------------------------------------------------------------------ lookups */

static bool contains(const guira *head, uint64_t hash) {
    const struct ccf *f = const_ccf_of(head);
    uint64_t slot;
    for (uint64_t i = 0; i < f->filters; i++)
        if (guira__i2cf_find(&f->list[i], i2cf_fingerprint(&f->list[i], hash), &slot)) return true;
    return false;
}

static uint64_t count(const guira *head, uint64_t hash) {
    const struct ccf *f = const_ccf_of(head);
    uint64_t n = 0;
    struct candidates c;
    for (uint64_t i = 0; i < f->filters; i++) {
        guira__i2cf_candidates(&f->list[i], i2cf_fingerprint(&f->list[i], hash), &c);
        n += guira__table_count(&f->list[i].table, &c);
    }
    return n;
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
    if (insert_into(f, guira__ccf_least_loaded(f), hash, f->base.config.max_kicks)) return true;
    for (uint64_t i = 0; i < f->filters; i++)
        if (insert_into(f, &f->list[i], hash, 0)) return true;
    return false;
}

/* The last resort. */
static bool insert_by_moving(struct ccf *f, uint64_t hash) {
    for (uint64_t i = 0; i < f->filters; i++)
        if (insert_into(f, &f->list[i], hash, f->base.config.max_kicks)) return true;
    return false;
}

/* The most copies that one filter of the list could hold. */
static uint64_t most_places(const struct ccf *f, uint64_t hash) {
    uint64_t most = 0;
    for (uint64_t i = 0; i < f->filters; i++) {
        uint64_t places = guira__i2cf_places(&f->list[i], i2cf_fingerprint(&f->list[i], hash));
        if (places > most) most = places;
    }
    return most;
}

/* Copies, once there are as many as one filter could hold, get more buckets, of which each filter can use a few, but no
 * more filters: a single key could make the list grow without end. */
static guira_status grow_for(struct ccf *f, uint64_t hash) {
    bool is_copy = count(&f->head, hash) >= most_places(f, hash);
    guira_status s = guira__ccf_grow(f, &hash, !is_copy);
    if (s == GUIRA_OK || insert_by_moving(f, hash)) return GUIRA_OK;
    if (s != GUIRA_ENOMEM) s = guira__ccf_grow_moving(f, &hash);
    return s == GUIRA_OK || s == GUIRA_ENOMEM ? s : is_copy ? GUIRA_EDUPLICATE : GUIRA_EFULL;
}

guira_status guira__ccf_insert_growing(struct ccf *f, uint64_t hash) {
    guira_status s = insert_without_growing(f, hash) ? GUIRA_OK : grow_for(f, hash);
    if (s != GUIRA_OK) return s;
    f->head.items++;
    ccf_changed(f);
    if (ccf_load(f) > f->base.config.max_load) (void)guira__ccf_grow(f, NULL, true); /* or when there is no room */
    return GUIRA_OK;
}

static guira_status insert(guira *head, uint64_t hash) {
    guira_status s = guira__ccf_insert_growing(ccf_of(head), hash);
    return s == GUIRA_OK || s == GUIRA_ENOMEM ? s : guira__ccf_insert_after_step(ccf_of(head), hash, s);
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
    ccf_changed(f);
    guira__ccf_note_removal(f);
    guira__ccf_shrink_if_sparse(f);
    return GUIRA_OK;
}

const struct guira__ops guira__ccf_ops = {
    .bytes = sizeof(struct guira__ops),
    .create = guira__ccf_create,
    .destroy = guira__ccf_destroy,
    .reserve = guira__ccf_reserve,
    .shrink_to_fit = guira__ccf_shrink_to_fit,
    .clear = guira__ccf_clear,
    .clone = guira__ccf_clone,
    .config = guira__papers_config_of,
    .stash = guira__papers_stash,
    .stats = guira__ccf_stats,
    .check = guira__ccf_check,
    .dump = guira__papers_dump,
    .save = guira__papers_save,
    .view = guira__ccf_view,
    .contains = contains,
    .contains_many = guira__papers_contains_many,
    .count = count,
    .prefetch = prefetch,
    .insert = insert,
    .remove = remove_one,
};
