/* The model of an I2CF with the printed rules; the contracts are in i2cf.h. */
#include "i2cf.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY UINT32_MAX
#define NO_BUCKET UINT32_MAX /* no bucket is left out */
enum { FINGERPRINT_BITS = 30, MOST_KICKS = 2000, MOST_POINTS = 1024 };
static const uint64_t ring_size = UINT64_C(50000000000);

static void *grown(void *p, size_t bytes) {
    p = realloc(p, bytes);
    if (p == NULL) lab_fatal("no memory for a model");
    return p;
}

/* ------------------------------------------------------------------------------------------------------------- ring */

static uint64_t position(uint64_t x) { return 1 + mix(x) % (ring_size - 1); }
static uint64_t hash_of(uint32_t fingerprint, unsigned i) { return position((uint64_t)i << 32 | fingerprint); }

/* The index of the first point at or after a position; 0 after the last. */
static uint32_t index_of(const struct i2cf *f, uint64_t at) {
    uint32_t low = 0, high = f->points;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (f->point[middle].at < at) low = middle + 1;
        else high = middle;
    }
    return low == f->points ? 0 : low;
}

/* The bucket of a hash on the ring, as if the bucket `without` were not there. */
static uint32_t bucket_of(const struct i2cf *f, uint64_t at, uint32_t without) {
    uint32_t i = index_of(f, at);
    while (f->point[i].bucket == without) i = i + 1 == f->points ? 0 : i + 1;
    return f->point[i].bucket;
}

static bool is_candidate(const struct i2cf *f, uint32_t fingerprint, uint32_t bucket) {
    for (unsigned i = 0; i < f->config.candidates; i++)
        if (bucket_of(f, hash_of(fingerprint, i), NO_BUCKET) == bucket) return true;
    return false;
}

/* Adds the points of a bucket in one pass from the end. */
static void add_points(struct i2cf *f, struct i2cf_point *fresh, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) /* few points: insertion sort */
        for (uint32_t j = i; j > 0 && fresh[j].at < fresh[j - 1].at; j--) {
            struct i2cf_point t = fresh[j];
            fresh[j] = fresh[j - 1];
            fresh[j - 1] = t;
        }
    uint32_t old = f->points, at = old + n;
    f->points = at;
    while (n > 0) f->point[--at] = old > 0 && f->point[old - 1].at > fresh[n - 1].at ? f->point[--old] : fresh[--n];
}

static void drop_points(struct i2cf *f, uint32_t bucket) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->points; i++)
        if (f->point[i].bucket != bucket) f->point[kept++] = f->point[i];
    f->points = kept;
}

/* ----------------------------------------------------------------------------------------------------------- places */

static uint32_t *slots_of(const struct i2cf *f, uint32_t bucket) { return f->slot + (size_t)bucket * f->config.slots; }

static uint32_t *find(const struct i2cf *f, uint32_t bucket, uint32_t fingerprint) {
    uint32_t *slot = slots_of(f, bucket);
    for (unsigned i = 0; i < f->config.slots; i++)
        if (slot[i] == fingerprint) return slot + i;
    return NULL;
}

static unsigned count(const struct i2cf *f, uint32_t bucket) {
    unsigned n = 0;
    for (unsigned i = 0; i < f->config.slots; i++) n += slots_of(f, bucket)[i] != EMPTY;
    return n;
}

static bool store(struct i2cf *f, uint32_t bucket, uint32_t fingerprint) {
    uint32_t *slot = find(f, bucket, EMPTY);
    if (slot != NULL) *slot = fingerprint;
    return slot != NULL;
}

static bool store_in_a_candidate(struct i2cf *f, uint32_t fingerprint, uint32_t without) {
    for (unsigned i = 0; i < f->config.candidates; i++)
        if (store(f, bucket_of(f, hash_of(fingerprint, i), without), fingerprint)) return true;
    return false;
}

static void undo(uint32_t **log, unsigned n, uint32_t fingerprint) {
    while (n > 0) {
        uint32_t kicked_in = *log[--n];
        *log[n] = fingerprint;
        fingerprint = kicked_in;
    }
}

/* The random walk: a victim goes to one of its other candidates. *fingerprint is the one without a place if it fails;
 * with `keep` everything is put back instead. */
static bool kick(struct i2cf *f, uint32_t *fingerprint, uint32_t without, bool keep) {
    uint32_t *log[MOST_KICKS], mine = *fingerprint;
    unsigned k = f->config.candidates, n = 0;
    uint32_t bucket = bucket_of(f, hash_of(mine, (unsigned)lab_rng_below(&f->rng, k)), without);
    for (; n < f->config.max_kicks; n++) {
        uint32_t *victim = slots_of(f, bucket) + lab_rng_below(&f->rng, f->config.slots), out = *victim;
        *victim = mine;
        log[n] = victim;
        mine = out;
        uint32_t other = bucket;
        for (unsigned tries = 0; tries < 2 * k && other == bucket; tries++)
            other = bucket_of(f, hash_of(mine, (unsigned)lab_rng_below(&f->rng, k)), without);
        bucket = other;
        if (store(f, bucket, mine)) return true;
    }
    if (keep) undo(log, n, mine);
    else *fingerprint = mine;
    return false;
}

/* ---------------------------------------------------------------------------------------------------------- resizing */

static uint32_t take_bucket(struct i2cf *f) {
    f->buckets++;
    if (f->unused_n > 0) return f->unused[--f->unused_n];
    if (f->buckets > f->capacity) {
        f->capacity = f->capacity * 2 + 64;
        f->slot = grown(f->slot, (size_t)f->capacity * f->config.slots * sizeof *f->slot);
        f->unused = grown(f->unused, f->capacity * sizeof *f->unused);
        f->point = grown(f->point, (size_t)f->capacity * f->config.virtual_nodes * sizeof *f->point);
    }
    return (uint32_t)f->buckets - 1;
}

