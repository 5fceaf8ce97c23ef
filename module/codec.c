/* See codec.h. */
#include "codec.h"

#include <string.h>

#include "memory.h"

static const char MAGIC[8] = {'g', 'u', 'i', 'r', 'a', 'c', 'h', '1'};

enum { PIECE = 1 << 16, POSITION_BITS = 32, GENERATION_BITS = 20 };

void put_number(uint8_t *to, uint64_t n) {
    for (unsigned i = 0; i < 8; i++) to[i] = (uint8_t)(n >> (8 * i));
}

uint64_t get_number(const uint8_t *from) {
    uint64_t n = 0;
    for (unsigned i = 0; i < 8; i++) n |= (uint64_t)from[i] << (8 * i);
    return n;
}

void put_fraction(uint8_t *to, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_number(to, bits);
}

double get_fraction(const uint8_t *from) {
    uint64_t bits = get_number(from);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

bool file_is_tame(const uint8_t *file) {
    double load = get_fraction(file + AT_MAX_LOAD);
    return load > 0.5 && load < 0.99 && get_number(file + AT_MAX_KICKS) <= 500 &&
           get_number(file + AT_CAPACITY) <= UINT64_C(1) << 30;
}

/* ------------------------------------------------------------------------------------------------------------- chunks */

long long chunk_position(uint64_t generation, uint64_t offset) {
    uint64_t upper = generation & ((UINT64_C(1) << GENERATION_BITS) - 1);
    return (long long)(upper << POSITION_BITS | (offset / CHUNK + 1));
}

void chunk_put_head(const struct chunk *c, uint8_t head[CHUNK_HEAD]) {
    memcpy(head, MAGIC, sizeof MAGIC);
    put_number(head + 8, c->generation);
    put_number(head + 16, c->total);
    put_number(head + 24, c->offset);
}

bool chunk_read(const char *blob, size_t n, struct chunk *out) {
    const uint8_t *head = (const uint8_t *)blob;
    if (n <= CHUNK_HEAD || memcmp(head, MAGIC, sizeof MAGIC) != 0) return false;
    *out = (struct chunk){get_number(head + 8), get_number(head + 16), get_number(head + 24), head + CHUNK_HEAD,
                          n - CHUNK_HEAD};
    if (out->offset >= out->total || out->offset % CHUNK != 0) return false;
    uint64_t rest = out->total - out->offset;
    return out->n == (rest < CHUNK ? rest : CHUNK);
}

/* ------------------------------------------------------------------------------------------------------------- pieces */

/* Collects what is written until there is a piece of it. Where the library cuts depends on where its memory lies, which
 * no digest may. */
struct pieces {
    uint64_t size, n;
    uint64_t offset; /* of the piece in the stream */
    uint8_t *bytes;
    void (*emit)(void *to, const struct pieces *p);
    void *to;
};

static void pieces_flush(struct pieces *p) {
    if (p->n == 0) return;
    p->emit(p->to, p);
    p->offset += p->n;
    p->n = 0;
}

static bool pieces_put(void *to, const void *bytes, size_t n) {
    struct pieces *p = to;
    const uint8_t *from = bytes;
    while (n > 0) {
        size_t take = n < p->size - p->n ? n : p->size - p->n;
        memcpy(p->bytes + p->n, from, take);
        p->n += take;
        from += take;
        n -= take;
        if (p->n == p->size) pieces_flush(p);
    }
    return true;
}

/* The server's own allocator, that ends the process when there is no memory: here this is the child that saves, and
 * writing less than everything would be worse. */
static void pieces_write(struct pieces *p, const struct codec *codec, const void *value) {
    p->bytes = redis.Alloc(p->size);
    codec->write(value, pieces_put, p);
    pieces_flush(p);
    redis.Free(p->bytes);
}

/* ---------------------------------------------------------------------------------------------------------------- RDB */

static void save_piece(void *to, const struct pieces *p) { redis.SaveStringBuffer(to, (const char *)p->bytes, p->n); }

void codec_save(const struct codec *codec, const void *value, redis_io *io) {
    struct pieces p = {.size = PIECE, .emit = save_piece, .to = io};
    redis.SaveUnsigned(io, codec->size(value));
    pieces_write(&p, codec, value);
}

void save_pieces(redis_io *io, const uint8_t *bytes, uint64_t n) {
    for (uint64_t i = 0; i < n; i += PIECE)
        redis.SaveStringBuffer(io, (const char *)bytes + i, n - i < PIECE ? n - i : PIECE);
}

/* Room for twice as much, at most `most`. NULL: no memory, and bytes are as they were. */
static uint8_t *enlarge(uint8_t *bytes, uint64_t n, uint64_t *room, uint64_t most) {
    uint64_t larger = *room < PIECE ? PIECE : *room * 2;
    if (larger > most) larger = most;
    uint8_t *copy = memory_take(larger);
    if (copy == NULL) return NULL;
    if (n > 0) memcpy(copy, bytes, n);
    memory_give(bytes);
    *room = larger;
    return copy;
}

/* The room doubles as the bytes arrive, whatever n claims. */
uint8_t *load_pieces(redis_io *io, uint64_t n) {
    uint8_t *bytes = NULL;
    uint64_t have = 0, room = 0;
    while (have < n) {
        size_t length = 0;
        char *piece = redis.LoadStringBuffer(io, &length);
        bool good = piece != NULL && !redis.IsIOError(io) && length > 0 && length <= PIECE && length <= n - have;
        while (good && room - have < length) {
            uint8_t *larger = enlarge(bytes, have, &room, n);
            good = larger != NULL;
            if (good) bytes = larger;
        }
        if (good) memcpy(bytes + have, piece, length);
        if (piece != NULL) redis.Free(piece);
        if (!good) {
            memory_give(bytes);
            return NULL;
        }
        have += length;
    }
    return bytes;
}

/* Of the context in which io is read. */
static int flags_of(redis_io *io) { return redis.GetContextFlags(redis.GetContextFromIO(io)); }

void *codec_load(const struct codec *codec, redis_io *io) {
    uint64_t total = redis.LoadUnsigned(io);
    if (redis.IsIOError(io) || total == 0) return NULL;
    uint8_t *bytes = load_pieces(io, total);
    void *value = bytes != NULL ? codec->read(bytes, total, flags_of(io)) : NULL;
    memory_give(bytes);
    if (value == NULL) redis.LogIOError(io, "warning", "guira: a value that cannot be loaded");
    return value;
}

/* ---------------------------------------------------------------------------------------------------- AOF and digest */

struct rewrite {
    redis_io *io;
    redis_string *key;
    const char *command;
    uint64_t total;
};

void chunk_emit(redis_io *io, redis_string *key, const char *command, const struct chunk *c) {
    uint8_t *blob = redis.Alloc(CHUNK_HEAD + c->n);
    chunk_put_head(c, blob);
    memcpy(blob + CHUNK_HEAD, c->bytes, c->n);
    redis.EmitAOF(io, command, "slb", key, chunk_position(c->generation, c->offset), (const char *)blob,
                  (size_t)(CHUNK_HEAD + c->n));
    redis.Free(blob);
}

/* All chunks of a value are of generation 0 here: no two dumps can meet in one AOF. */
static void rewrite_piece(void *to, const struct pieces *p) {
    const struct rewrite *r = to;
    chunk_emit(r->io, r->key, r->command, &(struct chunk){0, r->total, p->offset, p->bytes, p->n});
}

void codec_rewrite(const struct codec *codec, const void *value, redis_io *io, redis_string *key) {
    struct rewrite r = {io, key, codec->load_command, codec->size(value)};
    struct pieces p = {.size = CHUNK, .emit = rewrite_piece, .to = &r};
    pieces_write(&p, codec, value);
}

static void digest_piece(void *to, const struct pieces *p) {
    redis.DigestAddStringBuffer(to, (const char *)p->bytes, p->n);
}

void codec_digest(const struct codec *codec, const void *value, redis_digest *digest) {
    struct pieces p = {.size = PIECE, .emit = digest_piece, .to = digest};
    pieces_write(&p, codec, value);
    redis.DigestEndSequence(digest);
}

/* ------------------------------------------------------------------------------------------------------------- memory */

size_t value_effort(uint64_t bytes) { return bytes / 4096; }

int value_defrag(redis_defrag *ctx, redis_string *key, void **value) {
    (void)key;
    void *moved = redis.DefragAlloc(ctx, *value);
    if (moved != NULL) *value = moved;
    return 0;
}
