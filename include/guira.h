/* guira: sets of byte strings in a few bits per member, that grow and shrink with what is in them.
 *
 *     guira *f;
 *     if (guira_create(NULL, &f) != GUIRA_OK) return 1;
 *     guira_insert(f, "ana", 3);
 *     guira_contains(f, "ana", 3);      true, always
 *     guira_contains(f, "bob", 3);      false, but for one time in two thousand
 *     guira_remove(f, "ana", 3);
 *     guira_destroy(f);
 *
 * What holds everywhere:
 *   - No false negative: a key that was inserted and not removed is contained.
 *   - An action that fails leaves the filter as it was. (Only the counter of failures moves.)
 *   - Nothing is printed, nothing aborts, errno is not part of the interface.
 *   - A filter may be read by many threads at once as long as none changes it. Two filters are independent.
 *   - Filters with the same configuration and seed that saw the same calls are byte-identical.
 *
 * WHAT DELETION DEMANDS. Remove only what you inserted. A filter cannot tell a member from a false positive: removing
 * a key that was never inserted may take away the entry of a key that was, and that one is lost.
 */
#ifndef GUIRA_H
#define GUIRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GUIRA_API __attribute__((visibility("default")))
#else
#define GUIRA_API
#endif

typedef struct guira guira;

typedef enum {
    GUIRA_TIDAL = 0,      /* grows and shrinks one bucket at a time; the default, and the one to use */
    GUIRA_CUCKOO = 1,     /* plain cuckoo filter of a fixed size */
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
    GUIRA_ENOMEM = -1,       /* no memory to be had */
    GUIRA_EINVAL = -2,       /* an argument makes no sense */
    GUIRA_EFULL = -3,        /* no room left for this key */
    GUIRA_EDUPLICATE = -4,   /* more copies of one key than its places can hold; room elsewhere would not help */
    GUIRA_ENOTFOUND = -5,    /* the key is not there */
    GUIRA_EEXIST = -6,       /* the key may be there already */
    GUIRA_EFORMAT = -7,      /* not a guira file, or one of an unknown version */
    GUIRA_ECORRUPT = -8,     /* an invariant is broken */
    GUIRA_EIO = -9,          /* reading or writing failed */
    GUIRA_ELIMIT = -10,      /* larger than this filter can become */
    GUIRA_EUNSUPPORTED = -11 /* this kind of filter cannot do that */
} guira_status;

/* How a filter is to be. Zero in any field means the default, so start from guira_config_init() or from {0}. */
typedef struct {
    guira_kind kind;
    uint64_t capacity;  /* items to make room for at once; 0: the smallest size (cuckoo: not allowed) */
    double fpr;         /* wanted false-positive rate, in (0,1); chooses slot_bits when that is 0 */
    unsigned slot_bits; /* tidal and cuckoo: 12, 16 or 32; the papers' kinds: 4 to 32; 0: from fpr, or 16 */
    double max_load;    /* grow above it, in (0,1); 0: 0.93 (tidal), 0.95 (cuckoo: what the capacity is planned for;
                           the papers' kinds: less if a bucket has fewer than 4 slots) */
    double min_load;    /* shrink below it, less than max_load; 0: max_load - 0.05; negative: never shrink
                           (elastic: less than max_load / factor; 0: half of that) */
    uint8_t seed[16];   /* all zero: drawn from the system */
    unsigned max_kicks; /* most entries moved to make room for one; 0: 500 */
    /* For dynamic, elastic and consistent, the kinds of the papers; the others take no notice. */
    unsigned bucket_slots;  /* b: slots in a bucket, 1 to 16; 0: 4 */
    uint64_t buckets;       /* m: buckets of one filter (elastic: to start with); 0: 64, or what the capacity needs */
    unsigned max_filters;   /* s: most filters at once; 0: 1024 */
    unsigned factor;        /* elastic: what an extension multiplies by, 2 to 16; 0: 2 */
    unsigned candidates;    /* k: consistent: buckets an entry may be in, 1 to 32; 0: 2 */
    unsigned virtual_nodes; /* v: consistent: points of a bucket on the ring, 1 to 1024; 0: 10 */
    uint64_t ring;          /* M: consistent: points are 1..M-1, of which half can be used; at least 3; 0: 5 * 10^10 */
    guira_policy policy;    /* consistent; its default for slot_bits is 32, for max_load 0.90 */
} guira_config;

