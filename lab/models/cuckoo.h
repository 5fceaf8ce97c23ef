/* A model of the cuckoo filter (CF) with a power of two of buckets, and of the simplified cuckoo filter (SCF):
 *
 *     CF    alternate bucket = bucket ^ hash(fingerprint)
 *     SCF   alternate bucket = bucket ^ fingerprint: no second hash, but both candidates are within 2^f buckets
 *
 * (The library's own implementation is the kind GUIRA_CUCKOO.) */
#ifndef GUIRA_LAB_CUCKOO_H
#define GUIRA_LAB_CUCKOO_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"
#include "lines.h"

struct cuckoo {
    uint64_t buckets, items;
    unsigned slots, bits;
    bool simplified;
    uint32_t *slot; /* 0: empty */
    struct lab_rng rng;
};

struct cuckoo cuckoo_make(uint64_t buckets, unsigned slots, unsigned bits, bool simplified, uint64_t seed);
void cuckoo_free(struct cuckoo *f);
bool cuckoo_insert(struct cuckoo *f, uint64_t key); /* false: no place after 500 kicks; nothing has changed */
bool cuckoo_contains(const struct cuckoo *f, uint64_t key, struct lines *lines);
bool cuckoo_remove(struct cuckoo *f, uint64_t key);
bool cuckoo_merge(struct cuckoo *into, const struct cuckoo *from); /* false: some did not fit */
double cuckoo_bits(const struct cuckoo *f);
double cuckoo_rate(const struct cuckoo *f); /* the formula: 1 - (1 - 1/(2^f - 1))^(2 b load) */

#endif
