/* Models of the Bloom filter, the counting Bloom filter and the dynamic Bloom filter (DBF).
 *
 *     Bloom      an array of bits; a key sets k of them
 *     counting   an array of counters of 4 bits; a counter that reaches 15 stays there, so that no member is lost
 *     DBF        a list of equal filters of either kind; one is added when the last has as many items as it was made
 *                for. Removal, with counters: from the filter that matches, and only if exactly one does; otherwise
 *                nothing is removed, because the wrong one might be taken.
 */
#ifndef GUIRA_LAB_BLOOM_H
#define GUIRA_LAB_BLOOM_H

#include <stdbool.h>
#include <stdint.h>

#include "lines.h"

struct bloom {
    uint64_t cells, capacity, items;
    unsigned hashes, cell_bits; /* 1, or 4: counting */
    uint8_t *cell;              /* a byte for each */
};

/* For so many items at this rate, with the best number of hashes. */
struct bloom bloom_make(uint64_t capacity, double rate, unsigned cell_bits);
void bloom_free(struct bloom *f);
void bloom_insert(struct bloom *f, uint64_t key);
bool bloom_contains(const struct bloom *f, uint64_t key, uint64_t table, struct lines *lines);
bool bloom_remove(struct bloom *f, uint64_t key); /* only if counting */
void bloom_merge(struct bloom *into, const struct bloom *from);
double bloom_bits(const struct bloom *f);
double bloom_rate(const struct bloom *f); /* the formula: (1 - e^(-k n / m))^k */

struct dbf {
    struct bloom *filter;
    unsigned filters, room; /* in the list; that there is memory for */
    double rate;
    uint64_t not_removed; /* removals refused because several filters matched */
};

struct dbf dbf_make(uint64_t capacity, double rate, unsigned cell_bits); /* of one filter */
void dbf_free(struct dbf *f);
void dbf_insert(struct dbf *f, uint64_t key);
bool dbf_contains(const struct dbf *f, uint64_t key, struct lines *lines);
bool dbf_remove(struct dbf *f, uint64_t key);
double dbf_bits(const struct dbf *f);
double dbf_rate(const struct dbf *f); /* 1 - product of (1 - rate of each) */

#endif
