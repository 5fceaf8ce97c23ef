/* The model of an adaptive cuckoo filter; the contracts are in adaptive.h. */
#include "adaptive.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_KICKS = 500 };

struct adaptive adaptive_make(uint64_t buckets, unsigned slots, unsigned bits, uint64_t seed) {
    struct adaptive f = {.buckets = buckets, .slots = slots, .bits = bits, .rng = {seed}};
    f.key = calloc(buckets * slots, sizeof *f.key);
    f.fingerprint = calloc(buckets * slots, sizeof *f.fingerprint);
    if (f.key == NULL || f.fingerprint == NULL) lab_fatal("no memory for a model");
    return f;
}

void adaptive_free(struct adaptive *f) {
    free(f->key);
    free(f->fingerprint);
}

/* The keys are there, so both buckets are hashes of the key. */
static uint64_t bucket_of(const struct adaptive *f, uint64_t key, unsigned which) {
    return mix(key + which + 1) & (f->buckets - 1);
}
static uint32_t fingerprint_in(const struct adaptive *f, uint64_t key, unsigned slot) {
    return (uint32_t)(mix(mix(key) + slot) >> (64 - f->bits));
}

/* Puts a key into a slot; 0 empties it. An empty slot matches nothing, which needs no bit here because the model looks
 * at the key; a packed table would give up one value of the fingerprint. */
static void put(struct adaptive *f, uint64_t at, uint64_t key) {
    f->key[at] = key;
    f->fingerprint[at] = key != 0 ? fingerprint_in(f, key, (unsigned)(at % f->slots)) : 0;
}

static bool store(struct adaptive *f, uint64_t bucket, uint64_t key) {
    for (uint64_t at = bucket * f->slots; at < (bucket + 1) * f->slots; at++) {
        if (f->key[at] != 0) continue;
        put(f, at, key);
        return true;
    }
    return false;
}

bool adaptive_insert(struct adaptive *f, uint64_t key) {
    uint64_t log[MAX_KICKS], bucket = bucket_of(f, key, 0);
    unsigned n = 0;
    if (store(f, bucket, key) || store(f, bucket = bucket_of(f, key, 1), key)) return f->items++, true;
    for (; n < MAX_KICKS; n++) {
        uint64_t at = bucket * f->slots + lab_rng_below(&f->rng, f->slots), out = f->key[at];
        put(f, at, key);
        log[n] = at;
        key = out;
        bucket = bucket_of(f, key, bucket == bucket_of(f, key, 0));
        if (store(f, bucket, key)) return f->items++, true;
    }
    while (n > 0) {
        uint64_t kicked_in = f->key[log[--n]];
        put(f, log[n], key);
        key = kicked_in;
    }
    return false;
}

/* Whether a slot matches a key by its fingerprint. */
static bool matches(const struct adaptive *f, uint64_t at, uint64_t key) {
    return f->key[at] != 0 && f->fingerprint[at] == fingerprint_in(f, key, (unsigned)(at % f->slots));
}

bool adaptive_contains(const struct adaptive *f, uint64_t key, struct lines *lines) {
    for (unsigned which = 0; which < 2; which++) {
        uint64_t first = bucket_of(f, key, which) * f->slots;
        lines_touch(lines, 0, first * f->bits, (uint64_t)f->slots * f->bits);
        for (uint64_t at = first; at < first + f->slots; at++)
            if (matches(f, at, key)) return true;
    }
    return false;
}

bool adaptive_remove(struct adaptive *f, uint64_t key) {
    for (unsigned which = 0; which < 2; which++)
        for (uint64_t at = bucket_of(f, key, which) * f->slots, end = at + f->slots; at < end; at++) {
            if (f->key[at] != key) continue;
            put(f, at, 0);
            f->items--;
            return true;
        }
    return false;
}

void adaptive_report(struct adaptive *f, uint64_t key) {
    for (unsigned which = 0; which < 2; which++)
        for (uint64_t first = bucket_of(f, key, which) * f->slots, at = first; at < first + f->slots; at++) {
            if (!matches(f, at, key)) continue;
            uint64_t with = first + (at - first + 1 + lab_rng_below(&f->rng, f->slots - 1)) % f->slots;
            uint64_t mine = f->key[at];
            put(f, at, f->key[with]);
            put(f, with, mine);
            f->adapted++;
        }
}

double adaptive_bits(const struct adaptive *f) { return (double)(f->buckets * f->slots) * f->bits; }

double adaptive_rate(const struct adaptive *f) {
    double load = (double)f->items / (double)(f->buckets * f->slots);
    return -expm1(2.0 * f->slots * load * log1p(-ldexp(1, -(int)f->bits)));
}
