/* See loadchunk.h. Chunks have to arrive in order. A chunk that does not continue the value is refused and changes nothing;
 * the first chunk of a dump always starts again. Dumps of RedisBloom are loaded too. */
#include "loadchunk.h"

#include <string.h>

#include "command_util.h"
#include "commands.h"
#include "counters.h"
#include "filter.h"
#include "memory.h"
#include "old_type.h"
#include "seed.h"
#include "window.h"

redis_type *partial_type;

/* What can be loaded from chunks. Their order is part of saved files. */
static const struct kind {
    const struct serializer *serializer;
    redis_type **type;
    const char *event;
} kinds[] = {{&filter_serializer, &filter_type, "cf.loadchunk"},
             {&window_serializer, &window_type, "cfw.loadchunk"},
             {&bloom_serializer, &bloom_type, "bf.loadchunk"},
             {&old_dump_serializer, &filter_type, "cf.loadchunk"}};

static const struct kind *const old_dump = &kinds[3];

struct partial {
    const struct kind *kind;
    uint64_t generation, total; /* equal in all chunks of the dump */
    uint64_t n, allocated;      /* bytes received, and allocated for them */
    uint8_t *bytes;
};

enum { ENCODING = 1, KINDS = sizeof kinds / sizeof *kinds };

/* ------------------------------------------------------------------------------------------------------------ lifecycle */

static struct partial *partial_create(uint64_t generation, uint64_t total, const struct kind *kind) {
    struct partial *p = memory_alloc(sizeof *p);
    if (p == NULL) return NULL;
    *p = (struct partial){.kind = kind, .generation = generation, .total = total};
    counter_add(&counters.partial_loads, 1);
    return p;
}

static void partial_free(void *value) {
    struct partial *p = value;
    memory_free(p->bytes);
    memory_free(p);
    counter_sub(&counters.partial_loads, 1);
}

/* `total` is untrusted, so memory is not allocated for all of it at once: the buffer doubles as chunks arrive. This is its size
 * after n bytes more. */
static uint64_t size_with(const struct partial *p, uint64_t n) {
    if (p->allocated - p->n >= n) return p->allocated;
    uint64_t size = p->n + n > 2 * p->allocated ? p->n + n : 2 * p->allocated;
    return size < p->total ? size : p->total;
}