/* Adds an empty bucket; successor gets the buckets that followed its points. */
static uint32_t add_bucket(struct i2cf *f, uint32_t *successor) {
    struct i2cf_point fresh[MOST_POINTS];
    uint32_t bucket = take_bucket(f);
    memset(slots_of(f, bucket), 0xff, f->config.slots * sizeof *f->slot);
    for (unsigned i = 0; i < f->config.virtual_nodes; i++) {
        fresh[i] = (struct i2cf_point){position(lab_rng_next(&f->rng)), bucket};
        if (successor != NULL) successor[i] = bucket_of(f, fresh[i].at, NO_BUCKET);
    }
    add_points(f, fresh, f->config.virtual_nodes);
    return bucket;
}

static void scale_up(struct i2cf *f);

/* Stores a fingerprint at any price: it, or the last victim of its walk, gets a place after scaling up. */
static void place(struct i2cf *f, uint32_t fingerprint) {
    while (!store_in_a_candidate(f, fingerprint, NO_BUCKET) && !kick(f, &fingerprint, NO_BUCKET, false)) scale_up(f);
}

/* Adds a bucket. What is no longer in one of its candidates moves, to the new bucket if that has room. */
static void scale_up(struct i2cf *f) {
    uint32_t successor[MOST_POINTS] = {0}, homeless[MOST_POINTS * 16];
    unsigned n = 0;
    add_bucket(f, successor);
    f->scaled_up++;
    for (unsigned i = 0; i < f->config.virtual_nodes; i++)
        for (unsigned j = 0; j < f->config.slots; j++) {
            uint32_t *slot = slots_of(f, successor[i]) + j;
            if (*slot == EMPTY || is_candidate(f, *slot, successor[i])) continue;
            homeless[n++] = *slot;
            *slot = EMPTY;
        }
    while (n > 0) place(f, homeless[--n]);
}

/* Removes a bucket with at most one fingerprint if that finds a place elsewhere. */
static void try_scale_down(struct i2cf *f, uint32_t bucket) {
    if (f->buckets == 1) return;
    for (unsigned i = 0; i < f->config.slots; i++) {
        uint32_t *slot = slots_of(f, bucket) + i, fingerprint = *slot;
        if (fingerprint == EMPTY) continue;
        if (!store_in_a_candidate(f, fingerprint, bucket) && !kick(f, &fingerprint, bucket, true)) return;
        *slot = EMPTY;
    }
    drop_points(f, bucket);
    f->unused[f->unused_n++] = bucket;
    f->buckets--;
    f->scaled_down++;
}

/* ------------------------------------------------------------------------------------------------------- operations */

struct i2cf i2cf_make(struct i2cf_config config, uint64_t seed) {
    struct i2cf f = {.config = config, .rng = {mix(seed)}};
    if (config.max_kicks > MOST_KICKS || config.virtual_nodes > MOST_POINTS || config.slots > 16 ||
        config.merge_below > 2)
        lab_fatal("a model of this shape is not possible");
    while (f.buckets < config.buckets) add_bucket(&f, NULL);
    return f;
}

void i2cf_free(struct i2cf *f) {
    free(f->slot);
    free(f->unused);
    free(f->point);
}

static uint32_t fingerprint_of(uint64_t hash) { return (uint32_t)(mix(hash) >> (64 - FINGERPRINT_BITS)); }

/* The slot of a stored fingerprint, or NULL; *bucket is set. */
static uint32_t *locate(const struct i2cf *f, uint32_t fingerprint, uint32_t *bucket) {
    for (unsigned i = 0; i < f->config.candidates; i++) {
        uint32_t *slot = find(f, *bucket = bucket_of(f, hash_of(fingerprint, i), NO_BUCKET), fingerprint);
        if (slot != NULL) return slot;
    }
    return NULL;
}

/* Whether copies of this fingerprint fill all its candidates: scaling up would not help. */
static bool is_saturated(const struct i2cf *f, uint32_t fingerprint) {
    for (unsigned i = 0; i < f->config.candidates; i++) {
        const uint32_t *slot = slots_of(f, bucket_of(f, hash_of(fingerprint, i), NO_BUCKET));
        for (unsigned j = 0; j < f->config.slots; j++)
            if (slot[j] != fingerprint) return false;
    }
    return true;
}

bool i2cf_insert(struct i2cf *f, uint64_t hash) {
    uint32_t fingerprint = fingerprint_of(hash);
    if (is_saturated(f, fingerprint)) return false;
    place(f, fingerprint);
    f->items++;
    return true;
}

bool i2cf_contains(const struct i2cf *f, uint64_t hash) {
    uint32_t bucket;
    return locate(f, fingerprint_of(hash), &bucket) != NULL;
}

bool i2cf_remove(struct i2cf *f, uint64_t hash) {
    uint32_t bucket, *slot = locate(f, fingerprint_of(hash), &bucket);
    if (slot == NULL) return false;
    *slot = EMPTY;
    f->items--;
    if (count(f, bucket) < f->config.merge_below) try_scale_down(f, bucket);
    return true;
}

double i2cf_load(const struct i2cf *f) { return (double)f->items / (double)(f->buckets * f->config.slots); }

double i2cf_bits(const struct i2cf *f) {
    return (double)(f->buckets * f->config.slots) * FINGERPRINT_BITS + f->points * (64.0 + 32);
}
