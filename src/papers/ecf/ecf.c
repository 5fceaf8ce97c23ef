/* The operations of ECF: see ecf.h.
 *
 * WHICH ENTRY IS REMOVED? Any that matches. Entries with the same fingerprint have the same range, and there the bucket
 * tells the distance. So two equal fingerprints in the two buckets of one key have the same two buckets, now and after
 * every step.
 *
 * HOW MANY COPIES? As many as two buckets hold. A larger table would have no more room for them. */
#include "papers/ecf/ecf.h"

static struct entry candidates_of(const struct ecf *f, uint64_t hash, struct candidates *c) {
    const struct ecf_shape *s = &f->shape;
    uint64_t what = fingerprint_in(hash & UINT32_MAX, f->table.layout.bits);
    uint64_t distance = (hash >> 32 & packed_mask(s->first_range)) >> (s->first_range - s->range);
    struct ecf_range r = guira__ecf_range(s, what);
    return candidates_pair(c, what, ecf_bucket(s, r.start, distance), ecf_bucket(s, r.start, distance ^ r.flip));
}

/* ------------------------------------------------------------------------------------------------------------- placing */

static uint64_t partner_of(const guira *f, uint64_t bucket, uint64_t what, unsigned which) {
    (void)which;
    const struct ecf_shape *s = &const_ecf_of(f)->shape;
    struct ecf_range r = guira__ecf_range(s, what);
    return ecf_bucket(s, r.start, ecf_distance(s, r.start, bucket) ^ r.flip);
}

static unsigned stale(const guira *head, uint64_t bucket) {
    const struct ecf *f = const_ecf_of(head);
    const unsigned slots = f->table.layout.slots;
    unsigned mask = 0;
    for (unsigned j = 0; ecf_is_pending(f, bucket) && j < slots; j++) {
        struct entry e = {bucket, table_get(&f->table, bucket * slots + j)};
        mask |= (unsigned)(e.what != 0 && !ecf_in_range(&f->shape, e)) << j;
    }
    return mask;
}

unsigned guira__ecf_taken(const struct ecf *f, uint64_t bucket) {
    return (guira__table_match(&f->table, bucket, 0) | stale(&f->head, bucket)) ^ ((1U << f->table.layout.slots) - 1);
}

void guira__ecf_open(guira *head, uint64_t bucket) {
    struct ecf *f = ecf_of(head);
    if (!ecf_is_pending(f, bucket)) return;
    uint64_t group = bucket % f->groups;
    for (uint64_t i = group; i < f->table.buckets; i += f->groups)
        for (unsigned mask = stale(head, i); mask != 0; mask &= mask - 1)
            table_set(&f->table, i * f->table.layout.slots + (unsigned)__builtin_ctz(mask), 0);
    f->pending[group / 8] ^= (uint8_t)(1U << group % 8);
    f->left--;
}

const struct paper_kind guira__ecf_paper = {
    .candidate = partner_of, .stale = stale, .open = guira__ecf_open, .save = guira__ecf_save};

static bool place(struct ecf *f, struct entry e, unsigned kicks) {
    return guira__papers_place(&f->base, &f->table, e, kicks, NULL);
}

/* ------------------------------------------------------------------------------------------------------------ lookups */

static bool contains(const guira *head, uint64_t hash) {
    struct candidates c;
    uint64_t slot;
    const struct ecf *f = const_ecf_of(head);
    candidates_of(f, hash, &c);
    return guira__table_find(&f->table, &c, &slot) || guira__stash_match(&f->base.stash, &c) != 0;
}

static uint64_t count(const guira *head, uint64_t hash) {
    struct candidates c;
    const struct ecf *f = const_ecf_of(head);
    candidates_of(f, hash, &c);
    return guira__table_count(&f->table, &c) + guira__stash_count(&f->base.stash, &c);
}

static void prefetch(const guira *head, uint64_t hash) {
    struct candidates c;
    candidates_of(const_ecf_of(head), hash, &c);
    guira__table_prefetch(&const_ecf_of(head)->table, &c);
}

