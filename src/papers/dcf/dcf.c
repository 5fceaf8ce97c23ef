/* The operations of DCF: see dcf.h. */
#include "papers/dcf/dcf.h"

/* Subtracting from the same number twice gives the first bucket again, for any number of buckets: see cuckoo/cuckoo.h. */
static uint64_t partner_of(const guira *f, uint64_t bucket, uint64_t what, unsigned which) {
    (void)which;
    uint64_t buckets = const_dcf_of(f)->base.config.buckets,
             h = (what * UINT64_C(0x9e3779b97f4a7c15) >> 32) * buckets >> 32;
    return h >= bucket ? h - bucket : h + buckets - bucket;
}

const struct paper_kind guira__dcf_paper = {.candidate = partner_of, .save = guira__dcf_save};

static struct entry candidates_of(const struct dcf *f, uint64_t hash, struct candidates *c) {
    uint64_t bucket = (hash >> 32) * f->base.config.buckets >> 32;
    uint64_t what = fingerprint_in(hash & UINT32_MAX, f->base.config.slot_bits);
    return candidates_pair(c, what, bucket, partner_of(&f->head, bucket, what, 0));
}

bool guira__dcf_place(struct dcf *f, uint64_t i, struct entry e, unsigned kicks) {
    bool placed = guira__papers_place(&f->base, &f->list[i], e, kicks, NULL);
    f->list[i].items += placed;
    return placed;
}

/* ------------------------------------------------------------------------------------------------------------ lookups */

static bool contains(const guira *head, uint64_t hash) {
    const struct dcf *f = const_dcf_of(head);
    struct candidates c;
    uint64_t slot;
    candidates_of(f, hash, &c);
    for (uint64_t i = f->filters; i-- > 0;)
        if (guira__table_find(&f->list[i], &c, &slot)) return true;
    return guira__stash_match(&f->base.stash, &c) != 0;
}

static uint64_t count_all(const struct dcf *f, const struct candidates *c) {
    uint64_t n = guira__stash_count(&f->base.stash, c);
    for (uint64_t i = 0; i < f->filters; i++) n += guira__table_count(&f->list[i], c);
    return n;
}

static uint64_t count(const guira *head, uint64_t hash) {
    struct candidates c;
    candidates_of(const_dcf_of(head), hash, &c);
    return count_all(const_dcf_of(head), &c);
}

static void prefetch(const guira *head, uint64_t hash) {
    const struct dcf *f = const_dcf_of(head);
    struct candidates c;
    candidates_of(f, hash, &c);
    guira__table_prefetch(&f->list[f->active], &c);
}

/* ------------------------------------------------------------------------------------------------------------ changes */

/* Into the active filter, or into the emptiest, which becomes active then. */
static bool place_below_max_load(struct dcf *f, struct entry e) {
    unsigned kicks = f->base.config.max_kicks;
    if (dcf_has_room(f, f->active) && guira__dcf_place(f, f->active, e, kicks)) return true;
    uint64_t other = guira__dcf_emptiest(f, UINT64_MAX);
    if (other == f->active || !dcf_has_room(f, other) || !guira__dcf_place(f, other, e, kicks)) return false;
    f->active = other;
    return true;
}

static guira_status place_in_new(struct dcf *f, struct entry e) {
    guira_status s = guira__dcf_add(f, 1);
    if (s != GUIRA_OK) return s;
    f->active = f->filters - 1;
    struct table *fresh = &f->list[f->active];
    f->head.grows += f->base.config.buckets;
    guira__dcf_place(f, f->active, e, 0); /* it is empty */
    fresh->items += guira__papers_unstash(&f->base, fresh, f->base.config.max_kicks);
    return GUIRA_OK;
}

static bool place_in_any(struct dcf *f, struct entry e) {
    for (uint64_t i = f->filters; i-- > 0;)
        if (guira__dcf_place(f, i, e, 0)) return true;
    return false;
}

/* The active filter has no free slot for the key, or is at max_load. */
static guira_status insert_full(struct dcf *f, uint64_t hash) {
    struct candidates c;
    struct entry e = candidates_of(f, hash, &c);
    if (count_all(f, &c) >= (uint64_t)c.n * f->base.config.bucket_slots) {
        if (!place_in_any(f, e)) return GUIRA_EDUPLICATE;
    } else if (!place_below_max_load(f, e)) {
        guira_status s = place_in_new(f, e);
        /* If the list cannot become longer, filters are filled above max_load, and then the stash. */
        if (s != GUIRA_OK && !guira__dcf_place(f, f->active, e, f->base.config.max_kicks) && !place_in_any(f, e) &&
            !stash_push(&f->base.stash, e, STASH_SIZE))
            return s == GUIRA_ELIMIT ? GUIRA_EFULL : s;
    }
    f->head.items++;
    return GUIRA_OK;
}

static guira_status insert(guira *head, uint64_t hash) {
    struct dcf *f = dcf_of(head);
    struct candidates c;
    if (!dcf_has_room(f, f->active) || !guira__dcf_place(f, f->active, candidates_of(f, hash, &c), 0))
        return insert_full(f, hash);
    head->items++;
    return GUIRA_OK;
}

static guira_status remove_one(guira *head, uint64_t hash) {
    struct dcf *f = dcf_of(head);
    struct candidates c;
    uint64_t slot, i = f->filters;
    candidates_of(f, hash, &c);
    while (i > 0 && !guira__table_find(&f->list[i - 1], &c, &slot)) i--;
    if (i > 0) {
        struct table *t = &f->list[i - 1];
        table_set(t, slot, 0);
        t->items--;
        t->items += guira__papers_unstash(&f->base, t, 0);
    } else if (!guira__stash_take(&f->base.stash, &c)) return GUIRA_ENOTFOUND;
    head->items--;
    guira__dcf_merge_if_sparse(f);
    return GUIRA_OK;
}

const struct guira__ops guira__dcf_ops = {
    .bytes = sizeof(struct guira__ops),
    .create = guira__dcf_create,
    .destroy = guira__dcf_destroy,
    .reserve = guira__dcf_reserve,
    .shrink_to_fit = guira__dcf_shrink_to_fit,
    .clear = guira__dcf_clear,
    .clone = guira__dcf_clone,
    .config = guira__papers_config_of,
    .stash = guira__papers_stash,
    .stats = guira__dcf_stats,
    .check = guira__dcf_check,
    .dump = guira__papers_dump,
    .save = guira__papers_save,
    .view = guira__dcf_view,
    .merge = guira__dcf_merge,
    .contains = contains,
    .contains_many = guira__papers_contains_many,
    .count = count,
    .prefetch = prefetch,
    .insert = insert,
    .remove = remove_one,
};
