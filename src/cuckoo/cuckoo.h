/* The fixed cuckoo filter: any number of buckets, which does not change.
 *
 *     key -> hash -> bucket i = the upper half of it scaled to m      one of m, for any m
 *                    fingerprint F = the lower half scaled to 1..2^bits - 1
 *
 *     partner of i: (h(F) - i) mod m         subtracting twice gives i again, so no power of two is needed
 *
 * Scaling the fingerprint leaves out 0, which means empty. Folding 0 onto 1 instead would double one fingerprint's odds.
 *
 *     cuckoo.inc                        the operations; compiled once for each instruction set
 *     config.c lifecycle.c check.c file.c      the filter as a whole
 *     merge.c                           two filters into one, two halves into one */
#ifndef GUIRA_CUCKOO_CUCKOO_H
#define GUIRA_CUCKOO_CUCKOO_H

#include "filter/filter.h"

#define CUCKOO_MAX_BUCKETS (UINT64_C(1) << 32) /* half a hash tells no more of them apart */

#define CUCKOO_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15) /* of a fingerprint: h(F) is its product, scaled to m */

struct cuckoo {
    guira head;
    guira_config config; /* every default filled in */
    uint64_t bytes;      /* allocated, the struct itself included */
    struct stash stash;
    uint8_t secret[SECRET_BYTES];
    uint8_t *table;
    uint64_t buckets;
    unsigned shift; /* how often it was halved: see merge.c */
    struct layout layout;
    bool in_region;
    bool is_view; /* the table is part of a file and not ours */
};

extern const struct guira__kind guira__cuckoo_kind;

static inline struct cuckoo *cuckoo_of(guira *f) { return (struct cuckoo *)f; }
static inline const struct cuckoo *const_cuckoo_of(const guira *f) { return (const struct cuckoo *)f; }

ALWAYS_INLINE uint64_t cuckoo_scale(uint64_t half_hash, uint64_t n) { return half_hash * n >> 32; }

ALWAYS_INLINE uint64_t cuckoo_fingerprint(uint64_t hash, struct layout l) {
    return 1 + cuckoo_scale(hash & UINT32_MAX, (UINT64_C(1) << l.bits) - 1);
}

/* The bucket of the upper half of a 64-bit number. */
ALWAYS_INLINE uint64_t cuckoo_bucket(const struct cuckoo *f, uint64_t number) {
    return cuckoo_scale((uint32_t)(number >> 32 << f->shift), f->buckets);
}

ALWAYS_INLINE uint64_t cuckoo_partner(const struct cuckoo *f, uint64_t bucket, uint64_t fingerprint) {
    uint64_t h = cuckoo_bucket(f, fingerprint * CUCKOO_MULTIPLIER);
    int64_t partner = (int64_t)(h - bucket); /* the sign decides: a subtraction, an addition and a choice */
    return (uint64_t)(partner < 0 ? partner + (int64_t)f->buckets : partner);
}

ALWAYS_INLINE struct entry cuckoo_entry(const struct cuckoo *f, uint64_t hash, struct layout l) {
    return (struct entry){cuckoo_bucket(f, hash), cuckoo_fingerprint(hash, l)};
}

static inline uint64_t cuckoo_rows(const struct cuckoo *f) { return layout_row(f->buckets - 1, f->layout) + 1; }
static inline uint64_t cuckoo_table_bytes(const struct cuckoo *f) { return cuckoo_rows(f) * f->layout.bucket_bytes; }

/* The layout that a resolved configuration means. */
static inline struct layout cuckoo_layout(const guira_config *c) { return layout_of(c->slot_bits, c->bucket_slots); }

/* The buckets that are configured, or that the capacity needs; CUCKOO_MAX_BUCKETS + 1: too many. */
uint64_t guira__cuckoo_buckets(const guira_config *c);

/* How often a filter with this configuration was halved. */
static inline unsigned cuckoo_shift(const guira_config *c) {
    return c->factor == 0 ? 0 : (unsigned)__builtin_ctz(c->factor);
}

guira_status guira__cuckoo_create(const struct guira__ops *ops, const guira_config *c, guira **out);
void guira__cuckoo_destroy(guira *f);
guira_status guira__cuckoo_clone(const guira *f, guira **out);
guira_status guira__cuckoo_reserve(guira *f, uint64_t items);
guira_status guira__cuckoo_shrink_to_fit(guira *f);
guira_status guira__cuckoo_clear(guira *f);
guira_status guira__cuckoo_merge(guira *into, const guira *from); /* EINVAL: of another size */
/* For a new filter and one from a file, besides its head. */
void guira__cuckoo_set_config(struct cuckoo *f, const guira_config *c);
void guira__cuckoo_config_of(const guira *f, guira_config *out);
struct stash *guira__cuckoo_stash(const guira *f);
void guira__cuckoo_stats(const guira *f, guira_stats *out);
const char *guira__cuckoo_check(const guira *f);
const char *guira__cuckoo_check_stash(const struct cuckoo *f);
void guira__cuckoo_dump(const guira *f, guira__sink *sink, void *to);
void guira__cuckoo_save(const guira *f, struct guira__writer *to);
guira_status guira__cuckoo_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                                guira **out);

#endif