static bool append(struct partial *p, const uint8_t *bytes, uint64_t n) {
    uint64_t allocated = size_with(p, n);
    if (allocated > p->allocated) {
        uint8_t *larger = memory_alloc(allocated);
        if (larger == NULL) return false;
        if (p->n > 0) memcpy(larger, p->bytes, p->n);
        memory_free(p->bytes);
        p->bytes = larger;
        p->allocated = allocated;
    }
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- loading */

static const char NO_MEMORY[] = "ERR Insufficient memory to create filter";
static const char INVALID[] = "Couldn't create filter!";

/* The functions that load a chunk return NULL or the error to reply.
 *
 * Memory is asked of the server before it is taken: with the first chunk for the whole dump, so that one that cannot be
 * loaded fails at once; then for each larger buffer; and with the last chunk for the filter. */

/* The dump is complete: makes its value. */
static const char *finish(redis_ctx *ctx, redis_key *key, const struct kind *kind, const uint8_t *bytes, uint64_t n) {
    if (memory_would_be_over(ctx, n)) return OUT_OF_MEMORY;
    void *value = kind->serializer->read(bytes, n);
    if (value == NULL) return INVALID;
    redis.ModuleTypeSetValue(key, *kind->type, value); /* frees a partial value */
    return NULL;
}

static const char *load_first(redis_ctx *ctx, redis_key *key, const struct chunk *c, const struct kind *kind) {
    if (memory_would_be_over(ctx, c->total)) return OUT_OF_MEMORY;
    struct partial *p = partial_create(c->generation, c->total, kind);
    if (p == NULL) return NO_MEMORY;
    if (!append(p, c->bytes, c->n)) {
        partial_free(p);
        return NO_MEMORY;
    }
    redis.ModuleTypeSetValue(key, partial_type, p);
    return NULL;
}

static const char *load_next(redis_ctx *ctx, redis_key *key, const struct chunk *c, const struct kind *kind) {
    struct partial *p = redis.ModuleTypeGetValue(key);
    bool fits = c->generation == p->generation && c->total == p->total && c->offset == p->n && kind == p->kind;
    if (!fits || c->n > p->total - p->n) return "Couldn't load chunk!";
    uint64_t size = size_with(p, c->n);
    if (size > p->allocated && memory_would_be_over(ctx, size)) return OUT_OF_MEMORY;
    if (!append(p, c->bytes, c->n)) return NO_MEMORY;
    if (p->n < p->total) return NULL;
    const char *error = finish(ctx, key, kind, p->bytes, p->n);
    if (error != NULL) p->n -= c->n; /* the last chunk is dropped again */
    return error;
}

/* A dump of a single chunk needs no partial value. */
static const char *load_chunk(redis_ctx *ctx, redis_key *key, const struct chunk *c, const struct kind *kind) {
    redis_type *actual = redis.ModuleTypeGetType(key);
    bool is_empty = redis.KeyType(key) == REDIS_KEY_EMPTY;
    bool is_filter = actual == *kind->type || (actual == old_type && *kind->type == filter_type);
    if (!is_empty && is_filter) return "ERR item exists";
    if (!is_empty && actual != partial_type) return WRONG_TYPE;
    if (c->offset > 0) return is_empty ? "ERR not found" : load_next(ctx, key, c, kind);
    return c->n == c->total ? finish(ctx, key, kind, c->bytes, c->n) : load_first(ctx, key, c, kind);
}

/* ------------------------------------------------------------------------------------------------- chunks of RedisBloom
 *
 * Its first chunk has position 1 and is a header. The others are the slots, and their positions tell where they end. As one
 * stream, to be loaded like ours: [ header: 38 bytes ][ slots of the first sub-filter ][ of the second ] ... */

static bool is_old_dump(redis_key *key) {
    if (redis.ModuleTypeGetType(key) != partial_type) return false;
    return ((const struct partial *)redis.ModuleTypeGetValue(key))->kind == old_dump;
}

/* False: not a chunk of RedisBloom for this key. */
static bool parse_old_chunk(redis_key *key, long long position, const char *blob, size_t n, struct chunk *out) {
    struct old_shape s;
    uint64_t end = (uint64_t)position - 1;
    *out = (struct chunk){.bytes = (const uint8_t *)blob, .n = n};
    if (position == 1 && n == OLD_HEADER && old_shape_parse(out->bytes, &s)) {
        out->total = OLD_HEADER + old_shape_bytes(&s);
        return true;
    }
    if (position == 1 || n == 0 || n > end || !is_old_dump(key)) return false;
    out->total = ((const struct partial *)redis.ModuleTypeGetValue(key))->total;
    out->offset = OLD_HEADER + end - n;
    return true;
}

static void emit_old_chunks(redis_io *io, redis_string *key, const struct partial *p) {
    const char *slots = (const char *)p->bytes + OLD_HEADER;
    uint64_t n, end = 0, total = p->n - OLD_HEADER;
    redis.EmitAOF(io, sent_name(CF_LOADCHUNK), "slb", key, 1LL, (const char *)p->bytes, (size_t)OLD_HEADER);
    for (uint64_t at = 0; at < total; at = end) {
        n = total - at < CHUNK_SIZE ? total - at : CHUNK_SIZE;
        end = at + n;
        redis.EmitAOF(io, sent_name(CF_LOADCHUNK), "slb", key, (long long)end + 1, slots + at, (size_t)n);
    }
}

/* ------------------------------------------------------------------------------------------------------------ commands */

/* A rewritten AOF has OWN after the chunks of filters with the server's seed. Clients cannot send it, so what they load never
 * sets the seed, neither now nor when the AOF is read. */
static bool says_own(redis_ctx *ctx, redis_string **argv, int argc) {
    return argc == 5 && (redis.GetContextFlags(ctx) & REDIS_CTX_LOADING) != 0 && is_keyword(argv[4], "OWN");
}

static void adopt_seed_of(redis_ctx *ctx, redis_key *key) {
    redis_type *type = redis.ModuleTypeGetType(key);
    if (type != filter_type && type != bloom_type) return;
    seed_adopt(filter_config(redis.ModuleTypeGetValue(key)).seed, redis.GetContextFlags(ctx));
}

static int loadchunk(redis_ctx *ctx, redis_string **argv, int argc, const struct kind *kind) {
    long long position;
    struct chunk c;
    size_t n;
    bool own = says_own(ctx, argv, argc);
    if (argc != 4 && !own) return redis.WrongArity(ctx);
    redis.AutoMemory(ctx);
    if (redis.StringToLongLong(argv[2], &position) != REDIS_OK || position <= 0)
        return redis.ReplyWithError(ctx, "Invalid position");
    const char *blob = redis.StringPtrLen(argv[3], &n);
    redis_key *key = redis.OpenKey(ctx, argv[1], REDIS_READ | REDIS_WRITE);
    const char *error = NULL;
    if (kind == &kinds[0] && parse_old_chunk(key, position, blob, n, &c)) kind = old_dump;
    else if ((error = chunk_parse(blob, n, &c)) == NULL && position != chunk_position(c.generation, c.offset))
        error = "Invalid position";
    if (error == NULL) error = load_chunk(ctx, key, &c, kind);
    if (error == NO_MEMORY) memory_is_missing(ctx);
    if (error != NULL) return redis.ReplyWithError(ctx, error);
    if (own) adopt_seed_of(ctx, key);
    redis.ReplicateVerbatim(ctx);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, kind->event, argv[1]);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int cf_loadchunk(redis_ctx *ctx, redis_string **argv, int argc) { return loadchunk(ctx, argv, argc, &kinds[0]); }
int cfw_loadchunk(redis_ctx *ctx, redis_string **argv, int argc) { return loadchunk(ctx, argv, argc, &kinds[1]); }
int bf_loadchunk(redis_ctx *ctx, redis_string **argv, int argc) { return loadchunk(ctx, argv, argc, &kinds[2]); }

/* ------------------------------------------------------------------------------------------------------------ data type */

static void rdb_save(redis_io *io, void *value) {
    const struct partial *p = value;
    redis.SaveUnsigned(io, (uint64_t)(p->kind - kinds));
    redis.SaveUnsigned(io, p->generation);
    redis.SaveUnsigned(io, p->total);
    redis.SaveUnsigned(io, p->n);
    save_blocks(io, p->bytes, p->n);
}

/* A partial value has at least one chunk but not all, and only the last chunk of a dump is shorter than CHUNK_SIZE. */
static bool counts_are_valid(uint64_t kind, uint64_t total, uint64_t n) {
    if (kind >= KINDS || n >= total) return false;
    return &kinds[kind] == old_dump ? n >= OLD_HEADER : n > 0 && n % CHUNK_SIZE == 0;
}

static void *rdb_load(redis_io *io, int version) {
    if (version != ENCODING) return NULL;
    uint64_t kind = redis.LoadUnsigned(io), generation = redis.LoadUnsigned(io);
    uint64_t total = redis.LoadUnsigned(io), n = redis.LoadUnsigned(io);
    if (redis.IsIOError(io) || !counts_are_valid(kind, total, n)) return NULL;
    struct partial *p = partial_create(generation, total, &kinds[kind]);
    if (p == NULL) return NULL;
    p->bytes = load_blocks(io, n);
    p->n = p->allocated = n;
    if (p->bytes != NULL) return p;
    partial_free(p);
    return NULL;
}

static void aof_rewrite(redis_io *io, redis_string *key, void *value) {
    const struct partial *p = value;
    if (p->kind == old_dump) emit_old_chunks(io, key, p);
    else
        for (uint64_t at = 0; at < p->n; at += CHUNK_SIZE)
            aof_emit_chunk(io, key, p->kind->serializer->load_command,
                           &(struct chunk){p->generation, p->total, at, p->bytes + at, CHUNK_SIZE}, false);
}

static void digest(redis_digest *to, void *value) {
    const struct partial *p = value;
    redis.DigestAddStringBuffer(to, (const char *)p->bytes, p->n);
    redis.DigestEndSequence(to);
}

static size_t mem_usage(const void *value) {
    const struct partial *p = value;
    return sizeof *p + p->allocated;
}

static size_t free_effort(redis_string *key, const void *value) {
    (void)key;
    return free_effort_of_bytes(mem_usage(value));
}

static void *copy(redis_string *from, redis_string *to, const void *value) {
    (void)from;
    (void)to;
    const struct partial *p = value;
    struct partial *copied = partial_create(p->generation, p->total, p->kind);
    if (copied == NULL || append(copied, p->bytes, p->n)) return copied;
    partial_free(copied);
    return NULL;
}

bool partial_register(redis_ctx *ctx) {
    static redis_type_methods methods = {
        .version = REDIS_TYPE_METHODS_VERSION,
        .rdb_load = rdb_load,
        .rdb_save = rdb_save,
        .aof_rewrite = aof_rewrite,
        .mem_usage = mem_usage,
        .digest = digest,
        .free = partial_free,
        .free_effort = free_effort,
        .copy = copy,
    };
    partial_type = redis.CreateDataType(ctx, "guira-prt", ENCODING, &methods);
    return partial_type != NULL;
}
