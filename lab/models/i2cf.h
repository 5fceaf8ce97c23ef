/* A model of one I2CF that follows the number of items by single buckets, with the rules that the paper prints. (The
 * library's own implementation is the kind GUIRA_CONSISTENT, whose rules are its own.)
 *
 *     insertion   a free slot in one of the k candidate buckets, else a random walk of at most `max` kicks
 *     failure     scale up: add buckets until the fingerprint without a place has one
 *     removal     "we only try to merge the buckets which store less than 2 fingerprints": the bucket that a removal
 *                 leaves with 0 or 1 is removed if its fingerprint finds a place elsewhere
 */
#ifndef GUIRA_LAB_I2CF_H
#define GUIRA_LAB_I2CF_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"

struct i2cf_config {
    unsigned buckets, slots, candidates, max_kicks, virtual_nodes; /* m, b, k, max, v */
    unsigned merge_below; /* a bucket with fewer fingerprints is tried; the paper says 2, 0: never */
};

struct i2cf_point {
    uint64_t at;
    uint32_t bucket;
};

struct i2cf {
    struct i2cf_config config;
    uint32_t *slot;    /* EMPTY or a fingerprint of 30 bits; a bucket that is not in use has no points */
    uint32_t *unused;  /* numbers of buckets that are not in use */
    uint32_t capacity; /* buckets in `slot` */
    uint32_t unused_n;
    struct i2cf_point *point; /* sorted */
    uint32_t points;
    uint64_t items, buckets; /* in use */
    uint64_t scaled_up, scaled_down;
    struct lab_rng rng;
};

struct i2cf i2cf_make(struct i2cf_config config, uint64_t seed);
void i2cf_free(struct i2cf *f);

/* Keys are 64-bit hashes. Insertion always succeeds, unless one fingerprint has more copies than slots (false). */
bool i2cf_insert(struct i2cf *f, uint64_t hash);
bool i2cf_contains(const struct i2cf *f, uint64_t hash);
bool i2cf_remove(struct i2cf *f, uint64_t hash);

double i2cf_load(const struct i2cf *f);

/* Bits of slots and ring: f = 30 per slot, and 64 + 32 per point (position and number of the bucket). */
double i2cf_bits(const struct i2cf *f);

#endif
