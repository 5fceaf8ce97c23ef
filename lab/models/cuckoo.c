/* The model of a cuckoo filter; the contracts are in cuckoo.h. */
#include "cuckoo.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_KICKS = 500 };

struct cuckoo cuckoo_make(uint64_t buckets, unsigned slots, unsigned bits, bool simplified, uint64_t seed) {
    struct cuckoo f = {.buckets = buckets, .slots = slots, .bits = bits, .simplified = simplified, .rng = {seed}};
    f.slot = calloc(buckets * slots, sizeof *f.slot);
    if (f.slot == NULL) lab_fatal("no memory for a model");
    return f;
}

void cuckoo_free(struct cuckoo *f) { free(f->slot); }

static uint32_t fingerprint_of(const struct cuckoo *f, uint64_t key) {
    return (uint32_t)(1 + (mix(key) >> 20) % ((UINT64_C(1) << f->bits) - 1));
}
static uint64_t first_of(const struct cuckoo *f, uint64_t key) { return mix(key + 1) & (f->buckets - 1); }
static uint64_t other_of(const struct cuckoo *f, uint64_t bucket, uint32_t fingerprint) {
    return bucket ^ ((f->simplified ? fingerprint : mix(fingerprint)) & (f->buckets - 1));
}

static uint32_t *find(const struct cuckoo *f, uint64_t bucket, uint32_t fingerprint, struct lines *lines) {
    uint32_t *slot = f->slot + bucket * f->slots;
    lines_touch(lines, 0, bucket * f->slots * f->bits, (uint64_t)f->slots * f->bits);
    for (unsigned i = 0; i < f->slots; i++)
        if (slot[i] == fingerprint) return slot + i;
    return NULL;
}

static bool store(struct cuckoo *f, uint64_t bucket, uint32_t fingerprint) {
    uint32_t *slot = find(f, bucket, 0, NULL);
    if (slot == NULL) return false;
    *slot = fingerprint;
    f->items++;
    return true;
}

/* Stores a fingerprint in a bucket or its alternate, with kicks; on failure every victim is put back. */
static bool insert_at(struct cuckoo *f, uint64_t bucket, uint32_t fingerprint) {
    uint32_t *log[MAX_KICKS];
    unsigned n = 0;
    if (store(f, bucket, fingerprint)) return true;
    for (bucket = other_of(f, bucket, fingerprint); !store(f, bucket, fingerprint);
         bucket = other_of(f, bucket, fingerprint)) {
        if (n == MAX_KICKS) {
            while (n > 0) {
                uint32_t kicked_in = *log[--n];
                *log[n] = fingerprint;
                fingerprint = kicked_in;
            }
            return false;
        }
        uint32_t *victim = f->slot + bucket * f->slots + lab_rng_below(&f->rng, f->slots), out = *victim;
        *victim = fingerprint;
        log[n++] = victim;
        fingerprint = out;
    }
    return true;
}

bool cuckoo_insert(struct cuckoo *f, uint64_t key) { return insert_at(f, first_of(f, key), fingerprint_of(f, key)); }

static uint32_t *locate(const struct cuckoo *f, uint64_t key, struct lines *lines) {
    uint32_t fingerprint = fingerprint_of(f, key), *slot = find(f, first_of(f, key), fingerprint, lines);
    return slot != NULL ? slot : find(f, other_of(f, first_of(f, key), fingerprint), fingerprint, lines);
}

bool cuckoo_contains(const struct cuckoo *f, uint64_t key, struct lines *lines) {
    return locate(f, key, lines) != NULL;
}

bool cuckoo_remove(struct cuckoo *f, uint64_t key) {
    uint32_t *slot = locate(f, key, NULL);
    if (slot == NULL) return false;
    *slot = 0;
    f->items--;
    return true;
}

bool cuckoo_merge(struct cuckoo *into, const struct cuckoo *from) {
    bool all = true;
    for (uint64_t i = 0; i < from->buckets * from->slots; i++)
        if (from->slot[i] != 0) all &= insert_at(into, i / from->slots, from->slot[i]);
    return all;
}

double cuckoo_bits(const struct cuckoo *f) { return (double)(f->buckets * f->slots) * f->bits; }

double cuckoo_rate(const struct cuckoo *f) {
    double load = (double)f->items / (double)(f->buckets * f->slots);
    return -expm1(2.0 * f->slots * load * log1p(-1 / (ldexp(1, (int)f->bits) - 1)));
}
