/* See old_part.h. */
#include "old_part.h"

#include <string.h>

#include "memory.h"
#include "serialize.h"

/* ---------------------------------------------------------------------------------------------------------------- shape */

static bool is_power_of_two(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

/* RedisBloom computes positions in a sub-filter with 32 bits. */
#define MAX_FILTER_BYTES (UINT64_C(1) << 32)

bool old_shape_valid(const struct old_shape *s) {
    if (s->filters < 1 || s->filters > OLD_MAX_FILTERS || s->bucket_size < 1 || s->bucket_size > 255) return false;
    for (uint64_t i = 0; i < s->filters; i++) {
        uint64_t buckets = s->buckets_of[i];
        if (!is_power_of_two(buckets) || buckets > MAX_FILTER_BYTES / s->bucket_size) return false;
        if (i > 0 && buckets < s->buckets_of[i - 1]) return false; /* the order of removal depends on it */
    }
    return true;
}

uint64_t old_shape_bytes(const struct old_shape *s) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < s->filters; i++) sum += s->buckets_of[i] * s->bucket_size;
    return sum;
}

static uint64_t get_u16(const uint8_t *p) { return p[0] | (uint64_t)p[1] << 8; }

bool old_shape_parse(const uint8_t header[OLD_HEADER], struct old_shape *out) {
    *out = (struct old_shape){.buckets = get_u64(header + 8),
                              .deleted = get_u64(header + 16),
                              .filters = get_u64(header + 24),
                              .bucket_size = get_u16(header + 32),
                              .max_iterations = get_u16(header + 34),
                              .expansion = get_u16(header + 36)};
    uint64_t buckets = out->buckets;
    if (out->filters < 1 || out->filters > OLD_MAX_FILTERS) return false;
    for (uint64_t i = 0; i < out->filters && buckets <= MAX_FILTER_BYTES; i++) {
        out->buckets_of[i] = buckets;
        buckets *= out->expansion == 0 ? 1 : out->expansion;
    }
    return old_shape_valid(out);
}

/* -------------------------------------------------------------------------------------------------------------- lifecycle */

static uint64_t slots_of(const struct old_part *p, unsigned i) { return p->filter[i].buckets * p->bucket_size; }

struct old_part *old_part_create(const struct old_shape *s) {
    struct old_part *p = memory_alloc(sizeof *p + s->filters * sizeof *p->filter);
    if (p == NULL) return NULL;
    *p = (struct old_part){.bucket_size = s->bucket_size, .n = (unsigned)s->filters};
    for (unsigned i = 0; i < p->n; i++) p->filter[i] = (struct old_filter){s->buckets_of[i], NULL};
    return p;
}

void old_part_count_items(struct old_part *p) {
    p->items = p->copies.total;
    for (unsigned i = 0; i < p->n; i++)
        for (uint64_t j = 0; j < slots_of(p, i); j++) p->items += p->filter[i].slots[j] != 0;
}

void old_part_free(struct old_part *p) {
    if (p == NULL) return;
    for (unsigned i = 0; i < p->n; i++) memory_free(p->filter[i].slots);
    copies_free(&p->copies);
    memory_free(p);
}

/* A copy of n bytes; NULL: no memory. */
static void *copy_of(const void *bytes, uint64_t n) {
    void *p = memory_alloc(n);
    if (p != NULL) memcpy(p, bytes, n);
    return p;
}

/* slots: those of all filters, one after the other. False: no memory. */
static bool copy_slots(struct old_part *p, const uint8_t *slots) {
    for (unsigned i = 0; i < p->n; slots += slots_of(p, i), i++)
        if ((p->filter[i].slots = copy_of(slots, slots_of(p, i))) == NULL) return false;
    return true;
}

struct old_part *old_part_of_slots(const struct old_shape *s, const uint8_t *slots) {
    struct old_part *p = old_part_create(s);
    if (p == NULL) return NULL;
    if (!copy_slots(p, slots)) {
        old_part_free(p);
        return NULL;
    }
    old_part_count_items(p);
    return p;
}

