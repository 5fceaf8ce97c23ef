/* CF.SCANDUMP key position: returns a filter in chunks, for CF.LOADCHUNK (loadchunk.c) on this or another server.
 *
 *     position 0 -> [p1, chunk 1];  p1 -> [p2, chunk 2];  ...;  pn -> [0, nil]
 *
 * A position contains the filter's generation. After the filter has changed, old positions are errors: chunks from before
 * and after the change do not form a valid filter. */
#include "command_util.h"
#include "commands.h"
#include "filter.h"
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

/* Writes the next chunk of the serialized filter. Returns its length. */
static uint64_t next_chunk(struct filter *f, uint8_t to[CHUNK_SIZE]) {
    uint64_t n = 0;
    if (f->dump.offset == 0) {
        filter_write_record(f, to);
        n = FILTER_RECORD;
    }
    n += guira_saving_next(f->dump.saving, to + n, CHUNK_SIZE - n);
    f->dump.offset += n;
    return n;
}

/* Writes the chunk that starts at `start` and returns its length; 0: no memory. Chunks read in order continue the dump in
 * progress. Any other start begins a new dump and skips the chunks before it, which takes as long as producing them. */
static uint64_t read_chunk(struct filter *f, uint64_t start, uint8_t to[CHUNK_SIZE]) {
    struct dump *d = &f->dump;
    if (d->saving == NULL || d->generation != f->generation || d->offset != start) {
        guira_saving_end(d->saving);
        *d = (struct dump){.generation = f->generation};
        if (guira_saving_start(f->guira, &d->saving) != GUIRA_OK) return 0;
        while (d->offset < start) next_chunk(f, to);
    }
    return next_chunk(f, to);
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
    guira_saving_end(f->dump.saving);
    f->dump.saving = NULL;
    redis.ReplyWithArray(ctx, 2);
    redis.ReplyWithLongLong(ctx, 0);
    return redis.ReplyWithNull(ctx);
}

int cf_scandump(redis_ctx *ctx, redis_string **argv, int argc) {
    void *f;
    long long position;
    uint64_t start;
    if (argc != 3) return redis.WrongArity(ctx);
    if (redis.StringToLongLong(argv[2], &position) != REDIS_OK || position < 0)
        return redis.ReplyWithError(ctx, "Invalid position");
    enum key_state state = find_value(ctx, argv[1], REDIS_READ, filter_type, &f);
    if (state == KEY_MISSING) return redis.ReplyWithError(ctx, "ERR not found");
    if (state == KEY_WRONG_TYPE) return REDIS_OK;
    uint64_t total = filter_serializer.size(f);
    const char *error = find_start(f, total, position, &start);
    if (error != NULL) return redis.ReplyWithError(ctx, error);
    return start < total ? reply_chunk(ctx, f, total, start) : reply_end(ctx, f);
}
