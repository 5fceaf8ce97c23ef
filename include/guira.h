/* guira: cuckoo filters that grow and shrink. A filter answers "is this key in the set?" in a few bits per key, with no
 * false negatives and a known rate of false positives.
 *
 *     guira *f;
 *     if (guira_create(NULL, &f) != GUIRA_OK) return 1;
 *     guira_insert(f, "ana", 3);
 *     guira_contains(f, "ana", 3);      true, always
 *     guira_contains(f, "bob", 3);      false, except for false positives (one in two thousand here)
 *     guira_remove(f, "ana", 3);
 *     guira_destroy(f);
 *
 * This header has filters, files, metrics and planning. guira_shared.h has filters for several threads, guira_window.h
 * has sliding windows ("was this key seen in the last ten minutes?"), guira_inline.h lookups that need no call.
 *
 * What holds everywhere:
 *   - No false negatives: a key that was inserted and not removed is found.
 *   - A call that fails leaves the filter as it was, except for the counter of failures.
 *   - Nothing is printed, nothing aborts, and errno is not part of the interface.
 *   - Several threads may read one filter as long as none changes it. Two filters are independent of each other.
 *   - Filters with the same configuration and seed that got the same calls have the same bytes.
 *
 * DELETION. Remove only keys that you inserted. A filter cannot tell a member from a false positive: removing a key that
 * was never inserted may remove the entry of another key, and that key is lost.
 *
 * STRUCTS THAT GROW. Structs that the caller allocates start with their size, so that later versions can add fields. Set
 * it to sizeof the struct, by guira_config_init() or an initializer such as GUIRA_STATS_INIT, or leave it 0, which means
 * the struct of version 1. */
#ifndef GUIRA_H
#define GUIRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GUIRA_VERSION_MAJOR 0
#define GUIRA_VERSION_MINOR 1
#define GUIRA_VERSION_PATCH 0
/* For comparisons: 10203 is 1.2.3. */
#define GUIRA_VERSION_NUMBER (GUIRA_VERSION_MAJOR * 10000 + GUIRA_VERSION_MINOR * 100 + GUIRA_VERSION_PATCH)

/* What is exported. A program that compiles the library into itself may define it as nothing. */
#if !defined(GUIRA_API) && defined(__GNUC__)
#define GUIRA_API __attribute__((visibility("default")))
#elif !defined(GUIRA_API)
#define GUIRA_API
#endif

typedef struct guira guira;
struct guira_shared; /* guira_shared.h */
struct guira_window; /* guira_window.h */

typedef enum {
    GUIRA_TIDAL = 0,      /* grows and shrinks by one bucket at a time; the default, and the one to use */
    GUIRA_CUCKOO = 1,     /* a cuckoo filter of fixed size */
    GUIRA_DYNAMIC = 2,    /* DCF: a list of equal cuckoo filters */
    GUIRA_ELASTIC = 3,    /* ECF: halves, and multiplies with lazy update */
    GUIRA_CONSISTENT = 4, /* CCF: cuckoo filters on consistent hash rings (one of them: I2CF) */
} guira_kind;

/* How GUIRA_CONSISTENT follows the number of items. */
typedef enum {
    GUIRA_BOTH_LEVELS = 0,  /* by single buckets, and by whole filters when that is not enough */
    GUIRA_BUCKET_LEVEL = 1, /* the paper's CCF_B */
    GUIRA_FILTER_LEVEL = 2, /* the paper's CCF_F */
} guira_policy;

typedef enum {
    GUIRA_OK = 0,
    GUIRA_ENOMEM = -1,        /* out of memory */
    GUIRA_EINVAL = -2,        /* an argument is invalid */
    GUIRA_EFULL = -3,         /* no room left for this key */
    GUIRA_EDUPLICATE = -4,    /* more copies of one key than its buckets can hold; never from a tidal filter */
    GUIRA_ENOTFOUND = -5,     /* the key is not in the filter */
    GUIRA_EEXIST = -6,        /* the key may be in the filter already */
    GUIRA_EFORMAT = -7,       /* not a guira file, or one of an unknown version or of something else */
    GUIRA_ECORRUPT = -8,      /* a checksum is wrong or an invariant is broken */
    GUIRA_EIO = -9,           /* reading or writing failed */
    GUIRA_ELIMIT = -10,       /* beyond the limits of this filter */
    GUIRA_EUNSUPPORTED = -11, /* this filter cannot do that */
    GUIRA_ENOENT = -12,       /* there is no such file or directory */
    GUIRA_EACCES = -13,       /* the system does not allow it */
    GUIRA_ENOSPC = -14        /* no space left for the file */
} guira_status;

