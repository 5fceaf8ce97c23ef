/* The tidal filter: a cuckoo filter that grows and shrinks by one bucket at a time, by linear hashing.
 *
 * The table has 2^L + p buckets. p is the SPLIT POINTER (docs/tidal.md calls it the tide line): the first p buckets of
 * level L have been split into 2p buckets of level L+1.
 *
 *                     p
 *     SPLIT       [0 0 1 1 2 2 3 3]              level L+1, 2p buckets: addresses below the split address
 *     UNSPLIT      . . . . [4 5 6 7]             level L, 2^L - p buckets: the others
 *
 * Growing splits bucket p into buckets 2p and 2p+1 of the split side; shrinking is the reverse.
 *
 *     slot.h                 what is in a slot: addresses, entries
 *     table.c                the memory of the buckets, and the directory that finds them
 *     tidal.inc              the operations; compiled once for each instruction set (tidal_avx2.c and so on)
 *     elders.c               entries that can be split no further
 *     config.c lifecycle.c resize.c merge.c check.c file.c      the filter as a whole
 *
 * Nothing here knows of threads, windows or files' paths. src/shared/ plugs in through struct readers. */
#ifndef GUIRA_TIDAL_TIDAL_H
#define GUIRA_TIDAL_TIDAL_H

#include "filter/filter.h"
#include "tidal/slot.h"

enum side { UNSPLIT = 0, SPLIT = 1 };

enum {
    MIN_BUCKETS = 2,   /* one for each of the two candidates */
    LOG2_SEGMENTS = 6, /* a level has so many segments, between these two sizes: */
    LOG2_MIN_SEGMENT = 10,
    LOG2_MAX_SEGMENT = 21, /* a huge page */
    LOG2_PAGE = 12         /* the smallest segment in stable regions, whose memory is returned by the page */
};

#define MAX_BUCKETS (UINT64_C(1) << 40) /* 16 TiB of 16-byte buckets */

struct elders;
struct stable_regions; /* see base/region.h */
struct tidal;

/* The functions that are compiled for a layout and an instruction set, beyond those that every kind has. */
struct tidal_ops {
    struct guira__ops common;
    struct layout layout;
    const struct tidal_ops *names;                                 /* for the names of elders, see elders.h */
    bool (*contains_flat)(const guira *f, uint64_t hash);          /* contains(), if both arrays lie in one piece */
    guira_status (*insert_full)(struct tidal *f, uint64_t hash);   /* the part of insert() for two full buckets */
    guira_status (*remove_any)(struct tidal *f, uint64_t hash);    /* the part of remove() for less common cases */
    guira_status (*insert_entry)(struct tidal *f, struct entry e); /* an entry of another filter, see merge.c */
    guira_status (*grow)(struct tidal *f);                         /* by one bucket */
    guira_status (*shrink)(struct tidal *f); /* by one bucket; EFULL: the others have no room for its entries */
    /* Layouts with a time stamp only, see stamp.inc. */
    unsigned (*age)(const struct tidal *f, uint64_t hash);
    bool (*refresh)(struct tidal *f, uint64_t hash);
};

/* How a filter reports its changes to threads that read it without a lock. A filter of one thread has none.
 * The names of elders share the version and `retire` of their filter; the other functions are NULL there. */
struct readers {
    uint64_t *version;        /* see base/version.h */
    struct readers *of_names; /* for the names of elders */
    /* Calls end(start, size) once no reader can be using it any more. */
    void (*retire)(struct readers *r, void *start, size_t size, void (*end)(void *start, size_t size));
    /* The table has moved to other memory, or its split pointer has moved. */
    void (*publish)(struct readers *r, const struct tidal *f);
    /* There are entries outside the table now, or none any more. */
    void (*outside)(struct readers *r, bool any);
};

/* The array of one level, in segments: see table.h. */
struct array {
    uint8_t *region;     /* where it lies if it lies in one piece, else NULL */
    uint32_t first, end; /* the segments that are there: first..end-1 */
    uint8_t level;
    uint8_t log2_buckets; /* of a segment */
    bool open;            /* false: there is none; or, if it has a region, that is part of a file and not ours */
    bool stable;          /* the region is one of the stable regions, and is not closed with the array */
};

static inline bool array_has(const struct array *a, uint64_t segment) {
    return a->first <= segment && segment < a->end;
}

/* Where the segments are: {unsplit, split} for each leading part of an address. Each level has a directory of its own,
 * so that a concurrent reader sees one level or the other, whole. */
struct directory {
    uint64_t split_address; /* as far as readers know */
    uint64_t to_segment;    /* these as in struct tidal */
    uint64_t to_tail;
    uint64_t level;
    uintptr_t segment[];
};

struct tidal {
    guira head;
    /* What a lookup needs, in one cache line. */
    uint64_t split_address __attribute__((aligned(64))); /* addresses below it are on the split side */
    uintptr_t *segment;                                  /* of the directory */
    uintptr_t flat_start[2];                             /* of the two arrays, if they lie in one piece */
    uint64_t to_segment;             /* shifts an address to the number of its pair in the directory */
    uint64_t to_tail;                /* shifts it until its tail ends one above the lowest bit; split side: one less */
    uint64_t has_outside;            /* whether there is anything in the stash or among the elders */
    const struct elder_map *outside; /* if so, where it may be: see elders.h */
    /* What a change needs. */
    struct directory *published; /* what concurrent readers use; not `directory` only while a change is under way */
    const struct tidal_ops *ops; /* head.ops may be replaced by functions that refuse changes (io/view.c) */
    uint64_t grow_at;            /* grow when there are more items than that */
    uint64_t shrink_at;          /* shrink when there are fewer */
    uint64_t split;              /* p: how many buckets of the unsplit side have been split */
    uint64_t floor;              /* buckets not to shrink below: what was reserved */
    unsigned level;              /* L */
    unsigned directory_bits;
    struct array array[2]; /* UNSPLIT and SPLIT */
    struct directory *directory;
    struct directory *next_directory; /* for the level above, when the next step leads there */
    struct elders *elders;            /* NULL: none */
    struct stable_regions *regions;   /* where the arrays lie; NULL: anywhere */
    struct readers *readers;          /* NULL: none */
    uint64_t step;                    /* layouts with a time stamp: the present step, see stamp.h */
};