struct old_part *old_part_clone(const struct old_part *p) {
    struct old_shape s = {.filters = p->n, .bucket_size = p->bucket_size};
    for (unsigned i = 0; i < p->n; i++) s.buckets_of[i] = p->filter[i].buckets;
    struct old_part *clone = old_part_create(&s);
    if (clone == NULL) return NULL;
    bool complete = true;
    for (unsigned i = 0; i < p->n && complete; i++) {
        clone->filter[i].slots = copy_of(p->filter[i].slots, slots_of(p, i));
        complete = clone->filter[i].slots != NULL;
    }
    if (complete && p->copies.slots > 0) {
        struct copy *slot = copy_of(p->copies.slot, p->copies.slots * sizeof *slot);
        complete = slot != NULL;
        if (complete) clone->copies = (struct copies){p->copies.slots, p->copies.used, p->copies.total, slot};
    }
    clone->items = p->items;
    if (complete) return clone;
    old_part_free(clone);
    return NULL;
}

/* --------------------------------------------------------------------------------------------------------------- lookup */

/* Where an item may be in one sub-filter: two buckets, which may be the same one. */
struct candidates {
    uint8_t fingerprint;
    uint64_t bucket[2];
    unsigned n;
};

static struct candidates candidates_of(const struct old_part *p, unsigned i, uint64_t hash) {
    uint64_t fingerprint = hash % 255 + 1, mask = p->filter[i].buckets - 1;
    uint64_t first = hash & mask, second = (hash ^ fingerprint * 0x5bd1e995) & mask;
    return (struct candidates){(uint8_t)fingerprint, {first, second}, first == second ? 1 : 2};
}

/* The slots of one bucket. */
static uint8_t *bucket_at(const struct old_part *p, unsigned i, uint64_t bucket) {
    return p->filter[i].slots + bucket * p->bucket_size;
}

/* A slot with this value in one of the buckets; NULL: there is none. */
static uint8_t *find_slot(const struct old_part *p, unsigned i, const struct candidates *c, uint8_t value) {
    for (unsigned k = 0; k < c->n; k++) {
        uint8_t *found = memchr(bucket_at(p, i, c->bucket[k]), value, p->bucket_size);
        if (found != NULL) return found;
    }
    return NULL;
}

/* What the table of copies calls them: the same number from either bucket. Not 0, since a fingerprint is not. */
static uint64_t name_of(unsigned i, const struct candidates *c) {
    uint64_t lower = c->n == 2 && c->bucket[1] < c->bucket[0] ? c->bucket[1] : c->bucket[0];
    return (uint64_t)i << 48 | lower << 8 | c->fingerprint;
}

static uint64_t count_in_filter(const struct old_part *p, unsigned i, uint64_t hash) {
    struct candidates c = candidates_of(p, i, hash);
    uint64_t n = copies_of(&p->copies, name_of(i, &c));
    for (unsigned k = 0; k < c.n; k++)
        for (uint64_t j = 0; j < p->bucket_size; j++) n += bucket_at(p, i, c.bucket[k])[j] == c.fingerprint;
    return n;
}

uint64_t old_part_count(const struct old_part *p, uint64_t hash) {
    uint64_t n = 0;
    for (unsigned i = 0; i < p->n; i++) n += count_in_filter(p, i, hash);
    return n;
}

/* --------------------------------------------------------------------------------------------------------------- changes */

/* The copy goes into a sub-filter that has a match already. */
bool old_part_add(struct old_part *p, uint64_t hash) {
    unsigned i = 0;
    while (i < p->n - 1 && count_in_filter(p, i, hash) == 0) i++;
    struct candidates c = candidates_of(p, i, hash);
    uint8_t *room = find_slot(p, i, &c, 0);
    if (room != NULL) *room = c.fingerprint;
    else if (!copies_add(&p->copies, name_of(i, &c))) return false;
    p->items++;
    return true;
}

