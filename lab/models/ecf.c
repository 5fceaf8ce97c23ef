/* The model of the elastic cuckoo filter; the contracts are in ecf.h. */
#include "ecf.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KICKS = 500 };

static uint16_t *allocate_slots(uint64_t n) {
    uint16_t *p = calloc(n, sizeof *p);
    if (p == NULL) lab_fatal("no memory for a model");
    return p;
}

struct ecf ecf_make(uint64_t buckets, unsigned slots, unsigned bits, uint64_t seed) {
    struct ecf f = {.buckets = buckets, .first_buckets = buckets, .halved_buckets = buckets, .span = 1, .factor = 1};
    while (f.span * 2 <= buckets) f.span *= 2;
    f.slots = slots;
    f.bits = bits;
    f.max_kicks = MAX_KICKS;
    f.slot = allocate_slots(buckets * slots);
    f.rng.state = seed;
    return f;
}

void ecf_free(struct ecf *f) { free(f->slot); }

/* --------------------------------------------------------------------------------------------------- bucket indices */

static uint64_t delta(uint16_t fingerprint) { return mix(fingerprint + UINT64_C(0x100000)) >> 8; }
static uint64_t jump(const struct ecf *f, uint16_t fingerprint) {
    return (mix(fingerprint + UINT64_C(0x200000)) & (f->span - 1)) >> f->halvings;
}

/* The offset, given the filter's history: halved as often as the filter, then moved to one of the copies that extension
 * made. */
uint64_t ecf_offset(const struct ecf *f, uint16_t fingerprint) {
    if (f->plain) return 0;
    uint64_t d = delta(fingerprint), copy = d / f->first_buckets % f->factor;
    return ((d % f->first_buckets) >> f->halvings) % f->halved_buckets + copy * f->halved_buckets;
}

static uint64_t distance(const struct ecf *f, uint64_t bucket, uint64_t offset) {
    uint64_t d = (bucket + f->buckets - offset) % f->buckets;
    if (!f->modulo_span) return d;
    uint64_t multiple = f->buckets / f->span * f->span + f->span; /* keeps bucket - offset positive mod span */
    return (bucket + multiple - offset) % f->span;
}

uint64_t ecf_alternate(const struct ecf *f, uint64_t bucket, uint16_t fingerprint) {
    uint64_t offset = ecf_offset(f, fingerprint);
    return (offset + (distance(f, bucket, offset) ^ jump(f, fingerprint))) % f->buckets;
}

struct ecf_entry ecf_entry_of(const struct ecf *f, uint64_t key) {
    uint64_t h = mix(key ^ UINT64_C(0x5bd1e995));
    struct ecf_entry e = {.fingerprint = (uint16_t)(1 + (h >> 40) % ((UINT64_C(1) << f->bits) - 1))};
    uint64_t d = (mix(h) & (f->span - 1)) >> f->halvings, offset = ecf_offset(f, e.fingerprint);
    e.first = (offset + d) % f->buckets;
    e.second = (offset + (d ^ jump(f, e.fingerprint))) % f->buckets;
    return e;
}

uint16_t *ecf_bucket(const struct ecf *f, uint64_t bucket) { return f->slot + bucket * f->slots; }

