/* The model of a dynamic cuckoo filter; the contracts are in dcf.h. */
#include "dcf.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KICKS = 2000, MOST_SLOTS = 4096 };

static void add_filter(struct dcf *f) {
    uint32_t *slot = calloc((size_t)f->buckets * f->slots, sizeof *slot);
    if (f->filters == f->room) {
        f->room = 2 * f->room + 16;
        f->list = realloc(f->list, f->room * sizeof *f->list);
    }
    if (slot == NULL || f->list == NULL) lab_fatal("no memory for a model");
    f->list[f->filters++] = (struct dcf_filter){slot, 0};
}

struct dcf dcf_make(unsigned buckets, unsigned slots, unsigned max_kicks, uint64_t seed) {
    struct dcf f = {.buckets = buckets, .slots = slots, .max_kicks = max_kicks, .rng = {mix(seed)}};
    if (max_kicks > MOST_KICKS || buckets * slots > MOST_SLOTS) lab_fatal("a model of this shape is not possible");
    add_filter(&f);
    return f;
}

void dcf_free(struct dcf *f) {
    for (unsigned i = 0; i < f->filters; i++) free(f->list[i].slot);
    free(f->list);
}

/* ---------------------------------------------------------------------------------------------------------- buckets */

static uint32_t fingerprint_of(uint64_t hash) { return 1 + (uint32_t)(mix(hash) >> 34) % ((1U << 30) - 1); }
static unsigned first_of(const struct dcf *f, uint64_t hash) { return (unsigned)mix(hash + 1) & (f->buckets - 1); }
static unsigned other_of(const struct dcf *f, unsigned bucket, uint32_t fingerprint) {
    return bucket ^ ((unsigned)mix(fingerprint) & (f->buckets - 1));
}

static uint32_t *find(const struct dcf *f, unsigned filter, unsigned bucket, uint32_t fingerprint) {
    uint32_t *slot = f->list[filter].slot + (size_t)bucket * f->slots;
    for (unsigned i = 0; i < f->slots; i++)
        if (slot[i] == fingerprint) return slot + i;
    return NULL;
}

/* A slot of either bucket of a fingerprint that contains `what`, 0 for a free one; or NULL. */
static uint32_t *find_either(const struct dcf *f, unsigned filter, unsigned bucket, uint32_t fingerprint,
                             uint32_t what) {
    uint32_t *slot = find(f, filter, bucket, what);
    return slot != NULL ? slot : find(f, filter, other_of(f, bucket, fingerprint), what);
}

static bool store(struct dcf *f, unsigned filter, unsigned bucket, uint32_t fingerprint) {
    uint32_t *slot = find_either(f, filter, bucket, fingerprint, 0);
    if (slot == NULL) return false;
    *slot = fingerprint;
    f->list[filter].items++;
    return true;
}

/* The random walk; on failure every victim is put back. */
static bool kick(struct dcf *f, unsigned filter, unsigned bucket, uint32_t fingerprint) {
    uint32_t *log[MOST_KICKS];
    unsigned n = 0;
    for (; n < f->max_kicks; n++) {
        uint32_t *victim = f->list[filter].slot + (size_t)bucket * f->slots + lab_rng_below(&f->rng, f->slots);
        uint32_t out = *victim;
        *victim = fingerprint;
        log[n] = victim;
        fingerprint = out;
        bucket = other_of(f, bucket, fingerprint);
        if (store(f, filter, bucket, fingerprint)) return true;
    }
    while (n > 0) {
        uint32_t kicked_in = *log[--n];
        *log[n] = fingerprint;
        fingerprint = kicked_in;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------- operations */

static bool insert_into(struct dcf *f, unsigned filter, unsigned bucket, uint32_t fingerprint) {
    if (f->list[filter].items == f->buckets * f->slots) return false;
    return store(f, filter, bucket, fingerprint) || kick(f, filter, bucket, fingerprint);
}

void dcf_insert(struct dcf *f, uint64_t hash) {
    uint32_t fingerprint = fingerprint_of(hash);
    unsigned bucket = first_of(f, hash);
    f->total++;
    if (insert_into(f, f->active, bucket, fingerprint)) return;
    for (unsigned i = 0; i < f->filters && f->refill; i++)
        if (i != f->active && store(f, i, bucket, fingerprint)) return;
    add_filter(f);
    f->active = f->filters - 1;
    insert_into(f, f->active, bucket, fingerprint);
}

static uint32_t *locate(const struct dcf *f, uint64_t hash, unsigned *filter) {
    for (*filter = 0; *filter < f->filters; ++*filter) {
        uint32_t *slot = find_either(f, *filter, first_of(f, hash), fingerprint_of(hash), fingerprint_of(hash));
        if (slot != NULL) return slot;
    }
    return NULL;
}

bool dcf_contains(const struct dcf *f, uint64_t hash) {
    unsigned filter;
    return locate(f, hash, &filter) != NULL;
}

/* A free slot in the same bucket of another filter, or NULL. */
static uint32_t *corresponding_slot(struct dcf *f, unsigned from, unsigned bucket, unsigned *filter) {
    for (*filter = 0; *filter < f->filters; ++*filter) {
        uint32_t *slot = *filter == from ? NULL : find(f, *filter, bucket, 0);
        if (slot != NULL) return slot;
    }
    return NULL;
}

/* Copies all fingerprints of a filter to others; if one finds no place, takes the copies back. */
static bool copy_out(struct dcf *f, unsigned from) {
    struct {
        uint32_t *slot;
        unsigned filter;
    } done[MOST_SLOTS];
    unsigned n = 0;
    for (unsigned i = 0; i < f->buckets * f->slots; i++) {
        if (f->list[from].slot[i] == 0) continue;
        done[n].slot = corresponding_slot(f, from, i / f->slots, &done[n].filter);
        if (done[n].slot == NULL) {
            for (; n > 0; n--) *done[n - 1].slot = 0, f->list[done[n - 1].filter].items--;
            return false;
        }
        *done[n].slot = f->list[from].slot[i];
        f->list[done[n++].filter].items++;
    }
    return true;
}

static void try_merge(struct dcf *f) {
    unsigned from = 0;
    for (unsigned i = 1; i < f->filters; i++)
        if (f->list[i].items < f->list[from].items) from = i;
    if (f->filters == 1 || f->total > (uint64_t)(f->filters - 1) * f->buckets * f->slots || !copy_out(f, from)) return;
    free(f->list[from].slot);
    f->list[from] = f->list[--f->filters];
    f->active = f->active == from ? 0 : f->active == f->filters ? from : f->active;
}

bool dcf_remove(struct dcf *f, uint64_t hash) {
    unsigned filter;
    uint32_t *slot = locate(f, hash, &filter);
    if (slot == NULL) return false;
    *slot = 0;
    f->list[filter].items--;
    f->total--;
    try_merge(f);
    return true;
}

uint64_t dcf_slots(const struct dcf *f) { return (uint64_t)f->filters * f->buckets * f->slots; }
