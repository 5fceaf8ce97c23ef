/* The operations of the tidal filter for builds that must be small (WebAssembly): one copy of the code reads the
 * layout from the filter, and nothing is forced to be inlined. Slots of 16 bits, the default, have code of their own for
 * what is done for every key: tidal_16_small.c. */
#include "tidal/dispatch.h"
#include "tidal/tidal.inc"
#include "tidal/tidal_small.h"

ALWAYS_INLINE struct layout layout_any(const struct tidal *f) { return tidal_ops(f)->layout; }

static bool contains_any(const guira *f, uint64_t hash) {
    return contains(const_tidal_of(f), hash, layout_any(const_tidal_of(f)), SEGMENTED);
}
static size_t contains_many_any(const guira *f, const uint64_t *hash, size_t n, bool *out) {
    return contains_many(const_tidal_of(f), hash, n, out, layout_any(const_tidal_of(f)), SEGMENTED);
}
static uint64_t count_any(const guira *f, uint64_t hash) {
    return count(const_tidal_of(f), hash, layout_any(const_tidal_of(f)));
}
static void prefetch_any(const guira *f, uint64_t hash) {
    prefetch(const_tidal_of(f), hash, layout_any(const_tidal_of(f)));
}
static guira_status insert_any(guira *f, uint64_t hash) {
    return insert(tidal_of(f), hash, layout_any(tidal_of(f)), SEGMENTED);
}
static guira_status insert_full_any(struct tidal *f, uint64_t hash) { return insert_full(f, hash, layout_any(f)); }
static guira_status insert_entry_any(struct tidal *f, struct entry e) { return insert_entry(f, e, layout_any(f)); }
static guira_status remove_in_any(guira *f, uint64_t hash) {
    return remove_one(tidal_of(f), hash, layout_any(tidal_of(f)), SEGMENTED, true);
}
static guira_status remove_rare_any(struct tidal *f, uint64_t hash) { return remove_any(f, hash, layout_any(f)); }
static guira_status grow_any(struct tidal *f) { return grow_step(f, layout_any(f)); }
static guira_status shrink_any(struct tidal *f) { return shrink_step(f, layout_any(f)); }
static unsigned age_any(const struct tidal *f, uint64_t hash) { return youngest_match(f, hash, layout_any(f)).age; }
static bool refresh_any(struct tidal *f, uint64_t hash) { return refresh(f, hash, layout_any(f)); }

#define COMMON TIDAL_COMMON, .merge = guira__tidal_merge, .count = count_any
#define RARE(names_ops)                                                                     \
    .names = (names_ops), .insert_full = insert_full_any, .insert_entry = insert_entry_any, \
    .remove_any = remove_rare_any, .grow = grow_any, .shrink = shrink_any, .age = age_any, .refresh = refresh_any

#define OPS_ANY(the_layout, names_ops)                                       \
    {                                                                        \
        .common = {COMMON,                                                   \
                   .contains = contains_any,                                 \
                   .contains_many = contains_many_any,                       \
                   .prefetch = prefetch_any,                                 \
                   .insert = insert_any,                                     \
                   .remove = remove_in_any},                                 \
        .layout = the_layout, .contains_flat = contains_any, RARE(names_ops) \
    }

#define OPS_NAMED(the_layout) OPS_ANY(the_layout, &guira__tidal_portable[TIDAL_64])

/* In the order of tidal/dispatch.h. */
const struct tidal_ops guira__tidal_portable[TIDAL_LAYOUTS] = {
    OPS_NAMED(LAYOUT_12),
    {.common = {COMMON, .contains = guira__small_contains_16, .contains_many = guira__small_contains_many_16,
                .prefetch = guira__small_prefetch_16, .insert = guira__small_insert_16,
                .remove = guira__small_remove_16},
     .layout = LAYOUT_16,
     .contains_flat = guira__small_contains_flat_16,
     RARE(&guira__tidal_portable[TIDAL_64])},
    OPS_NAMED(LAYOUT_32),
    OPS_ANY(LAYOUT_64, NULL),
    OPS_ANY(LAYOUT_STAMPED, NULL),
    OPS_NAMED(LAYOUT_NARROW(13)),
    OPS_NAMED(LAYOUT_NARROW(14)),
    OPS_NAMED(LAYOUT_NARROW(15)),
    OPS_NAMED(LAYOUT_WIDE(17)),
    OPS_NAMED(LAYOUT_WIDE(18)),
    OPS_NAMED(LAYOUT_WIDE(19)),
    OPS_NAMED(LAYOUT_WIDE(20)),
    OPS_NAMED(LAYOUT_WIDE(21)),
    OPS_NAMED(LAYOUT_WIDE(22)),
    OPS_NAMED(LAYOUT_WIDE(23)),
    OPS_NAMED(LAYOUT_WIDE(24)),
    OPS_NAMED(LAYOUT_WIDE(25)),
    OPS_NAMED(LAYOUT_WIDE(26)),
    OPS_NAMED(LAYOUT_WIDE(28)),
    OPS_ANY(LAYOUT_STAMPED_WIDE(12), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(13), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(14), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(15), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(16), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(17), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(18), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(19), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(20), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(21), NULL),
    OPS_ANY(LAYOUT_STAMPED_WIDE(23), NULL),
};