uint16_t *ecf_find(const struct ecf *f, uint64_t bucket, uint16_t fingerprint) {
    uint16_t *slot = ecf_bucket(f, bucket);
    for (unsigned i = 0; i < f->slots; i++)
        if (slot[i] == fingerprint) return slot + i;
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ insert and resize */

/* Inserts without kicks. */
static bool store(struct ecf *f, uint64_t bucket, uint16_t fingerprint) {
    uint16_t *empty = ecf_find(f, bucket, 0);
    f->reads += empty != NULL ? (uint64_t)(empty - ecf_bucket(f, bucket)) + 1 : f->slots;
    if (empty == NULL) return false;
    *empty = fingerprint;
    f->writes++;
    f->items++;
    return true;
}

/* Puts every victim back into its slot, in reverse order. */
static void undo(uint16_t **log, unsigned n, uint16_t fingerprint) {
    while (n > 0) {
        uint16_t kicked_in = *log[--n];
        *log[n] = fingerprint;
        fingerprint = kicked_in;
    }
}

bool ecf_insert_at(struct ecf *f, uint64_t bucket, uint16_t fingerprint) {
    uint16_t *log[MAX_KICKS];
    for (unsigned n = 0; !store(f, bucket, fingerprint); n++) {
        if (n == f->max_kicks) return undo(log, n, fingerprint), false;
        uint16_t *victim = ecf_bucket(f, bucket) + lab_rng_below(&f->rng, f->slots), out = *victim;
        *victim = fingerprint;
        log[n] = victim;
        f->kicks++;
        f->reads++;
        f->writes++;
        fingerprint = out;
        bucket = ecf_alternate(f, bucket, fingerprint);
    }
    return true;
}

bool ecf_insert(struct ecf *f, uint64_t key) {
    struct ecf_entry e = ecf_entry_of(f, key);
    if (store(f, e.first, e.fingerprint) || store(f, e.second, e.fingerprint)) return true;
    return ecf_insert_at(f, lab_rng_below(&f->rng, 2) ? e.first : e.second, e.fingerprint);
}

void ecf_extend(struct ecf *f, unsigned factor) {
    uint64_t old = f->buckets, n = old * f->slots;
    uint16_t *slot = allocate_slots(n * factor);
    for (unsigned i = 0; i < factor; i++) memcpy(slot + i * n, f->slot, n * sizeof *slot);
    free(f->slot);
    f->slot = slot;
    f->buckets = old * factor;
    f->factor *= factor;
    for (uint64_t i = 0; i < n * factor; i++)
        if (slot[i] != 0 && distance(f, i / f->slots, ecf_offset(f, slot[i])) >= f->span >> f->halvings) slot[i] = 0;
    f->writes += n * factor;
}

/* The distance d is recovered from the old bucket; offset and d are halved separately, rounding down. */
uint64_t ecf_halve(struct ecf *f, bool relocate) {
    struct ecf old = *f;
    uint64_t dropped = 0;
    f->buckets = f->halved_buckets = (old.buckets + 1) / 2;
    f->halvings++;
    f->slot = allocate_slots(f->buckets * f->slots);
    f->items = 0;
    for (uint64_t i = 0; i < old.buckets * old.slots; i++) {
        uint16_t fingerprint = old.slot[i];
        if (fingerprint == 0) continue;
        uint64_t d = distance(&old, i / old.slots, ecf_offset(&old, fingerprint));
        uint64_t bucket = (ecf_offset(f, fingerprint) + d / 2) % f->buckets;
        dropped += !(relocate ? ecf_insert_at(f, bucket, fingerprint) : store(f, bucket, fingerprint));
    }
    free(old.slot);
    return dropped;
}

/* ----------------------------------------------------------------------------------------------------------- lookup */

bool ecf_contains(struct ecf *f, uint64_t key) {
    struct ecf_entry e = ecf_entry_of(f, key);
    f->accesses++;
    if (ecf_find(f, e.first, e.fingerprint) != NULL) return true;
    f->accesses++;
    return ecf_find(f, e.second, e.fingerprint) != NULL;
}

static uint64_t member(uint64_t i) { return (uint64_t)MEMBERS << 56 | i; }

uint64_t ecf_fill(struct ecf *f, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++)
        if (!ecf_insert(f, member(i))) return i;
    return to;
}

uint64_t ecf_false_negatives(struct ecf *f, uint64_t from, uint64_t to) {
    uint64_t count = 0;
    for (uint64_t i = from; i < to; i++) count += !ecf_contains(f, member(i));
    return count;
}

struct rate ecf_fpr(struct ecf *f, uint64_t probes) {
    uint64_t hits = 0;
    for (uint64_t i = 0; i < probes; i++) hits += ecf_contains(f, (uint64_t)NON_MEMBERS << 56 | i);
    return rate_of(hits, probes);
}
