/* See filter.h. A serialized filter is a record of six numbers, 8 bytes each, followed by the old part, if there is one, and
 * the library's file:
 *
 *     [ bucket size | max iterations | expansion | deleted | requested rate | size of the old part ]
 *     [ old part: see old_part.h ][ file: see docs/format.md ]
 */
#include "filter.h"

#include <string.h>

#include "counters.h"
#include "memory.h"
#include "murmur.h"
#include "scandump.h"
#include "seed.h"

redis_type *filter_type, *bloom_type;

enum { WITHOUT_MARK = 1, ENCODING = 2 }; /* versions of values in RDB files */

/* How full a filter may be. At the library's 0.93 half of the time of adding goes into moving entries; at 0.91 one that has
 * grown to 4 million items takes 17.9 to 18.0 bits for each, and below that more. With a larger EXPANSION there is more room. BF.* filters, which
 * are compared with Bloom filters by their bits, have the library's load. */
enum { ROOMY_EXPANSION = 4 };
#define LOAD 0.91
#define ROOMY_LOAD 0.85

/* A filter with a capacity, or with much room, shrinks when it is so much emptier. With the library's default, 0.05, it takes up
 * to 5 % more memory after deletions than a new one with the same items; with 0.03 it is 3 %. To others this would cost 64
 * bytes. */
#define SLACK 0.03

static const uint8_t NO_SEED[16] = "guira: no seed.";

/* ------------------------------------------------------------------------------------------------------------ lifecycle */

long long filter_before_change(struct filter *f) {
    long long before = memory_of_thread();
    dump_before_change(f);
    return before;
}

void filter_count_memory(struct filter *f, long long before) {
    f->bytes = (uint64_t)((long long)f->bytes + memory_of_thread() - before);
}

/* Generations start from the clock, so that those of an earlier process do not come again. */
static uint64_t next_generation(void) {
    static uint64_t last;
    if (last == 0) last = (uint64_t)redis.Milliseconds() << 20;
    return ++last;
}

bool filter_make_extra(struct filter *f) {
    if (f->extra != NULL) return true;
    f->extra = memory_alloc(sizeof *f->extra);
    if (f->extra != NULL) *f->extra = (struct extra){.generation = next_generation()};
    return f->extra != NULL;
}

/* Takes ownership of `old`, NULL included, and frees it if there is no memory. */
static bool set_extra(struct filter *f, struct old_part *old, uint64_t deleted) {
    if (old == NULL && deleted == 0) return true;
    if (!filter_make_extra(f)) {
        old_part_free(old);
        return false;
    }
    f->extra->old = old;
    f->extra->deleted = deleted;
    return true;
}

void filter_changed(struct filter *f, long long before) {
    struct old_part *old = filter_old(f);
    if (f->extra != NULL) f->extra->generation = next_generation();
    if (old != NULL && old->items == 0) {
        old_part_free(old);
        f->extra->old = NULL;
    }
    filter_count_memory(f, before);
}

/* Takes ownership of g, and destroys it if there is no memory. before: memory_of_thread() when g was not there yet. */
static struct filter *wrap(guira *g, const struct filter_options *o, long long before) {
    struct filter *f = memory_alloc(sizeof *f);
    if (f == NULL) {
        guira_destroy(g);
        return NULL;
    }
    *f = (struct filter){.guira = g,
                         .max_iterations = (uint16_t)o->max_iterations,
                         .expansion = (uint16_t)o->expansion,
                         .bucket_size = (uint8_t)o->bucket_size,
                         .bloom = o->bloom};
    filter_changed(f, before);
    counter_add(&counters.filters, 1);
    return f;
}

static guira_kind kind_of(const struct filter_options *o) {
    return o->expansion == 0 && !o->bloom ? GUIRA_CUCKOO : GUIRA_TIDAL;
}

