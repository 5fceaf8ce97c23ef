/* The functions that every kind has: they check arguments, hash keys, and call the kind. */
#include "filter/filter.h"

#include <string.h>

#include "base/alloc.h"
#include "filter/latency.h"
#include "guira_inline.h"

void guira_destroy(guira *f) {
    if (f == NULL) return;
    guira__latency_free(f);
    guira__rare_free(f);
    f->ops->destroy(f);
}

/* ------------------------------------------------------------------------------------------------------------ by hash */

guira_status guira_insert_hash(guira *f, uint64_t hash) {
    if (f == NULL) return GUIRA_EINVAL;
    guira_status s = f->ops->insert(f, hash);
    if (s != GUIRA_OK && s != GUIRA_EUNSUPPORTED) f->failures++; /* a view stays as it is */
    return s;
}

guira_status guira_insert_unique_hash(guira *f, uint64_t hash) {
    if (f == NULL) return GUIRA_EINVAL;
    return f->contains(f, hash) ? GUIRA_EEXIST : guira_insert_hash(f, hash);
}

bool guira_contains_hash(const guira *f, uint64_t hash) { return f != NULL && f->contains(f, hash); }

guira_status guira_remove_hash(guira *f, uint64_t hash) { return f == NULL ? GUIRA_EINVAL : f->ops->remove(f, hash); }

uint64_t guira_count_hash(const guira *f, uint64_t hash) { return f == NULL ? 0 : f->ops->count(f, hash); }

size_t guira_contains_hash_many(const guira *f, const uint64_t *hash, size_t n, bool *out) {
    if (f == NULL || hash == NULL || out == NULL) return 0;
    return f->ops->contains_many(f, hash, n, out);
}

enum { INLINE_TABLE_FIRST_SIZE = sizeof(guira_inline_table) }; /* of version 1: never changed again */

guira_status guira_inline_table_get(const guira *f, guira_inline_table *out) {
    if (f == NULL || out == NULL) return GUIRA_EINVAL;
    if (!guira__struct_size_ok(out, INLINE_TABLE_FIRST_SIZE)) return GUIRA_EINVAL;
    guira_inline_table t = {.forms = out->forms, .form = GUIRA_INLINE_CALL, .outside = 1, .filter = f};
    if (f->ops->inline_table != NULL) f->ops->inline_table(f, &t);
    if (t.form > t.forms) { /* the caller does not know it */
        t.form = GUIRA_INLINE_CALL;
        t.outside = 1;
    }
    return guira__struct_out(out, &t, INLINE_TABLE_FIRST_SIZE, sizeof t);
}

/* Changes one after the other, with the buckets of the next ones being prefetched. */
static size_t change_many(guira *f, const uint64_t *hash, size_t n, guira_status *out,
                          guira_status (*change)(guira *, uint64_t)) {
    enum { AHEAD = 16 };
    size_t done = 0;
    if (f == NULL || hash == NULL) return 0;
    for (size_t i = 0; i < n && i < AHEAD; i++) f->ops->prefetch(f, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (n - i > AHEAD) f->ops->prefetch(f, hash[i + AHEAD]);
        guira_status s = change(f, hash[i]);
        if (out != NULL) out[i] = s;
        done += s == GUIRA_OK;
    }
    return done;
}

size_t guira_insert_hash_many(guira *f, const uint64_t *hash, size_t n, guira_status *out) {
    size_t done = 0;
    if (f == NULL || hash == NULL) return 0;
    while (n > 0 && f->ops->insert_some != NULL) {
        size_t some = f->ops->insert_some(f, hash, n, out, &done);
        if (some == 0) break;
        hash += some;
        n -= some;
        if (out != NULL) out += some;
    }
    return done + change_many(f, hash, n, out, guira_insert_hash);
}

size_t guira_remove_hash_many(guira *f, const uint64_t *hash, size_t n, guira_status *out) {
    return change_many(f, hash, n, out, guira_remove_hash);
}

/* ------------------------------------------------------------------------------------------------------------- by key */

static bool is_key(const guira *f, const void *key, size_t len) { return f != NULL && (key != NULL || len == 0); }

uint64_t guira_hash(const guira *f, const void *key, size_t len) {
    if (!is_key(f, key, len)) return 0;
    return LIKELY(f->secret != NULL) ? guira__hash(f->secret, key, len) : guira__hash_by_seed(f->seed, key, len);
}

guira_status guira_hash_many(const guira *f, const void *keys, size_t size, size_t n, uint64_t *out) {
    uint8_t secret[SECRET_BYTES];
    if (f == NULL) return GUIRA_EINVAL;
    if (f->secret == NULL) guira__secret_derive(f->seed, secret);
    return guira__hash_many(f->secret != NULL ? f->secret : secret, keys, size, n, out);
}

guira_status guira_insert(guira *f, const void *key, size_t len) {
    return is_key(f, key, len) ? guira_insert_hash(f, guira_hash(f, key, len)) : GUIRA_EINVAL;
}

guira_status guira_insert_unique(guira *f, const void *key, size_t len) {
    return is_key(f, key, len) ? guira_insert_unique_hash(f, guira_hash(f, key, len)) : GUIRA_EINVAL;
}

bool guira_contains(const guira *f, const void *key, size_t len) {
    return is_key(f, key, len) && f->contains(f, guira_hash(f, key, len));
}

guira_status guira_remove(guira *f, const void *key, size_t len) {
    return is_key(f, key, len) ? f->ops->remove(f, guira_hash(f, key, len)) : GUIRA_EINVAL;
}

