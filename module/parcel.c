/* See parcel.h. A chunk that does not fit is refused, and all is as it was. */
#include "parcel.h"

#include <string.h>

#include "commands.h"
#include "filter.h"
#include "memory.h"
#include "reply.h"
#include "totals.h"
#include "window.h"

redis_type *parcel_type;

/* What it may become. */
static const struct kind {
    const struct codec *codec;
    redis_type **type;
    const char *event;
} kinds[] = {{&filter_codec, &filter_type, "cf.loadchunk"}, {&window_codec, &window_type, "cfw.loadchunk"}};

struct parcel {
    const struct kind *kind;
    uint64_t generation, total; /* as all its chunks say */
    uint64_t n, room;           /* bytes there are, and that there is memory for */
    uint8_t *bytes;
};

enum { ENCODING = 1, KINDS = sizeof kinds / sizeof *kinds };

/* ------------------------------------------------------------------------------------------------------ life and death */

static struct parcel *make(uint64_t generation, uint64_t total, const struct kind *kind) {
    struct parcel *p = memory_take(sizeof *p);
    if (p == NULL) return NULL;
    *p = (struct parcel){.kind = kind, .generation = generation, .total = total};
    count_up(&totals.parcels, 1);
    return p;
}

static void drop(void *value) {
    struct parcel *p = value;
    memory_give(p->bytes);
    memory_give(p);
    count_down(&totals.parcels, 1);
}

