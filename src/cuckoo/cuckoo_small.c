/* The operations of the fixed cuckoo filter for builds that must be small (WebAssembly): all layouts share code that reads
 * the layout from the filter. */
#include "cuckoo/dispatch.h"
#include "cuckoo/cuckoo.inc"

ALWAYS_INLINE struct layout layout_any(const guira *f) { return const_cuckoo_of(f)->layout; }

static bool contains_any(const guira *f, uint64_t hash) {
    return contains_rare(const_cuckoo_of(f), hash, layout_any(f));
}
static size_t contains_many_any(const guira *f, const uint64_t *hash, size_t n, bool *out) {
    return contains_many(const_cuckoo_of(f), hash, n, out, layout_any(f));
}
static uint64_t count_any(const guira *f, uint64_t hash) { return count(const_cuckoo_of(f), hash, layout_any(f)); }
static void prefetch_any(const guira *f, uint64_t hash) { prefetch(const_cuckoo_of(f), hash, layout_any(f)); }
static NOINLINE guira_status insert_full_any(struct cuckoo *f, struct entry e) {
    return insert_full(f, e, layout_any(&f->head));
}
static guira_status insert_any(guira *f, uint64_t hash) {
    return insert(cuckoo_of(f), hash, layout_any(f), insert_full_any);
}
static NOINLINE guira_status remove_with_stash_any(struct cuckoo *f, struct entry e) {
    return remove_with_stash(f, e, layout_any(&f->head));
}
static guira_status remove_any(guira *f, uint64_t hash) {
    return remove_one(cuckoo_of(f), hash, layout_any(f), remove_with_stash_any);
}

#define OPS_ANY                                                                                          \
    {                                                                                                    \
        CUCKOO_COMMON, .contains = contains_any, .contains_many = contains_many_any, .count = count_any, \
                       .prefetch = prefetch_any, .insert = insert_any, .remove = remove_any              \
    }

const struct guira__ops guira__cuckoo_portable[CUCKOO_LAYOUTS] = {
    OPS_ANY, OPS_ANY, OPS_ANY, OPS_ANY, OPS_ANY, OPS_ANY, OPS_ANY,
};
