/* CF.SCANDUMP and BF.SCANDUMP key position: returns a filter in chunks, for CF.LOADCHUNK (loadchunk.c) on this or another server.
 *
 *     position 0 -> [p1, chunk 1];  p1 -> [p2, chunk 2];  ...;  pn -> [0, nil]
 *
 * A position contains the filter's generation. After the filter has changed, old positions are errors: chunks from before
 * and after the change do not form a valid filter. */
#include "scandump.h"

#include <string.h>

#include "command_util.h"
#include "commands.h"
#include "memory.h"

static const char CHANGED[] = "Invalid position: the filter has changed, start again from 0";

/* Computes where the chunk after this position starts. Returns NULL or the error to reply. */
static const char *find_start(const struct filter *f, uint64_t total, long long position, uint64_t *start) {
    long long first = chunk_position(f->generation, 0);
    *start = 0;
    if (position == 0) return NULL;
    if (position >> 32 != first >> 32) return CHANGED;
    if (position < first || (uint64_t)(position - first) > (total - 1) / CHUNK_SIZE) return "Invalid position";
    *start = ((uint64_t)(position - first) + 1) * CHUNK_SIZE;
    return NULL;
}

struct dump {
    guira_saving *saving;
    uint64_t generation; /* of the filter when the dump began */
    uint64_t offset;     /* in the serialized filter: what has been read so far */
    uint64_t prefix_n;   /* what comes before the library's file, an old part included, and its size */
    uint8_t prefix[];
};

void dump_end(struct filter *f) {
    if (f->dump == NULL) return;
    guira_saving_end(f->dump->saving);
    memory_free(f->dump);
    f->dump = NULL;
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
    struct dump *d = memory_alloc(sizeof *d + filter_prefix_size(f));
    if (d == NULL) return false;
    *d = (struct dump){.generation = f->generation};
    if (guira_saving_start(f->guira, &d->saving) != GUIRA_OK) {
        memory_free(d);
        return false;
    }
    filter_write_prefix(f, append, d);
    f->dump = d;
    return true;
}

/* Writes the next chunk of the serialized filter. Returns its length. */
static uint64_t next_chunk(struct dump *d, uint8_t to[CHUNK_SIZE]) {
    uint64_t n = d->offset < d->prefix_n ? d->prefix_n - d->offset : 0;
    if (n > CHUNK_SIZE) n = CHUNK_SIZE;
    memcpy(to, d->prefix + d->offset, n);
    if (n < CHUNK_SIZE) n += guira_saving_next(d->saving, to + n, CHUNK_SIZE - n);
    d->offset += n;
    return n;
}

/* Writes the chunk that starts at `start` and returns its length; 0: no memory. Chunks read in order continue the dump in
 * progress. Any other start begins a new dump and skips the chunks before it, which takes as long as producing them. */
static uint64_t read_chunk(struct filter *f, uint64_t start, uint8_t to[CHUNK_SIZE]) {
    if (f->dump == NULL || f->dump->generation != f->generation || f->dump->offset != start) {
        if (!dump_start(f)) return 0;
        while (f->dump->offset < start) next_chunk(f->dump, to);
    }
    return next_chunk(f->dump, to);
}

static int reply_chunk(redis_ctx *ctx, struct filter *f, uint64_t total, uint64_t start) {
    uint8_t *blob = memory_alloc(CHUNK_HEADER + CHUNK_SIZE);
    uint64_t n = blob != NULL ? read_chunk(f, start, blob + CHUNK_HEADER) : 0;
    if (n > 0) {
        chunk_write_header(&(struct chunk){.generation = f->generation, .total = total, .offset = start}, blob);
        redis.ReplyWithArray(ctx, 2);
        redis.ReplyWithLongLong(ctx, chunk_position(f->generation, start));
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

static int scandump(redis_ctx *ctx, redis_string **argv, int argc, redis_type *type) {
    void *f;
    long long position;
    uint64_t start;
    if (argc != 3) return redis.WrongArity(ctx);
    if (redis.StringToLongLong(argv[2], &position) != REDIS_OK || position < 0)
        return redis.ReplyWithError(ctx, "Invalid position");
    enum key_state state = find_value(ctx, argv[1], REDIS_READ, type, &f);
    if (state == KEY_MISSING) return redis.ReplyWithError(ctx, "ERR not found");
    if (state == KEY_WRONG_TYPE) return REDIS_OK;
    uint64_t total = filter_serializer.size(f);
    const char *error = find_start(f, total, position, &start);
    if (error != NULL) return redis.ReplyWithError(ctx, error);
    return start < total ? reply_chunk(ctx, f, total, start) : reply_end(ctx, f);
}

int cf_scandump(redis_ctx *ctx, redis_string **argv, int argc) { return scandump(ctx, argv, argc, filter_type); }
int bf_scandump(redis_ctx *ctx, redis_string **argv, int argc) { return scandump(ctx, argv, argc, bloom_type); }