/* How to make a filter. Zero in any field means the default. Start from guira_config_init() or from {0}. */
typedef struct {
    size_t size; /* of this struct: see the top */
    guira_kind kind;
    uint64_t capacity;  /* items to make room for at once; 0: the smallest size (cuckoo: not allowed) */
    double fpr;         /* false-positive rate to keep, in (0,1); chooses slot_bits if that is 0. Tidal: kept at every
                           size that `growth` allows, whatever is inserted and removed */
    unsigned slot_bits; /* tidal: 12 to 26, 28 or 32; cuckoo: 6 to 26, 28 or 32; the papers' kinds: 4 to 32;
                           0: from fpr, or 16 (tidal: keeps 1 % up to 10^10 items) */
    double max_load;    /* grow above it, in (0,1); 0: 0.93 (tidal), 0.95 (cuckoo: what the capacity is planned for;
                           the papers' kinds: less if a bucket has fewer than 4 slots) */
    double min_load;    /* shrink below it, less than max_load; 0: max_load - 0.05; negative: never shrink
                           (elastic: less than max_load / factor; 0: half of that) */
    double growth;      /* tidal: the most items ever, divided by `capacity` (or, without it, by the 14 items that the
                           smallest filter holds); at least 1. 1: never beyond `capacity`. 0: up to 10^10 items. Less
                           growth needs fewer bits for the same fpr. A filter that keeps fpr does not shrink
                           below the capacity */
    uint8_t seed[16];   /* of the hash function; all zero: drawn from the system */
    unsigned max_kicks; /* most entries moved to make room for one, at most 2000; 0: 500 */
    unsigned
        bucket_slots; /* slots in a bucket. Cuckoo: 4 or 8 (or 10 with 12 bits); 0: 4 if fpr is to be kept and that is
                              smaller, else 8 (12 bits: 10). The papers' kinds: b, 1 to 16; 0: 4. Tidal: not used */
    /* Only for dynamic, elastic and consistent, the kinds of the papers. */
    uint64_t buckets; /* m: buckets of one filter (elastic: to start with; cuckoo: exactly as many, then capacity may be
                               0); 0: 64, or what the capacity needs */
    unsigned max_filters; /* s: most filters at once; 0: 1024 */
    unsigned factor;     /* elastic: what an extension multiplies by, 2 to 16; 0: 2. Cuckoo: what guira_cuckoo_halve has
                               divided the buckets by, a power of two; 0: never halved */
    unsigned candidates; /* k: consistent: candidate buckets of an entry, 1 to 32; 0: 2 */
    unsigned virtual_nodes; /* v: consistent: points of a bucket on the ring, 1 to 1024; 0: 10 */
    uint64_t ring;          /* M: consistent: points are 1..M-1, of which half can be used; at least 3; 0: 5 * 10^10 */
    guira_policy policy;    /* consistent; its default for slot_bits is 32, for max_load 0.90 */
} guira_config;

typedef struct {
    size_t size;    /* of this struct: see the top */
    uint64_t items; /* members, copies counted */
    uint64_t slots; /* in all buckets */
    uint64_t buckets;
    uint64_t bytes;    /* memory that the filter holds, everything included */
    uint64_t stash;    /* members in the stash, outside the table */
    uint64_t elders;   /* members outside the table that can be split no further or are surplus copies: docs/tidal.md */
    uint64_t kicks;    /* entries moved so far to make room for others */
    uint64_t failures; /* insertions refused so far */
    uint64_t grows;    /* buckets added so far */
    uint64_t shrinks;  /* buckets removed so far */
    double load;       /* items / slots; in a tidal filter without the copies that are counted outside the table */
    double fpr;        /* false-positive rate to expect right now */
    uint64_t evictions; /* times that entries were moved to make room, which took the kicks; not saved in files */
    uint64_t filters;   /* single filters it consists of; 1 for most kinds */
    double fpr_kept;    /* false-positive rate that is kept (guira_config.fpr); 0: none was asked for, or slot_bits or a
                           file of an older version does not keep it, or fpr is higher at the moment: after a merge, with
                           more items than growth allows, or without memory to grow */
} guira_stats;