typedef struct {
    uint64_t items; /* members, copies counted */
    uint64_t slots; /* places in the buckets */
    uint64_t buckets;
    uint64_t bytes;    /* memory the filter holds, everything included */
    uint64_t stash;    /* members that wait beside the table */
    uint64_t elders;   /* members too old to be split further, kept by name */
    uint64_t kicks;    /* entries moved so far to make room for others */
    uint64_t failures; /* insertions refused so far */
    uint64_t grows;    /* buckets added so far */
    uint64_t shrinks;  /* buckets given back so far */
    double load;       /* items / slots */
    double fpr;        /* false-positive rate to expect right now */
    /* Times room had to be made for an entry, which took the kicks. Counted anew in a filter that was loaded. */
    uint64_t evictions;
    uint64_t filters; /* single filters it consists of; 1 for most kinds */
} guira_stats;

/* ------------------------------------------------------------------------------------------------- life and death */

/* Sets every field of c to its default. */
GUIRA_API void guira_config_init(guira_config *c);

/* Makes an empty filter; c may be NULL for the defaults. The caller owns *out and ends it with guira_destroy.
 * EINVAL: out is NULL or a field of c is out of range. ELIMIT: capacity beyond what any machine holds. ENOMEM.
 * EIO: the system gave no random seed. On failure *out is NULL. */
GUIRA_API guira_status guira_create(const guira_config *c, guira **out);

/* Frees everything; NULL is fine. */
GUIRA_API void guira_destroy(guira *f);

/* ---------------------------------------------------------------------------------------------------- the simple API
 * Keys are bytes of any length, also none (key may be NULL when len is 0). */

/* Adds one copy of key. ENOMEM: the filter is full and could not grow. EFULL: full (tidal: crowded out by many copies
 * of other keys). EDUPLICATE: this key has too many copies. */
GUIRA_API guira_status guira_insert(guira *f, const void *key, size_t len);

/* As guira_insert, but EEXIST when the key seems to be there already. */
GUIRA_API guira_status guira_insert_unique(guira *f, const void *key, size_t len);

/* False: surely not a member. True: a member, or one of guira_stats.fpr. */
GUIRA_API bool guira_contains(const guira *f, const void *key, size_t len);

/* Takes away one copy of key, which must have been inserted (see the top). ENOTFOUND: it surely was not. */
GUIRA_API guira_status guira_remove(guira *f, const void *key, size_t len);

/* How many copies of key the filter seems to hold: never too few. */
GUIRA_API uint64_t guira_count(const guira *f, const void *key, size_t len);

/* ------------------------------------------------------------------------------------------------ the hash-level API
 * For callers that hash once and ask several times, or whose keys are uniform 64-bit hashes of a secret kind already.
 * A hash from elsewhere must be uniform in all its bits. */

GUIRA_API uint64_t guira_hash(const guira *f, const void *key, size_t len);
GUIRA_API guira_status guira_insert_hash(guira *f, uint64_t hash);
GUIRA_API bool guira_contains_hash(const guira *f, uint64_t hash);
GUIRA_API guira_status guira_remove_hash(guira *f, uint64_t hash);

/* Many at once: the same as one after the other, faster beyond the cache. out has n elements.
 * Return how many are present, went in, went out. out may be NULL for insert and remove. */
GUIRA_API size_t guira_contains_hash_many(const guira *f, const uint64_t *hash, size_t n, bool *out);
GUIRA_API size_t guira_insert_hash_many(guira *f, const uint64_t *hash, size_t n, guira_status *out);
GUIRA_API size_t guira_remove_hash_many(guira *f, const uint64_t *hash, size_t n, guira_status *out);

/* --------------------------------------------------------------------------------------------------------------- size
 * All but the fixed filter size themselves; these are for callers who know more. */

/* Makes room for items in all, and keeps it until the filter outgrows it or guira_shrink_to_fit gives it back. Needs
 * memory for the old and the new size while it works. ENOMEM, ELIMIT; EUNSUPPORTED: a fixed filter, too small. */
GUIRA_API guira_status guira_reserve(guira *f, uint64_t items);

/* Gives back room that is not needed, down to max_load, and forgets reservations. As far as it gets: a step that finds
 * no memory ends it early, which is no error. EUNSUPPORTED: a fixed filter. */