extern const struct guira__kind guira__tidal_kind;

/* The functions for a layout; NULL: none for this instruction set. */
const struct tidal_ops *guira__tidal_ops(enum isa isa, struct layout l);

static inline struct tidal *tidal_of(guira *f) { return (struct tidal *)f; }
static inline const struct tidal *const_tidal_of(const guira *f) { return (const struct tidal *)f; }

static inline struct layout tidal_layout(const struct tidal *f) { return f->ops->layout; }
static inline uint64_t *tidal_version(const struct tidal *f) { return f->readers == NULL ? NULL : f->readers->version; }
static inline uint64_t bucket_count(const struct tidal *f) { return (UINT64_C(1) << f->level) + f->split; }

/* ------------------------------------------------------------------------------------------------- where an address is */

ALWAYS_INLINE unsigned side_of(const struct tidal *f, uint64_t address) { return address < f->split_address; }
ALWAYS_INLINE unsigned level_of(const struct tidal *f, unsigned side) { return f->level + side; }

ALWAYS_INLINE uint8_t *bucket_at(const struct tidal *f, unsigned side, uint64_t number, struct layout l) {
    uint64_t pair = number >> (level_of(f, side) - f->directory_bits);
    return (uint8_t *)(f->segment[2 * pair + side] + number * l.bucket_bytes);
}

ALWAYS_INLINE uint8_t *bucket_of(const struct tidal *f, uint64_t address, struct layout l) {
    unsigned side = side_of(f, address);
    uint64_t number = address >> (64 - level_of(f, side));
    return (uint8_t *)(f->segment[2 * (address >> f->to_segment) + side] + number * l.bucket_bytes);
}

/* The bucket of an address, and what a slot there must agree with. */
struct probe {
    const uint8_t *bucket;
    uint64_t q;
};

/* From the start of an array. One shift, by to_tail, brings bucket number and tail down together: [bucket | tail | one
 * bit more]. No branch depends on the side. Beyond the cache the processor runs as many lookups at once as fit into its
 * reorder window, so every instruction counts. */
ALWAYS_INLINE struct probe probe_from(uintptr_t start, uint64_t address, uint64_t core, uint64_t to_tail,
                                      uint64_t level, struct layout l) {
    if (knows_all(l)) {
        uint64_t q = slot_encode((struct entry){address, ALL_KNOWN}, (unsigned)level, l);
        return (struct probe){(const uint8_t *)(start + (address >> (64 - level)) * l.bucket_bytes), q};
    }
    uint64_t shifted = address >> to_tail;
    uint64_t bucket = (shifted >> (tail_bits(l) + 1)) * l.bucket_bytes;
    return (struct probe){(const uint8_t *)(start + bucket), full_slot(shifted, core, l)};
}

/* The map of the elders; if there is a stash, one that says "maybe" to everything. */
const struct elder_map *guira__outside_map(const struct tidal *f);

/* After an entry was added outside the table, or removed: tells lookups. */
static inline void update_has_outside(struct tidal *f) {
    bool any = f->head.stash.n > 0 || f->elders != NULL;
    f->outside = any ? guira__outside_map(f) : NULL;
    store_relaxed(f->has_outside, (uint64_t)any);
    if (f->readers != NULL && f->readers->outside != NULL) f->readers->outside(f->readers, any);
}

/* ------------------------------------------------------------------------------------------------- lifecycle.c, resize.c */

guira_status guira__tidal_create(const struct guira__ops *ops, const guira_config *c, guira **out);
guira_status guira__tidal_create_in(struct stable_regions *regions, const struct guira__ops *ops, const guira_config *c,
                                    guira **out); /* with its arrays in regions not used yet */
void guira__tidal_destroy(guira *f);
guira_status guira__tidal_clone(const guira *f, guira **out);
guira_status guira__tidal_clone_in(struct stable_regions *regions, const guira *f, guira **out);
guira_status guira__tidal_clone_empty(const guira *f, uint64_t buckets, guira **out);

/* From now on (or, NULL, no longer) changes are reported. */
void guira__tidal_set_readers(struct tidal *f, struct readers *readers);

void guira__tidal_take_over(struct tidal *f, struct tidal *g); /* f becomes g, and g is destroyed */
guira_status guira__tidal_reserve(guira *f, uint64_t items);
guira_status guira__tidal_shrink_to_fit(guira *f);
void guira__tidal_shrink_steps(struct tidal *f); /* the same bucket by bucket, safe for concurrent readers */
guira_status guira__tidal_clear(guira *f);
guira_status guira__tidal_merge(guira *into, const guira *from);
void guira__tidal_stats(const guira *f, guira_stats *out);

/* ------------------------------------------------------------------------------------------------------ check.c, file.c */

const char *guira__tidal_check(const guira *f);
const char *guira__tidal_check_frame(const struct tidal *f); /* the part that does not read what is large */
void guira__tidal_dump(const guira *f, guira__sink *sink, void *to);
void guira__tidal_save(const guira *f, struct guira__writer *to);
guira_status guira__tidal_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                               guira **out);

#endif