#define GUIRA_STATS_INIT \
    { .size = sizeof(guira_stats) }

/* ------------------------------------------------------------------------------------------------------ create, destroy */

/* Sets every field of c to its default. */
GUIRA_API void guira_config_init(guira_config *c);

/* Makes an empty filter; c may be NULL for the defaults. The caller owns *out and frees it with guira_destroy.
 * EINVAL: out is NULL, or a field of c is out of range. ELIMIT: capacity beyond what any machine holds, or an fpr that
 * even the widest slots do not keep. ENOMEM.
 * EIO: the system gave no random seed. On failure *out is NULL. */
GUIRA_API guira_status guira_create(const guira_config *c, guira **out);

/* Frees everything. f may be NULL. */
GUIRA_API void guira_destroy(guira *f);

/* ------------------------------------------------------------------------------------------------------- single keys
 * A key is a byte string of any length, 0 included (then key may be NULL). */

/* Adds one copy of key. A tidal filter takes any number of copies: they take no room from other keys and are counted
 * exactly. ENOMEM: the filter is full and could not grow. All other kinds: EFULL: full; EDUPLICATE: this key has too many
 * copies. */
GUIRA_API guira_status guira_insert(guira *f, const void *key, size_t len);

/* Like guira_insert, but EEXIST if the filter already contains key. */
GUIRA_API guira_status guira_insert_unique(guira *f, const void *key, size_t len);

/* False: key is not a member. True: it is a member, or a false positive (guira_stats.fpr is how often). */
GUIRA_API bool guira_contains(const guira *f, const void *key, size_t len);

/* Removes one copy of key, which must have been inserted (see the top). ENOTFOUND: it was not. */
GUIRA_API guira_status guira_remove(guira *f, const void *key, size_t len);

/* How many copies of key the filter holds; false positives can make it too many, never too few. */
GUIRA_API uint64_t guira_count(const guira *f, const void *key, size_t len);

/* -------------------------------------------------------------------------------------------------------- hashed keys
 * For callers that hash a key once and use it several times, or whose keys are uniform 64-bit hashes already. All bits of
 * a hash from elsewhere must be uniform. */

GUIRA_API uint64_t guira_hash(const guira *f, const void *key, size_t len);
/* The hashes of n keys of `size` bytes each, one after the other in memory, such as an array of numbers. The same as n calls
 * of guira_hash, and faster for keys of 8 bytes. EINVAL: an argument is NULL. */
GUIRA_API guira_status guira_hash_many(const guira *f, const void *keys, size_t size, size_t n, uint64_t *out);
GUIRA_API guira_status guira_insert_hash(guira *f, uint64_t hash);
GUIRA_API guira_status guira_insert_unique_hash(guira *f, uint64_t hash);
GUIRA_API bool guira_contains_hash(const guira *f, uint64_t hash);
GUIRA_API guira_status guira_remove_hash(guira *f, uint64_t hash);
GUIRA_API uint64_t guira_count_hash(const guira *f, uint64_t hash);

/* Many hashes in one call: the same as one after the other, but faster beyond the cache. out has n elements; for insert and
 * remove it may be NULL. Return how many are contained, were inserted, were removed. */
GUIRA_API size_t guira_contains_hash_many(const guira *f, const uint64_t *hash, size_t n, bool *out);
GUIRA_API size_t guira_insert_hash_many(guira *f, const uint64_t *hash, size_t n, guira_status *out);
GUIRA_API size_t guira_remove_hash_many(guira *f, const uint64_t *hash, size_t n, guira_status *out);