/* The library takes 64 bytes to remember a capacity. Small filters have none unless something depends on it. */
static bool needs_capacity(const struct filter_options *o) {
    return o->bloom || o->fpr > 0 || kind_of(o) == GUIRA_CUCKOO || o->capacity > SMALL_CAPACITY;
}

/* What a load or a capacity does to the rate is the library's to know: it chooses the width of the slots by both. */
static void set_loads(const struct filter_options *o, guira_config *c) {
    const double library_load = 0.93;
    bool roomy = !o->bloom && o->expansion >= ROOMY_EXPANSION;
    if (c->kind != GUIRA_TIDAL) return;
    if (!o->bloom) c->max_load = roomy ? ROOMY_LOAD : LOAD;
    if (c->capacity > 0 || roomy) c->min_load = (c->max_load > 0 ? c->max_load : library_load) - SLACK;
}

/* The room for the capacity, without remembering it: the first deletions free what is not needed. */
static guira_status make_room(guira *g, uint64_t items) {
    guira_status s = guira_reserve(g, items);
    return s == GUIRA_OK ? guira_reserve(g, 0) : s;
}

guira_status filter_create(const struct filter_options *o, struct filter **out) {
    guira_config c = {.kind = kind_of(o), .capacity = needs_capacity(o) ? (uint64_t)o->capacity : 0, .fpr = o->fpr};
    long long before = memory_of_thread();
    guira *g;
    set_loads(o, &c);
    if (o->bloom && o->expansion == 0) c.growth = 1;
    memcpy(c.seed, o->seed, sizeof c.seed);
    *out = NULL;
    guira_status s = guira_create(&c, &g);
    if (s != GUIRA_OK) return s;
    if (c.capacity == 0 && o->capacity > 0 && (s = make_room(g, (uint64_t)o->capacity)) != GUIRA_OK) {
        guira_destroy(g);
        return s;
    }
    *out = wrap(g, o, before);
    return *out != NULL ? GUIRA_OK : GUIRA_ENOMEM;
}

/* New items get the smallest filter that grows, or as many places as RedisBloom's filter of fixed size has left. */
struct filter *filter_create_with_old_part(const struct old_shape *s, struct old_part *old, long long before) {
    uint64_t slots = old_shape_bytes(s), left = slots > old->items ? slots - old->items : 0;
    struct filter_options o = {.capacity = s->expansion > 0 ? 0 : (long long)(left < 2 ? 2 : left),
                               .bucket_size = (long long)s->bucket_size,
                               .max_iterations = (long long)s->max_iterations,
                               .expansion = (long long)s->expansion};
    struct filter *f = NULL;
    long long old_memory = memory_of_thread() - before;
    if (o.capacity > MAX_CAPACITY) o.capacity = MAX_CAPACITY;
    memcpy(o.seed, NO_SEED, sizeof o.seed);
    if (filter_create(&o, &f) != GUIRA_OK) {
        old_part_free(old);
        return NULL;
    }
    f->unseeded = true;
    f->bytes += (uint64_t)old_memory;
    before = memory_of_thread();
    if (set_extra(f, old, s->deleted)) {
        filter_count_memory(f, before);
        return f;
    }
    filter_free(f);
    return NULL;
}

bool filter_set_seed(struct filter *f, const uint8_t seed[16]) {
    guira_config c = filter_config(f);
    long long before = filter_before_change(f);
    guira *seeded;
    memcpy(c.seed, seed, sizeof c.seed);
    bool created = guira_create(&c, &seeded) == GUIRA_OK;
    if (created) {
        guira_destroy(f->guira);
        f->guira = seeded;
        f->unseeded = false;
    }
    filter_changed(f, before);
    return created;
}

/* Of a filter that was loaded. */
static bool is_unseeded(const guira *g, const uint8_t seed[16]) {
    guira_stats s = GUIRA_STATS_INIT;
    return memcmp(seed, NO_SEED, sizeof NO_SEED) == 0 && guira_stats_get(g, &s) == GUIRA_OK && s.items == 0;
}

