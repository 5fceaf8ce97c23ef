/* The reply to DUMP, see redis_stream.h: a value in the server's RDB format.
 *
 *     [ 7: value of a module ][ id of its type ][ 2: integer ][ length of the stream ]
 *     [ 5: string ][ up to 64 KiB of the stream ] ... [ 2: integer ][ of filters: 1 if the hash seed is the server's, else 0 ]
 *     [ 0: end ][ RDB version: 2 bytes ][ checksum: 8 bytes ]
 *
 * Lengths have 6, 14, 32 or 64 bits. A string may be compressed (LZF), or be an integer if it looks like one. The checksum is
 * not verified here: the file in the stream has its own. */
#include <stdio.h>
#include <string.h>

#include "redis_stream.h"

enum { MODULE_VALUE = 7, END = 0, INTEGER = 2, STRING = 5, TRAILER = 10 };

/* The rest of the payload. */
struct cursor {
    const unsigned char *at, *end;
    bool bad;
};

static unsigned next_byte(struct cursor *c) {
    if (c->at < c->end) return *c->at++;
    c->bad = true;
    return 0;
}

static uint64_t big_endian(struct cursor *c, unsigned bytes) {
    uint64_t n = 0;
    while (bytes-- > 0) n = n << 8 | next_byte(c);
    return n;
}

/* *encoding: 0 if it is a length, else 1 + the number of the encoding of the string that follows. */
static uint64_t next_length(struct cursor *c, unsigned *encoding) {
    unsigned first = next_byte(c);
    *encoding = 0;
    switch (first >> 6) {
    case 0: return first;
    case 1: return (uint64_t)(first & 63) << 8 | next_byte(c);
    case 2: return big_endian(c, first == 0x81 ? 8 : 4);
    default: *encoding = 1 + (first & 63); return 0;
    }
}

static uint64_t next_number(struct cursor *c) {
    unsigned encoding;
    uint64_t n = next_length(c, &encoding);
    c->bad = c->bad || encoding != 0;
    return n;
}

/* LZF: a byte below 32 is followed by so many bytes and one more; others name a length and a distance back. */
static bool decompress(const unsigned char *from, size_t n, struct text_buffer *to, size_t size) {
    const unsigned char *end = from + n;
    char *out = text_room(to, size), *start = out, *stop = out + size;
    while (from < end) {
        unsigned control = *from++;
        size_t length = control < 32 ? control + 1 : control >> 5;
        if (control < 32) {
            if ((size_t)(end - from) < length || (size_t)(stop - out) < length) return false;
            memcpy(out, from, length);
            from += length;
            out += length;
            continue;
        }
        if (length == 7) length += from < end ? *from++ : 0;
        if (from == end) return false;
        size_t back = ((size_t)(control & 31) << 8 | *from++) + 1;
        length += 2;
        if ((size_t)(out - start) < back || (size_t)(stop - out) < length) return false;
        for (; length > 0; length--, out++) *out = out[-(ptrdiff_t)back]; /* the two may overlap */
    }
    to->size += size;
    return out == stop;
}

static void append_compressed(struct cursor *c, struct text_buffer *to) {
    uint64_t n = next_number(c), size = next_number(c);
    c->bad =
        c->bad || n > (size_t)(c->end - c->at) || size > 1 << 20 || !decompress(c->at, (size_t)n, to, (size_t)size);
    if (!c->bad) c->at += n;
}

/* Little-endian, of 1, 2 or 4 bytes. */
static void append_integer(struct cursor *c, unsigned bytes, struct text_buffer *to) {
    uint32_t n = 0;
    for (unsigned i = 0; i < bytes; i++) n |= (uint32_t)next_byte(c) << (8 * i);
    int value = bytes == 1 ? (int8_t)n : bytes == 2 ? (int16_t)n : (int32_t)n;
    char text[16];
    text_append(to, text, (size_t)snprintf(text, sizeof text, "%d", value));
}

static void append_string(struct cursor *c, struct text_buffer *to) {
    unsigned encoding;
    uint64_t n = next_length(c, &encoding);
    if (encoding == 4) append_compressed(c, to);
    else if (encoding > 0 && encoding < 4) append_integer(c, 1U << (encoding - 1), to);
    else if (encoding > 0 || n > (size_t)(c->end - c->at)) c->bad = true;
    else {
        text_append(to, (const char *)c->at, (size_t)n);
        c->at += n;
    }
}

bool dump_parse(const char *payload, size_t n, struct text_buffer *stream) {
    if (n < TRAILER) return false;
    struct cursor c = {(const unsigned char *)payload, (const unsigned char *)payload + n - TRAILER, false};
    if (next_byte(&c) != MODULE_VALUE) return false;
    next_number(&c); /* the id of the type, which the caller knows by TYPE */
    if (next_number(&c) != INTEGER) return false;
    uint64_t total = next_number(&c), opcode = END;
    stream->size = 0;
    while (!c.bad && (opcode = next_number(&c)) == STRING) append_string(&c, stream);
    if (opcode == INTEGER) {
        next_number(&c);
        opcode = next_number(&c);
    }
    return !c.bad && opcode == END && c.at == c.end && stream->size == total;
}