/* --------------------------------------------------------------------------------------------------------------- size
 * All kinds but the fixed one follow the number of items by themselves. These functions are for callers that know the
 * future number of items. */

/* Makes room for so many items in all, and keeps it until the filter outgrows it or guira_shrink_to_fit frees it. Needs
 * memory for the old and the new size while it runs. Tidal, 0 items: nothing is reserved any longer. The filter
 * stays as it is, and the removals that follow shrink it (if it keeps fpr, down to its capacity).
 * ENOMEM, ELIMIT; EUNSUPPORTED: a fixed filter that is too small. */
GUIRA_API guira_status guira_reserve(guira *f, uint64_t items);

/* Frees room that is not needed, down to max_load, and drops reservations. Of a tidal filter the capacity goes too: if fpr was
 * kept for growth from there on, it may be kept no longer (guira_stats.fpr_kept). If memory for a step is missing it stops
 * early, which is not an error. EUNSUPPORTED: a fixed filter. */
GUIRA_API guira_status guira_shrink_to_fit(guira *f);

/* Removes everything and goes back to the reserved size (at first: the capacity). ENOMEM. ELIMIT: consistent, and what was
 * reserved is too much for one ring. */
GUIRA_API guira_status guira_clear(guira *f);

/* A second filter with the same bytes as f. ENOMEM. ECORRUPT: f is a view (see below) of bytes that are corrupt, or that
 * changed while they were copied. On failure *out is NULL. */
GUIRA_API guira_status guira_clone(const guira *f, guira **out);

/* Inserts a copy of every member of `from` into `into` without the keys, all of them or none. Takes time in proportion to
 * both. Both must have the same seed, so take the configuration of one for the other. Of cuckoo and dynamic filters
 * `slot_bits`, `buckets` and `bucket_slots` must be the same too. Tidal filters may differ in size and slot width: `into` keeps
 * its width, and of members with wider slots it keeps as many bits as fit. But filters of 12 bits can be merged only with each
 * other: their entries belong to other pairs of buckets (tidal/merge.c). Merging cannot restore hash bits that are
 * not stored: merging a small filter into one 2^t times its size (t = 6 at 12 bits, else slot_bits of `from` - 7) makes elders of
 * the small one's members. The false-positive rates of both add up, also in a filter that keeps `fpr`: if that is exceeded,
 * guira_stats.fpr_kept is 0. Needs memory for a second `into` while it runs, and if `from` is a view, for a copy of it.
 * EINVAL: different seed, kind, slot width (tidal: 12 bits and others) or buckets. EUNSUPPORTED: elastic or consistent, or `into` is a view. ENOMEM. Cuckoo,
 * dynamic: EFULL, EDUPLICATE: too many copies of one key; EFULL also: a cuckoo filter has no room for all, or a dynamic one not
 * enough filters. Tidal: ELIMIT: more than 2^56 copies. ECORRUPT: as for guira_clone. */
GUIRA_API guira_status guira_merge(guira *into, const guira *from);

/* Tidal filters only. Like guira_merge, but a member of `from` that `into` seems to contain already is not inserted again, which
 * is what guira_insert_unique would do with its key. Where the two filters know a different number of bits of a member, `into`
 * then has the entry that knows less, so that its false-positive rate may rise. Two members that these bits do not tell apart are
 * one afterwards, as with guira_insert_unique; members that are elders in one filter only may have a copy. Errors as for
 * guira_merge; EUNSUPPORTED: not tidal. */
GUIRA_API guira_status guira_union(guira *into, const guira *from);

/* Halves the buckets of a cuckoo filter, which must be even in number: choose guira_config.buckets accordingly, for example
 * a power of two. The items are the same in half the room, so load and false-positive rate double; both are what a filter of
 * that size has. A capacity that no longer fits becomes what does. Needs memory for the new table. A filter with the same
 * configuration can be merged with it. ELIMIT: the number of buckets is odd. EFULL: the entries do not fit. ENOMEM.
 * EUNSUPPORTED: another kind, or a view. On failure nothing has changed. */
