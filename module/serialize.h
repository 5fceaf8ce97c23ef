/* Values as bytes. Each data type has a serializer, which writes a value as a stream of bytes and reads it back. Everything
 * that is done with the stream is the same code for filters and windows:
 *
 *     filter ---+                          +--> RDB:      total, block, block, ...      blocks of 64 KiB
 *               +--> serializer --> bytes -+--> AOF:      ...LOADCHUNK key position chunk, for each chunk
 *     window ---+                          +--> SCANDUMP: one chunk at a time
 *                                          +--> digest
 *
 * A chunk has 1 MiB of the stream, the last one the rest. Its header makes it impossible to mix the chunks of two dumps or
 * to leave one out, and a chunk with a bit altered anywhere is refused: the checksum is of everything else in the chunk:
 *
 *     0       8            16      24       32         40
 *     [ magic | generation | total | offset | checksum ][ bytes of the stream ... ]
 */
#ifndef GUIRA_MODULE_SERIALIZE_H
#define GUIRA_MODULE_SERIALIZE_H

#include <stdbool.h>

#include "guira.h"
#include "names.h"
#include "redis.h"

struct serializer {
    enum sent_command load_command; /* the command that loads chunks */
    uint64_t (*size)(const void *value);
    bool (*write)(const void *value, guira_write_fn *write, void *to);
    /* Reads untrusted bytes: everything is checked. NULL: not a valid value, or no memory. */
    void *(*read)(const uint8_t *bytes, size_t n);
};

/* All numbers in a stream are 64 bits, little-endian. */
void put_u64(uint8_t *to, uint64_t n);
uint64_t get_u64(const uint8_t *from);
void put_double(uint8_t *to, double x);
double get_double(const uint8_t *from);

/* The library loads files with any valid options. The module accepts only options that it uses itself, because others could
 * block the server: with a max_load of 0.0001 one insertion adds thousands of buckets. */
bool file_options_allowed(const guira_config *c);

/* ------------------------------------------------------------------------------------------------------------- chunks */

enum { CHUNK_HEADER = 40, CHUNK_SIZE = 1 << 20 };

struct chunk {
    uint64_t generation; /* of the value when the dump began */
    uint64_t total;      /* length of the stream */
    uint64_t offset;
    const uint8_t *bytes;
    uint64_t n;
};

/* The position that clients get for the chunk that starts at offset. It is never 0, and below 2^53, so that clients that
 * store numbers as doubles can represent it. The upper part holds the low bits of the generation. */
long long chunk_position(uint64_t generation, uint64_t offset);

/* The header has a checksum of the whole chunk, c->bytes included. */
void chunk_write_header(const struct chunk *c, uint8_t head[CHUNK_HEADER]);
/* Returns NULL or the error to reply: no header of a chunk, an offset and length that no chunk has, or another checksum. */
const char *chunk_parse(const char *blob, size_t n, struct chunk *out);

/* Writes the command that loads this chunk to the AOF. own: the value has the server's hash seed. */
void aof_emit_chunk(redis_io *io, redis_string *key, enum sent_command command, const struct chunk *c, bool own);

/* ------------------------------------------------------------------------------------------------- RDB, AOF and digest */

void rdb_save_value(const struct serializer *serializer, const void *value, redis_io *io);
void aof_rewrite_value(const struct serializer *serializer, const void *value, bool own, redis_io *io,
                       redis_string *key);
void digest_value(const struct serializer *serializer, const void *value, redis_digest *digest);

/* Loads what rdb_save_value wrote. NULL: io does not contain a valid value, and may have ended. */
void *rdb_load_value(const struct serializer *serializer, redis_io *io);

/* Save and load n bytes in blocks, as rdb_save_value does. load_blocks returns NULL if they cannot be read; its result has
 * to be freed with memory_free. */
void save_blocks(redis_io *io, const uint8_t *bytes, uint64_t n);
uint8_t *load_blocks(redis_io *io, uint64_t n);

/* The server's measure of the work to free a value: from 64 on it frees the value in the background. */
size_t free_effort_of_bytes(uint64_t bytes);

/* Active defragmentation: moves the value's struct, but not the memory of the library. The blocks of a large filter are too
 * big to be moved anyway; only those of small filters would profit. */
int defrag_struct(redis_defrag *ctx, redis_string *key, void **value);

#endif
