/* One index-independent cuckoo filter (I2CF): buckets on a ring, fingerprints in one of their k candidate buckets.
 *
 *     hash    [ upper 32 bits | ... ]
 *               fingerprint F = the first f of them; 0 means empty, so a fingerprint of zeros becomes 1
 *               |
 *               +-- h_1(F), ..., h_k(F) --> k positions on the ring --> their buckets, not always k different ones
 *
 * Everything about an entry follows from its fingerprint, so buckets can be added and removed without the keys, and
 * entries with the same fingerprint are interchangeable. It also follows that a key is found if its fingerprint is
 * anywhere in the filter: the rate grows with the number of entries, not with that of the entries in k buckets.
 *
 * Why not scale to 1..2^f - 1, as in the other kinds? Because filters of different f are in one list, and a short
 * fingerprint must follow from a long one (see ccf.h). Folding 0 onto 1 keeps that: it costs 0.8 % more false positives at
 * 8 bits, half as much with each bit more.
 *
 *     block   [ points, 8 bytes each | owners, 4 bytes each | slots, f bits each ]      one piece of memory */
#ifndef GUIRA_PAPERS_I2CF_H
#define GUIRA_PAPERS_I2CF_H

#include "papers/ccf/ring.h"
#include "papers/common.h"

enum { MAX_NODES = 1024 };

struct i2cf {
    struct table table;         /* first: eviction finds the filter from it. Its bytes are in the block */
    unsigned candidates, nodes; /* k and v */
    struct ring ring;
    uint64_t room;  /* buckets that the block has memory for */
    uint8_t *block; /* NULL: slots and ring are part of a file */
};

static inline double i2cf_load(const struct i2cf *f) { return (double)f->table.items / (double)table_slots(&f->table); }

/* The bytes of the slots without the spare ones, as in a file. */
static inline uint64_t i2cf_slot_bytes(const struct i2cf *f) { return table_bytes(&f->table) - PACKED_SPARE; }

/* ------------------------------------------------------------------------------------------------------------- entries */

extern const struct paper_kind guira__ccf_paper;

/* The fingerprint of fewer bits that a key with this one has. */
static inline uint64_t fingerprint_cut(uint64_t fingerprint, unsigned from, unsigned to) {
    return fingerprint >> (from - to) != 0 ? fingerprint >> (from - to) : 1;
}

/* The fingerprint of a key in this filter. */
static inline uint64_t i2cf_fingerprint(const struct i2cf *f, uint64_t hash) {
    return fingerprint_cut(hash >> 32, 32, f->table.layout.bits);
}

/* The probability that a key which is not there is not found among so many entries of so many bits. */
double guira__i2cf_miss(unsigned bits, double entries);

/* The position of the fingerprint's candidate number i on the ring, and all candidates, each bucket once. */
uint64_t guira__i2cf_position(const struct i2cf *f, uint64_t fingerprint, unsigned i);
void guira__i2cf_candidates(const struct i2cf *f, uint64_t fingerprint, struct candidates *c);

/* How many slots there can be for a fingerprint, in a filter of any number of buckets: b for each position. */
uint64_t guira__i2cf_places(const struct i2cf *f, uint64_t fingerprint);

/* The first slot that holds the fingerprint. False: none does. */
bool guira__i2cf_find(const struct i2cf *f, uint64_t fingerprint, uint64_t *slot);

/* Puts an entry in, moving at most `kicks` others; the caller counts it. False: nothing has changed. list: the filter it
 * belongs to, with the random generator and the counters; also below. */
bool guira__i2cf_place(struct i2cf *f, uint64_t fingerprint, unsigned kicks, struct undo_log *log, struct paper *list);

/* The same, counted and final. */
bool guira__i2cf_insert(struct i2cf *f, uint64_t fingerprint, unsigned kicks, struct paper *list);

/* ------------------------------------------------------------------------------------------------------------- buckets */

/* A filter without buckets or memory, as the configuration has it. */
struct i2cf guira__i2cf_like(const guira_config *c);

/* Whether the ring is large enough for so many buckets. */
bool guira__i2cf_fits_ring(const struct i2cf *f, uint64_t buckets);

/* Makes f an empty filter of so many buckets, its points random and the rest as in `like`. ELIMIT: the ring is too small.
 * ENOMEM. */
guira_status guira__i2cf_make(struct i2cf *f, const struct i2cf *like, uint64_t buckets, struct paper *list);
guira_status guira__i2cf_clone(const struct i2cf *f, struct i2cf *out);
void guira__i2cf_free(struct i2cf *f);
uint64_t guira__i2cf_bytes(const struct i2cf *f);                      /* of the block */
uint64_t guira__i2cf_block_bytes(const struct i2cf *f, uint64_t room); /* of a block with memory for so many buckets */
uint64_t guira__i2cf_room(uint64_t buckets);                    /* that a block for so many buckets has memory for */
guira_status guira__i2cf_resize(struct i2cf *f, uint64_t room); /* ENOMEM: nothing has changed */
uint64_t guira__i2cf_draw(const struct i2cf *f, struct paper *list); /* a random position */

/* Adds a bucket; newcomer, if not 0, is a fingerprint that gets a slot in the course of it. ENOMEM, ELIMIT; EFULL: no suitable points were
 * found, which takes a ring hardly larger than what is on it. On failure nothing has changed. */
guira_status guira__i2cf_scale_up(struct i2cf *f, uint64_t newcomer, struct paper *list);

/* The same for a newcomer whose candidates are full and cannot be divided so that it has room: others are displaced, at most
 * `kicks`, until there is one that has room, or that a bucket can be added for. */
guira_status guira__i2cf_scale_up_moving(struct i2cf *f, uint64_t newcomer, unsigned kicks, struct paper *list);

/* Whether a bucket can be missed as far as the number of slots goes. */
static inline bool i2cf_may_scale_down(const struct i2cf *f) {
    return f->table.buckets > 1 && table_slots(&f->table) - f->table.items >= f->table.layout.slots;
}

/* Removes a bucket, an empty one if there is one. EFULL: there is no room for its entries; nothing has changed. */
guira_status guira__i2cf_scale_down(struct i2cf *f, unsigned kicks, struct paper *list);

/* Makes another filter with the same entries and so many buckets, or a few more if needed. */
guira_status guira__i2cf_rebuild(const struct i2cf *f, uint64_t buckets, unsigned kicks, struct paper *list,
                                 struct i2cf *out);

/* The first broken invariant, or NULL. */
const char *guira__i2cf_check(const struct i2cf *f);

#endif