GUIRA_API guira_status guira_cuckoo_halve(guira *f);

/* ------------------------------------------------------------------------------- single steps of the consistent filter
 * GUIRA_CONSISTENT takes these steps by itself, according to its policy. Here they are for experiments and for callers
 * that control the size themselves. For other kinds all are EUNSUPPORTED. A step that fails changes nothing. */

/* Adds a bucket to the filter of the list that has the fewest and can have one more. ENOMEM. ELIMIT: 2^32 buckets, or
 * half of the ring's points are taken. EFULL: no place on the ring was found (possible only if the ring is very small). */
GUIRA_API guira_status guira_consistent_scale_up(guira *f);

/* Removes a bucket, an empty or nearly empty one, from the filter with the lowest load. EFULL: its entries would find no
 * place, or there is only one bucket. */
GUIRA_API guira_status guira_consistent_scale_down(guira *f);

/* Adds an empty filter to the end of the list, like the first one (c NULL) or with these fields of c: capacity, fpr,
 * slot_bits, bucket_slots, buckets, candidates, virtual_nodes, ring. EINVAL: a field is out of range. ELIMIT: there are
 * max_filters already, or it would be too large. ENOMEM. */
GUIRA_API guira_status guira_consistent_scale_out(guira *f, const guira_config *c);

/* Moves the entries of the filter with the lowest load to the others and drops it; repeats that until it fails or one is
 * left. Of several empty ones the one of the configured shape stays. OK if at least one was dropped. EFULL: none could be
 * (a filter with shorter fingerprints can take entries from one with longer ones, not the other way round). ENOMEM: it
 * keeps a copy of all slots in order to undo. */
GUIRA_API guira_status guira_consistent_compact(guira *f);

/* The same steps for one filter of the list, by its number from 0 on, as in guira_consistent_filters. A filter that is
 * dropped leaves its number to the next one. EINVAL: there is no such filter. Other errors as above. */
GUIRA_API guira_status guira_consistent_scale_up_at(guira *f, size_t index);
GUIRA_API guira_status guira_consistent_scale_down_at(guira *f, size_t index);
GUIRA_API guira_status guira_consistent_compact_at(guira *f, size_t index);

/* One filter of the list. */
typedef struct {
    size_t size;      /* of this struct: see the top; set in the first row */
    uint64_t buckets; /* m */
    uint64_t ring;    /* M */
    uint64_t items;
    uint64_t slots;
    uint64_t bytes; /* of its slots and its ring; 0 in a view */
    double load;
    unsigned bucket_slots;  /* b */
    unsigned slot_bits;     /* f */
    unsigned candidates;    /* k */
    unsigned virtual_nodes; /* v */
    bool active;            /* has the lowest load: the next insertion tries it first */
} guira_consistent_filter;

/* Writes a row for each filter of the list, at most n of them, in order. Returns how many filters there are, which may be
 * more than n; with n = 0, rows may be NULL. 0: f is NULL or of another kind, or rows[0].size is impossible; nothing is
 * written. f may be a view. */
GUIRA_API size_t guira_consistent_filters(const guira *f, guira_consistent_filter *rows, size_t n);

/* ---------------------------------------------------------------------------------- single steps of the elastic filter
 * GUIRA_ELASTIC takes these steps by itself. Here they are for callers that control the size themselves, for example to
 * make a filter small before it is sent and large again where it is received. For other kinds and for views both are
 * EUNSUPPORTED. A step that fails changes nothing. */

/* Multiplies the buckets by factor, 2 to 16, and keeps them until guira_elastic_halve or guira_shrink_to_fit. Entries are
 * copied; copies in the wrong place are erased later, by the insertions and removals that come near them, but those that an
 * earlier extension left are erased first. The false-positive rate for the same items stays the same, so room for `factor`
 * times the items means `factor` times the rate. EINVAL: another factor. ELIMIT: 2^32 buckets, 64 steps since the filter was
 * empty, or too few different fingerprints for so many buckets. ENOMEM. */
GUIRA_API guira_status guira_elastic_extend(guira *f, unsigned factor);

