/* See redis_stream.h. */
#include "redis_stream.h"

#include <string.h>

static const char MAGIC[8] = {'g', 'u', 'i', 'r', 'a', 'c', 'h', '3'};

enum { FILTER_RECORD = 48, WINDOW_RECORD = 8 };

static uint64_t get_u64(const char *from) {
    uint64_t n = 0;
    for (unsigned i = 0; i < 8; i++) n |= (uint64_t)(unsigned char)from[i] << (8 * i);
    return n;
}

static void put_u64(char *to, uint64_t n) {
    for (unsigned i = 0; i < 8; i++) to[i] = (char)(n >> (8 * i));
}

/* ------------------------------------------------------------------------------------------------------------- chunks */

/* MurmurHash64A with seed 0. */
static uint64_t murmur(const char *bytes, size_t n) {
    const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
    uint64_t h = n * m, rest = 0;
    for (; n >= 8; n -= 8, bytes += 8) {
        uint64_t k = get_u64(bytes) * m;
        h = (h ^ (k ^ k >> 47) * m) * m;
    }
    for (unsigned i = 0; i < n; i++) rest |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    if (n > 0) h = (h ^ rest) * m;
    h = (h ^ h >> 47) * m;
    return h ^ h >> 47;
}

/* Of a chunk with n bytes after its header: the hash of the 32 bytes before the checksum and of the hash of those n. */
static uint64_t checksum(const char *chunk, size_t n) {
    char all[CHUNK_HEADER];
    memcpy(all, chunk, 32);
    put_u64(all + 32, murmur(chunk + CHUNK_HEADER, n));
    return murmur(all, sizeof all);
}

static uint64_t chunk_length(uint64_t total, uint64_t offset) {
    return total - offset < CHUNK_SIZE ? total - offset : CHUNK_SIZE;
}

bool dump_chunk_parse(const char *blob, size_t n, struct dump_chunk *out) {
    if (n <= CHUNK_HEADER || memcmp(blob, MAGIC, sizeof MAGIC) != 0) return false;
    if (get_u64(blob + 32) != checksum(blob, n - CHUNK_HEADER)) return false;
    *out = (struct dump_chunk){get_u64(blob + 8), get_u64(blob + 16), get_u64(blob + 24), blob + CHUNK_HEADER,
                               n - CHUNK_HEADER};
    return out->offset < out->total && out->n == chunk_length(out->total, out->offset);
}

size_t dump_chunk_write(const char *stream, uint64_t total, uint64_t offset, char *to) {
    size_t n = (size_t)chunk_length(total, offset);
    memcpy(to, MAGIC, sizeof MAGIC);
    put_u64(to + 8, 0);
    put_u64(to + 16, total);
    put_u64(to + 24, offset);
    memcpy(to + CHUNK_HEADER, stream + offset, n);
    put_u64(to + 32, checksum(to, n));
    return CHUNK_HEADER + n;
}

/* The generation would be in the upper half; ours is 0. */
unsigned long long dump_chunk_position(uint64_t offset) { return offset / CHUNK_SIZE + 1; }

/* ------------------------------------------------------------------------------------------------------------ streams */

const char *stream_file(const char *stream, size_t n, bool window, uint64_t *old) {
    size_t record = window ? WINDOW_RECORD : FILTER_RECORD;
    *old = 0;
    if (n <= record) return NULL;
    if (!window) *old = get_u64(stream + 40);
    return stream + record;
}

/* RedisBloom's defaults: 1, and 2 for BF.*. 0 is a filter of fixed size: for BF.* one with a capacity that it does not exceed. */
static unsigned expansion_of(const guira_config *config, bool bloom) {
    if (bloom) return config->capacity > 0 && config->growth == 1 ? 0 : 2;
    return config->kind == GUIRA_CUCKOO ? 0 : 1;
}

/* The options that only RedisBloom's filters use have its defaults: BUCKETSIZE 2, MAXITERATIONS 20. */
void stream_begin(struct text_buffer *to, const guira_file *file, const guira_config *config, bool bloom) {
    bool window = file->content == GUIRA_FILE_WINDOW;
    char *record = text_room(to, FILTER_RECORD);
    uint64_t rate;
    memcpy(&rate, &config->fpr, sizeof rate);
    to->size += window ? WINDOW_RECORD : FILTER_RECORD;
    if (window) {
        put_u64(record, rate);
        return;
    }
    put_u64(record, 2);
    put_u64(record + 8, 20);
    put_u64(record + 16, expansion_of(config, bloom));
    put_u64(record + 24, 0); /* deleted items */
    put_u64(record + 32, rate);
    put_u64(record + 40, 0); /* bytes of RedisBloom's filter */
}