GUIRA_API guira_status guira_shrink_to_fit(guira *f);

/* Takes everything out and goes back to the reserved size (at first: the capacity). ENOMEM. ELIMIT: consistent, and what
 * was reserved is too much for one ring. */
GUIRA_API guira_status guira_clear(guira *f);

/* A second filter, byte-identical to f. ENOMEM. ECORRUPT: f is mapped (see below) from a broken file. On failure *out is
 * NULL. */
GUIRA_API guira_status guira_clone(const guira *f, guira **out);

/* Puts a copy of every member of from into into, whatever their sizes: as if all had been inserted into one. A linear
 * walk. Both must have the same seed and slot width, so make them with the same configuration. What from remembers of
 * its members it cannot remember better in a larger filter: merging a small filter into one 2^t times its size (t = 6, 9
 * or 25 at 12, 16 or 32 bits) turns the small one's members into elders. Needs memory for a second into while it works.
 * EINVAL: not alike. EUNSUPPORTED: not tidal, or into cannot be changed. ENOMEM. EFULL, EDUPLICATE: too many copies of
 * one key. ECORRUPT: from is mapped from a broken file. */
GUIRA_API guira_status guira_merge(guira *into, const guira *from);

/* ------------------------------------------------------------------------------- single steps of the consistent filter
 * GUIRA_CONSISTENT takes these steps by itself, as its policy says; here they are for experiments and for callers who
 * know better. For other kinds all are EUNSUPPORTED. A step that fails changes nothing. */

/* Adds a bucket to the filter of the list that has the fewest. ENOMEM. ELIMIT: 2^32 buckets, or half of the ring's
 * points are taken. EFULL: no place on the ring that would do (possible only when the ring is very small). */
GUIRA_API guira_status guira_consistent_scale_up(guira *f);

/* Takes a bucket away, an empty or nearly empty one, from the filter with the lowest load. EFULL: its entries would find
 * no place, or there is just one bucket. */
GUIRA_API guira_status guira_consistent_scale_down(guira *f);

/* Adds an empty filter to the list, like the first was (c NULL) or as c has it: capacity, fpr, slot_bits, bucket_slots,
 * buckets, candidates, virtual_nodes and ring count. EINVAL: c makes no sense. ELIMIT: there are
 * max_filters, or it would be too large. ENOMEM. */
GUIRA_API guira_status guira_consistent_scale_out(guira *f, const guira_config *c);

/* Empties the filter with the lowest load into the others and drops it; and so on, until that fails or one is left. OK
 * if at least one was dropped. EFULL: none could be (filters with shorter fingerprints can take entries from those with
 * longer ones, not the other way round). ENOMEM: to be able to undo it, it keeps a copy of all slots. */
GUIRA_API guira_status guira_consistent_compact(guira *f);

/* ------------------------------------------------------------------------------------------------------- looking at it */

GUIRA_API guira_status guira_stats_get(const guira *f, guira_stats *out);

/* How f was made, every default filled in, also for a filter from a file. The seed is in it: a filter that is created
 * with this configuration is one that f can be merged with. EINVAL: an argument is NULL. */
GUIRA_API guira_status guira_config_get(const guira *f, guira_config *out);

/* Walks the whole filter and checks every invariant. ECORRUPT: *reason (if not NULL) names the first one broken; the
 * text is static. O(size). */
GUIRA_API guira_status guira_validate(const guira *f, const char **reason);

GUIRA_API const char *guira_strerror(guira_status s);
GUIRA_API const char *guira_version(void);

/* --------------------------------------------------------------------------------------------------------------- files
 * A file has everything that decides what a filter will do: one that was loaded goes on byte for byte as the saved one
 * would have. It is the same on every machine. It has the seed in it, so keep it as secret as the keys. docs/format.md
 * tells its bytes.
 *
 * Loading trusts nothing: whatever the bytes are, the outcome is a filter that works or one of
 *   EFORMAT    not a guira file, or one of an unknown version or kind
 *   ECORRUPT   a checksum is wrong, something is missing, or an invariant is broken
 *   EIO        reading failed; for a path: there is no such file
 *   ENOMEM     and never for more than a small multiple of the bytes that are really there
 * and on failure *out is NULL. */

