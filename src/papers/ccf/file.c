/* A CCF as a file: see format/sections.h. Its sections, the last four once for each filter of the list:
 *
 *     head     counters
 *     list     how many filters, reserved, shrink_below; then, unless both are 0, calm and removed
 *     shape    f, b, k, v, M, buckets, items
 *     points   on the ring, ascending, 64 bits each
 *     owners   their buckets, 32 bits each
 *     slots    packed as they are in memory, without the spare bytes
 *
 * A view uses all of it where it is. */
#include "base/alloc.h"
#include "filter/head.h"
#include "papers/ccf/ccf.h"

enum {
    LIST_NUMBERS = 5,
    FEWER_LIST_NUMBERS = 3,
    SHAPE_NUMBERS = 7,
    MIN_FILTER_BYTES = 512 /* four sections take no less */
};

static void put(struct guira__writer *w, const char *tag, const void *bytes, size_t n) {
    guira__section_start(w, tag, n);
    guira__section_put(w, bytes, n);
}

void guira__ccf_save(const guira *head, struct guira__writer *w) {
    const struct ccf *f = const_ccf_of(head);
    const uint64_t list[LIST_NUMBERS] = {f->filters, f->reserved, f->shrink_below, f->calm, f->removed};
    guira__section_put_numbers(w, "list", list, f->calm == 0 && f->removed == 0 ? FEWER_LIST_NUMBERS : LIST_NUMBERS);
    for (uint64_t i = 0; i < f->filters; i++) {
        const struct i2cf *it = &f->list[i];
        const struct table *t = &it->table;
        const uint64_t shape[SHAPE_NUMBERS] = {t->layout.bits, t->layout.slots, it->candidates, it->nodes,
                                               it->ring.size,  t->buckets,      t->items};
        guira__section_put_numbers(w, "shape", shape, SHAPE_NUMBERS);
        put(w, "points", it->ring.point, it->ring.n * sizeof *it->ring.point);
        put(w, "owners", it->ring.owner, it->ring.n * sizeof *it->ring.owner);
        put(w, "slots", t->bytes, i2cf_slot_bytes(it));
    }
}

static bool inside(uint64_t n, uint64_t low, uint64_t high) { return n >= low && n <= high; }

/* The numbers of one filter. False: they are impossible. */
static bool view_shape(struct i2cf *f, struct guira__reader *r) {
    uint64_t n[SHAPE_NUMBERS];
    const uint8_t *p = guira__section_expect(r, "shape", sizeof n);
    if (p == NULL) return false;
    for (unsigned i = 0; i < SHAPE_NUMBERS; i++) n[i] = get_u64(p + 8 * (size_t)i);
    if (!inside(n[0], 4, 32) || !inside(n[1], 1, PAPERS_MAX_SLOTS) || !inside(n[2], 1, MAX_CANDIDATES) ||
        !inside(n[3], 1, MAX_NODES) || n[4] < 3 || n[5] == 0)
        return false;
    *f =
        (struct i2cf){.table = {.buckets = n[5], .items = n[6]}, .candidates = (unsigned)n[2], .nodes = (unsigned)n[3]};
    f->table.layout = (struct layout){.bits = (unsigned)n[0], .slots = (unsigned)n[1]};
    f->ring.size = n[4];
    if (!guira__i2cf_fits_ring(f, n[5])) return false;
    f->ring.n = n[5] * n[3];
    f->room = guira__i2cf_room(n[5]);
    return true;
}

static bool view_filter(struct i2cf *f, struct guira__reader *r) {
    if (!view_shape(f, r)) return false;
    const uint8_t *points = guira__section_expect(r, "points", f->ring.n * sizeof *f->ring.point);
    const uint8_t *owners =
        points != NULL ? guira__section_expect(r, "owners", f->ring.n * sizeof *f->ring.owner) : NULL;
    const uint8_t *slots = owners != NULL ? guira__section_expect(r, "slots", i2cf_slot_bytes(f)) : NULL;
    f->ring.point = (ring64 *)(uintptr_t)points;
    f->ring.owner = (ring32 *)(uintptr_t)owners;
    f->table.bytes = (uint8_t *)(uintptr_t)slots;
    return slots != NULL;
}

static guira_status view_list(struct ccf *f, struct guira__reader *r) {
    const guira_config *c = &f->base.config;
    struct i2cf like = guira__i2cf_like(c);
    if (!guira__i2cf_fits_ring(&like, guira__ccf_buckets_for(c, c->capacity))) return GUIRA_ECORRUPT;
    uint64_t length, *const number[LIST_NUMBERS] = {&f->room, &f->reserved, &f->shrink_below, &f->calm, &f->removed};
    const uint8_t *p = guira__section_get(r, "list", &length);
    if (p == NULL || (length != 8 * LIST_NUMBERS && length != 8 * FEWER_LIST_NUMBERS)) return GUIRA_ECORRUPT;
    for (size_t i = 0; i < length / 8; i++) *number[i] = get_u64(p + 8 * i);
    if ((f->calm == 0 && f->removed == 0) != (length == 8 * FEWER_LIST_NUMBERS)) return GUIRA_ECORRUPT;
    if (!inside(f->room, 1, c->max_filters) || f->room > r->left / MIN_FILTER_BYTES) return GUIRA_ECORRUPT;
    f->list = (struct i2cf *)guira__alloc(f->room * sizeof *f->list);
    if (f->list == NULL) return GUIRA_ENOMEM;
    for (; f->filters < f->room; f->filters++)
        if (!view_filter(&f->list[f->filters], r)) return GUIRA_ECORRUPT;
    return GUIRA_OK;
}

guira_status guira__ccf_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r,
                             guira **out) {
    struct ccf *f = (struct ccf *)guira__papers_alloc(sizeof *f, &guira__ccf_paper, c->candidates);
    if (f == NULL) return GUIRA_ENOMEM;
    bool good = guira__papers_read(&f->base, ops, c, r) && f->base.stash.n == 0;
    return guira__papers_made(&f->head, good ? view_list(f, r) : GUIRA_ECORRUPT, guira__ccf_destroy, out);
}
