/* The consistent cuckoo filter as a file. Its sections, the last four once for each filter of the list:
 *
 *     head     counters                                          (format.c)
 *     list     how many filters, reserved, calm
 *     shape    f, b, k, v, M, buckets, items
 *     points   on the ring, ascending, 64 bits each
 *     owners   their buckets, 32 bits each
 *     slots    packed as they are in memory
 *
 * A view uses all of it where it lies. Points are read as numbers, so bytes that do not lie as numbers do in memory are
 * copied first: only who loads from an odd address has such, or a machine with its bytes the other way round. */
#include <string.h>

#include "alloc.h"
#include "consistent.h"
#include "format.h"

enum { LIST_NUMBERS = 3, SHAPE_NUMBERS = 7, LEAST_BYTES = 512 /* four sections take no less */ };

/* -------------------------------------------------------------------------------------------------------------- saving */

static void put_numbers(struct guira__writer *w, const char *tag, const uint64_t *number, size_t n) {
    guira__section_start(w, tag, 8 * n);
    for (size_t i = 0; i < n; i++) guira__section_put_u64(w, number[i]);
}

static void put_filter(const struct i2cf *f, struct guira__writer *w) {
    const struct shape *s = &f->shape;
    const uint64_t number[SHAPE_NUMBERS] = {s->bits, s->slots, s->candidates, s->nodes, s->ring, f->buckets, f->items};
    put_numbers(w, "shape", number, SHAPE_NUMBERS);
    guira__section_start(w, "points", 8 * f->ring.n);
    for (uint64_t i = 0; i < f->ring.n; i++) guira__section_put_u64(w, f->ring.point[i]);
    guira__section_start(w, "owners", 4 * f->ring.n);
    for (uint64_t i = 0; i < f->ring.n; i++) {
        uint8_t bytes[8];
        put_u64(bytes, f->ring.owner[i]);
        guira__section_put(w, bytes, 4);
    }
    guira__section_start(w, "slots", guira__i2cf_table_bytes(f));
    guira__section_put(w, f->table, guira__i2cf_table_bytes(f));
}

void guira__consistent_save(const guira *head, struct guira__writer *w) {
    const struct consistent *f = (const struct consistent *)head;
    const uint64_t number[LIST_NUMBERS] = {f->filters, f->reserved, f->calm};
    guira__head_write(w, head);
    put_numbers(w, "list", number, LIST_NUMBERS);
    for (uint64_t i = 0; i < f->filters; i++) put_filter(&f->list[i], w);
}

/* ------------------------------------------------------------------------------------------------------------- viewing */

static bool inside(uint64_t n, uint64_t low, uint64_t high) { return n >= low && n <= high; }

/* Reads the numbers of one filter; false: there can be no such. */
static bool get_shape(struct guira__reader *r, struct shape *s, uint64_t *buckets, uint64_t *items) {
    const uint8_t *p = guira__section_expect(r, "shape", 8 * SHAPE_NUMBERS);
    if (p == NULL || !inside(get_u64(p), 4, 32) || !inside(get_u64(p + 8), 1, MAX_BUCKET_SLOTS) ||
        !inside(get_u64(p + 16), 1, MAX_CANDIDATES) || !inside(get_u64(p + 24), 1, MAX_NODES) || get_u64(p + 32) < 3)
        return false;
    *s = (struct shape){(unsigned)get_u64(p), (unsigned)get_u64(p + 8), (unsigned)get_u64(p + 16),
                        (unsigned)get_u64(p + 24), get_u64(p + 32)};
    *buckets = get_u64(p + 40);
    *items = get_u64(p + 48);
    return inside(*buckets, 1, UINT32_MAX);
}

static void get_points(struct ring *ring, const uint8_t *points, const uint8_t *owners) {
    for (uint64_t i = 0; i < ring->n; i++) {
        uint8_t bytes[8] = {0};
        memcpy(bytes, owners + 4 * i, 4);
        ring->point[i] = get_u64(points + 8 * i);
        ring->owner[i] = (uint32_t)get_u64(bytes);
    }
}

/* Whether numbers can be read from these bytes as they are. */
static bool lies_right(const uint8_t *points, const uint8_t *owners) {
    return le64(1) == 1 && (uintptr_t)points % _Alignof(uint64_t) == 0 && (uintptr_t)owners % _Alignof(uint32_t) == 0;
}

/* Memory is taken when all the bytes it is for have been seen. */
static guira_status get_filter(struct guira__reader *r, struct i2cf *f) {
    struct shape s;
    uint64_t buckets, items;
    if (!get_shape(r, &s, &buckets, &items)) return GUIRA_ECORRUPT;
    const uint8_t *points = guira__section_expect(r, "points", 8 * s.nodes * buckets);
    const uint8_t *owners = points != NULL ? guira__section_expect(r, "owners", 4 * s.nodes * buckets) : NULL;
    uint64_t bytes = (buckets * s.slots * s.bits + 7) / 8;
    const uint8_t *slots = owners != NULL ? guira__section_expect(r, "slots", bytes) : NULL;
    if (slots == NULL) return GUIRA_ECORRUPT;
    bool stays = lies_right(points, owners);
    guira_status status =
        stays ? guira__i2cf_view(f, &s, buckets, points, owners, slots) : guira__i2cf_take(f, &s, buckets);
    if (status != GUIRA_OK) return status == GUIRA_ELIMIT ? GUIRA_ECORRUPT : status;
    f->items = items;
    if (stays) return GUIRA_OK;
    get_points(&f->ring, points, owners);
    memcpy(f->table, slots, bytes);
    return GUIRA_OK;
}

static guira_status view_read(struct consistent *f, const struct guira__ops *ops, const guira_config *c,
                              struct guira__reader *r) {
    if (!guira__head_read(r, ops, c, &f->head) || f->head.stash.n > 0) return GUIRA_ECORRUPT;
    struct shape first = guira__consistent_shape(c);
    if (!guira__i2cf_can_be(&first, guira__consistent_buckets_for(c, c->capacity))) return GUIRA_ECORRUPT;
    f->head.bytes = guira__alloc_cost(sizeof *f);
    const uint8_t *p = guira__section_expect(r, "list", 8 * LIST_NUMBERS);
    if (p == NULL) return GUIRA_ECORRUPT;
    uint64_t filters = get_u64(p);
    f->reserved = get_u64(p + 8);
    f->calm = get_u64(p + 16);
    if (!inside(filters, 1, c->max_filters) || filters > r->left / LEAST_BYTES) return GUIRA_ECORRUPT;
    f->room = guira__consistent_list_room(filters);
    f->list = guira__alloc(f->room * sizeof *f->list);
    guira_status s = f->list != NULL ? GUIRA_OK : GUIRA_ENOMEM;
    for (; s == GUIRA_OK && f->filters < filters; f->filters += s == GUIRA_OK) s = get_filter(r, &f->list[f->filters]);
    return s;
}

guira_status guira__consistent_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *r,
                                    guira **out) {
    struct consistent *f = guira__zalloc(sizeof *f);
    if (f == NULL) return GUIRA_ENOMEM;
    guira_status s = view_read(f, ops, c, r);
    if (s == GUIRA_OK) *out = &f->head;
    else guira__consistent_destroy(&f->head);
    return s;
}