uint64_t guira_count(const guira *f, const void *key, size_t len) {
    return is_key(f, key, len) ? f->ops->count(f, guira_hash(f, key, len)) : 0;
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

guira_status guira_reserve(guira *f, uint64_t items) { return f == NULL ? GUIRA_EINVAL : f->ops->reserve(f, items); }

guira_status guira_shrink_to_fit(guira *f) { return f == NULL ? GUIRA_EINVAL : f->ops->shrink_to_fit(f); }

guira_status guira_clear(guira *f) { return f == NULL ? GUIRA_EINVAL : f->ops->clear(f); }

guira_status guira_clone(const guira *f, guira **out) {
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (f == NULL) return GUIRA_EINVAL;
    guira_status s = f->ops->clone(f, out);
    if (s == GUIRA_OK) guira__latency_forget(*out);
    return s;
}

bool guira__alike(const guira *a, const guira *b) {
    guira_config ca = guira__config_of(a), cb = guira__config_of(b);
    bool same_slots = ca.kind == GUIRA_TIDAL || ca.bucket_slots == cb.bucket_slots;
    return ca.kind == cb.kind && ca.slot_bits == cb.slot_bits && same_slots &&
           memcmp(ca.seed, cb.seed, sizeof ca.seed) == 0;
}

/* The bytes of a view may change while they are read, so a copy that was checked is merged instead. */
static guira_status combine(guira *into, const guira *from, guira_status (*how)(guira *into, const guira *from)) {
    guira *copy;
    if (how == NULL) return GUIRA_EUNSUPPORTED;
    if (from->ops->merge != NULL) return how(into, from);
    guira_status s = guira_clone(from, &copy);
    if (s != GUIRA_OK) return s;
    s = how(into, copy);
    guira_destroy(copy);
    return s;
}

/* Tidal filters may differ in their width: which widths, their merge knows. */
static bool can_combine(const guira *into, const guira *from) {
    if (into == NULL || from == NULL) return false;
    bool tidal = guira__config_of(into).kind == GUIRA_TIDAL && guira__config_of(from).kind == GUIRA_TIDAL;
    return tidal ? memcmp(into->seed, from->seed, sizeof into->seed) == 0 : guira__alike(into, from);
}

guira_status guira_merge(guira *into, const guira *from) {
    if (!can_combine(into, from)) return GUIRA_EINVAL;
    return combine(into, from, into->ops->merge);
}

guira_status guira_union(guira *into, const guira *from) {
    if (!can_combine(into, from)) return GUIRA_EINVAL;
    return combine(into, from, into->ops->unite);
}

guira_status guira_stats_get(const guira *f, guira_stats *out) {
    guira_stats s = {.size = sizeof s};
    if (f == NULL || out == NULL) return GUIRA_EINVAL;
    s.items = f->items;
    s.stash = f->ops->stash(f)->n;
    s.kicks = f->evict.kicks;
    s.evictions = f->evict.evictions;
    s.failures = f->failures;
    s.grows = f->grows;
    s.shrinks = f->shrinks;
    s.filters = 1;
    f->ops->stats(f, &s);
    s.bytes += guira__rare_bytes(f) + guira__latency_bytes(f);
    if (s.load == 0) s.load = (double)s.items / (double)s.slots;
    return guira__struct_out(out, &s, STATS_FIRST_SIZE, sizeof s);
}

guira_status guira_config_get(const guira *f, guira_config *out) {
    if (f == NULL || out == NULL) return GUIRA_EINVAL;
    guira_config c = guira__config_of(f);
    return guira__struct_out(out, &c, CONFIG_FIRST_SIZE, sizeof c);
}

guira_status guira_validate(const guira *f, const char **reason) {
    if (f == NULL) return GUIRA_EINVAL;
    const char *broken = f->ops->check(f);
    if (reason != NULL) *reason = broken;
    return broken == NULL ? GUIRA_OK : GUIRA_ECORRUPT;
}

void guira__head_init(guira *f, const struct guira__ops *ops, const guira_config *c) {
    f->ops = ops;
    f->contains = ops->contains;
    memcpy(f->seed, c->seed, sizeof f->seed);
    f->evict.rng = guira__number_of_seed(f->seed);
}

void guira__head_copied(guira *f) {
    f->contains = guira__latency_untimed(f);
    f->rare = NULL;
}

bool guira__rare_make(guira *f) {
    if (f->rare == NULL) f->rare = (struct rare *)guira__small_alloc(sizeof *f->rare);
    else return true;
    if (f->rare != NULL) memset(f->rare, 0, sizeof *f->rare);
    return f->rare != NULL;
}

void guira__rare_free(guira *f) {
    if (f->rare != NULL) guira__small_free(f->rare);
    f->rare = NULL;
}

void guira__rare_trim(guira *f) {
    const struct rare none = {0};
    if (f->rare != NULL && memcmp(f->rare, &none, sizeof none) == 0) guira__rare_free(f);
}

size_t guira__rare_bytes(const guira *f) { return f->rare == NULL ? 0 : guira__small_cost(sizeof *f->rare); }

void guira__head_dump(const guira *f, guira__sink *sink, void *to) {
    const struct stash *stash = f->ops->stash(f);
    const uint64_t number[] = {f->items, f->weight, f->evict.rng, f->evict.kicks, f->grows, f->shrinks, stash->n};
    sink(to, number, sizeof number);
    sink(to, stash->entry, stash->n * sizeof *stash->entry);
    sink(to, f->seed, sizeof f->seed);
}