guira_config filter_config(const struct filter *f) {
    guira_config c = {.size = sizeof c};
    guira_config_get(f->guira, &c);
    return c;
}

void filter_free(void *value) {
    struct filter *f = value;
    dump_end(f);
    old_part_free(filter_old(f));
    memory_free(f->extra);
    guira_destroy(f->guira);
    memory_free(f);
    counter_sub(&counters.filters, 1);
}

/* Without the old part. */
static struct filter *clone_own_part(const struct filter *f) {
    const struct filter_options o = {.bucket_size = f->bucket_size,
                                     .max_iterations = f->max_iterations,
                                     .expansion = f->expansion,
                                     .bloom = f->bloom};
    long long before = memory_of_thread();
    guira *g;
    struct filter *clone = guira_clone(f->guira, &g) == GUIRA_OK ? wrap(g, &o, before) : NULL;
    if (clone != NULL) clone->unseeded = f->unseeded;
    return clone;
}

struct filter *filter_clone(const struct filter *f) {
    struct filter *clone = clone_own_part(f);
    if (clone == NULL) return NULL;
    long long before = memory_of_thread();
    struct old_part *old = filter_old(f) == NULL ? NULL : old_part_clone(filter_old(f));
    if ((old == NULL && filter_old(f) != NULL) || !set_extra(clone, old, filter_deleted(f))) {
        filter_free(clone);
        return NULL;
    }
    filter_changed(clone, before);
    return clone;
}

/* ----------------------------------------------------------------------------------------------------------------- items */

void filter_end_reservation(struct filter *f) {
    enum { EVERY = 64 }; /* deletions, because asking takes longer than deleting */
    guira_stats s = GUIRA_STATS_INIT;
    if (f->expansion == 0 || f->extra->deleted % EVERY != 0) return;
    uint64_t capacity = filter_config(f).capacity;
    if (f->extra->deleted < capacity / 2 || guira_stats_get(f->guira, &s) != GUIRA_OK) return;
    if (s.items < capacity / 4) guira_reserve(f->guira, 0);
}

/* The table of a fixed filter may have room for more: a small one has whole buckets, and every one is made for a load that
 * leaves some slots free. */
bool filter_is_full(const struct filter *f) {
    guira_stats s = GUIRA_STATS_INIT;
    if (f->expansion > 0) return false;
    return guira_stats_get(f->guira, &s) == GUIRA_OK && s.items >= filter_config(f).capacity;
}

bool filter_contains(const struct filter *f, const void *item, size_t n) {
    const struct old_part *old = filter_old(f);
    return guira_contains(f->guira, item, n) || (old != NULL && old_part_contains(old, murmur(item, n)));
}

uint64_t filter_count(const struct filter *f, const void *item, size_t n) {
    const struct old_part *old = filter_old(f);
    return guira_count(f->guira, item, n) + (old == NULL ? 0 : old_part_count(old, murmur(item, n)));
}

/* What matches the old part goes there: old_part.h says why. */
guira_status filter_insert(struct filter *f, const void *item, size_t n) {
    struct old_part *old = filter_old(f);
    uint64_t hash = old == NULL ? 0 : murmur(item, n);
    if (old != NULL && old_part_contains(old, hash)) return old_part_add(old, hash) ? GUIRA_OK : GUIRA_ENOMEM;
    return filter_is_full(f) ? GUIRA_EFULL : guira_insert(f->guira, item, n);
}

guira_status filter_insert_unique(struct filter *f, const void *item, size_t n) {
    if (filter_old(f) != NULL) return filter_contains(f, item, n) ? GUIRA_EEXIST : filter_insert(f, item, n);
    uint64_t hash = guira_hash(f->guira, item, n);
    if (guira_contains_hash(f->guira, hash)) return GUIRA_EEXIST;
    return filter_is_full(f) ? GUIRA_EFULL : guira_insert_hash(f->guira, hash);
}

