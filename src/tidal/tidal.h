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
 *     table.c small.c        the memory of the buckets, and the directory that finds them
 *     shape.c                sizes, and what lookups derive from the position of the split pointer
 *     tidal.inc              the operations; compiled once for each instruction set (tidal_avx2.c and so on)
 *     elders.c stash.c       entries outside the table: those that can be split no further, surplus copies, and those that
 *                            found no slot
 *     elder_map.c counts.c   where elders may be, and how many copies of them there are
 *     rate.c                 what is done so that the false-positive rate is kept
 *     config.c lifecycle.c resize.c merge.c check.c file.c      the filter as a whole
 *
 * Nothing here knows of threads, windows or files' paths. src/shared/ plugs in through struct readers. */
#ifndef GUIRA_TIDAL_TIDAL_H
#define GUIRA_TIDAL_TIDAL_H

#include "filter/filter.h"
#include "tidal/slot.h"

enum side { UNSPLIT = 0, SPLIT = 1 };
enum outside { OUTSIDE_STASH = 1, OUTSIDE_ELDERS = 2 };

enum {
    MIN_BUCKETS = 2,   /* one for each of the two candidates */
    LOG2_SEGMENTS = 7, /* a level has so many segments, from LEVEL_OF_MORE on twice as many, between these two sizes: */
    LEVEL_OF_MORE = 17,
    LOG2_MIN_SEGMENT = 10,
    LOG2_MAX_SEGMENT = 21, /* a huge page */
    LOG2_PAGE = 12,        /* the smallest segment in stable regions, whose memory is returned by the page */
    SMALL_BYTES = 8192     /* the most that a table takes which lies in one block: see small.c */
};

#define MAX_BUCKETS (UINT64_C(1) << 40) /* 16 TiB of 16-byte buckets */
#define MAX_COUNTED (UINT64_C(1) << 56) /* copies that are counted outside the table, of all keys together */

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
    guira_status (*insert_entry)(struct tidal *f, struct entry e); /* an entry of another filter, see merge.c */
    guira_status (*remove_any)(struct tidal *f, uint64_t hash);    /* the part of remove() for less common cases */
    guira_status (*grow)(struct tidal *f);                         /* by one bucket */
    guira_status (*shrink)(struct tidal *f); /* by one bucket; EFULL: no room or memory for its entries */
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

/* What the entries may weigh for the rate to be kept, up to so many items: see rate.h. */
struct rate_limit {
    uint64_t weight, items;
};

/* What a filter has when its table is too large for one block, or when it is shared. Views have it for the secret. */
struct big {
    uint8_t secret[SECRET_BYTES];     /* first: guira.secret points here */
    struct array array[2];            /* UNSPLIT and SPLIT */
    struct directory *directory;      /* NULL: a view */
    struct directory *next_directory; /* for the level above, when the next step leads there */
    struct directory *published;    /* what concurrent readers use; not `directory` only while a change is under way */
    struct stable_regions *regions; /* where the arrays lie; NULL: anywhere */
    struct readers *readers;        /* NULL: none */
    uintptr_t of_view[4];           /* the directory of a view: as flat_start in a table of one block */
    uint64_t bytes;                 /* allocated for all this */
    struct rate_limit limit;        /* see rate.h */
    bool stays;                     /* may have readers: never becomes small */
};

/* The last two of flat_start. A table in one block has the starts of both sides again, which serve as its directory. Others
 * have the starts in the form that single lookups need: start << 6 | shift, where the shift brings an address down to its
 * tail, as to_tail does for the unsplit side. A load and a shift less for each candidate. */
enum flat { AGAIN = 2, PACKED = 2 };

/* The longest address that can be packed. */
enum { PACKED_ADDRESS_BITS = 58 };

/* 200 bytes, which with the 32 bytes of two buckets and what malloc adds make 256. */
struct tidal {
    guira head;
    struct elders *elders; /* NULL: none */
    struct stash *stash;   /* see stash.c */
    /* What a lookup needs. */
    uintptr_t flat_start[4]; /* of the two arrays, if they lie in one piece. The last two: see enum flat */
    uint64_t split_address;  /* addresses below it are on the split side */
    uintptr_t *segment;      /* of the directory */
    uint8_t to_segment;      /* shifts an address to the number of its pair in the directory */
    uint8_t to_tail;         /* shifts it until its tail ends one above the lowest bit; split side: one less */
    uint8_t has_outside;     /* what there is outside the table: enum outside; 0: nothing */
    uint8_t level;           /* L */
    uint32_t fpr_code : 28, load_code : 4; /* see config.c */
    /* What a change needs. */
    uint64_t grow_at;   /* grow when there are more items than that */
    uint64_t shrink_at; /* shrink when there are fewer */
    uint64_t step;      /* the present step, see stamp.h; last, because only layouts with a time stamp have it */
};

