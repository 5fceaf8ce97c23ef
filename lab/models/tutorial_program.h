/* The tutorial's two programs: their steps and their hash functions, as printed, and the Python one corrected.
 *
 * Python, 1024 buckets of 4, 16-bit fingerprints; hash() of a small integer is the integer, of a string it is SipHash:
 *
 *     index1 = hash % 1024     fingerprint = hash & 0xffff     insert: index2 = (index1 ^ fingerprint) % 1024
 *     contains: index2 = (index1 + fingerprint) % 1024         delete: fingerprint = hash & 0xff
 *     kicks: the victim goes to index2 or index1 of the new item, not of its own
 *
 * Java, 8-bit fingerprints, 0 becomes 1; hashCode of an integer is the integer:
 *
 *     index1 = (key & 0x7fffffff) % buckets     index2 = (index1 ^ fingerprint) % buckets     kicks: bucket ^ fingerprint
 */
#ifndef GUIRA_LAB_TUTORIAL_PROGRAM_H
#define GUIRA_LAB_TUTORIAL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"

enum { TUTORIAL_BUCKETS = 1024, TUTORIAL_SLOTS = 4 };

struct tutorial_program {
    bool java;
    bool
        corrected; /* fingerprint and index from different bits of a mixed hash, the victim's own bucket, one formula */
    unsigned buckets;
    uint32_t slot[TUTORIAL_BUCKETS][TUTORIAL_SLOTS]; /* in use: slot < n of the bucket (Java: not 0) */
    unsigned n[TUTORIAL_BUCKETS];
    struct lab_rng rng;
};

void tutorial_start_python(struct tutorial_program *p, bool corrected, uint64_t seed);
void tutorial_start_java(struct tutorial_program *p, unsigned capacity, uint64_t seed); /* at most 4096 */

/* hash: what hash() or hashCode() returns for the key. */
bool tutorial_insert(struct tutorial_program *p, uint64_t hash);
bool tutorial_contains(const struct tutorial_program *p, uint64_t hash);
bool tutorial_delete(struct tutorial_program *p, uint64_t hash);

/* The bucket besides index1 in which an insertion stores. */
unsigned tutorial_second_bucket(const struct tutorial_program *p, uint64_t hash);

#endif