bool filter_remove(struct filter *f, const void *item, size_t n) {
    if (filter_old(f) != NULL && old_part_remove(filter_old(f), murmur(item, n))) return true;
    return guira_remove(f->guira, item, n) == GUIRA_OK;
}

/* -------------------------------------------------------------------------------------------------------- serialization */

uint64_t filter_prefix_size(const struct filter *f) {
    return FILTER_RECORD + (filter_old(f) == NULL ? 0 : old_part_size(filter_old(f)));
}

bool filter_write_prefix(const struct filter *f, guira_write_fn *write, void *to) {
    uint8_t record[FILTER_RECORD];
    put_u64(record, f->bucket_size);
    put_u64(record + 8, f->max_iterations);
    put_u64(record + 16, f->expansion);
    put_u64(record + 24, filter_deleted(f));
    put_double(record + 32, filter_config(f).fpr);
    put_u64(record + 40, filter_prefix_size(f) - FILTER_RECORD);
    return write(to, record, sizeof record) && (filter_old(f) == NULL || old_part_write(filter_old(f), write, to));
}

static uint64_t serialized_size(const void *value) {
    const struct filter *f = value;
    return filter_prefix_size(f) + guira_saved_size(f->guira);
}

static bool serialize(const void *value, guira_write_fn *write, void *to) {
    const struct filter *f = value;
    return filter_write_prefix(f, write, to) && guira_save_to(f->guira, write, to) == GUIRA_OK;
}

/* Reads the options. False: one is out of range. */
static bool read_record(const uint8_t *bytes, struct filter_options *o) {
    uint64_t bucket_size = get_u64(bytes), iterations = get_u64(bytes + 8), expansion = get_u64(bytes + 16);
    if (bucket_size < 1 || bucket_size > MAX_BUCKET_SIZE || iterations < 1 || iterations > MAX_ITERATIONS_LIMIT ||
        expansion > MAX_EXPANSION)
        return false;
    o->bucket_size = (long long)bucket_size;
    o->max_iterations = (long long)iterations;
    o->expansion = (long long)expansion;
    o->fpr = get_double(bytes + 32);
    return o->fpr >= 0 && o->fpr < 1;
}

/* Reads the options that are in the library's file. False: the module cannot have created such a file. */
static bool read_file(const uint8_t *file, size_t n, struct filter_options *o) {
    guira_file info = GUIRA_FILE_INIT;
    guira_config c = {.size = sizeof c};
    if (guira_file_info(file, n, &info, &c) != GUIRA_OK || info.content != GUIRA_FILE_FILTER) return false;
    memcpy(o->seed, c.seed, sizeof o->seed);
    o->capacity = (long long)c.capacity;
    return file_options_allowed(&c) && c.kind == kind_of(o) && c.fpr == o->fpr;
}

/* The filter without its old part. */
static struct filter *read_own_part(const uint8_t *file, size_t n, struct filter_options *o) {
    long long before = memory_of_thread();
    guira *g;
    if (!read_file(file, n, o) || guira_load_from(file, n, &g) != GUIRA_OK) return NULL;
    struct filter *f = wrap(g, o, before);
    if (f != NULL) f->unseeded = is_unseeded(g, o->seed);
    return f;
}

static void *deserialize(const uint8_t *bytes, size_t n, bool bloom) {
    struct filter_options o = {.bloom = bloom};
    if (n < FILTER_RECORD || !read_record(bytes, &o)) return NULL;
    uint64_t old = get_u64(bytes + 40), rest = n - FILTER_RECORD;
    if (old > rest || (old > 0 && bloom)) return NULL;
    struct filter *f = read_own_part(bytes + FILTER_RECORD + old, rest - old, &o);
    if (f == NULL) return NULL;
    long long before = memory_of_thread();
    struct old_part *part = old > 0 ? old_part_parse(bytes + FILTER_RECORD, old) : NULL;
    bool valid = old == 0 || (part != NULL && part->items > 0);
    if (!valid) old_part_free(part);
    if (!valid || !set_extra(f, part, get_u64(bytes + 24))) {
        filter_free(f);
        return NULL;
    }
    filter_changed(f, before);
    return f;
}

