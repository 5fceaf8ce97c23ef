/* What a CCF tries before it refuses an insertion: every step that its policy allows. See ccf.h.
 *
 * Growing for the key has failed: there are max_filters filters, or half of a ring is taken. Then a step that makes the list
 * smaller can help, because what it takes away can be added again where the key needs it:
 *
 *     the list is full    [ A ][ B ][ C ]  -- compact B -->  [ A ][ C ]  -- out -->  [ A ][ C ][ key ]
 *     a ring is full      a bucket down, and one up that divides the arc of one of the key's buckets
 *
 * A step can succeed without helping, so each is tried on a copy; a copy on which a step failed is as it was, and serves for
 * the next one.
 *
 * HOW LONG DOES IT TAKE? At most MOST_TRIED steps of each sort, so every one in lists of up to so many filters. To compact one
 * of 1024 filters without success took 13 ms with k = 1, where it takes longest; all of them would take 14 s. And what was
 * found out is remembered until the filter changes, because at its limit it refuses one insertion after the other: that no
 * step is possible at all, which holds for every key, or that none helped this key. */
#include "papers/ccf/ccf.h"

enum { MOST_TRIED = 64 };

struct step {
    guira_policy never;                                           /* the policy that does not allow it */
    bool (*possible)(const struct ccf *f, const struct i2cf *it); /* false: it fails, which is seen without a copy */
    guira_status (*take)(struct ccf *f, struct i2cf *it);
};

static bool may_go_up(const struct ccf *f, const struct i2cf *it) {
    (void)f;
    return guira__i2cf_fits_ring(it, it->table.buckets + 1);
}

static guira_status go_up(struct ccf *f, struct i2cf *it) { return guira__ccf_up_at(f, it, NULL, 0); }

static bool may_go_down(const struct ccf *f, const struct i2cf *it) {
    (void)f;
    return i2cf_may_scale_down(it);
}

/* A filter more is not among them: growing has tried it. */
static const struct step steps[] = {
    {GUIRA_FILTER_LEVEL, may_go_up, go_up},
    {GUIRA_FILTER_LEVEL, may_go_down, guira__ccf_down_at},
    {GUIRA_BUCKET_LEVEL, guira__ccf_may_fit_elsewhere, guira__ccf_compact},
};

/* Whether every slot that there can be for the key has it: then no step can help. */
static bool has_all_places(const struct ccf *f, uint64_t hash) {
    struct candidates c;
    for (struct i2cf *it = f->list; it < f->list + f->filters; it++) {
        uint64_t fingerprint = i2cf_fingerprint(it, hash);
        guira__i2cf_candidates(it, fingerprint, &c);
        if (guira__table_count(&it->table, &c) < guira__i2cf_places(it, fingerprint)) return false;
    }
    return true;
}

/* f becomes the copy. */
static void take_over(struct ccf *f, struct ccf *copy) {
    struct ccf before = *f;
    *f = *copy;
    guira__head_replaced(&f->head, &before.head, f->base.secret);
    guira__ccf_lower_reservation(f);
    copy->list = before.list;
    copy->filters = before.filters;
    guira__ccf_destroy(&copy->head);
}

struct attempt {
    guira *copy;     /* of f as it is; NULL: there is none at the moment */
    bool was_a_step; /* whether any step succeeded, so that another key may be helped by it */
};

static guira_status insert_after(struct ccf *f, const struct step *step, uint64_t index, uint64_t hash,
                                 struct attempt *a) {
    if (a->copy == NULL && guira__ccf_clone(&f->head, &a->copy) != GUIRA_OK) return GUIRA_ENOMEM;
    struct ccf *copy = ccf_of(a->copy);
    guira_status s = step->take(copy, &copy->list[index]);
    if (s != GUIRA_OK) return s;
    a->was_a_step = true;
    a->copy = NULL;
    s = guira__ccf_insert_growing(copy, hash);
    if (s == GUIRA_OK) take_over(f, copy);
    else guira__ccf_destroy(&copy->head);
    return s;
}

/* The filters from the one with the fewest items on, which can be compacted soonest; of equal ones the first. NULL: none is left. */
static struct i2cf *next_fuller(const struct ccf *f, const struct i2cf *after) {
    struct i2cf *next = NULL;
    for (struct i2cf *it = f->list; it < f->list + f->filters; it++) {
        bool fuller = after == NULL || it->table.items > after->table.items ||
                      (it->table.items == after->table.items && it > after);
        if (fuller && (next == NULL || it->table.items < next->table.items)) next = it;
    }
    return next;
}

static guira_status try_step(struct ccf *f, const struct step *step, uint64_t hash, struct attempt *a) {
    struct i2cf *it = next_fuller(f, NULL);
    for (unsigned tried = 0; it != NULL && tried < MOST_TRIED; it = next_fuller(f, it)) {
        if (!step->possible(f, it)) continue;
        guira_status s = insert_after(f, step, (uint64_t)(it - f->list), hash, a);
        if (s == GUIRA_OK || s == GUIRA_ENOMEM) return s;
        tried++;
    }
    return GUIRA_EFULL;
}

static guira_status try_all(struct ccf *f, uint64_t hash, struct attempt *a) {
    guira_status s = GUIRA_EFULL;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && s == GUIRA_EFULL; i++)
        if (f->base.config.policy != steps[i].never) s = try_step(f, &steps[i], hash, a);
    return s;
}

guira_status guira__ccf_insert_after_step(struct ccf *f, uint64_t hash, guira_status refusal) {
    struct attempt a = {NULL, false};
    if (f->known.no_step || (f->known.refused && f->known.hash == hash) || has_all_places(f, hash)) return refusal;
    guira_status s = try_all(f, hash, &a);
    if (a.copy != NULL) guira__ccf_destroy(a.copy);
    if (s == GUIRA_OK || s == GUIRA_ENOMEM) return s;
    f->known.no_step = !a.was_a_step;
    f->known.refused = true;
    f->known.hash = hash;
    return refusal;
}