/* Puts f into the file at path: after a crash at any time there is the old file or the new one, whole, and once this has
 * said OK it is the new one. It is written under another name in the same directory, path and ".guira-" and six letters,
 * which remains if the process is killed meanwhile. Only its owner may read a new file; one that is replaced hands its
 * permissions on. A link is replaced, not followed.
 * EINVAL: an argument is NULL, or at path is something else than a file. EIO: the old file is as it was, unless all that
 * failed was making the directory remember the new one. ENOMEM. */
GUIRA_API guira_status guira_save(const guira *f, const char *path);

/* The filter in a file, which must have nothing else in it. Needs memory for two of it while it works: guira_map and
 * guira_clone do the same with one. EINVAL: an argument is NULL. */
GUIRA_API guira_status guira_load(const char *path, guira **out);

/* The same to and from anything that can be written to and read from, also pipes and sockets, from where it stands.
 * Loading reads the bytes of one filter and no more, so that others may follow. What is written to fd is flushed by
 * nobody, and stays there if writing fails half way. A pipe without a reader raises SIGPIPE, unless the caller ignores
 * it: then EIO. */
GUIRA_API guira_status guira_save_fd(const guira *f, int fd);
GUIRA_API guira_status guira_load_fd(int fd, guira **out);

/* The same for callers with a place of their own. `write` gets the bytes in order and in pieces of any size; when it
 * returns false, saving ends with EIO. Loading takes the n bytes of one filter; they are not needed afterwards. */
typedef bool guira_write_fn(void *to, const void *bytes, size_t n);
GUIRA_API guira_status guira_save_to(const guira *f, guira_write_fn *write, void *to);
GUIRA_API guira_status guira_load_from(const void *bytes, size_t n, guira **out);

/* How many bytes saving takes. 0: f is NULL. */
GUIRA_API uint64_t guira_saved_size(const guira *f);

/* The same bytes part by part, for callers who must not be away for long. Each call of next takes the n bytes that follow
 * those it took before, or as many as there are: fewer than n only at the end. It takes O(n), and a step for each segment
 * (2 MiB of a large filter). Between start and the last next f must neither change nor be destroyed; end may come later,
 * and takes NULL. start: EINVAL, an argument is NULL; ENOMEM. */
typedef struct guira_saving guira_saving;
GUIRA_API guira_status guira_saving_start(const guira *f, guira_saving **out);
GUIRA_API size_t guira_saving_next(guira_saving *s, void *to, size_t n);
GUIRA_API void guira_saving_end(guira_saving *s);

/* A filter that answers from the file at path without reading it in: opening takes as long for a gigabyte as for a
 * kilobyte, and processes that map the same file share its memory. It can be asked, looked at, saved and cloned; a clone
 * is an ordinary filter. Whatever would change it is refused with EUNSUPPORTED. guira_stats.bytes does not count the file.
 * Only header and counters are checked here. A file that is broken elsewhere does no harm but gives wrong answers;
 * guira_validate reads all of it and tells, and guira_clone fails with ECORRUPT.
 * A file that is saved anew while mapped is another one: the mapping stays with the old. But a file that is made shorter
 * in place raises SIGBUS in whoever asks for what was there. EINVAL: an argument is NULL. */
GUIRA_API guira_status guira_map(const char *path, guira **out);

/* ------------------------------------------------------------------------------------------------------------- threads
 * A filter that any number of threads may use at once. It is made of shards, each a tidal filter with a lock for whoever
 * changes it. Who asks takes no lock and waits for nobody, not even while a shard grows, shrinks or is merged: a key whose
 * insertion has returned, and whose removal has not been called, is contained, always.
 * What is not said here is as for a filter of one thread. Create and destroy while no other thread uses it. */

typedef struct guira_shared guira_shared;

/* c as for guira_create, of kind tidal. shards: a power of two up to 256; 0: 16. More shards let more threads write at
 * once. EINVAL, ELIMIT, ENOMEM, EIO. */
GUIRA_API guira_status guira_shared_create(const guira_config *c, unsigned shards, guira_shared **out);
GUIRA_API void guira_shared_destroy(guira_shared *g);

GUIRA_API guira_status guira_shared_insert(guira_shared *g, const void *key, size_t len);
/* Of several threads that insert one key at once, just one is told OK, the others EEXIST. */
GUIRA_API guira_status guira_shared_insert_unique(guira_shared *g, const void *key, size_t len);
GUIRA_API bool guira_shared_contains(const guira_shared *g, const void *key, size_t len);
GUIRA_API guira_status guira_shared_remove(guira_shared *g, const void *key, size_t len);
GUIRA_API uint64_t guira_shared_count(const guira_shared *g, const void *key, size_t len);

