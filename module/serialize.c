/* See serialize.h. */
#include "serialize.h"

#include <string.h>

#include "memory.h"
#include "murmur.h"

static const char MAGIC[8] = {'g', 'u', 'i', 'r', 'a', 'c', 'h', '3'};

enum { BLOCK_SIZE = 1 << 16, POSITION_BITS = 32, GENERATION_BITS = 20 };

void put_u64(uint8_t *to, uint64_t n) {
    for (unsigned i = 0; i < 8; i++) to[i] = (uint8_t)(n >> (8 * i));
}

uint64_t get_u64(const uint8_t *from) {
    uint64_t n = 0;
    for (unsigned i = 0; i < 8; i++) n |= (uint64_t)from[i] << (8 * i);
    return n;
}

void put_double(uint8_t *to, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_u64(to, bits);
}

double get_double(const uint8_t *from) {
    uint64_t bits = get_u64(from);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

bool file_options_allowed(const guira_config *c) {
    return c->max_load > 0.5 && c->max_load < 0.99 && c->max_kicks <= 500 && c->capacity <= UINT64_C(1) << 30;
}

/* ------------------------------------------------------------------------------------------------------------- chunks */

long long chunk_position(uint64_t generation, uint64_t offset) {
    uint64_t upper = generation & ((UINT64_C(1) << GENERATION_BITS) - 1);
    return (long long)(upper << POSITION_BITS | (offset / CHUNK_SIZE + 1));
}

/* Of everything in the chunk: the hash of the 32 bytes before the checksum and of the hash of the n bytes after it. */
static uint64_t chunk_checksum(const uint8_t *head, const uint8_t *bytes, uint64_t n) {
    uint8_t all[CHUNK_HEADER];
    memcpy(all, head, 32);
    put_u64(all + 32, murmur(bytes, n));
    return murmur(all, sizeof all);
}

void chunk_write_header(const struct chunk *c, uint8_t head[CHUNK_HEADER]) {
    memcpy(head, MAGIC, sizeof MAGIC);
    put_u64(head + 8, c->generation);
    put_u64(head + 16, c->total);
    put_u64(head + 24, c->offset);
    put_u64(head + 32, chunk_checksum(head, c->bytes, c->n));
}

const char *chunk_parse(const char *blob, size_t n, struct chunk *out) {
    static const char invalid[] = "Invalid header";
    const uint8_t *head = (const uint8_t *)blob;
    if (n <= CHUNK_HEADER || memcmp(head, MAGIC, sizeof MAGIC) != 0) return invalid;
    *out = (struct chunk){get_u64(head + 8), get_u64(head + 16), get_u64(head + 24), head + CHUNK_HEADER,
                          n - CHUNK_HEADER};
    if (out->offset >= out->total || out->offset % CHUNK_SIZE != 0) return invalid;
    uint64_t rest = out->total - out->offset;
    if (out->n != (rest < CHUNK_SIZE ? rest : CHUNK_SIZE)) return invalid;
    return get_u64(head + 32) == chunk_checksum(head, out->bytes, out->n)
               ? NULL
               : "Couldn't load chunk! Its bytes were altered";
}

/* ------------------------------------------------------------------------------------------------------------- blocks */

/* Collects bytes and emits them in blocks of `size`. The sizes in which the library writes depend on its memory layout;
 * digests and files must not. */
struct block_buffer {
    uint64_t size, n;
    uint64_t offset; /* of the current block in the stream */
    uint8_t *bytes;
    void (*emit)(void *to, const struct block_buffer *b);
    void *to;
};

static void buffer_flush(struct block_buffer *b) {
    if (b->n == 0) return;
    b->emit(b->to, b);
    b->offset += b->n;
    b->n = 0;
}

static bool buffer_append(void *to, const void *bytes, size_t n) {
    struct block_buffer *b = to;
    const uint8_t *from = bytes;
    while (n > 0) {
        size_t take = n < b->size - b->n ? n : b->size - b->n;
        memcpy(b->bytes + b->n, from, take);
        b->n += take;
        from += take;
        n -= take;
        if (b->n == b->size) buffer_flush(b);
    }
    return true;
}

/* redis.Alloc aborts the process if there is no memory. That is wanted here: this is usually the child process that saves,
 * and an incomplete file would be worse. */
static void buffer_write_value(struct block_buffer *b, const struct serializer *serializer, const void *value) {
    b->bytes = redis.Alloc(b->size);
    serializer->write(value, buffer_append, b);
    buffer_flush(b);
    redis.Free(b->bytes);
}

/* ---------------------------------------------------------------------------------------------------------------- RDB */

static void save_block(void *to, const struct block_buffer *b) {
    redis.SaveStringBuffer(to, (const char *)b->bytes, b->n);
}

void rdb_save_value(const struct serializer *serializer, const void *value, redis_io *io) {
    struct block_buffer b = {.size = BLOCK_SIZE, .emit = save_block, .to = io};
    redis.SaveUnsigned(io, serializer->size(value));
    buffer_write_value(&b, serializer, value);
}

void save_blocks(redis_io *io, const uint8_t *bytes, uint64_t n) {
    for (uint64_t i = 0; i < n; i += BLOCK_SIZE)
        redis.SaveStringBuffer(io, (const char *)bytes + i, n - i < BLOCK_SIZE ? n - i : BLOCK_SIZE);
}

/* Returns a copy of the n bytes in a buffer twice as large, at most `limit`, and frees the old one. NULL: no memory, and
 * nothing has changed. */
static uint8_t *enlarge(uint8_t *bytes, uint64_t n, uint64_t *allocated, uint64_t limit) {
    uint64_t larger = *allocated < BLOCK_SIZE ? BLOCK_SIZE : *allocated * 2;
    if (larger > limit) larger = limit;
    uint8_t *copy = memory_alloc(larger);
    if (copy == NULL) return NULL;
    if (n > 0) memcpy(copy, bytes, n);
    memory_free(bytes);
    *allocated = larger;
    return copy;
}

/* n is untrusted, so memory is not allocated for n bytes at once: the buffer doubles as blocks arrive. */
uint8_t *load_blocks(redis_io *io, uint64_t n) {
    uint8_t *bytes = NULL;
    uint64_t have = 0, allocated = 0;
    while (have < n) {
        size_t length = 0;
        char *block = redis.LoadStringBuffer(io, &length);
        bool good = block != NULL && !redis.IsIOError(io) && length > 0 && length <= BLOCK_SIZE && length <= n - have;
        while (good && allocated - have < length) {
            uint8_t *larger = enlarge(bytes, have, &allocated, n);
            good = larger != NULL;
            if (good) bytes = larger;
        }
        if (good) memcpy(bytes + have, block, length);
        if (block != NULL) redis.Free(block);
        if (!good) {
            memory_free(bytes);
            return NULL;
        }
        have += length;
    }
    return bytes;
}

void *rdb_load_value(const struct serializer *serializer, redis_io *io) {
    uint64_t total = redis.LoadUnsigned(io);
    if (redis.IsIOError(io) || total == 0) return NULL;
    uint8_t *bytes = load_blocks(io, total);
    void *value = bytes != NULL ? serializer->read(bytes, total) : NULL;
    memory_free(bytes);
    if (value == NULL) redis.LogIOError(io, "warning", "guira: invalid value, or not enough memory to load it");
    return value;
}

/* ---------------------------------------------------------------------------------------------------- AOF and digest */

struct aof_target {
    redis_io *io;
    redis_string *key;
    enum sent_command command;
    uint64_t total;
    bool own;
};

void aof_emit_chunk(redis_io *io, redis_string *key, enum sent_command command, const struct chunk *c, bool own) {
    uint8_t *blob = redis.Alloc(CHUNK_HEADER + c->n);
    chunk_write_header(c, blob);
    memcpy(blob + CHUNK_HEADER, c->bytes, c->n);
    redis.EmitAOF(io, sent_name(command), own ? "slbc" : "slb", key, chunk_position(c->generation, c->offset),
                  (const char *)blob, (size_t)(CHUNK_HEADER + c->n), "OWN");
    redis.Free(blob);
}

/* The chunks in an AOF have generation 0: it never contains chunks of two dumps of a key. */
static void emit_block(void *to, const struct block_buffer *b) {
    const struct aof_target *r = to;
    aof_emit_chunk(r->io, r->key, r->command, &(struct chunk){0, r->total, b->offset, b->bytes, b->n}, r->own);
}

void aof_rewrite_value(const struct serializer *serializer, const void *value, bool own, redis_io *io,
                       redis_string *key) {
    struct aof_target r = {io, key, serializer->load_command, serializer->size(value), own};
    struct block_buffer b = {.size = CHUNK_SIZE, .emit = emit_block, .to = &r};
    buffer_write_value(&b, serializer, value);
}

static void digest_block(void *to, const struct block_buffer *b) {
    redis.DigestAddStringBuffer(to, (const char *)b->bytes, b->n);
}

void digest_value(const struct serializer *serializer, const void *value, redis_digest *digest) {
    struct block_buffer b = {.size = BLOCK_SIZE, .emit = digest_block, .to = digest};
    buffer_write_value(&b, serializer, value);
    redis.DigestEndSequence(digest);
}

/* ------------------------------------------------------------------------------------------------------------- memory */

size_t free_effort_of_bytes(uint64_t bytes) { return bytes / 4096; }

int defrag_struct(redis_defrag *ctx, redis_string *key, void **value) {
    (void)key;
    void *moved = redis.DefragAlloc(ctx, *value);
    if (moved != NULL) *value = moved;
    return 0;
}