extern const struct guira__kind guira__tidal_kind;

/* The functions for a layout; NULL: none for this instruction set. */
const struct tidal_ops *guira__tidal_ops(enum isa isa, struct layout l);

static inline struct tidal *tidal_of(guira *f) { return (struct tidal *)f; }
static inline const struct tidal *const_tidal_of(const guira *f) { return (const struct tidal *)f; }

static inline const struct tidal_ops *tidal_ops(const struct tidal *f) {
    return (const struct tidal_ops *)(const void *)f->head.ops;
}
static inline struct layout tidal_layout(const struct tidal *f) { return tidal_ops(f)->layout; }

/* NULL: the table lies in one block, and no other thread reads it. */
static inline struct big *big_of(const struct tidal *f) { return (struct big *)(uintptr_t)f->head.secret; }

/* Whether all buckets lie in one piece: in a block of ours, or in a file. */
static inline bool in_one_piece(const struct tidal *f) { return big_of(f) == NULL || big_of(f)->directory == NULL; }

/* Whether each side lies in one piece, so that its start gives the place of every bucket. */
static inline bool is_flat(const struct tidal *f) {
    return f->flat_start[UNSPLIT] != 0 && (f->split_address == 0 || f->flat_start[SPLIT] != 0);
}

static inline struct readers *tidal_readers(const struct tidal *f) {
    return big_of(f) == NULL ? NULL : big_of(f)->readers;
}
static inline uint64_t *tidal_version(const struct tidal *f) {
    return tidal_readers(f) == NULL ? NULL : tidal_readers(f)->version;
}

/* Without the step, if it has no time stamps. */
static inline size_t tidal_size(struct layout l) {
    return l.stamp_bits > 0 ? sizeof(struct tidal) : offsetof(struct tidal, step);
}

/* p: how many buckets of the unsplit side have been split. */
static inline uint64_t tidal_split(const struct tidal *f) { return f->split_address >> (64 - f->level); }
static inline uint64_t bucket_count(const struct tidal *f) { return (UINT64_C(1) << f->level) + tidal_split(f); }

/* Buckets not to shrink below: what was reserved. */
static inline uint64_t tidal_floor(const struct tidal *f) { return f->head.rare == NULL ? 0 : f->head.rare->floor; }
/* How far that goes down when what was reserved is used up: see config.h. */
static inline uint64_t tidal_least(const struct tidal *f) { return f->head.rare == NULL ? 0 : f->head.rare->least; }
static inline unsigned tidal_max_kicks(const struct tidal *f) {
    return f->head.rare == NULL || f->head.rare->max_kicks == 0 ? (unsigned)DEFAULT_KICKS : f->head.rare->max_kicks;
}
static inline unsigned directory_bits(const struct tidal *f) { return 64U - f->to_segment; }

/* ------------------------------------------------------------------------------------------------- where an address is */

ALWAYS_INLINE unsigned side_of(const struct tidal *f, uint64_t address) { return address < f->split_address; }
ALWAYS_INLINE unsigned level_of(const struct tidal *f, unsigned side) { return (unsigned)f->level + side; }