static void *deserialize_filter(const uint8_t *bytes, size_t n) { return deserialize(bytes, n, false); }
static void *deserialize_bloom(const uint8_t *bytes, size_t n) { return deserialize(bytes, n, true); }

const struct serializer filter_serializer = {CF_LOADCHUNK, serialized_size, serialize, deserialize_filter};
const struct serializer bloom_serializer = {BF_LOADCHUNK, serialized_size, serialize, deserialize_bloom};

/* ------------------------------------------------------------------------------------------------------------ data type */

static const struct serializer *serializer_of(const struct filter *f) {
    return f->bloom ? &bloom_serializer : &filter_serializer;
}

static bool has_own_seed(const struct filter *f) { return !f->unseeded && seed_is_own(filter_config(f).seed); }

/* In an RDB file the value is followed by a mark, whether its seed was the server's: 1 or 0. The digest does not cover it.
 * Values of version 1 have none; then it is taken for the server's, as it was when they were written. */
static void rdb_save(redis_io *io, void *value) {
    rdb_save_value(&filter_serializer, value, io);
    redis.SaveUnsigned(io, has_own_seed(value));
}

void *filter_rdb_load(const struct serializer *serializer, redis_io *io, bool has_mark) {
    struct filter *f = rdb_load_value(serializer, io);
    if (f == NULL) return NULL;
    uint64_t own = has_mark ? redis.LoadUnsigned(io) : !f->unseeded;
    if (redis.IsIOError(io) || own > 1 || (own == 1 && f->unseeded)) {
        filter_free(f);
        return NULL;
    }
    if (own) seed_adopt_saved(filter_config(f).seed, redis.GetContextFlags(redis.GetContextFromIO(io)));
    return f;
}

static void *rdb_load(const struct serializer *serializer, redis_io *io, int version) {
    if (version != WITHOUT_MARK && version != ENCODING) return NULL;
    return filter_rdb_load(serializer, io, version == ENCODING);
}
static void *rdb_load_filter(redis_io *io, int version) { return rdb_load(&filter_serializer, io, version); }
static void *rdb_load_bloom(redis_io *io, int version) { return rdb_load(&bloom_serializer, io, version); }
static void digest(redis_digest *to, void *value) { digest_value(&filter_serializer, value, to); }
static size_t mem_usage(const void *value) {
    return ((const struct filter *)value)->bytes + memory_of_server_per_key();
}

static void aof_rewrite(redis_io *io, redis_string *key, void *value) {
    aof_rewrite_value(serializer_of(value), value, has_own_seed(value), io, key);
}

static size_t free_effort(redis_string *key, const void *value) {
    (void)key;
    return free_effort_of_bytes(mem_usage(value));
}

static void *copy(redis_string *from, redis_string *to, const void *value) {
    (void)from;
    (void)to;
    return filter_clone(value);
}

const redis_type_methods filter_methods = {
    .version = REDIS_TYPE_METHODS_VERSION,
    .rdb_load = rdb_load_filter,
    .rdb_save = rdb_save,
    .aof_rewrite = aof_rewrite,
    .mem_usage = mem_usage,
    .digest = digest,
    .free = filter_free,
    .free_effort = free_effort,
    .copy = copy,
    .defrag = defrag_struct,
};

bool filter_register(redis_ctx *ctx) {
    redis_type_methods methods = filter_methods; /* the server copies them */
    filter_type = redis.CreateDataType(ctx, "guira-flt", ENCODING, &methods);
    methods.rdb_load = rdb_load_bloom;
    bloom_type = redis.CreateDataType(ctx, "guira-blm", ENCODING, &methods);
    return filter_type != NULL && bloom_type != NULL;
}
