/* Values that reach the module from outside: RDB files, RESTORE, and chunks of a dump.
 *
 *     input   [ type ][ version ][ how ][ field ] ...      field: a number of 8 bytes, or [ length: 4 bytes ][ bytes ]
 *
 * how & 1: the checksums of a guira file in the fields are repaired. The server's functions are replaced by ones that read
 * from the input. What loads must be written and loaded again with the same bytes. */
#include "fuzz_input.h"

#include <malloc.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "filter.h"
#include "loadchunk.h"
#include "memory.h"
#include "old_type.h"
#include "repair.h"
#include "window.h"

/* ------------------------------------------------------------------------------------------------- the server's side */

/* What a value is read from, or written to. */
struct stream {
    struct cursor in;
    bool ended;
    uint8_t *out;
    size_t n;
};

static void append(struct stream *s, const void *bytes, size_t n) {
    s->out = realloc(s->out, s->n + n + 1);
    CHECK(s->out != NULL);
    if (n > 0) memcpy(s->out + s->n, bytes, n);
    s->n += n;
}

enum { TYPES = 8 };
static redis_type_methods types[TYPES];
static int versions[TYPES];
static unsigned type_count;

static struct stream *stream_of(redis_io *io) { return (struct stream *)io; }

static uint64_t load_unsigned(redis_io *io) {
    struct stream *s = stream_of(io);
    if (s->in.n < 8) s->ended = true;
    return s->ended ? 0 : take_number(&s->in, 8);
}

static char *load_string(redis_io *io, size_t *n) {
    struct stream *s = stream_of(io);
    *n = s->in.n < 4 ? 0 : (size_t)take_number(&s->in, 4);
    if (*n > s->in.n || s->in.n == 0) s->ended = true;
    return s->ended ? NULL : take_text(&s->in, *n);
}

static int is_error(redis_io *io) { return stream_of(io)->ended; }

static void save_unsigned(redis_io *io, uint64_t x) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++) bytes[i] = (uint8_t)(x >> (8 * i));
    append(stream_of(io), bytes, 8);
}

static void save_string(redis_io *io, const char *bytes, size_t n) {
    uint8_t length[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
    append(stream_of(io), length, 4);
    append(stream_of(io), bytes, n);
}

static redis_type *create_type(redis_ctx *ctx, const char *name, int version, redis_type_methods *methods) {
    (void)ctx;
    (void)name;
    CHECK(type_count < TYPES);
    types[type_count] = *methods;
    versions[type_count] = version;
    return (redis_type *)&types[type_count++];
}

static size_t block_size(void *p) { return malloc_usable_size(p); }
static void log_io(redis_io *io, const char *level, const char *format, ...) {
    (void)io;
    (void)level;
    (void)format;
}
static void log_text(redis_ctx *ctx, const char *level, const char *format, ...) {
    (void)ctx;
    (void)level;
    (void)format;
}
static int no_flags(redis_ctx *ctx) {
    (void)ctx;
    return 0;
}
static redis_ctx *no_context(redis_io *io) {
    (void)io;
    return NULL;
}
static void same_bytes(unsigned char *to, size_t n) { memset(to, 7, n); }
static long long same_time(void) { return 1700000000000; }
static uint64_t no_timer(redis_ctx *ctx, long long ms, redis_timer_fn *fn, void *data) {
    (void)ctx;
    (void)ms;
    (void)fn;
    (void)data;
    return 1;
}
static void digest_string(redis_digest *to, const char *bytes, size_t n) {
    XXH3_64bits_update((XXH3_state_t *)to, bytes, n);
}
static void digest_end(redis_digest *to) { (void)to; }

static void start_server(void) {
    if (type_count > 0) return;
    redis = (struct redis){.Log = log_text,
                           .LogIOError = log_io,
                           .Alloc = malloc,
                           .TryAlloc = malloc,
                           .Free = free,
                           .MallocSize = block_size,
                           .GetContextFlags = no_flags,
                           .GetContextFromIO = no_context,
                           .CreateDataType = create_type,
                           .SaveUnsigned = save_unsigned,
                           .LoadUnsigned = load_unsigned,
                           .SaveStringBuffer = save_string,
                           .LoadStringBuffer = load_string,
                           .IsIOError = is_error,
                           .DigestAddStringBuffer = digest_string,
                           .DigestEndSequence = digest_end,
                           .GetRandomBytes = same_bytes,
                           .Milliseconds = same_time,
                           .CreateTimer = no_timer};
    memory_use_server_allocator();
    CHECK(filter_register(NULL) && window_register(NULL) && partial_register(NULL) && old_type_register(NULL));
}

/* ------------------------------------------------------------------------------------------------------------- input */

/* Repairs the first guira file in the bytes. It may lie in several blocks; only the first is repaired then. */
static void repair_file(uint8_t *bytes, size_t n) {
    uint8_t *file = n >= 8 ? memmem(bytes, n, "GUIRA", 5) : NULL;
    if (file != NULL) repair_checksums_of(file, (size_t)(bytes + n - file));
}

static uint64_t digest_of(const redis_type_methods *t, void *value) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    t->digest((redis_digest *)&state, value);
    return XXH3_64bits_digest(&state);
}

/* Written and loaded again, a value has the same bytes. */
static void check_again(const redis_type_methods *t, int version, void *value) {
    struct stream first = {.ended = false}, second = {.ended = false};
    t->rdb_save((redis_io *)&first, value);
    first.in = (struct cursor){first.out, first.n};
    void *again = t->rdb_load((redis_io *)&first, version);
    CHECK(again != NULL && first.in.n == 0);
    t->rdb_save((redis_io *)&second, again);
    CHECK(second.n == first.n && memcmp(first.out, second.out, first.n) == 0);
    if (t->digest != NULL) CHECK(digest_of(t, value) == digest_of(t, again));
    t->free(again);
    free(first.out);
    free(second.out);
}

static void check_chunk(uint8_t *bytes, size_t n, bool repair) {
    struct chunk c;
    if (n < CHUNK_HEADER) return;
    if (repair) {
        struct chunk made = {get_u64(bytes + 8), get_u64(bytes + 16), get_u64(bytes + 24), bytes + CHUNK_HEADER,
                             n - CHUNK_HEADER};
        chunk_write_header(&made, bytes);
    }
    if (chunk_parse((const char *)bytes, n, &c) != NULL) return;
    CHECK(c.bytes == bytes + CHUNK_HEADER && c.n == n - CHUNK_HEADER && c.offset + c.n <= c.total);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    start_server();
    struct cursor in = {data, n};
    uint64_t type = take_number(&in, 1), version = take_number(&in, 1), how = take_number(&in, 1);
    size_t length = in.n;
    uint8_t *bytes = (uint8_t *)take_text(&in, length);
    if (how & 1) repair_file(bytes, length);
    type %= type_count + 1;
    if (type == type_count) {
        check_chunk(bytes, length, (how & 1) != 0);
    } else {
        const redis_type_methods *t = &types[type];
        struct stream s = {.in = {bytes, length}};
        int encoding = version < 8 ? (int)version : versions[type];
        void *value = t->rdb_load((redis_io *)&s, encoding);
        if (value != NULL) {
            CHECK(t->mem_usage == NULL || t->mem_usage(value) > 0);
            check_again(t, versions[type], value);
            t->free(value);
        }
    }
    free(bytes);
    return 0;
}
