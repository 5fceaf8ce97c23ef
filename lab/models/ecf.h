/* The elastic cuckoo filter as a plain array, to run the printed rules beside the right ones and to count what a lookup
 * touches. (The library's own is the kind GUIRA_ELASTIC.)
 *
 *     fingerprint F -> offset s0 = delta(F) mod L       the virtual filter: span = 2^n buckets from s0 on, cyclic
 *     key           -> d1 = h(key) mod span,   d2 = d1 ^ (g(F) mod span)
 *     candidates       (s0 + d1) mod L and (s0 + d2) mod L
 *
 *     0        s0                      L
 *     |--------[===== span =====]------|
 *
 * Without offsets, and L a power of two, it is the plain cuckoo filter. */
#ifndef GUIRA_LAB_ECF_H
#define GUIRA_LAB_ECF_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"

struct ecf {
    uint64_t buckets;        /* L now */
    uint64_t first_buckets;  /* L when it was made */
    uint64_t halved_buckets; /* L after the halvings, before the extensions */
    uint64_t span;           /* 2^n <= first_buckets */
    unsigned halvings;       /* first so many halvings ... */
    uint64_t factor;         /* ... then extensions by this in all */
    unsigned slots, bits, max_kicks;
    bool plain;       /* no offsets */
    bool modulo_span; /* Eq. 3 as printed: the distance is recovered mod 2^n instead of mod L */
    uint16_t *slot;   /* 0: empty */
    uint64_t items;
    uint64_t kicks, reads, writes; /* cells, as the paper counts */
    uint64_t accesses;             /* buckets looked at by ecf_has */
    struct dice dice;
};

struct ecf_entry {
    uint16_t fingerprint;
    uint64_t first, second; /* buckets */
};

struct ecf ecf_make(uint64_t buckets, unsigned slots, unsigned bits, uint64_t seed);
void ecf_free(struct ecf *f);

struct ecf_entry ecf_entry_of(const struct ecf *f, uint64_t key);
uint64_t ecf_offset(const struct ecf *f, uint16_t fingerprint);
uint64_t ecf_other(const struct ecf *f, uint64_t bucket, uint16_t fingerprint); /* the alternate bucket */
uint16_t *ecf_bucket(const struct ecf *f, uint64_t bucket);
uint16_t *ecf_find(const struct ecf *f, uint64_t bucket, uint16_t fingerprint); /* its slot there; 0 finds room */

bool ecf_put(struct ecf *f, uint64_t bucket, uint16_t fingerprint); /* there or by kicks; false: as before */
bool ecf_insert(struct ecf *f, uint64_t key);                       /* false: no room; as before */
bool ecf_has(struct ecf *f, uint64_t key);
uint64_t ecf_fill(struct ecf *f, uint64_t from, uint64_t to);    /* members; the first that failed, or to */
uint64_t ecf_missing(struct ecf *f, uint64_t from, uint64_t to); /* how many members it denies */
struct rate ecf_fpr(struct ecf *f, uint64_t probes);

/* Multiplies the size: copies, then drops every copy that is not in its place. */
void ecf_extend(struct ecf *f, unsigned factor);

/* Halves the size by the corrected rule. relocate: kicks make room; else what finds its bucket full is dropped. The
 * number of entries left over, which a stash would have to take. */
uint64_t ecf_halve(struct ecf *f, bool relocate);

#endif
