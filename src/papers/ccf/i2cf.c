/* The entries and the memory of one I2CF: see i2cf.h. */
#include "papers/ccf/i2cf.h"

#include <math.h>

#include "base/alloc.h"
#include "papers/ccf/ccf.h"

/* ------------------------------------------------------------------------------------------------------------- entries */

uint64_t guira__i2cf_position(const struct i2cf *f, uint64_t fingerprint, unsigned i) {
    return 1 + guira__hash_pair(fingerprint, i) % (f->ring.size - 1);
}

static uint64_t candidate(const guira *list, uint64_t bucket, uint64_t what, unsigned which) {
    const struct i2cf *f = (const struct i2cf *)((const struct paper *)list)->target;
    (void)bucket;
    return ring_owner(&f->ring, guira__i2cf_position(f, what, which));
}

const struct paper_kind guira__ccf_paper = {.candidate = candidate, .save = guira__ccf_save};

/* One fingerprint, 1, is twice as likely as each of the others: for the key as well as for the entries. */
double guira__i2cf_miss(unsigned bits, double entries) {
    double p = ldexp(1, -(int)bits);
    return (1 - 2 * p) * exp(entries * log1p(-p)) + 2 * p * exp(entries * log1p(-2 * p));
}

void guira__i2cf_candidates(const struct i2cf *f, uint64_t fingerprint, struct candidates *c) {
    c->what = fingerprint;
    c->n = 0;
    for (unsigned i = 0; i < f->candidates; i++) {
        uint32_t bucket = ring_owner(&f->ring, guira__i2cf_position(f, fingerprint, i));
        unsigned j = 0;
        while (j < c->n && c->bucket[j] != bucket) j++;
        if (j == c->n) c->bucket[c->n++] = bucket;
    }
}

/* Positions are the same by chance only, unless the ring is tiny. */
uint64_t guira__i2cf_places(const struct i2cf *f, uint64_t fingerprint) {
    unsigned different = 0;
    for (unsigned i = 0, j; i < f->candidates; i++) {
        uint64_t position = guira__i2cf_position(f, fingerprint, i);
        for (j = 0; j < i && guira__i2cf_position(f, fingerprint, j) != position;) j++;
        different += j == i;
    }
    return (uint64_t)different * f->table.layout.slots;
}

bool guira__i2cf_find(const struct i2cf *f, uint64_t fingerprint, uint64_t *slot) {
    struct candidates c;
    guira__i2cf_candidates(f, fingerprint, &c);
    return guira__table_find(&f->table, &c, slot);
}

bool guira__i2cf_place(struct i2cf *f, uint64_t fingerprint, unsigned kicks, struct undo_log *log, struct paper *list) {
    struct entry e = {ring_owner(&f->ring, guira__i2cf_position(f, fingerprint, 0)), fingerprint};
    list->others = f->candidates;
    return guira__papers_place(list, &f->table, e, kicks, log);
}

bool guira__i2cf_insert(struct i2cf *f, uint64_t fingerprint, unsigned kicks, struct paper *list) {
    if (f->table.items == table_slots(&f->table)) return false; /* and need not be searched: most are full at a limit */
    bool placed = guira__i2cf_place(f, fingerprint, kicks, NULL, list);
    f->table.items += placed;
    return placed;
}

/* -------------------------------------------------------------------------------------------------------------- memory */

static uint64_t points_bytes(const struct i2cf *f, uint64_t room) { return room * f->nodes * 12; }

uint64_t guira__i2cf_block_bytes(const struct i2cf *f, uint64_t room) {
    return points_bytes(f, room) + packed_bytes(room * f->table.layout.slots, f->table.layout.bits);
}

uint64_t guira__i2cf_bytes(const struct i2cf *f) {
    return f->block != NULL ? guira__alloc_cost(guira__i2cf_block_bytes(f, f->room)) : 0;
}

/* At most an eighth and 8 more than needed. It depends on nothing else, so that filters of the same size take the same
 * memory, whatever their history is. */
uint64_t guira__i2cf_room(uint64_t buckets) {
    uint64_t room = 0;
    while (room < buckets) room += room / 8 + 8;
    return room;
}

/* Gives f a block for so many buckets, with the slots empty. The old block is left to the caller. */
static guira_status block_alloc(struct i2cf *f, uint64_t room) {
    uint64_t points = points_bytes(f, room), bytes = guira__i2cf_block_bytes(f, room);
    uint8_t *block = guira__memory_has((double)bytes) ? (uint8_t *)guira__alloc(bytes) : NULL;
    if (block == NULL) return GUIRA_ENOMEM;
    f->block = block;
    f->room = room;
    f->ring.point = (ring64 *)(void *)block;
    f->ring.owner = (ring32 *)(void *)(block + points / 12 * 8);
    f->table.bytes = block + points;
    memset(f->table.bytes, 0, bytes - points);
    return GUIRA_OK;
}

guira_status guira__i2cf_resize(struct i2cf *f, uint64_t room) {
    struct i2cf old = *f;
    guira_status s = block_alloc(f, room);
    if (s != GUIRA_OK) return s;
    memcpy(f->ring.point, old.ring.point, old.ring.n * sizeof *old.ring.point);
    memcpy(f->ring.owner, old.ring.owner, old.ring.n * sizeof *old.ring.owner);
    memcpy(f->table.bytes, old.table.bytes, i2cf_slot_bytes(&old));
    guira__free(old.block);
    return GUIRA_OK;
}

guira_status guira__i2cf_clone(const struct i2cf *f, struct i2cf *out) {
    *out = *f;
    out->block = NULL; /* which is the other filter's */
    return guira__i2cf_resize(out, f->room);
}

void guira__i2cf_free(struct i2cf *f) { guira__free(f->block); }

struct i2cf guira__i2cf_like(const guira_config *c) {
    return (struct i2cf){.table = table_of_config(c, 0),
                         .candidates = c->candidates,
                         .nodes = c->virtual_nodes,
                         .ring = {.size = c->ring}};
}

bool guira__i2cf_fits_ring(const struct i2cf *f, uint64_t buckets) {
    return buckets <= UINT32_MAX && buckets <= (f->ring.size - 1) / 2 / f->nodes;
}

guira_status guira__i2cf_make(struct i2cf *f, const struct i2cf *like, uint64_t buckets, struct paper *list) {
    *f = *like;
    f->block = NULL;
    f->table.items = 0;
    f->table.buckets = buckets;
    f->ring.n = buckets * f->nodes;
    if (!guira__i2cf_fits_ring(f, buckets)) return GUIRA_ELIMIT;
    if (block_alloc(f, guira__i2cf_room(buckets)) != GUIRA_OK) return GUIRA_ENOMEM;
    for (uint64_t i = 0; i < f->ring.n; i++) {
        f->ring.point[i] = le64(guira__i2cf_draw(f, list));
        f->ring.owner[i] = le32((uint32_t)(i / f->nodes));
    }
    guira__ring_sort(&f->ring);
    return GUIRA_OK;
}