/* Halves the buckets, an odd number rounded up: 10 become 5, then 3. If the last step was an extension by 2 it is undone,
 * and the rate stays as it is; else it doubles. EFULL: the entries do not fit. ELIMIT: two or three buckets are left (more
 * if the filter was extended when it was that small), or there were 64 steps since the filter was empty. ENOMEM. */
GUIRA_API guira_status guira_elastic_halve(guira *f);

/* ------------------------------------------------------------------------------------------------------ information */

/* EINVAL: an argument is NULL, or out->size is impossible. */
GUIRA_API guira_status guira_stats_get(const guira *f, guira_stats *out);

/* How f was made, with every default filled in, also for a filter from a file. It contains the seed: a filter made with
 * this configuration can be merged with f. EINVAL: an argument is NULL, or out->size is impossible. */
GUIRA_API guira_status guira_config_get(const guira *f, guira_config *out);

/* Reads the whole filter and checks every invariant. ECORRUPT: *reason (if reason is not NULL) is the first one broken, as
 * a static text. Takes time in proportion to the size. */
GUIRA_API guira_status guira_validate(const guira *f, const char **reason);

/* The text of a status, for example "out of memory". */
GUIRA_API const char *guira_strerror(guira_status s);

/* The version of the library at run time, for example "1.2.3". */
GUIRA_API const char *guira_version(void);

/* --------------------------------------------------------------------------------------------------------------- files
 * A file has everything that decides what a filter will do: a loaded filter continues exactly as the saved one would have.
 * It is the same on every machine. It contains the seed, so keep it as secret as the keys. docs/format.md has its bytes.
 *
 * Loading trusts nothing. Whatever the bytes are, the result is a filter that works, or
 *   EFORMAT    not a file of a filter, or one of an unknown version or kind
 *   ECORRUPT   a checksum is wrong, something is missing, or an invariant is broken
 *   EIO        reading failed
 *   ENOENT     there is no file at this path
 *   EACCES     the file may not be read
 *   ENOMEM     out of memory; memory use is limited to a small multiple of the bytes present
 * and on failure *out is NULL. */

/* Saves f to the file at path. After a crash at any time there is the old file or the new one, complete; after this has
 * returned OK it is the new one. The new one is written under a temporary name in the same directory (path, cut if it is
 * very long, ".guira-" and six letters), which remains if the process is killed before the end. A new file can be read only by its owner; a file
 * that is replaced passes its permissions on. A symbolic link is replaced, not followed, and passes nothing on.
 * EINVAL: an argument is NULL, or there is something else than a file at path. ENOMEM. ENOENT: there is no such directory.
 * EACCES, ENOSPC, EIO: the old file is unchanged. Exception: if syncing the directory fails after the rename, the new file
 * is in place but may not survive a crash. */
GUIRA_API guira_status guira_save(const guira *f, const char *path);

/* The filter in a file, which must contain nothing else. Needs memory for two of it while it runs; guira_map and
 * guira_clone do the same with one. EINVAL: an argument is NULL. */
GUIRA_API guira_status guira_load(const char *path, guira **out);

/* The same for a descriptor, pipes and sockets included, at its present position. Loading reads the bytes of one filter
 * and no more, so that others may follow. What is written to fd is not flushed, and is not undone if writing fails half
 * way. A pipe without a reader raises SIGPIPE unless the caller ignores it: then EIO. ENOSPC. */
GUIRA_API guira_status guira_save_fd(const guira *f, int fd);
GUIRA_API guira_status guira_load_fd(int fd, guira **out);

/* The same for any destination and for memory. `write` gets the bytes in order, in pieces of any size; if it returns
 * false, saving ends with EIO. Loading takes the n bytes of one filter; they are not needed afterwards. */
typedef bool guira_write_fn(void *to, const void *bytes, size_t n);
GUIRA_API guira_status guira_save_to(const guira *f, guira_write_fn *write, void *to);
GUIRA_API guira_status guira_load_from(const void *bytes, size_t n, guira **out);

/* How many bytes saving writes. 0: f is NULL. */
GUIRA_API uint64_t guira_saved_size(const guira *f);