/* The room doubles as the chunks arrive, whatever total claims. */
static bool append(struct parcel *p, const uint8_t *bytes, uint64_t n) {
    if (p->room - p->n < n) {
        uint64_t room = p->n + n > 2 * p->room ? p->n + n : 2 * p->room;
        if (room > p->total) room = p->total;
        uint8_t *larger = memory_take(room);
        if (larger == NULL) return false;
        if (p->n > 0) memcpy(larger, p->bytes, p->n);
        memory_give(p->bytes);
        p->bytes = larger;
        p->room = room;
    }
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- loading */

static const char NO_MEMORY[] = "ERR Insufficient memory to create filter";
static const char NOT_LOADED[] = "Couldn't create filter!";

/* These return NULL or an error to reply with. A dump of one chunk needs no parcel. */
static const char *take_whole(redis_key *key, const struct chunk *c, const struct kind *kind, int flags) {
    void *value = kind->codec->read(c->bytes, c->n, flags);
    if (value == NULL) return NOT_LOADED;
    redis.ModuleTypeSetValue(key, *kind->type, value);
    return NULL;
}

static const char *take_first(redis_key *key, const struct chunk *c, const struct kind *kind) {
    struct parcel *p = make(c->generation, c->total, kind);
    if (p == NULL) return NO_MEMORY;
    if (!append(p, c->bytes, c->n)) {
        drop(p);
        return NO_MEMORY;
    }
    redis.ModuleTypeSetValue(key, parcel_type, p);
    return NULL;
}

static const char *take_next(redis_key *key, const struct chunk *c, const struct kind *kind, int flags) {
    struct parcel *p = redis.ModuleTypeGetValue(key);
    bool fits = c->generation == p->generation && c->total == p->total && c->offset == p->n && kind == p->kind;
    if (!fits) return "Couldn't load chunk!";
    if (!append(p, c->bytes, c->n)) return NO_MEMORY;
    if (p->n < p->total) return NULL;
    void *value = kind->codec->read(p->bytes, p->n, flags);
    p->n -= c->n; /* as it was, if this is an error */
    if (value == NULL) return NOT_LOADED;
    redis.ModuleTypeSetValue(key, *kind->type, value); /* which frees the parcel */
    return NULL;
}

static const char *take(redis_key *key, const struct chunk *c, const struct kind *kind, int flags) {
    redis_type *there = redis.ModuleTypeGetType(key);
    bool is_empty = redis.KeyType(key) == REDIS_KEY_EMPTY;
    if (!is_empty && there == *kind->type) return "ERR item exists";
    if (!is_empty && there != parcel_type) return WRONG_TYPE;
    if (c->offset > 0) return is_empty ? "ERR not found" : take_next(key, c, kind, flags);
    return c->n == c->total ? take_whole(key, c, kind, flags) : take_first(key, c, kind);
}

static int take_chunk(redis_ctx *ctx, redis_string **argv, int argc, const struct kind *kind) {
    long long position;
    struct chunk c;
    size_t n;
    if (argc != 4) return redis.WrongArity(ctx);
    redis.AutoMemory(ctx);
    if (redis.StringToLongLong(argv[2], &position) != REDIS_OK || position <= 0)
        return redis.ReplyWithError(ctx, "Invalid position");
    const char *blob = redis.StringPtrLen(argv[3], &n);
    if (!chunk_read(blob, n, &c)) return redis.ReplyWithError(ctx, "Invalid header");
    if (position != chunk_position(c.generation, c.offset)) return redis.ReplyWithError(ctx, "Invalid position");
    redis_key *key = redis.OpenKey(ctx, argv[1], REDIS_READ | REDIS_WRITE);
    const char *error = take(key, &c, kind, redis.GetContextFlags(ctx));
    if (error != NULL) return redis.ReplyWithError(ctx, error);
    redis.ReplicateVerbatim(ctx);
    redis.NotifyKeyspaceEvent(ctx, REDIS_NOTIFY_MODULE, kind->event, argv[1]);
    return redis.ReplyWithSimpleString(ctx, "OK");
}

int cf_loadchunk(redis_ctx *ctx, redis_string **argv, int argc) { return take_chunk(ctx, argv, argc, &kinds[0]); }
int cfw_loadchunk(redis_ctx *ctx, redis_string **argv, int argc) { return take_chunk(ctx, argv, argc, &kinds[1]); }

/* ------------------------------------------------------------------------------------------------------------ as a type */

static void rdb_save(redis_io *io, void *value) {
    const struct parcel *p = value;
    redis.SaveUnsigned(io, (uint64_t)(p->kind - kinds));
    redis.SaveUnsigned(io, p->generation);
    redis.SaveUnsigned(io, p->total);
    redis.SaveUnsigned(io, p->n);
    save_pieces(io, p->bytes, p->n);
}

/* There are some chunks but not all, and those are whole. */
static bool could_be(uint64_t kind, uint64_t total, uint64_t n) {
    return kind < KINDS && n > 0 && n < total && n % CHUNK == 0;
}

static void *rdb_load(redis_io *io, int version) {
    if (version != ENCODING) return NULL;
    uint64_t kind = redis.LoadUnsigned(io), generation = redis.LoadUnsigned(io);
    uint64_t total = redis.LoadUnsigned(io), n = redis.LoadUnsigned(io);
    if (redis.IsIOError(io) || !could_be(kind, total, n)) return NULL;
    struct parcel *p = make(generation, total, &kinds[kind]);
    if (p == NULL) return NULL;
    p->bytes = load_pieces(io, n);
    p->n = p->room = n;
    if (p->bytes != NULL) return p;
    drop(p);
    return NULL;
}

static void aof_rewrite(redis_io *io, redis_string *key, void *value) {
    const struct parcel *p = value;
    for (uint64_t at = 0; at < p->n; at += CHUNK)
        chunk_emit(io, key, p->kind->codec->load_command,
                   &(struct chunk){p->generation, p->total, at, p->bytes + at, CHUNK});
}

static void digest(redis_digest *to, void *value) {
    const struct parcel *p = value;
    redis.DigestAddStringBuffer(to, (const char *)p->bytes, p->n);
    redis.DigestEndSequence(to);
}

static size_t mem_usage(const void *value) {
    const struct parcel *p = value;
    return sizeof *p + p->room;
}

static size_t free_effort(redis_string *key, const void *value) {
    (void)key;
    return value_effort(mem_usage(value));
}

static void *copy(redis_string *from, redis_string *to, const void *value) {
    (void)from;
    (void)to;
    const struct parcel *p = value;
    struct parcel *twin = make(p->generation, p->total, p->kind);
    if (twin == NULL || append(twin, p->bytes, p->n)) return twin;
    drop(twin);
    return NULL;
}

bool parcel_register(redis_ctx *ctx) {
    static redis_type_methods methods = {
        .version = REDIS_TYPE_METHODS_VERSION,
        .rdb_load = rdb_load,
        .rdb_save = rdb_save,
        .aof_rewrite = aof_rewrite,
        .mem_usage = mem_usage,
        .digest = digest,
        .free = drop,
        .free_effort = free_effort,
        .copy = copy,
    };
    parcel_type = redis.CreateDataType(ctx, "guira-prt", ENCODING, &methods);
    return parcel_type != NULL;
}