/* ------------------------------------------------------------------------------------------------------------ changes */

static bool is_full(const struct ecf *f) {
    return (double)f->head.items + 1 > ecf_capacity(f, f->base.config.max_load, f->table.buckets);
}

/* Whether growing may help. The stash has one place for an insertion that the filter has grown for: if that is taken,
 * growing has not helped before. A filter that is half empty has room, but in the wrong place. */
static bool may_grow(const struct ecf *f) {
    double half = ecf_capacity(f, f->base.config.max_load / 2, f->table.buckets);
    return f->base.stash.n <= STASH_SIZE && (double)f->head.items >= half;
}

/* Both buckets are full: other entries move, or the stash takes the new one, or the filter grows. */
static guira_status place_full(struct ecf *f, uint64_t hash, bool grown) {
    struct stash *stash = &f->base.stash;
    struct candidates c;
    struct entry e = candidates_of(f, hash, &c);
    guira_status s = GUIRA_EFULL;
    if (place(f, e, f->base.config.max_kicks) || stash_push(stash, e, STASH_GROW)) return GUIRA_OK;
    if (!grown && may_grow(f)) s = guira__ecf_extend(f, f->base.config.factor);
    grown |= s == GUIRA_OK;
    e = candidates_of(f, hash, &c);
    if (s == GUIRA_OK && place(f, e, f->base.config.max_kicks)) return GUIRA_OK;
    if (stash_push(stash, e, grown ? STASH_LAST : STASH_SIZE)) return GUIRA_OK;
    return s == GUIRA_ENOMEM ? GUIRA_ENOMEM : GUIRA_EFULL;
}

/* The filter is at max_load, or has no free slot for the key. */
static guira_status insert_full(struct ecf *f, uint64_t hash) {
    struct candidates c;
    if (count(&f->head, hash) >= 2 * f->table.layout.slots) return GUIRA_EDUPLICATE;
    /* If it cannot grow there may be room all the same, above max_load. */
    bool grown = is_full(f) && may_grow(f) && guira__ecf_extend(f, f->base.config.factor) == GUIRA_OK;
    guira_status s = place(f, candidates_of(f, hash, &c), 0) ? GUIRA_OK : place_full(f, hash, grown);
    f->head.items += s == GUIRA_OK;
    return s;
}

static guira_status insert(guira *head, uint64_t hash) {
    struct ecf *f = ecf_of(head);
    struct candidates c;
    if (is_full(f) || !place(f, candidates_of(f, hash, &c), 0)) return insert_full(f, hash);
    head->items++;
    return GUIRA_OK;
}

static guira_status remove_one(guira *head, uint64_t hash) {
    struct ecf *f = ecf_of(head);
    struct candidates c;
    uint64_t slot;
    candidates_of(f, hash, &c);
    if (guira__table_find(&f->table, &c, &slot)) {
        guira__ecf_open(head, slot / f->table.layout.slots);
        table_set(&f->table, slot, 0);
    } else if (!guira__stash_take(&f->base.stash, &c)) return GUIRA_ENOTFOUND;
    head->items--;
    guira__papers_unstash(&f->base, &f->table, 0);
    guira__ecf_shrink_if_sparse(f);
    return GUIRA_OK;
}

const struct guira__ops guira__ecf_ops = {
    .bytes = sizeof(struct guira__ops),
    .create = guira__ecf_create,
    .destroy = guira__ecf_destroy,
    .reserve = guira__ecf_reserve,
    .shrink_to_fit = guira__ecf_shrink_to_fit,
    .clear = guira__ecf_clear,
    .clone = guira__ecf_clone,
    .config = guira__papers_config_of,
    .stash = guira__papers_stash,
    .stats = guira__ecf_stats,
    .check = guira__ecf_check,
    .dump = guira__papers_dump,
    .save = guira__papers_save,
    .view = guira__ecf_view,
    .contains = contains,
    .contains_many = guira__papers_contains_many,
    .count = count,
    .prefetch = prefetch,
    .insert = insert,
    .remove = remove_one,
};