GUIRA_API uint64_t guira_shared_hash(const guira_shared *g, const void *key, size_t len);
GUIRA_API guira_status guira_shared_insert_hash(guira_shared *g, uint64_t hash);
GUIRA_API guira_status guira_shared_insert_unique_hash(guira_shared *g, uint64_t hash);
GUIRA_API bool guira_shared_contains_hash(const guira_shared *g, uint64_t hash);
GUIRA_API guira_status guira_shared_remove_hash(guira_shared *g, uint64_t hash);

/* Grouped by shard, so that each lock is taken once for many; hashes that are equal stay in order. */
GUIRA_API size_t guira_shared_contains_hash_many(const guira_shared *g, const uint64_t *hash, size_t n, bool *out);
GUIRA_API size_t guira_shared_insert_hash_many(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out);
GUIRA_API size_t guira_shared_remove_hash_many(guira_shared *g, const uint64_t *hash, size_t n, guira_status *out);

/* These keep writers waiting, not readers, and work on copies: they need memory for a second filter, shrink_to_fit for a
 * second shard. All or nothing, but for shrink_to_fit, which goes as far as it gets. */
GUIRA_API guira_status guira_shared_reserve(guira_shared *g, uint64_t items);
GUIRA_API guira_status guira_shared_shrink_to_fit(guira_shared *g);
GUIRA_API guira_status guira_shared_clear(guira_shared *g);
/* Of from it takes what each shard has at one moment. EINVAL also if the numbers of shards differ. */
GUIRA_API guira_status guira_shared_merge(guira_shared *into, const guira_shared *from);

/* Sums and means over the shards, each at one moment. */
GUIRA_API guira_status guira_shared_stats_get(const guira_shared *g, guira_stats *out);
GUIRA_API guira_status guira_shared_validate(const guira_shared *g, const char **reason);

/* As guira_save, guira_load and so on. Saving takes each shard as it is at one moment, and needs memory for a copy of it;
 * nobody waits for the disk, and readers for nothing. A file of this kind is EFORMAT to guira_load, and the other way
 * round. */
GUIRA_API guira_status guira_shared_save(const guira_shared *g, const char *path);
GUIRA_API guira_status guira_shared_load(const char *path, guira_shared **out);
GUIRA_API guira_status guira_shared_save_fd(const guira_shared *g, int fd);
GUIRA_API guira_status guira_shared_load_fd(int fd, guira_shared **out);
GUIRA_API guira_status guira_shared_save_to(const guira_shared *g, guira_write_fn *write, void *to);
GUIRA_API guira_status guira_shared_load_from(const void *bytes, size_t n, guira_shared **out);

/* ------------------------------------------------------------------------------------------------------------- windows
 * "Was this seen in the last T?" A window forgets by itself, and its memory follows the traffic:
 *
 *     guira_window_config c = {.length = 600};                     ten minutes, if the caller counts in seconds
 *     guira_window *w;
 *     bool seen;
 *     if (guira_window_create(&c, &w) != GUIRA_OK) return 1;
 *     guira_window_seen(w, "ana", 3, 1000, &seen);                 false, and from now on it was seen
 *     guira_window_seen(w, "ana", 3, 1600, &seen);                 true
 *     guira_window_seen(w, "ana", 3, 1640, &seen);                 false: that was more than ten minutes ago
 *
 * What holds, T being the length, for a key that was reported as not seen at time x, or in a window that slides for one
 * that was asked for by guira_window_seen at x with whatever answer:
 *   - until x + T, that included, it is seen;
 *   - from x + T * (1 + 1/16) on it is not seen (but for false positives, as everywhere; and unless it was asked for again
 *     meanwhile). Its memory is given back by the calls that follow, about a sixteenth of T later.
 * Times are the caller's: any unit, any start, but never backwards. A call with an earlier time than one before is
 * EINVAL and changes nothing. Choose a unit of which T has a hundred or more: if T is just 1, every change of the time
 * costs a walk through the whole window.
 *
 * WHAT A CALL COSTS. It drops what has expired from 64 buckets at most, which is more than enough while calls keep coming.
 * After a pause of about 14/16 of T the next call looks through the whole window, some 0.2 s for ten million keys, to
 * catch up; guira_window_tick, called now and then, avoids it. After a pause of more than T (1 + 1/16) all is gone and
 * the window is as new, at once.
 * Threads may ask (guira_window_contains) side by side as long as none changes the window. */