bool old_part_remove(struct old_part *p, uint64_t hash) {
    for (unsigned i = p->n; i-- > 0;) {
        struct candidates c = candidates_of(p, i, hash);
        bool removed = copies_remove(&p->copies, name_of(i, &c));
        uint8_t *slot = removed ? NULL : find_slot(p, i, &c, c.fingerprint);
        if (slot != NULL) *slot = 0;
        if (!removed && slot == NULL) continue;
        p->items--;
        return true;
    }
    return false;
}

/* --------------------------------------------------------------------------------------------------------------- as bytes */

static uint64_t head_size(const struct old_part *p) { return (3 + p->n) * UINT64_C(8); }
static uint64_t copies_size(const struct old_part *p) { return p->copies.slots * sizeof *p->copies.slot; }

uint64_t old_part_size(const struct old_part *p) {
    uint64_t n = head_size(p) + copies_size(p);
    for (unsigned i = 0; i < p->n; i++) n += slots_of(p, i);
    return n;
}

static bool write_u64(uint64_t n, guira_write_fn *write, void *to) {
    uint8_t bytes[8];
    put_u64(bytes, n);
    return write(to, bytes, sizeof bytes);
}

bool old_part_write(const struct old_part *p, guira_write_fn *write, void *to) {
    bool good = write_u64(p->bucket_size, write, to) && write_u64(p->n, write, to);
    for (unsigned i = 0; i < p->n; i++) good = good && write_u64(p->filter[i].buckets, write, to);
    good = good && write_u64(p->copies.slots, write, to);
    for (unsigned i = 0; i < p->n; i++) good = good && write(to, p->filter[i].slots, slots_of(p, i));
    for (uint64_t i = 0; i < p->copies.slots; i++)
        good = good && write_u64(p->copies.slot[i].what, write, to) && write_u64(p->copies.slot[i].count, write, to);
    return good;
}

static bool parse_copies(struct old_part *p, const uint8_t *bytes, uint64_t slots) {
    struct copies *c = &p->copies;
    if (slots == 0) return true;
    c->slot = memory_alloc(slots * sizeof *c->slot);
    if (c->slot == NULL) return false;
    c->slots = slots;
    for (uint64_t i = 0; i < slots; i++) {
        c->slot[i] = (struct copy){get_u64(bytes + 16 * i), get_u64(bytes + 16 * i + 8)};
        c->used += c->slot[i].what != 0;
        c->total += c->slot[i].count;
    }
    return copies_valid(c);
}

/* Reads the head; *slots is the number of slots in the table of copies. False: it does not fit n bytes. */
static bool parse_head(const uint8_t *bytes, uint64_t n, struct old_shape *s, uint64_t *slots) {
    if (n < 24) return false;
    *s = (struct old_shape){.bucket_size = get_u64(bytes), .filters = get_u64(bytes + 8)};
    if (s->filters < 1 || s->filters > OLD_MAX_FILTERS || n < (3 + s->filters) * 8) return false;
    for (uint64_t i = 0; i < s->filters; i++) s->buckets_of[i] = get_u64(bytes + 16 + 8 * i);
    *slots = get_u64(bytes + 16 + 8 * s->filters);
    if (!old_shape_valid(s) || *slots > n / 16) return false;
    return (3 + s->filters) * 8 + old_shape_bytes(s) + 16 * *slots == n;
}

struct old_part *old_part_parse(const uint8_t *bytes, uint64_t n) {
    struct old_shape s;
    uint64_t slots;
    struct old_part *p = parse_head(bytes, n, &s, &slots) ? old_part_create(&s) : NULL;
    if (p == NULL) return NULL;
    const uint8_t *at = bytes + head_size(p);
    if (copy_slots(p, at) && parse_copies(p, at + old_shape_bytes(&s), slots)) {
        old_part_count_items(p);
        return p;
    }
    old_part_free(p);
    return NULL;
}
