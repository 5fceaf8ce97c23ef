/* One index-independent cuckoo filter: buckets on a ring, fingerprints in one of their k candidate buckets.
 *
 *     hash    [ upper 32 bits | ... ]
 *               fingerprint F = the first f of them; 0 is empty, so a fingerprint of zeros becomes 1
 *               |
 *               +-- h_1(F), ..., h_k(F) --> k positions on the ring --> their buckets, not always k different ones
 *
 * Everything about an entry follows from its fingerprint, so buckets can come and go without the keys, and any two
 * entries with the same fingerprint stand for each other. It also follows that a key is found if its fingerprint is
 * anywhere in the filter, which makes the rate grow with the number of entries, not of those in k buckets.
 *
 * Why not scale to 1..2^f - 1, as elsewhere in this library? Because filters of different f stand side by side here, and
 * a short fingerprint must follow from a long one (see consistent.h). Folding 0 onto 1 keeps that: it costs 0.8 % more
 * false positives at 8 bits, half as much with each bit more.
 *
 *     block   [ point[0..]  8 bytes each | owner[0..]  4 bytes each | slots, f bits each ]      one piece of memory
 *
 * i2cf.c has the entries, i2cf_scale.c what changes the number of buckets. */
#ifndef GUIRA_I2CF_H
#define GUIRA_I2CF_H

#include "kind.h"
#include "ring.h"

enum { MAX_CANDIDATES = 32, MAX_NODES = 1024, MAX_BUCKET_SLOTS = 16, MAX_WALK = 2000, LOG_SIZE = 2048 };

struct shape {
    unsigned bits;       /* f */
    unsigned slots;      /* b, of a bucket */
    unsigned candidates; /* k */
    unsigned nodes;      /* v */
    uint64_t ring;       /* M */
};

struct i2cf {
    struct shape shape;
    uint64_t buckets, items;
    uint64_t room;  /* buckets the block has memory for */
    uint8_t *block; /* NULL: table and ring are part of a file */
    uint8_t *table; /* in the block, as are the arrays of the ring */
    struct ring ring;
};

/* A fingerprint and where it may be. Filters that agree on f, k and M share it. */
struct aim {
    uint64_t fingerprint, ring;
    unsigned bits, n;
    uint64_t position[MAX_CANDIDATES];
};

/* What was written, so that it can be undone: like journal.h, for slots of any width. */
struct i2cf_log {
    unsigned n;
    struct {
        uint64_t slot, old;
    } line[LOG_SIZE];
};

/* ------------------------------------------------------------------------------------------------------------- entries */

static inline uint64_t i2cf_slots(const struct i2cf *f) { return f->buckets * f->shape.slots; }
static inline double i2cf_load(const struct i2cf *f) { return (double)f->items / (double)i2cf_slots(f); }

/* Fills *a for a key's hash; does nothing if it is that already. *a must be all zero, or of the same hash. */
void guira__aim_hash(struct aim *a, const struct shape *s, uint64_t hash);
void guira__aim_fingerprint(struct aim *a, const struct shape *s, uint64_t fingerprint);

/* The fingerprint of fewer bits that a key with this one has. */
static inline uint64_t fingerprint_cut(uint64_t fingerprint, unsigned from, unsigned to) {
    return fingerprint >> (from - to) != 0 ? fingerprint >> (from - to) : 1;
}

/* How likely a key that is not there is to be missed by so many entries of so many bits, as it should. */
double guira__i2cf_miss(unsigned bits, double entries);

bool guira__i2cf_contains(const struct i2cf *f, const struct aim *a);
uint64_t guira__i2cf_count(const struct i2cf *f, const struct aim *a, uint64_t *places); /* places may be NULL */
bool guira__i2cf_remove(struct i2cf *f, const struct aim *a);
uint64_t guira__i2cf_entry(const struct i2cf *f, uint64_t slot); /* 0: empty */

/* Puts an entry in, moving at most `kicks` others. False: nothing has changed. luck: where chance comes from and kicks
 * are counted. The log, begun with n = 0, can take several calls back. */
bool guira__i2cf_insert(struct i2cf *f, const struct aim *a, unsigned kicks, struct i2cf_log *log, guira *luck);

/* ---------------------------------------------------------------------------------------- inside i2cf.c and i2cf_scale.c */

bool guira__i2cf_place(struct i2cf *f, const struct aim *a, unsigned kicks, struct i2cf_log *log, guira *luck);
bool guira__i2cf_place_in(struct i2cf *f, uint64_t bucket, uint64_t fingerprint, struct i2cf_log *log);
void guira__i2cf_set(struct i2cf *f, uint64_t slot, uint64_t fingerprint);
void guira__i2cf_undo(struct i2cf *f, struct i2cf_log *log);
uint64_t guira__luck(guira *luck); /* 64 random bits */

/* -------------------------------------------------------------------------------------------------------------- buckets */

/* Whether the ring and the numbers of buckets are large enough for so many. */
bool guira__i2cf_can_be(const struct shape *s, uint64_t buckets);

/* Makes an empty filter with its points drawn from luck. ELIMIT: more than the ring or 2^32 buckets can be. ENOMEM. */
guira_status guira__i2cf_make(struct i2cf *f, const struct shape *s, uint64_t buckets, guira *luck);
guira_status guira__i2cf_take(struct i2cf *f, const struct shape *s,
                              uint64_t buckets); /* points and owners to be written */
/* On top of what a file has of it, which is not looked at. It can be asked, checked, cloned and freed. */
guira_status guira__i2cf_view(struct i2cf *f, const struct shape *s, uint64_t buckets, const uint8_t *points,
                              const uint8_t *owners, const uint8_t *slots);
guira_status guira__i2cf_clone(const struct i2cf *f, struct i2cf *out);
void guira__i2cf_free(struct i2cf *f);

/* What the block and the table take. */
size_t guira__i2cf_bytes(const struct i2cf *f);
size_t guira__i2cf_table_bytes(const struct i2cf *f);

/* One more bucket; newcomer, if not NULL, gets a place in the course of it. ENOMEM, ELIMIT; EFULL: no points were found
 * that would do, which takes a ring hardly larger than what is on it. On failure nothing has changed. */
guira_status guira__i2cf_scale_up(struct i2cf *f, const struct aim *newcomer, guira *luck);

/* One bucket less, an empty one if there is one. EFULL: the others have no room for its entries; nothing has changed. */
guira_status guira__i2cf_scale_down(struct i2cf *f, unsigned kicks, guira *luck);

/* Another filter with the same entries and so many buckets, or a few more if that is what it takes. */
guira_status guira__i2cf_rebuild(const struct i2cf *f, uint64_t buckets, unsigned kicks, guira *luck, struct i2cf *out);

/* The first broken invariant, or NULL. */
const char *guira__i2cf_check(const struct i2cf *f);
void guira__i2cf_dump(const struct i2cf *f, guira__sink *sink, void *to);

#endif