ALWAYS_INLINE uint8_t *bucket_at(const struct tidal *f, unsigned side, uint64_t number, struct layout l) {
    uint64_t pair = number >> (level_of(f, side) - directory_bits(f));
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

/* From the start of an array and the shift for its addresses, packed: see enum flat. With 16-bit slots a bucket has 16 bytes,
 * so ten bits less of a shifted address and six bits less of a packed start are the same. */
ALWAYS_INLINE struct probe probe_of_packed(uint64_t packed, uint64_t address, uint64_t core, struct layout l) {
    enum { NO_LEVEL = 1 }; /* only names need the level, and they are never asked this way */
    if (l.form != FORM_WORDS || l.bits != 16)
        return probe_from((uintptr_t)(packed >> 6), address, core, packed & 63, NO_LEVEL, l);
    uint64_t shifted = address >> ((unsigned)packed & 63), bucket = packed + (shifted & ~field_mask(l));
    return (struct probe){(const uint8_t *)(uintptr_t)(bucket >> 6), full_slot(shifted, core, l)};
}

/* After an entry was added outside the table, or removed: tells lookups. */
static inline void update_has_outside(struct tidal *f) {
    unsigned what = (f->stash->n > 0 ? OUTSIDE_STASH : 0) | (f->elders != NULL ? OUTSIDE_ELDERS : 0);
    struct readers *readers = tidal_readers(f);
    store_relaxed(f->has_outside, (uint8_t)what);
    if (readers != NULL && readers->outside != NULL) readers->outside(readers, what != 0);
}

/* ------------------------------------------------------------------------------------------------------------- stash.c */

/* Memory for n entries in all. False: there is none, and nothing has changed. */
bool guira__stash_make_room(struct tidal *f, unsigned n);

/* The same for what a table of so many buckets should have, even if nothing is in the stash. */
bool guira__stash_ready(struct tidal *f, uint64_t buckets);

/* Frees what is more than that. */
void guira__stash_trim(struct tidal *f);

/* Adds e. EFULL: there are `limit` entries already. ENOMEM. */
guira_status guira__stash_add(struct tidal *f, struct entry e, unsigned limit);

void guira__stash_free(struct tidal *f);
size_t guira__stash_bytes(const struct tidal *f);

/* The stash of a filter that has none. */
extern struct stash guira__no_stash;

/* ------------------------------------------------------------------------------------------------------------ inline.c */

void guira__tidal_inline_table(const guira *f, struct guira_inline_table *t);

/* ------------------------------------------------------------------------------------------------- lifecycle.c, resize.c */

guira_status guira__tidal_create(const struct guira__ops *ops, const guira_config *c, guira **out);
guira_status guira__tidal_create_in(struct stable_regions *regions, const struct guira__ops *ops, const guira_config *c,
                                    guira **out);                     /* with its arrays in regions not used yet */
struct tidal *guira__tidal_struct_make(const struct guira__ops *ops); /* without a table; NULL: no memory */
void guira__tidal_destroy(guira *f);
guira_status guira__tidal_clone(const guira *f, guira **out);
guira_status guira__tidal_clone_in(struct stable_regions *regions, const guira *f, guira **out);
guira_status guira__tidal_create_names(const struct tidal *f, guira **out);         /* an empty filter for f's elders */
guira_status guira__tidal_clone_names(const guira *names, bool stays, guira **out); /* and a copy of one */
guira_status guira__tidal_clone_empty(const guira *f, uint64_t buckets, guira **out);

/* From now on (or, NULL, no longer) changes are reported. */
void guira__tidal_set_readers(struct tidal *f, struct readers *readers);

void guira__tidal_take_over(struct tidal *f, struct tidal *g); /* f becomes g, and g is destroyed */
guira_status guira__tidal_reserve(guira *f, uint64_t items);
guira_status guira__tidal_shrink_to_fit(guira *f);
void guira__tidal_shrink_steps(struct tidal *f); /* the same bucket by bucket, safe for concurrent readers */
guira_status guira__tidal_clear(guira *f);
guira_status guira__tidal_merge(guira *into, const guira *from);
void guira__tidal_config(const guira *f, guira_config *out);
struct stash *guira__tidal_stash(const guira *f);
guira_status guira__tidal_unite(guira *into, const guira *from);
void guira__tidal_stats(const guira *f, guira_stats *out);
uint64_t guira__tidal_bytes(const struct tidal *f); /* all that is not elders or rare */

/* ------------------------------------------------------------------------------------------------------ check.c, file.c */

const char *guira__tidal_check(const guira *f);
const char *guira__tidal_check_frame(const struct tidal *f); /* the part that does not read what is large */
void guira__tidal_dump(const guira *f, guira__sink *sink, void *to);
unsigned guira__tidal_format(const guira *f);
void guira__tidal_save(const guira *f, struct guira__writer *to);
guira_status guira__tidal_view(const struct guira__ops *ops, const guira_config *c, struct guira__reader *from,
                               guira **out);

#endif
