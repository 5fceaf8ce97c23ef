/* The data types "filter" (CF.*) and "bloom" (BF.*): a filter of the library, and the options that CF.INFO and BF.INFO have
 * to report.
 *
 *     filter    EXPANSION 0: of fixed size (GUIRA_CUCKOO); otherwise it grows and shrinks with its items (GUIRA_TIDAL).
 *               From EXPANSION 4 on it keeps more room free. BUCKETSIZE and MAXITERATIONS are stored and reported, without
 *               other effect.
 *     bloom     always GUIRA_TIDAL, and an item is in it once. EXPANSION 0 (NONSCALING): no more items than the capacity. */
#ifndef GUIRA_MODULE_FILTER_H
#define GUIRA_MODULE_FILTER_H

#include "guira.h"
#include "old_part.h"
#include "serialize.h"

enum { MAX_BUCKET_SIZE = 255, MAX_ITERATIONS_LIMIT = 65535, MAX_EXPANSION = 32768 };
#define MAX_CAPACITY (1LL << 30)
enum { SMALL_CAPACITY = 2048 }; /* up to this many items, a filter without a rate does not remember its capacity */
#define MIN_FPR 2e-7            /* the widest slots keep this rate up to 10^10 items */

/* Everything that determines a new filter: servers that create one from the same options get identical filters. */
struct filter_options {
    long long capacity; /* 0: as small as possible, if it grows */
    long long bucket_size, max_iterations, expansion;
    double fpr; /* requested false positive rate; 0: none requested */
    uint8_t seed[16];
    bool bloom; /* for the data type "bloom" */
};

/* What most filters do not have. */
struct extra {
    struct old_part *old; /* what is left of a filter that RedisBloom made; NULL: nothing */
    struct dump *dump;    /* NULL: no dump is in progress, see scandump.c */
    uint64_t deleted;     /* items, since the filter was created or last compacted */
    uint64_t generation;  /* a new number after each change; unique among the filters of a process */
};

/* As small as possible, because there may be a filter per user: 32 bytes. Capacity, seed and requested rate are in the
 * library's filter. */
struct filter {
    guira *guira;
    struct extra *extra; /* NULL: everything in it is 0 */
    uint64_t bytes;      /* of memory, everything included */
    uint16_t max_iterations, expansion;
    uint8_t bucket_size;
    bool bloom;
    bool unseeded; /* see filter_set_seed */
};

static inline struct old_part *filter_old(const struct filter *f) { return f->extra == NULL ? NULL : f->extra->old; }
static inline struct dump *filter_dump(const struct filter *f) { return f->extra == NULL ? NULL : f->extra->dump; }
static inline uint64_t filter_deleted(const struct filter *f) { return f->extra == NULL ? 0 : f->extra->deleted; }

/* Makes sure that f->extra is there. False: no memory. */
bool filter_make_extra(struct filter *f);

/* The record that a serialized filter starts with, and after it the old part: all that comes before the library's file. */
enum { FILTER_RECORD = 6 * 8 };
uint64_t filter_prefix_size(const struct filter *f);
bool filter_write_prefix(const struct filter *f, guira_write_fn *write, void *to);

extern const struct serializer filter_serializer, bloom_serializer;
extern redis_type *filter_type, *bloom_type;
extern redis_type *old_type; /* RedisBloom's own, see old_type.c; NULL: RedisBloom is loaded too */

/* Registers the data types "guira-flt" and "guira-blm". False: the server refused one. */
bool filter_register(redis_ctx *ctx);

/* Returns the errors of guira_create; on failure *out is NULL. */
guira_status filter_create(const struct filter_options *o, struct filter **out);

/* A filter for what RedisBloom made: with an empty part of ours, unseeded. Takes ownership of `old`, which was allocated since
 * memory_of_thread() was `before`. NULL: no memory; `old` is freed then. */
struct filter *filter_create_with_old_part(const struct old_shape *s, struct old_part *old, long long before);

/* RESTORE and CF.LOADCHUNK of what RedisBloom made reach replicas and the AOF as they are, so the part of ours must not depend on
 * the server: it starts with a seed that is the same everywhere. As long as it is empty, the filter is "unseeded". The command
 * that adds the first item gives it the server's seed, which CF._SEED carries to the replicas. False: no memory, and
 * nothing has changed. */
bool filter_set_seed(struct filter *f, const uint8_t seed[16]);

/* The library's configuration: capacity, seed and so on. */
guira_config filter_config(const struct filter *f);
void filter_free(void *value);
/* NULL: no memory. */
struct filter *filter_clone(const struct filter *f);

/* Each change happens between these two calls. The first returns what the second needs, to count memory. The second gives the
 * filter a new generation, and drops the old part when it is empty. */
long long filter_before_change(struct filter *f);
void filter_changed(struct filter *f, long long before);

/* Adds the memory that was allocated since memory_of_thread() was `before`. */
void filter_count_memory(struct filter *f, long long before);

/* After a deletion. Once half as many items as the capacity have been deleted, and less than a quarter of the capacity is
 * left, nothing is reserved any longer: the deletions that follow shrink the filter. One with a requested rate keeps its
 * capacity, because the rate is kept for growth from there. */
void filter_end_reservation(struct filter *f);

/* Whether the filter has a fixed size and holds as many items as its capacity. */
bool filter_is_full(const struct filter *f);

/* The items that match, in both parts; and one more or less. EFULL as above. */
bool filter_contains(const struct filter *f, const void *item, size_t n);
uint64_t filter_count(const struct filter *f, const void *item, size_t n);
guira_status filter_insert(struct filter *f, const void *item, size_t n);
guira_status filter_insert_unique(struct filter *f, const void *item, size_t n); /* EEXIST: it is present */
bool filter_remove(struct filter *f, const void *item, size_t n);

/* The methods of the data type, for old_type.c, and what its rdb_load does: NULL if io does not contain a valid filter. */
extern const redis_type_methods filter_methods;
void *filter_rdb_load(const struct serializer *serializer, redis_io *io, bool has_mark);

#endif