typedef struct guira_window guira_window;

/* Zero in any field means the default, length excepted. */
typedef struct {
    uint64_t length;   /* T, in the caller's unit of time; required */
    double fpr;        /* false-positive rate to stay below; 0: 1e-5. See guira_window_create */
    bool slides;       /* each sighting starts T anew; false: only one that was reported as not seen does */
    uint64_t capacity; /* keys to have room for, until there are more; a sixteenth more than come in T. 0: none */
    uint8_t seed[16];  /* all zero: drawn from the system */
} guira_window_config;

/* Makes an empty window whose time is 0. A slot has 32 bits, 27 of them for the key: that gives a rate of 2.6e-7 in a
 * window that does not outgrow its capacity, and of 3.8e-6 in one that grew to a million times what it was.
 * EINVAL: an argument is NULL, length is 0, or fpr not in (0,1). ELIMIT: fpr is below these rates (the first if there is a
 * capacity, else the second), or the capacity beyond any machine. ENOMEM. EIO: no random seed. On failure *out is NULL. */
GUIRA_API guira_status guira_window_create(const guira_window_config *c, guira_window **out);

/* Frees everything; NULL is fine. */
GUIRA_API void guira_window_destroy(guira_window *w);

/* Whether key was seen, and from now on it was. EINVAL: a time before the last one, or an argument is NULL: nothing has
 * changed. ENOMEM, EFULL: the key is new, but there is no room to remember it; *seen is false, it is now, what has expired
 * may have been dropped, and nothing else has changed. */
GUIRA_API guira_status guira_window_seen(guira_window *w, const void *key, size_t len, uint64_t now, bool *seen);

/* For callers that hash themselves: see guira_hash. */
GUIRA_API uint64_t guira_window_hash(const guira_window *w, const void *key, size_t len);
GUIRA_API guira_status guira_window_seen_hash(guira_window *w, uint64_t hash, uint64_t now, bool *seen);

/* Many at one time: the same as one after the other, faster beyond the cache. seen has n elements. Goes on after a
 * failure, with seen false for that one, and returns the first. EINVAL: as above, nothing has changed. */
GUIRA_API guira_status guira_window_seen_hash_many(guira_window *w, const uint64_t *hash, size_t n, uint64_t now,
                                                   bool *seen);

/* The question alone: changes nothing, not even the time. EINVAL: as above. */
GUIRA_API guira_status guira_window_contains(const guira_window *w, const void *key, size_t len, uint64_t now,
                                             bool *seen);
GUIRA_API guira_status guira_window_contains_hash(const guira_window *w, uint64_t hash, uint64_t now, bool *seen);

/* It is now: drops all that is due to be dropped, and gives memory back. For times without traffic. EINVAL: w is NULL, or
 * a time before the last one. */
GUIRA_API guira_status guira_window_tick(guira_window *w, uint64_t now);

/* The time of the last call. 0: w is NULL. Who loads a window must go on from there, so save only those whose times go on
 * in the next process. */
GUIRA_API uint64_t guira_window_now(const guira_window *w);

/* As for filters. items are the entries there are: what expired and was not dropped yet is counted (about one in
 * thirty), a key whose entry was split without knowing into which half, which takes growth by a factor of a million, twice.
 * fpr counts all of them. */
GUIRA_API guira_status guira_window_stats_get(const guira_window *w, guira_stats *out);

/* How w was made, as guira_config_get; also for a window from a file. EINVAL: an argument is NULL. */
GUIRA_API guira_status guira_window_config_get(const guira_window *w, guira_window_config *out);
GUIRA_API guira_status guira_window_validate(const guira_window *w, const char **reason);

/* Forgets everything but the time. ENOMEM. */
GUIRA_API guira_status guira_window_clear(guira_window *w);

/* A second window, byte-identical to w. ENOMEM. On failure *out is NULL. */
GUIRA_API guira_status guira_window_clone(const guira_window *w, guira_window **out);

