/* Values as bytes. A codec writes a value as a stream and makes one from it again; what the stream is for, RDB, AOF,
 * CF.SCANDUMP or a digest, is the same code for filters and windows:
 *
 *     filter ---+                     +--> RDB:      total, piece, piece, ...      pieces of 64 KiB
 *               +--> codec --> bytes -+--> AOF:      ...LOADCHUNK key position chunk, for each chunk
 *     window ---+                     +--> SCANDUMP: one chunk at a time
 *                                     +--> digest
 *
 * A chunk has 1 MiB of the stream, the last one what is left. It has a head, so that nobody can mix up two dumps or lose
 * a chunk of one:
 *
 *     0       8            16      24       32
 *     [ magic | generation | total | offset ][ bytes of the stream ... ]
 */
#ifndef GUIRA_MODULE_CODEC_H
#define GUIRA_MODULE_CODEC_H

#include <stdbool.h>

#include "guira.h"
#include "redis.h"

struct codec {
    const char *load_command; /* takes the chunks in */
    uint64_t (*size)(const void *value);
    bool (*write)(const void *value, guira_write_fn *write, void *to);
    /* Believes nothing. NULL: these bytes are none, or no memory. flags: of the context it is loaded in. */
    void *(*read)(const uint8_t *bytes, size_t n, int flags);
};

/* Numbers in streams are little-endian and have 64 bits. */
void put_number(uint8_t *to, uint64_t n);
uint64_t get_number(const uint8_t *from);
void put_fraction(uint8_t *to, double x);
double get_fraction(const uint8_t *from);

/* Where the library's file has what a filter or window was made with (docs/format.md, "Header"). */
enum { AT_KIND = 16, AT_CAPACITY = 32, AT_MAX_LOAD = 56, AT_SEED = 72, AT_MAX_KICKS = 88, FILE_HEADER = 256 };

/* The library loads whatever could have been made with it. Here it must be one that the module would have made: another
 * could make the server wait (with a max_load of 0.0001 one insertion adds thousands of buckets). */
bool file_is_tame(const uint8_t *file);

/* ------------------------------------------------------------------------------------------------------------- chunks */

enum { CHUNK_HEAD = 32, CHUNK = 1 << 20 };

struct chunk {
    uint64_t generation; /* of the value, when the dump began */
    uint64_t total;      /* length of the stream */
    uint64_t offset;
    const uint8_t *bytes;
    uint64_t n;
};

/* The number a client sees for the chunk that starts at offset: never 0, and below 2^53, so that any client can hold it.
 * Its upper part tells of the generation. */
long long chunk_position(uint64_t generation, uint64_t offset);

void chunk_put_head(const struct chunk *c, uint8_t head[CHUNK_HEAD]);
/* False: not a chunk, or one that no stream is cut into. */
bool chunk_read(const char *blob, size_t n, struct chunk *out);

/* The command that takes it in, for the AOF. */
void chunk_emit(redis_io *io, redis_string *key, const char *command, const struct chunk *c);

/* ------------------------------------------------------------------------------------------------- RDB, AOF and digest */

void codec_save(const struct codec *codec, const void *value, redis_io *io);
void codec_rewrite(const struct codec *codec, const void *value, redis_io *io, redis_string *key);
void codec_digest(const struct codec *codec, const void *value, redis_digest *digest);

/* What codec_save wrote. NULL: it is not that, and io may be at its end. */
void *codec_load(const struct codec *codec, redis_io *io);

/* n bytes in pieces, as codec_save has them; NULL: these are not there. For memory_give. */
void save_pieces(redis_io *io, const uint8_t *bytes, uint64_t n);
uint8_t *load_pieces(redis_io *io, uint64_t n);

/* What it takes to free so many bytes, as the server counts: from 64 on it does it in the background. */
size_t value_effort(uint64_t bytes);

/* The struct itself may move. What the library holds stays where it is: of a large filter it is in blocks that the server
 * would not move either; the few of a small one it would. */
int value_defrag(redis_defrag *ctx, redis_string *key, void **value);

#endif