/* The same bytes part by part, for callers that must not block for long. Each call of next writes the n bytes after
 * those of the call before, or as many as there are: fewer than n only at the end. It takes O(n), and a step for each
 * segment (2 MiB of a large filter). Between start and the last next, f must neither change nor be destroyed. end may come
 * later, and accepts NULL. start: EINVAL if an argument is NULL; ENOMEM. */
typedef struct guira_saving guira_saving;
GUIRA_API guira_status guira_saving_start(const guira *f, guira_saving **out);
GUIRA_API size_t guira_saving_next(guira_saving *s, void *to, size_t n);
GUIRA_API void guira_saving_end(guira_saving *s);

/* A view: a read-only filter that answers from the file at path without reading it. Opening takes as long for a gigabyte as
 * for a kilobyte, and processes that map the same file share its memory. A view can be looked up, inspected, saved and
 * cloned; a clone is an ordinary filter. Calls that would change it return EUNSUPPORTED. guira_stats.bytes does not count
 * the file. Only header and counters are checked here. A file that is corrupt elsewhere does no harm, but may give
 * false negatives and false positives; guira_validate reads all of it and reports that, and guira_clone and guira_merge
 * fail with ECORRUPT.
 * guira_save replaces a file, so a mapping keeps the old one. But a file that another program makes shorter in place raises
 * SIGBUS in a process that reads what was there. EINVAL: an argument is NULL. Other errors as for guira_load. */
GUIRA_API guira_status guira_map(const char *path, guira **out);

/* The same for n bytes in the caller's memory, which must stay and must not change until the view is destroyed. Bytes that
 * do not start on a multiple of 64 are copied, and then are not needed afterwards. ENOMEM. */
GUIRA_API guira_status guira_view(const void *bytes, size_t n, guira **out);

typedef enum { GUIRA_FILE_FILTER = 0, GUIRA_FILE_SHARED = 1, GUIRA_FILE_WINDOW = 2 } guira_file_content;

/* What the start of a file says. */
typedef struct {
    size_t size; /* of this struct: see the top */
    guira_file_content content;
    unsigned format;        /* version of the file format */
    uint64_t bytes;         /* of the whole file; shared: 0, not known from its start */
    uint64_t items;         /* shared: 0, not known from its start */
    unsigned shards;        /* shared; else 1 */
    uint64_t window_length; /* windows only, as the next two: see guira_window_config */
    uint64_t window_now;    /* the time of the last call */
    bool window_slides;
} guira_file;

#define GUIRA_FILE_INIT \
    { .size = sizeof(guira_file) }

/* How many bytes of a file guira_file_info needs at most. */
enum { GUIRA_FILE_START = 1024 };

/* Tells what a file is from its first n bytes: all of them, or GUIRA_FILE_START. config, if not NULL, gets the configuration
 * (shared: of the first shard; windows: slot_bits with the time stamp). Only these bytes are checked. EFORMAT: not a guira file, or
 * of an unknown version. ECORRUPT. EINVAL: an argument is NULL, or a size is impossible. On failure nothing is written. */
GUIRA_API guira_status guira_file_info(const void *bytes, size_t n, guira_file *out, guira_config *config);

/* ------------------------------------------------------------------------------------------------------------- metrics
 * For Prometheus. docs/metrics.md explains each metric, when to react, and how. */

/* A filter and its name in the metrics. Exactly one of the three pointers is not NULL. */
typedef struct {
    size_t size; /* of this struct: see the top; the same in all elements of an array */
    const char *name;
    const guira *filter;
    const struct guira_shared *shared;
    const struct guira_window *window;
} guira_observed;

/* Writes the metrics of n filters in the text format of Prometheus, each with the labels `name` and `kind`. All in one
 * call, because a metric may appear only once in what is scraped, with all its values; for the same reason no two filters
 * of one kind may have the same name. A name may contain any bytes; those that are not UTF-8 are written as \xff and so
 * on. `write` gets the text in order, in pieces of any size. n = 0 writes nothing.
 * EINVAL: an argument or a name is NULL, not exactly one pointer is set, or a size is impossible. ENOMEM. EUNSUPPORTED: this
 * library was built without guira_shared. In these cases nothing has been written. EIO: `write` returned false. */
