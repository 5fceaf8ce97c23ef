/* The guide's cuckoo filter with a stash, in its three languages: the steps and the hash functions of the programs, as
 * printed and corrected. The keys of their demonstration are "k0", "k1", ... "k13999".
 *
 *     h = hash(key)          index = bits 32..43 of h          fingerprint = bits 0..11 of h, 0 becomes 1
 *     alternate bucket       index ^ (bits 32..43 of hash("fp" + fingerprint))
 *     after 500 kicks        the last victim's fingerprint goes to the stash, without its bucket
 *
 * Corrected: the hash is mixed again before its bits are used, and a stash entry keeps its bucket. */
#ifndef GUIRA_LAB_GUIDE_PROGRAM_H
#define GUIRA_LAB_GUIDE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"
#include "program_hashes.h"

enum language { GO, JAVA, PYTHON };
enum { GUIDE_BUCKETS = 4096, GUIDE_SLOTS = 4, GUIDE_KEYS = 14000 };

struct guide_program {
    enum language language;
    bool corrected;
    uint16_t slot[GUIDE_BUCKETS][GUIDE_SLOTS]; /* 0: empty */
    uint16_t stash[GUIDE_KEYS], stash_bucket[GUIDE_KEYS];
    unsigned stashed[4096];   /* entries of the stash per fingerprint */
    unsigned count, failures; /* as the programs count them: every insertion, and those that ended in the stash */
    struct python_key key;
    struct lab_rng rng;
};

/* Empties p and sets it up; seed decides the random choices and Python's key. */
void guide_program_start(struct guide_program *p, enum language language, bool corrected, uint64_t seed);
void guide_program_insert(struct guide_program *p, const char *key);
bool guide_program_lookup(const struct guide_program *p, const char *key);
unsigned guide_program_index(const struct guide_program *p, const char *key); /* the first bucket of a key */

#endif
