/* The model of a quotient filter; the contracts are in quotient.h. */
#include "quotient.h"

#include <math.h>
#include <stdlib.h>

#include "lab.h"

struct quotient quotient_make(unsigned quotient_bits, unsigned remainder_bits) {
    struct quotient f = {.quotient_bits = quotient_bits, .remainder_bits = remainder_bits};
    f.slots = UINT64_C(1) << quotient_bits;
    f.slot = calloc(f.slots, sizeof *f.slot);
    if (f.slot == NULL) lab_fatal("no memory for a model");
    return f;
}

void quotient_free(struct quotient *f) { free(f->slot); }

static uint64_t hash_of(const struct quotient *f, uint64_t key) {
    return mix(key) >> (64 - f->quotient_bits - f->remainder_bits);
}
static uint64_t next(const struct quotient *f, uint64_t i) { return (i + 1) & (f->slots - 1); }
static uint64_t before(const struct quotient *f, uint64_t i) { return (i - 1) & (f->slots - 1); }

/* ---------------------------------------------------------------------------------------------------------- clusters */

/* The hashes of one cluster, in the order of the table; `first` is its first slot. Quotients are counted from there, so
 * that they are sorted even if the cluster wraps around. */
struct cluster {
    uint64_t first, n, capacity;
    uint64_t *hash; /* (quotient - first) << r | remainder */
};

static uint64_t first_of(const struct quotient *f, uint64_t i, struct lines *lines) {
    const unsigned bits = f->remainder_bits + 3;
    lines_touch(lines, 0, i * bits, bits);
    while (f->slot[i].used && f->slot[i].shifted) {
        i = before(f, i);
        lines_touch(lines, 0, i * bits, bits);
    }
    return i;
}

/* Decodes the cluster that slot i is part of; empty if the slot is not in use. */
static struct cluster decode(const struct quotient *f, uint64_t i) {
    struct cluster c = {.first = first_of(f, i, NULL), .capacity = 64};
    c.hash = malloc(c.capacity * sizeof *c.hash);
    uint64_t quotient = 0; /* of the run being read: the next occupied slot, from the first one on */
    for (uint64_t at = c.first; c.n < f->slots && f->slot[at].used; at = next(f, at)) {
        if (c.n + 2 > c.capacity) c.hash = realloc(c.hash, (c.capacity *= 2) * sizeof *c.hash);
        if (c.hash == NULL) lab_fatal("no memory for a model");
        if (c.n > 0 && !f->slot[at].continuation) do
                quotient++;
            while (!f->slot[(c.first + quotient) & (f->slots - 1)].occupied);
        c.hash[c.n++] = quotient << f->remainder_bits | f->slot[at].remainder;
    }
    return c;
}

static void clear_cluster(struct quotient *f, const struct cluster *c) {
    for (uint64_t i = 0; i < c->n; i++) f->slot[(c->first + i) & (f->slots - 1)] = (struct quotient_slot){0};
}

/* Writes hashes, in their order, each at its quotient or after the one before. */
static void encode(struct quotient *f, const struct cluster *c) {
    uint64_t at = 0, last = UINT64_MAX;
    for (uint64_t i = 0; i < c->n; i++, at++) {
        uint64_t quotient = c->hash[i] >> f->remainder_bits;
        if (at < quotient) at = quotient;
        struct quotient_slot *slot = &f->slot[(c->first + at) & (f->slots - 1)];
        slot->used = true;
        slot->remainder = (uint32_t)(c->hash[i] & ((UINT64_C(1) << f->remainder_bits) - 1));
        slot->continuation = quotient == last;
        slot->shifted = at != quotient;
        f->slot[(c->first + quotient) & (f->slots - 1)].occupied = true;
        last = quotient;
    }
}

/* ------------------------------------------------------------------------------------------------------- operations */

