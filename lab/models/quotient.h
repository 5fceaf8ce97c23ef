/* A model of the quotient filter. A hash of q + r bits: the first q choose a slot, the other r are stored. Remainders with
 * the same quotient are a run; a run that cannot begin at its own slot is shifted, and three flags per slot tell where
 * runs belong:
 *
 *     occupied       some remainder has this slot's number as its quotient
 *     continuation   this remainder continues the run before it
 *     shifted        this remainder is not in the slot of its quotient
 *
 * A stretch of slots that are all in use is a cluster, the first of which is not shifted. Changes decode a cluster into a
 * sorted list of hashes, change the list, and write it again. */
#ifndef GUIRA_LAB_QUOTIENT_H
#define GUIRA_LAB_QUOTIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lines.h"

struct quotient_slot {
    uint32_t remainder;
    bool used, occupied, continuation, shifted; /* used: what the three flags together say, kept for simplicity */
};

struct quotient {
    unsigned quotient_bits, remainder_bits;
    uint64_t items, slots;
    struct quotient_slot *slot;
};

struct quotient quotient_make(unsigned quotient_bits, unsigned remainder_bits);
void quotient_free(struct quotient *f);
bool quotient_insert(struct quotient *f, uint64_t key); /* false: full */
bool quotient_contains(const struct quotient *f, uint64_t key, struct lines *lines);
bool quotient_remove(struct quotient *f, uint64_t key);

/* Doubles the slots without the keys: each remainder gives its first bit to the quotient. False: no bit is left. */
bool quotient_double(struct quotient *f);

/* Inserts what `from` has; both have the same q + r. False: not enough slots; nothing has changed. */
bool quotient_merge(struct quotient *into, const struct quotient *from);

double quotient_bits(const struct quotient *f); /* r + 3 per slot */
double quotient_rate(const struct quotient *f); /* the formula: 1 - (1 - 2^-(q+r))^n */

#endif