GUIRA_API guira_status guira_metrics_write(const guira_observed *what, size_t n, guira_write_fn *write, void *to);

/* From now on one in `every` calls of guira_contains, guira_contains_hash, guira_insert_unique and guira_insert_unique_hash
 * has its lookup timed, for the metric guira_lookup_duration_seconds; 1: all of them. 0, the default: none, which costs
 * nothing. Timing a lookup reads the clock twice; the other lookups increment a counter that all threads share. What was
 * measured stays until f is destroyed; clones and files do not have it. This is a change to f: no other thread may read it
 * meanwhile. EINVAL: f is NULL. ENOMEM: nothing has changed. */
GUIRA_API guira_status guira_latency_sample(guira *f, unsigned every);

/* ------------------------------------------------------------------------------------------------------------ planning */

/* One kind of filter for the items. */
typedef struct {
    size_t size;          /* of this struct: see the top; set in the first row */
    const char *name;     /* "tidal", "cuckoo", "dynamic", "elastic", "consistent", "bloom" */
    unsigned bits;        /* per slot; bloom: hash functions */
    uint64_t buckets;     /* bloom: bits */
    uint64_t bytes;       /* made for the items, with all of them in it; 0: this kind cannot hold so many */
    double fpr;           /* predicted, the highest while the number of items is as planned */
    double bits_per_item; /* 8 * bytes / items */
    bool meets;           /* fpr is at most what was asked for */
    bool grows;           /* follows the number of items; the others take all their bytes at once */
    bool removes;         /* members can be removed */
    bool available;  /* guira_create makes it from .kind, .slot_bits = bits, .bucket_slots, .capacity = items, .fpr and
                              .growth; false: bloom, which this library does not have, or too many items */
    guira_kind kind; /* bloom: not used */
    unsigned bucket_slots; /* tidal and bloom: 0 */
} guira_plan_row;

enum { GUIRA_PLAN_ROWS = 6 };

/* What it costs to hold so many items at a false-positive rate: a row for each kind, in the order of the names above.
 * growth: as in guira_config: the most items ever, divided by `items`. 1: never more than `items`. 0: up to 10^10 items.
 * Kinds that grow need wider slots for it: by log2(1 + ln(growth)) bits (tidal) or log2(growth) bits (those of the papers;
 * a dynamic one that is to grow by more than 1024 also needs max_filters). The other rows do not depend on it.
 * *smallest: the row with the fewest bytes among those that meet fpr; there always is one. Only bytes count: it may be a
 * Bloom filter, which can neither grow nor remove.
 * Bytes are those of buckets, rings and flags: a filter adds a few percent. Dynamic and elastic filters that have grown to
 * this size, instead of being made for it, may have up to twice (elastic: factor times) the bytes.
 * EINVAL: items is 0, fpr not in (0,1), growth neither 0 nor in [1, 10^18], rows or smallest NULL, or rows[0].size
 * impossible. ELIMIT: items above 2^48. On failure nothing is written. */
GUIRA_API guira_status guira_plan(uint64_t items, double fpr, double growth, guira_plan_row rows[GUIRA_PLAN_ROWS],
                                  size_t *smallest);

/* -------------------------------------------------------------------------------------------------------------- memory */

typedef struct {
    void *(*alloc)(size_t size); /* as malloc; on x86-64 and ARM64 aligned to 16 bytes, as that is */
    void (*release)(void *p);    /* as free; never called with NULL */
} guira_allocator;

/* Where memory comes from; NULL: the C library again. The only global setting: call it before any filter exists. */
GUIRA_API void guira_set_allocator(const guira_allocator *a);

/* To be called after guira_set_allocator, which undoes it: where zeroed memory comes from, as calloc(1, size); it is freed by
 * `release`. Without it, memory from `alloc` is cleared, which for a large table takes time and all of its memory at once. */
GUIRA_API void guira_set_zeroed_allocator(void *(*zalloc)(size_t size));

#ifdef __cplusplus
}
#endif

#endif
