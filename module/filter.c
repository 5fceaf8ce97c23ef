/* See filter.h. As a stream a filter is five numbers and the library's file:
 *
 *     [ bucket size | max iterations | expansion | deleted | error ][ file: see docs/format.md ]
 */
#include "filter.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "seed.h"
#include "totals.h"

redis_type *filter_type;

enum { ENCODING = 1 };

/* An elastic filter keeps the rate that was asked for until it has this many times its capacity. The rate grows with the
 * logarithm of growth, here 7.9-fold. */
#define GROWTH 1000.0

/* Below this it shrinks. The library's own choice, 0.88, leaves up to 5 % more memory than a new filter takes; with this it
 * is 3 %. */
#define MIN_LOAD 0.90

/* ------------------------------------------------------------------------------------------------------ life and death */

void filter_changed(struct filter *f) {
    static uint64_t last;
    if (last == 0) last = (uint64_t)redis.Milliseconds() << 20; /* not what another process had */
    f->generation = ++last;
}

/* g is the filter's from now on, or destroyed if there is no memory. */
static struct filter *wrap(guira *g, const struct filter_options *o) {
    struct filter *f = memory_take(sizeof *f);
    if (f == NULL) {
        guira_destroy(g);
        return NULL;
    }
    *f = (struct filter){.guira = g, .options = *o};
    filter_changed(f);
    count_up(&totals.filters, 1);
    return f;
}

guira_status filter_create(const struct filter_options *o, struct filter **out) {
    bool fixed = o->expansion == 0;
    guira_config c = {.kind = fixed ? GUIRA_CUCKOO : GUIRA_TIDAL,
                      .capacity = (uint64_t)o->capacity,
                      .min_load = fixed ? 0 : MIN_LOAD};
    guira *g;
    c.fpr = fixed ? o->error : o->error / (1 + log(GROWTH));
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
    memory_give(f);
    count_down(&totals.filters, 1);
}

struct filter *filter_clone(const struct filter *f) {
    guira *g;
    if (guira_clone(f->guira, &g) != GUIRA_OK) return NULL;
    struct filter *clone = wrap(g, &f->options);
    if (clone != NULL) clone->deleted = f->deleted;
    return clone;
}

uint64_t filter_bytes(const struct filter *f) {
    guira_stats s;
    guira_stats_get(f->guira, &s);
    return sizeof *f + s.bytes;
}

/* ---------------------------------------------------------------------------------------------------------- as a stream */

static uint64_t stream_size(const void *value) {
    const struct filter *f = value;
    return FILTER_RECORD + guira_saved_size(f->guira);
}

void filter_put_record(const struct filter *f, uint8_t record[FILTER_RECORD]) {
    const struct filter_options *o = &f->options;
    put_number(record, (uint64_t)o->bucket_size);
    put_number(record + 8, (uint64_t)o->max_iterations);
    put_number(record + 16, (uint64_t)o->expansion);
    put_number(record + 24, f->deleted);
    put_fraction(record + 32, o->error);
}

static bool stream_write(const void *value, guira_write_fn *write, void *to) {
    const struct filter *f = value;
    uint8_t record[FILTER_RECORD];
    filter_put_record(f, record);
    return write(to, record, sizeof record) && guira_save_to(f->guira, write, to) == GUIRA_OK;
}

/* The options, if a filter can have them. */
static bool read_record(const uint8_t *bytes, struct filter_options *o) {
    uint64_t bucket_size = get_number(bytes), iterations = get_number(bytes + 8), expansion = get_number(bytes + 16);
    if (bucket_size < 1 || bucket_size > MOST_BUCKET_SIZE || iterations < 1 || iterations > MOST_ITERATIONS ||
        expansion > MOST_EXPANSION)
        return false;
    o->bucket_size = (long long)bucket_size;
    o->max_iterations = (long long)iterations;
    o->expansion = (long long)expansion;
    o->error = get_fraction(bytes + 32);
    return o->error >= 0 && o->error < 1;
}

static bool read_header(const uint8_t *file, struct filter_options *o) {
    memcpy(o->seed, file + AT_SEED, sizeof o->seed);
    o->capacity = (long long)get_number(file + AT_CAPACITY);
    return file_is_tame(file) && get_number(file + AT_KIND) == (o->expansion == 0 ? GUIRA_CUCKOO : GUIRA_TIDAL);
}

static void *stream_read(const uint8_t *bytes, size_t n, int flags) {
    struct filter_options o;
    guira *g;
    if (n < FILTER_RECORD + FILE_HEADER || !read_record(bytes, &o) || !read_header(bytes + FILTER_RECORD, &o))
        return NULL;
    if (guira_load_from(bytes + FILTER_RECORD, n - FILTER_RECORD, &g) != GUIRA_OK) return NULL;
    struct filter *f = wrap(g, &o);
    if (f == NULL) return NULL;
    f->deleted = get_number(bytes + 24);
    seed_adopt(o.seed, flags & ~REDIS_CTX_REPLICATED); /* the master's own seed comes by CF._CREATE */
    return f;
}

const struct codec filter_codec = {"CF.LOADCHUNK", stream_size, stream_write, stream_read};

/* ------------------------------------------------------------------------------------------------------------ as a type */

static void *rdb_load(redis_io *io, int version) { return version == ENCODING ? codec_load(&filter_codec, io) : NULL; }
static void rdb_save(redis_io *io, void *value) { codec_save(&filter_codec, value, io); }
static void digest(redis_digest *to, void *value) { codec_digest(&filter_codec, value, to); }
static size_t mem_usage(const void *value) { return filter_bytes(value); }

static void aof_rewrite(redis_io *io, redis_string *key, void *value) { codec_rewrite(&filter_codec, value, io, key); }

static size_t free_effort(redis_string *key, const void *value) {
    (void)key;
    return value_effort(filter_bytes(value));
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
        .defrag = value_defrag,
    };
    filter_type = redis.CreateDataType(ctx, "guira-flt", ENCODING, &methods);
    return filter_type != NULL;
}