/* As guira_save, guira_load and so on. A window's file is EFORMAT to guira_load, and a filter's to guira_window_load. */
GUIRA_API guira_status guira_window_save(const guira_window *w, const char *path);
GUIRA_API guira_status guira_window_load(const char *path, guira_window **out);
GUIRA_API guira_status guira_window_save_fd(const guira_window *w, int fd);
GUIRA_API guira_status guira_window_load_fd(int fd, guira_window **out);
GUIRA_API guira_status guira_window_save_to(const guira_window *w, guira_write_fn *write, void *to);
GUIRA_API guira_status guira_window_load_from(const void *bytes, size_t n, guira_window **out);
GUIRA_API uint64_t guira_window_saved_size(const guira_window *w);

/* ------------------------------------------------------------------------------------------------------------- metrics
 * For Prometheus. docs/metrics.md tells what each one says, when to worry, and what to do then. */

/* Something to tell of, and the name to tell it by. Exactly one of the three pointers is not NULL. */
typedef struct {
    const char *name;
    const guira *filter;
    const guira_shared *shared;
    const guira_window *window;
} guira_observed;

/* Writes the metrics of n things in the text format of Prometheus, each with the labels `name` and `kind`. All in one
 * call, because a metric may appear only once in what is scraped, with all its values; for the same reason no two things
 * of one kind may have the same name. A name may have anything in it; bytes that are not UTF-8 come out as \xff and so
 * on. `write` gets the text in order and in pieces of any size. n = 0 writes nothing.
 * EINVAL: an argument or a name is NULL, or not exactly one pointer is set. ENOMEM. EUNSUPPORTED: a thing that has no
 * metrics. In these cases nothing has been written. EIO: `write` returned false. */
GUIRA_API guira_status guira_metrics_write(const guira_observed *what, size_t n, guira_write_fn *write, void *to);

/* From now on every so many-th guira_contains, guira_contains_hash and guira_insert_unique of f has its lookup timed, for
 * the metric guira_lookup_duration_seconds; 1: all of them. 0, as at first: none, which costs nothing. Timing one takes
 * two looks at the clock, and the others are counted, by all threads in one place. What was measured stays until f is
 * destroyed; clones and files do not have it. This is a change to f: nobody may be reading it meanwhile.
 * EINVAL: f is NULL. ENOMEM: all is as before. */
GUIRA_API guira_status guira_latency_sample(guira *f, unsigned every);

/* ------------------------------------------------------------------------------------------------------------ planning */

/* One way to hold the items. */
typedef struct {
    const char *name;     /* "tidal", "cuckoo", "cuckoo, power of two", "bloom" */
    unsigned bits;        /* per slot; bloom: hash functions */
    uint64_t buckets;     /* bloom: bits */
    uint64_t bytes;       /* with all the items in it */
    double fpr;           /* predicted, with all the items in it */
    double bits_per_item; /* 8 * bytes / items */
    bool meets;           /* fpr is at most what was asked for */
    bool grows;           /* can start small and follow the items; the others take all their bytes at once */
    bool removes;         /* members can be taken out again */
} guira_plan_row;

enum { GUIRA_PLAN_ROWS = 4 };

/* What it costs to hold items members at false-positive rate fpr: a row for each way, in the order of the names above.
 * growth: items divided by how many the filter held when it was smallest; 1 if it is made at full size. It raises the
 * rate of tidal, and sooner or later the width of its slots; the other rows do not depend on it.
 * *smallest: the row with the fewest bytes among those that meet fpr; there always is one. Only bytes count: it may be
 * a Bloom filter, which can neither grow nor remove.
 * Bytes are those of the buckets: a filter adds a few percent. EINVAL: items is 0, fpr not in (0,1), growth below 1 or
 * not finite, rows or smallest NULL. ELIMIT: items above 2^48. On failure nothing is written. */
GUIRA_API guira_status guira_plan(uint64_t items, double fpr, double growth, guira_plan_row rows[GUIRA_PLAN_ROWS],
                                  size_t *smallest);

/* -------------------------------------------------------------------------------------------------------------- memory */

typedef struct {
    void *(*alloc)(size_t size); /* as malloc; on x86-64 and ARM64 aligned to 16 bytes, as that is */
    void (*release)(void *p);    /* as free; never called with NULL */
} guira_allocator;

/* Where memory comes from; NULL: the C library again. The one global setting: call it before any filter exists. */
GUIRA_API void guira_set_allocator(const guira_allocator *a);

#ifdef __cplusplus
}
#endif

#endif
