/* CF.SCANDUMP key position: a filter chunk by chunk, for CF.LOADCHUNK (parcel.c) here or elsewhere.
 *
 *     position 0 -> [p1, chunk 1];  p1 -> [p2, chunk 2];  ...;  pn -> [0, nil]
 *
 * A position has the filter's generation in it: once the filter has changed the old ones are errors, since chunks of before
 * and after do not make a filter. */
#include "commands.h"
#include "filter.h"
#include "memory.h"
#include "reply.h"

static const char CHANGED[] = "Invalid position: the filter has changed, start again from 0";

/* Where the chunk starts that follows this position. NULL, or the error to reply. */
static const char *find_start(const struct filter *f, uint64_t total, long long position, uint64_t *start) {
    long long first = chunk_position(f->generation, 0);
    *start = 0;
    if (position == 0) return NULL;
    if (position >> 32 != first >> 32) return CHANGED;
    if (position < first || (uint64_t)(position - first) > (total - 1) / CHUNK) return "Invalid position";
    *start = ((uint64_t)(position - first) + 1) * CHUNK;
    return NULL;
}

/* The next chunk of the stream. Returns its length. */
static uint64_t take_chunk(struct filter *f, uint8_t to[CHUNK]) {
    uint64_t n = 0;
    if (f->dump.at == 0) {
        filter_put_record(f, to);
        n = FILTER_RECORD;
    }
    n += guira_saving_next(f->dump.saving, to + n, CHUNK - n);
    f->dump.at += n;
    return n;
}

/* The chunk that starts there. One after the other each goes on where the last one ended; who starts in the middle waits
 * until all before it have been made again. 0: no memory. */
static uint64_t read_chunk(struct filter *f, uint64_t start, uint8_t to[CHUNK]) {
    struct dump *d = &f->dump;
    if (d->saving == NULL || d->generation != f->generation || d->at != start) {
        guira_saving_end(d->saving);
        *d = (struct dump){.generation = f->generation};
        if (guira_saving_start(f->guira, &d->saving) != GUIRA_OK) return 0;
        while (d->at < start) take_chunk(f, to);
    }
    return take_chunk(f, to);
}

static int reply_chunk(redis_ctx *ctx, struct filter *f, uint64_t total, uint64_t start) {
    uint8_t *blob = memory_take(CHUNK_HEAD + CHUNK);
    uint64_t n = blob != NULL ? read_chunk(f, start, blob + CHUNK_HEAD) : 0;
    if (n > 0) {
        chunk_put_head(&(struct chunk){.generation = f->generation, .total = total, .offset = start}, blob);
        redis.ReplyWithArray(ctx, 2);
        redis.ReplyWithLongLong(ctx, chunk_position(f->generation, start));
        redis.ReplyWithStringBuffer(ctx, (const char *)blob, CHUNK_HEAD + n);
    } else redis.ReplyWithError(ctx, "ERR Insufficient memory");
    memory_give(blob);
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
    enum found found = find_value(ctx, argv[1], REDIS_READ, filter_type, &f);
    if (found == ABSENT) return redis.ReplyWithError(ctx, "ERR not found");
    if (found == REFUSED) return REDIS_OK;
    uint64_t total = filter_codec.size(f);
    const char *error = find_start(f, total, position, &start);
    if (error != NULL) return redis.ReplyWithError(ctx, error);
    return start < total ? reply_chunk(ctx, f, total, start) : reply_end(ctx, f);
}
