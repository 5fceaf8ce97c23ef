/* CF.SCANDUMP and BF.SCANDUMP key position: returns a filter in chunks, for CF.LOADCHUNK (loadchunk.c) on this or another
 * server.
 *
 *     position 0 -> [p1, chunk 1];  p1 -> [p2, chunk 2];  ...;  pn -> [0, nil]
 *
 * A position contains the generation of the filter when the dump began. A dump reads the filter itself as long as it does
 * not change. Before the first change the dump gets a copy, and goes on with that: the chunks are of one moment. A filter
 * keeps one dump at a time, and forgets it a minute after its last chunk was read. */
#include "scandump.h"

#include <string.h>

#include "command_util.h"
#include "commands.h"
#include "memory.h"

enum { FORGOTTEN_AFTER = 60000 }; /* milliseconds */

struct dump {
    guira *copy; /* NULL: the filter has not changed since the dump began */
    guira_saving *saving;
    uint64_t generation; /* of the filter when the dump began */
    uint64_t total;      /* bytes of the serialized filter then */
    uint64_t offset;     /* what has been read so far */
    long long read_at;   /* when the last chunk was read, in milliseconds */
    uint64_t prefix_n;   /* size of what comes before the library's file, an old part included */
    uint8_t prefix[];
};

void dump_end(struct filter *f) {
    struct dump *d = filter_dump(f);
    if (d == NULL) return;
    guira_saving_end(d->saving);
    guira_destroy(d->copy);
    memory_free(d);
    f->extra->dump = NULL;
}

static bool append(void *to, const void *bytes, size_t n) {
    struct dump *d = to;
    memcpy(d->prefix + d->prefix_n, bytes, n);
    d->prefix_n += n;
    return true;
}

/* False: no memory. */
static bool dump_start(struct filter *f) {
    dump_end(f);
    if (!filter_make_extra(f)) return false;
    struct dump *d = memory_alloc(sizeof *d + filter_prefix_size(f));
    if (d == NULL) return false;
    *d = (struct dump){.generation = f->extra->generation, .total = filter_serializer.size(f)};
    if (guira_saving_start(f->guira, &d->saving) != GUIRA_OK) {
        memory_free(d);
        return false;
    }
    filter_write_prefix(f, append, d);
    f->extra->dump = d;
    return true;
}

/* Starts to read from the beginning again. False: no memory. */
static bool dump_rewind(struct dump *d, const guira *from) {
    guira_saving *saving;
    if (guira_saving_start(from, &saving) != GUIRA_OK) return false;
    guira_saving_end(d->saving);
    d->saving = saving;
    d->offset = 0;
    return true;
}

/* Writes the next n bytes of the serialized filter, or as many as there are. Returns how many. */
static uint64_t dump_next(struct dump *d, uint8_t *to, uint64_t n) {
    uint64_t prefix = d->offset < d->prefix_n ? d->prefix_n - d->offset : 0;
    if (prefix > n) prefix = n;
    memcpy(to, d->prefix + d->offset, prefix);
    n = prefix + (prefix < n ? guira_saving_next(d->saving, to + prefix, n - prefix) : 0);
    d->offset += n;
    return n;
}

static void dump_skip_to(struct dump *d, uint64_t offset) {
    uint8_t buffer[4096];
    while (d->offset < offset)
        dump_next(d, buffer, offset - d->offset < sizeof buffer ? offset - d->offset : sizeof buffer);
}

static bool is_forgotten(const struct dump *d) { return redis.Milliseconds() - d->read_at > FORGOTTEN_AFTER; }

/* Without memory for a copy the dump ends, and its next position is an error. */
void dump_before_change(struct filter *f) {
    struct dump *d = filter_dump(f);
    if (d == NULL || (d->copy != NULL && !is_forgotten(d))) return;
    uint64_t offset = d->offset;
    bool copied = !is_forgotten(d) && guira_clone(f->guira, &d->copy) == GUIRA_OK && dump_rewind(d, d->copy);
    if (copied) dump_skip_to(d, offset);
    else dump_end(f);
}

/* Writes the chunk that starts at `start` and returns its length; 0: no memory. Chunks read in order continue the dump. Any
 * other start skips what comes before it, which takes as long as reading it. */
