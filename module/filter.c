/* See filter.h. A serialized filter is a record of five numbers, 8 bytes each, followed by the library's file:
 *
 *     [ bucket size | max iterations | expansion | deleted | requested rate ][ file: see docs/format.md ]
 */
#include "filter.h"

#include <string.h>

#include "counters.h"
#include "memory.h"
#include "seed.h"

redis_type *filter_type;

enum { ENCODING = 1 };

/* Below this load the filter shrinks. With the library's default, 0.88, a filter after deletions takes up to 5 % more memory
 * than a new one with the same items; with 0.90 it is 3 %. */
#define MIN_LOAD 0.90

/* ------------------------------------------------------------------------------------------------------------ lifecycle */

/* Starts from the clock, so that generations of an earlier process do not come again. */
void filter_changed(struct filter *f) {
    static uint64_t last;
    if (last == 0) last = (uint64_t)redis.Milliseconds() << 20;
    f->generation = ++last;
}

/* Takes ownership of g, and destroys it if there is no memory. */
static struct filter *wrap(guira *g, const struct filter_options *o) {
    struct filter *f = memory_alloc(sizeof *f);
    if (f == NULL) {
        guira_destroy(g);
        return NULL;
    }
    *f = (struct filter){.guira = g, .options = *o};
    filter_changed(f);
    counter_add(&counters.filters, 1);
    return f;
}

guira_status filter_create(const struct filter_options *o, struct filter **out) {
    bool fixed = o->expansion == 0;
    guira_config c = {.kind = fixed ? GUIRA_CUCKOO : GUIRA_TIDAL,
                      .capacity = (uint64_t)o->capacity,
                      .min_load = fixed ? 0 : MIN_LOAD};
    guira *g;
    c.fpr = o->fpr;
    memcpy(c.seed, o->seed, sizeof c.seed);
    *out = NULL;
    guira_status s = guira_create(&c, &g);
    if (s != GUIRA_OK) return s;
    *out = wrap(g, o);
    return *out != NULL ? GUIRA_OK : GUIRA_ENOMEM;
}

void filter_free(void *value) {
    struct filter *f = value;
    guira_saving_end(f->dump.saving);
    guira_destroy(f->guira);
    memory_free(f);
    counter_sub(&counters.filters, 1);
}

struct filter *filter_clone(const struct filter *f) {
    guira *g;
    if (guira_clone(f->guira, &g) != GUIRA_OK) return NULL;
    struct filter *clone = wrap(g, &f->options);
    if (clone != NULL) clone->deleted = f->deleted;
    return clone;
}

uint64_t filter_bytes(const struct filter *f) {
    guira_stats s = GUIRA_STATS_INIT;
    guira_stats_get(f->guira, &s);
    return sizeof *f + s.bytes;
}

/* -------------------------------------------------------------------------------------------------------- serialization */

static uint64_t serialized_size(const void *value) {
    const struct filter *f = value;
    return FILTER_RECORD + guira_saved_size(f->guira);
}

void filter_write_record(const struct filter *f, uint8_t record[FILTER_RECORD]) {
    const struct filter_options *o = &f->options;
    put_u64(record, (uint64_t)o->bucket_size);
    put_u64(record + 8, (uint64_t)o->max_iterations);
    put_u64(record + 16, (uint64_t)o->expansion);
    put_u64(record + 24, f->deleted);
    put_double(record + 32, o->fpr);
}

static bool serialize(const void *value, guira_write_fn *write, void *to) {
    const struct filter *f = value;
    uint8_t record[FILTER_RECORD];
    filter_write_record(f, record);
    return write(to, record, sizeof record) && guira_save_to(f->guira, write, to) == GUIRA_OK;
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
    return file_options_allowed(&c) && c.kind == (o->expansion == 0 ? GUIRA_CUCKOO : GUIRA_TIDAL);
}

static void *deserialize(const uint8_t *bytes, size_t n, int flags) {
    struct filter_options o;
    guira *g;
    if (n < FILTER_RECORD || !read_record(bytes, &o) || !read_file(bytes + FILTER_RECORD, n - FILTER_RECORD, &o))
        return NULL;
    if (guira_load_from(bytes + FILTER_RECORD, n - FILTER_RECORD, &g) != GUIRA_OK) return NULL;
    struct filter *f = wrap(g, &o);
    if (f == NULL) return NULL;
    f->deleted = get_u64(bytes + 24);
    seed_adopt(o.seed, flags & ~REDIS_CTX_REPLICATED); /* the master sends its own seed with CF._CREATE */
    return f;
}

const struct serializer filter_serializer = {"CF.LOADCHUNK", serialized_size, serialize, deserialize};

/* ------------------------------------------------------------------------------------------------------------ data type */

static void *rdb_load(redis_io *io, int version) {
    return version == ENCODING ? rdb_load_value(&filter_serializer, io) : NULL;
}
static void rdb_save(redis_io *io, void *value) { rdb_save_value(&filter_serializer, value, io); }
static void digest(redis_digest *to, void *value) { digest_value(&filter_serializer, value, to); }
static size_t mem_usage(const void *value) { return filter_bytes(value); }

static void aof_rewrite(redis_io *io, redis_string *key, void *value) {
    aof_rewrite_value(&filter_serializer, value, io, key);
}

static size_t free_effort(redis_string *key, const void *value) {
    (void)key;
    return free_effort_of_bytes(filter_bytes(value));
}

static void *copy(redis_string *from, redis_string *to, const void *value) {
    (void)from;
    (void)to;
    return filter_clone(value);
}

bool filter_register(redis_ctx *ctx) {
    static redis_type_methods methods = {
        .version = REDIS_TYPE_METHODS_VERSION,
        .rdb_load = rdb_load,
        .rdb_save = rdb_save,
        .aof_rewrite = aof_rewrite,
        .mem_usage = mem_usage,
        .digest = digest,
        .free = filter_free,
        .free_effort = free_effort,
        .copy = copy,
        .defrag = defrag_struct,
    };
    filter_type = redis.CreateDataType(ctx, "guira-flt", ENCODING, &methods);
    return filter_type != NULL;
}
