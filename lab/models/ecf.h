/* A model of the elastic cuckoo filter in a plain array. It runs the rules as printed and as corrected, and counts the
 * slots and buckets that are read and written. (The library's own implementation is the kind GUIRA_ELASTIC.)
 *
 *     fingerprint F -> offset s0 = delta(F) mod L       the virtual filter: span = 2^n buckets from s0 on, cyclic
 *     key           -> d1 = h(key) mod span,   d2 = d1 ^ (g(F) mod span)
 *     candidates       (s0 + d1) mod L and (s0 + d2) mod L
 *
 *     0        s0                      L
 *     |--------[===== span =====]------|
 *
 * Without offsets and with L a power of two it is the plain cuckoo filter. */
#ifndef GUIRA_LAB_ECF_H
#define GUIRA_LAB_ECF_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"

struct ecf {
    uint64_t buckets;        /* the current L */
    uint64_t first_buckets;  /* L at creation */
    uint64_t halved_buckets; /* L after the halvings, before the extensions */
    uint64_t span;           /* 2^n <= first_buckets */
    unsigned halvings;       /* number of halvings, all before the first extension */
    uint64_t factor;         /* product of the factors of all extensions */
    unsigned slots, bits, max_kicks;
    bool plain;       /* no offsets */
    bool modulo_span; /* Eq. 3 as printed: the distance is recovered mod 2^n instead of mod L */
    uint16_t *slot;   /* 0: empty */
    uint64_t items;
    uint64_t kicks, reads, writes; /* slots, as the paper counts */
    uint64_t accesses;             /* buckets read by ecf_contains */
    struct lab_rng rng;
};

struct ecf_entry {
    uint16_t fingerprint;
    uint64_t first, second; /* buckets */
};

struct ecf ecf_make(uint64_t buckets, unsigned slots, unsigned bits, uint64_t seed);
void ecf_free(struct ecf *f);

struct ecf_entry ecf_entry_of(const struct ecf *f, uint64_t key);
uint64_t ecf_offset(const struct ecf *f, uint16_t fingerprint);
uint64_t ecf_alternate(const struct ecf *f, uint64_t bucket, uint16_t fingerprint); /* the alternate bucket */
uint16_t *ecf_bucket(const struct ecf *f, uint64_t bucket);

/* The slot of a fingerprint in a bucket, or NULL. Fingerprint 0 finds an empty slot. */
uint16_t *ecf_find(const struct ecf *f, uint64_t bucket, uint16_t fingerprint);

/* Inserts a fingerprint into a bucket, with kicks if it is full. Insertions that fail leave the filter unchanged. */
bool ecf_insert_at(struct ecf *f, uint64_t bucket, uint16_t fingerprint);
bool ecf_insert(struct ecf *f, uint64_t key);
bool ecf_contains(struct ecf *f, uint64_t key);

/* Inserts members from..to-1. Returns the number of the first that failed, or to. */
uint64_t ecf_fill(struct ecf *f, uint64_t from, uint64_t to);
uint64_t ecf_false_negatives(struct ecf *f, uint64_t from, uint64_t to); /* among members from..to-1 */
struct rate ecf_fpr(struct ecf *f, uint64_t probes);

/* Multiplies the size: copies the table, then deletes every copy that is outside its virtual filter. */
void ecf_extend(struct ecf *f, unsigned factor);

/* Halves the size by the corrected rule. relocate: use kicks if a bucket is full; otherwise the entry is dropped.
 * Returns the number of dropped entries, which a stash would have to hold. */
uint64_t ecf_halve(struct ecf *f, bool relocate);

#endif