static uint64_t read_chunk(struct filter *f, uint64_t start, uint8_t to[CHUNK_SIZE]) {
    struct dump *d = filter_dump(f);
    if (d->offset > start && !dump_rewind(d, d->copy != NULL ? d->copy : f->guira)) return 0;
    dump_skip_to(d, start);
    d->read_at = redis.Milliseconds();
    return dump_next(d, to, CHUNK_SIZE);
}

/* ------------------------------------------------------------------------------------------------------------- the command */

/* Whether a position is of this generation. */
static bool is_of(long long position, uint64_t generation) {
    return position >> 32 == chunk_position(generation, 0) >> 32;
}

/* The dump to which a position belongs: that in progress, or a new one of the filter as it is. Returns NULL or the error to
 * reply. */
static const char *find_dump(struct filter *f, long long position) {
    const struct dump *d = filter_dump(f);
    if (position != 0 && d != NULL && is_of(position, d->generation)) return NULL;
    if (position != 0 && (f->extra == NULL || !is_of(position, f->extra->generation)))
        return "Invalid position: the filter has changed, start again from 0";
    return dump_start(f) ? NULL : "ERR Insufficient memory";
}

/* Where the chunk after this position starts. False: there is no such position. */
static bool find_start(const struct dump *d, long long position, uint64_t *start) {
    long long first = chunk_position(d->generation, 0);
    *start = 0;
    if (position == 0) return true;
    if (position < first || (uint64_t)(position - first) > (d->total - 1) / CHUNK_SIZE) return false;
    *start = ((uint64_t)(position - first) + 1) * CHUNK_SIZE;
    return true;
}

static int reply_chunk(redis_ctx *ctx, struct filter *f, uint64_t start) {
    uint8_t *blob = memory_alloc(CHUNK_HEADER + CHUNK_SIZE);
    uint64_t n = blob != NULL ? read_chunk(f, start, blob + CHUNK_HEADER) : 0;
    if (n > 0) {
        const struct chunk c = {filter_dump(f)->generation, filter_dump(f)->total, start, blob + CHUNK_HEADER, n};
        chunk_write_header(&c, blob);
        redis.ReplyWithArray(ctx, 2);
        redis.ReplyWithLongLong(ctx, chunk_position(c.generation, start));
        redis.ReplyWithStringBuffer(ctx, (const char *)blob, CHUNK_HEADER + n);
    } else redis.ReplyWithError(ctx, "ERR Insufficient memory");
    memory_free(blob);
    return REDIS_OK;
}

static int reply_end(redis_ctx *ctx, struct filter *f) {
    dump_end(f);
    redis.ReplyWithArray(ctx, 2);
    redis.ReplyWithLongLong(ctx, 0);
    return redis.ReplyWithNull(ctx);
}

/* As RedisBloom, which dumps nothing of an empty filter. */
static bool is_empty(const struct filter *f) {
    guira_stats s = GUIRA_STATS_INIT;
    return guira_stats_get(f->guira, &s) == GUIRA_OK && s.items == 0 && filter_old(f) == NULL;
}

static int dump_chunk(redis_ctx *ctx, struct filter *f, long long position) {
    uint64_t start;
    const char *error = find_dump(f, position);
    if (error == NULL && !find_start(filter_dump(f), position, &start)) error = "Invalid position";
    if (error != NULL) return redis.ReplyWithError(ctx, error);
    return start < filter_dump(f)->total ? reply_chunk(ctx, f, start) : reply_end(ctx, f);
}

static int scandump(redis_ctx *ctx, redis_string **argv, int argc, redis_type *type) {
    void *value;
    long long position;
    if (argc != 3) return redis.WrongArity(ctx);
    if (redis.StringToLongLong(argv[2], &position) != REDIS_OK || position < 0)
        return redis.ReplyWithError(ctx, "Invalid position");
    enum key_state state = find_value(ctx, argv[1], REDIS_READ, type, &value);
    if (state == KEY_MISSING) return redis.ReplyWithError(ctx, "ERR not found");
    if (state == KEY_WRONG_TYPE) return REDIS_OK;
    struct filter *f = value;
    if (position == 0 && is_empty(f)) return reply_end(ctx, f);
    long long before = memory_of_thread();
    dump_chunk(ctx, f, position);
    filter_count_memory(f, before);
    return REDIS_OK;
}

int cf_scandump(redis_ctx *ctx, redis_string **argv, int argc) { return scandump(ctx, argv, argc, filter_type); }
int bf_scandump(redis_ctx *ctx, redis_string **argv, int argc) { return scandump(ctx, argv, argc, bloom_type); }
