/* The value of a key as the module of the server writes it: a stream of bytes, which ends with a file of guira's.
 *
 *     filter   [ record: 48 bytes ][ file ]
 *     window   [ rate: 8 bytes ][ file ]
 *
 * A stream travels in chunks (CF.SCANDUMP, CF.LOADCHUNK), or whole in the reply to DUMP. The layouts are those of
 * module/serialize.h, module/filter.c and module/window.c. */
#ifndef GUIRA_CLI_REDIS_STREAM_H
#define GUIRA_CLI_REDIS_STREAM_H

#include <guira.h>
#include <stdbool.h>

#include "text_buffer.h"

/* ------------------------------------------------------------------------------------------------------------- chunks */

/* A chunk has 1 MiB of the stream, the last one the rest. */
enum { CHUNK_HEADER = 40, CHUNK_SIZE = 1 << 20 };

struct dump_chunk {
    uint64_t generation; /* of the filter when the dump began */
    uint64_t total;      /* length of the stream */
    uint64_t offset;
    const char *bytes;
    size_t n;
};

/* False: not a chunk. */
bool dump_chunk_parse(const char *blob, size_t n, struct dump_chunk *out);

/* Writes the chunk of the stream that starts at `offset` and returns its size. `to` has CHUNK_HEADER + CHUNK_SIZE bytes. */
size_t dump_chunk_write(const char *stream, uint64_t total, uint64_t offset, char *to);

/* Its position, the argument of CF.LOADCHUNK. */
unsigned long long dump_chunk_position(uint64_t offset);

/* ------------------------------------------------------------------------------------------------------------ streams */

/* What comes before the file in a stream. NULL: the stream is too short. *old: bytes of a filter of RedisBloom's in it. */
const char *stream_file(const char *stream, size_t n, bool window, uint64_t *old);

/* Appends what comes before the file of a filter or window with this configuration; bloom: of a filter for BF.* commands. */
void stream_begin(struct text_buffer *to, const guira_file *file, const guira_config *config, bool bloom);

/* Appends the stream in the reply to DUMP. False: it is something else. */
bool dump_parse(const char *payload, size_t n, struct text_buffer *stream);

#endif
