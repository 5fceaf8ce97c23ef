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
    uint64_t size = chunk_size(total);
    long long first = chunk_position(f->generation, total, 0);
    *start = 0;
    if (position == 0) return NULL;
    if (position >> 32 != first >> 32) return CHANGED;
    if (position < first || (uint64_t)(position - first) > (total - 1) / size) return "Invalid position";
    *start = ((uint64_t)(position - first) + 1) * size;
    return NULL;
}

static int reply_chunk(redis_ctx *ctx, const struct filter *f, uint64_t total, uint64_t start) {
    uint64_t size = chunk_size(total), rest = total - start;
    struct chunk c = {.generation = f->generation, .total = total, .offset = start, .n = rest < size ? rest : size};
    uint8_t *blob = memory_take(CHUNK_HEAD + c.n);
    if (blob == NULL) return redis.ReplyWithError(ctx, "ERR Insufficient memory");
    chunk_put_head(&c, blob);
    if (chunk_cut(&filter_codec, f, &c, blob + CHUNK_HEAD)) {
        redis.ReplyWithArray(ctx, 2);
        redis.ReplyWithLongLong(ctx, chunk_position(c.generation, total, start));
        redis.ReplyWithStringBuffer(ctx, (const char *)blob, CHUNK_HEAD + c.n);
    } else redis.ReplyWithError(ctx, "ERR the filter could not be read");
    memory_give(blob);
    return REDIS_OK;
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
    if (start < total) return reply_chunk(ctx, f, total, start);
    redis.ReplyWithArray(ctx, 2);
    redis.ReplyWithLongLong(ctx, 0);
    return redis.ReplyWithNull(ctx);
}
