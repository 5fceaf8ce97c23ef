/* A model of the adaptive cuckoo filter (ACF): a cuckoo hash table with the keys, which is large and slow, and a table of
 * fingerprints with the same shape, which is small and fast.
 *
 *     keys           [ a | b | c | d ]     slot j of a bucket has its own fingerprint function f_j
 *     fingerprints   [f0(a)|f1(b)|f2(c)|f3(d)]
 *
 * A lookup compares f_j(x) with slot j. When the table of keys shows that a match was false, the key in that slot
 * changes places with another one of its bucket, so that both get other fingerprints: x is then a false positive no
 * more, most likely. No bits are added; the keys are needed to compute the new fingerprints. */
#ifndef GUIRA_LAB_ADAPTIVE_H
#define GUIRA_LAB_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"
#include "lines.h"

struct adaptive {
    uint64_t buckets, items;
    unsigned slots, bits;
    uint64_t *key; /* 0: empty; keys are not 0 */
    uint32_t *fingerprint;
    uint64_t adapted; /* how often keys changed places */
    struct lab_rng rng;
};

struct adaptive adaptive_make(uint64_t buckets, unsigned slots, unsigned bits, uint64_t seed);
void adaptive_free(struct adaptive *f);
bool adaptive_insert(struct adaptive *f, uint64_t key); /* false: no place after 500 kicks; nothing has changed */
bool adaptive_contains(const struct adaptive *f, uint64_t key, struct lines *lines);
bool adaptive_remove(struct adaptive *f, uint64_t key);
void adaptive_report(struct adaptive *f, uint64_t key); /* key was found but is not a member */
double adaptive_bits(const struct adaptive *f);         /* of the fingerprints; the keys are the store's */
double adaptive_rate(const struct adaptive *f);         /* the formula for keys never reported */

#endif