static bool insert_hash(struct quotient *f, uint64_t hash) {
    uint64_t quotient = hash >> f->remainder_bits, remainder = hash & ((UINT64_C(1) << f->remainder_bits) - 1);
    if (f->items + 1 >= f->slots) return false; /* one slot stays free, so that clusters have an end */
    struct cluster c = decode(f, quotient);
    uint64_t own = ((quotient - c.first) & (f->slots - 1)) << f->remainder_bits | remainder, i = c.n;
    clear_cluster(f, &c);
    for (; i > 0 && c.hash[i - 1] > own; i--) c.hash[i] = c.hash[i - 1];
    c.hash[i] = own;
    c.n++;
    encode(f, &c);
    free(c.hash);
    f->items++;
    return true;
}

bool quotient_insert(struct quotient *f, uint64_t key) { return insert_hash(f, hash_of(f, key)); }

bool quotient_contains(const struct quotient *f, uint64_t key, struct lines *lines) {
    const unsigned bits = f->remainder_bits + 3;
    uint64_t hash = hash_of(f, key), quotient = hash >> f->remainder_bits;
    uint32_t remainder = (uint32_t)(hash & ((UINT64_C(1) << f->remainder_bits) - 1));
    lines_touch(lines, 0, quotient * bits, bits);
    if (!f->slot[quotient].occupied) return false;
    uint64_t at = first_of(f, quotient, lines);
    for (uint64_t run = at; run != quotient;) { /* skip a run for each occupied slot before the quotient */
        do at = next(f, at), lines_touch(lines, 0, at * bits, bits);
        while (f->slot[at].continuation);
        do run = next(f, run);
        while (!f->slot[run].occupied);
    }
    do {
        if (f->slot[at].remainder == remainder) return true;
        at = next(f, at);
        lines_touch(lines, 0, at * bits, bits);
    } while (f->slot[at].used && f->slot[at].continuation);
    return false;
}

bool quotient_remove(struct quotient *f, uint64_t key) {
    uint64_t hash = hash_of(f, key), quotient = hash >> f->remainder_bits, i = 0;
    if (!quotient_contains(f, key, NULL)) return false;
    struct cluster c = decode(f, quotient);
    uint64_t own = ((quotient - c.first) & (f->slots - 1)) << f->remainder_bits;
    own |= hash & ((UINT64_C(1) << f->remainder_bits) - 1);
    clear_cluster(f, &c);
    while (c.hash[i] != own) i++;
    for (c.n--; i < c.n; i++) c.hash[i] = c.hash[i + 1];
    encode(f, &c);
    free(c.hash);
    f->items--;
    return true;
}

/* Calls insert_hash on `to` for every hash of f. */
static bool copy_all(const struct quotient *f, struct quotient *to) {
    uint64_t start = 0, seen = 0;
    while (f->slot[start].used) start = next(f, start); /* there always is a free slot */
    for (uint64_t i = 0, at = start; i < f->slots && seen < f->items; i++, at = next(f, at)) {
        if (!f->slot[at].used || f->slot[at].shifted) continue;
        struct cluster c = decode(f, at);
        for (uint64_t j = 0; j < c.n; j++, seen++) {
            uint64_t quotient = (c.first + (c.hash[j] >> f->remainder_bits)) & (f->slots - 1);
            uint64_t remainder = c.hash[j] & ((UINT64_C(1) << f->remainder_bits) - 1);
            if (!insert_hash(to, quotient << f->remainder_bits | remainder)) return free(c.hash), false;
        }
        i += c.n - 1;
        at = (at + c.n - 1) & (f->slots - 1);
        free(c.hash);
    }
    return true;
}

bool quotient_double(struct quotient *f) {
    if (f->remainder_bits < 2) return false;
    struct quotient twice = quotient_make(f->quotient_bits + 1, f->remainder_bits - 1);
    copy_all(f, &twice); /* the same hashes, cut one bit later */
    quotient_free(f);
    *f = twice;
    return true;
}

bool quotient_merge(struct quotient *into, const struct quotient *from) {
    if (into->items + from->items + 1 >= into->slots) return false;
    return copy_all(from, into);
}

double quotient_bits(const struct quotient *f) { return (double)f->slots * (f->remainder_bits + 3); }

double quotient_rate(const struct quotient *f) {
    return -expm1((double)f->items * log1p(-ldexp(1, -(int)(f->quotient_bits + f->remainder_bits))));
}
