/* Views: read-only filters on bytes that are not ours. guira_view is for memory of the caller's, guira_map (map.c) for files.
 *
 * A kind's view (format/sections.h) answers lookups from the bytes. What is left is to refuse changes, at no cost to
 * filters that can change: a view has a table of functions of its own, a copy of its kind's in which those that change
 * something refuse. The other data of the view comes before the table:
 *
 *     [ the kind's own ops | bytes, n | release | ops: insert = refuse, ... ]
 *                                                 ^ f->ops
 *
 * Opening a view checks what is small: header, section heads, counters. What is large may hold anything, and a lookup
 * reads nowhere else. guira_validate reads all of it. A clone can be changed, so it is checked in full, and what is
 * checked is the clone: the bytes of a mapped file may change at any time. */
#include <string.h>

#include "base/alloc.h"
#include "io/io.h"
#include "kinds/kinds.h"

struct view {
    const struct guira__ops *kind;
    uint8_t *bytes;
    size_t n;
    guira__release_fn *release;
    struct guira__ops ops; /* last, because the rest of the kind's table follows */
};

static size_t view_size(const struct guira__ops *kind) { return offsetof(struct view, ops) + kind->bytes; }

static struct view *view_of(const guira *f) { return (struct view *)((uintptr_t)f->ops - offsetof(struct view, ops)); }

static void release_nothing(uint8_t *bytes, size_t n) {
    (void)bytes;
    (void)n;
}

static void release_block(uint8_t *bytes, size_t n) {
    (void)n;
    guira__free(bytes);
}

/* ----------------------------------------------------------------------------------------------- functions of a view */

static guira_status refuse_hash(guira *f, uint64_t hash) {
    (void)f;
    (void)hash;
    return GUIRA_EUNSUPPORTED;
}

static guira_status refuse(guira *f) {
    (void)f;
    return GUIRA_EUNSUPPORTED;
}

static void view_destroy(guira *f) {
    struct view *v = view_of(f);
    f->ops = v->kind;
    f->ops->destroy(f);
    v->release(v->bytes, v->n);
    guira__free(v);
}

static void view_stats(const guira *f, guira_stats *out) {
    const struct view *v = view_of(f);
    v->kind->stats(f, out);
    out->bytes += guira__alloc_cost(view_size(v->kind)) + (v->release == release_block ? guira__alloc_cost(v->n) : 0);
}

static const char *view_check(const guira *f) {
    const struct view *v = view_of(f);
    if (!guira__sections_intact((struct guira__reader){.at = v->bytes + HEADER_BYTES, .left = v->n - HEADER_BYTES}))
        return "file: a checksum is wrong";
    return v->kind->check(f);
}

/* Where saving a clone compares its bytes with those of the view. The header was read when the view was made; it may have
 * fields that the kind does not use. */
struct comparison {
    const uint8_t *at;
    size_t left, header;
};

static bool is_same(void *to, const void *bytes, size_t n) {
    struct comparison *c = (struct comparison *)to;
    size_t skipped = n < c->header ? n : c->header;
    if (n > c->left || memcmp(c->at + skipped, (const uint8_t *)bytes + skipped, n - skipped) != 0) return false;
    c->header -= skipped;
    c->at += n;
    c->left -= n;
    return true;
}

/* Saving f gives the bytes of the view, checksums included: so f has what was saved, whatever happened meanwhile. */
static bool saves_as(const guira *f, const struct view *v) {
    struct comparison c = {v->bytes, v->n, HEADER_BYTES};
    return guira_save_to(f, is_same, &c) == GUIRA_OK && c.left == 0;
}

static guira_status view_clone(const guira *f, guira **out) {
    const struct view *v = view_of(f);
    guira_status s = v->kind->clone(f, out);
    if (s != GUIRA_OK) return s;
    (*out)->ops = v->kind;
    if (saves_as(*out, v) && v->kind->check(*out) == NULL) return GUIRA_OK;
    v->kind->destroy(*out);
    *out = NULL;
    return GUIRA_ECORRUPT;
}

const uint8_t *guira__view_bytes(const guira *f, size_t *n) {
    if (f->ops->destroy != view_destroy) return NULL;
    *n = view_of(f)->n;
    return view_of(f)->bytes;
}

/* ------------------------------------------------------------------------------------------------------------ opening */

/* Replaces the functions of a kind's view. */
static guira_status seal(guira *f, uint8_t *bytes, size_t n, guira__release_fn *release) {
    struct view *v = (struct view *)guira__alloc(view_size(f->ops));
    if (v == NULL) return GUIRA_ENOMEM;
    v->kind = f->ops;
    v->bytes = bytes;
    v->n = n;
    v->release = release;
    memcpy(&v->ops, f->ops, f->ops->bytes);
    v->ops.insert = v->ops.remove = v->ops.reserve = refuse_hash;
    v->ops.insert_some = NULL;
    v->ops.shrink_to_fit = v->ops.clear = refuse;
    v->ops.merge = v->ops.unite = NULL;
    v->ops.destroy = view_destroy;
    v->ops.check = view_check;
    v->ops.stats = view_stats;
    v->ops.clone = view_clone;
    f->ops = &v->ops;
    return GUIRA_OK;
}

static guira_status open_view(uint8_t *bytes, size_t n, guira__release_fn *release, guira **out) {
    struct header h;
    if (n < HEADER_BYTES) return GUIRA_EFORMAT;
    guira_status s = guira__header_read(bytes, guira__filter_resolve, &h);
    if (s != GUIRA_OK) return s;
    if (h.total != n) return GUIRA_ECORRUPT;
    const struct guira__ops *ops = guira__kind_ops(ISA_BEST, &h.config);
    if (ops == NULL) return GUIRA_EUNSUPPORTED;
    struct guira__reader r = {bytes + HEADER_BYTES, n - HEADER_BYTES, true, h.format};
    s = ops->view(ops, &h.config, &r, out);
    if (s != GUIRA_OK) return s;
    bool odd = r.left > 0 || guira__filter_format(*out) != h.format;
    s = odd ? GUIRA_ECORRUPT : seal(*out, bytes, n, release);
    if (s != GUIRA_OK) {
        ops->destroy(*out);
        *out = NULL;
    }
    return s;
}

guira_status guira__view_open(uint8_t *bytes, size_t n, guira__release_fn *release, guira **out) {
    guira_status s = open_view(bytes, n, release, out);
    if (s != GUIRA_OK) release(bytes, n);
    return s;
}

/* Buckets must lie on multiples of their size, so bytes that do not are copied. */
guira_status guira_view(const void *bytes, size_t n, guira **out) {
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (bytes == NULL) return GUIRA_EINVAL;
    if ((uintptr_t)bytes % SECTION_ALIGNMENT == 0)
        return guira__view_open((uint8_t *)(uintptr_t)bytes, n, release_nothing, out);
    if (n < HEADER_BYTES) return GUIRA_EFORMAT;
    uint8_t *copy = (uint8_t *)guira__alloc(n);
    if (copy == NULL) return GUIRA_ENOMEM;
    memcpy(copy, bytes, n);
    return guira__view_open(copy, n, release_block, out);
}
