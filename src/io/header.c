/* See header.h. docs/format.md has the header byte by byte. */
#include "io/header.h"

#include "filter/filter.h"
#include "format/contents.h"

#include <string.h>

/* A program that takes the file for text changes the bytes after the name. */
static const uint8_t magic[8] = {'G', 'U', 'I', 'R', 'A', '\r', '\n', 0x1a};

enum { NEWEST_FORMAT = 2, SUM_BYTES = 8 };

/* The number of slots in a bucket as a file has it: 0 is what format 1 has for the width. */
static unsigned slots_in_file(const guira_config *c) {
    bool usual = c->kind == GUIRA_CUCKOO && c->bucket_slots == layout_of_width(c->slot_bits).slots;
    return usual ? 0 : c->bucket_slots;
}

/* Format 1 has slots of 12, 16 and 32 bits in tidal and fixed filters, and windows of
 * WINDOW_SLOT_BITS. */
unsigned guira__config_format(const guira_config *c) {
    bool papers = c->kind != GUIRA_TIDAL && c->kind != GUIRA_CUCKOO;
    bool old = c->slot_bits == 12 || c->slot_bits == 16 || c->slot_bits == 32 || c->slot_bits == WINDOW_SLOT_BITS;
    bool quads = c->kind == GUIRA_CUCKOO && slots_in_file(c) != 0;
    bool sized = c->kind == GUIRA_CUCKOO && c->buckets != 0;
    return (papers || old) && !quads && !sized && c->growth == 0 ? 1 : 2;
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void guira__header_encode(uint8_t header[HEADER_BYTES], const guira_config *c, unsigned format, uint64_t total) {
    const uint64_t number[] = {format,
                               (uint64_t)c->kind,
                               total,
                               c->capacity,
                               bits_of(c->fpr),
                               c->slot_bits,
                               bits_of(c->max_load),
                               bits_of(c->min_load)};
    const uint64_t more[] = {c->max_kicks,  slots_in_file(c), c->buckets, c->max_filters,      c->factor,
                             c->candidates, c->virtual_nodes, c->ring,    (uint64_t)c->policy, bits_of(c->growth)};
    uint8_t *p = header;
    memset(header, 0, HEADER_BYTES);
    memcpy(p, magic, sizeof magic);
    p += sizeof magic;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++, p += 8) put_u64(p, number[i]);
    memcpy(p, c->seed, sizeof c->seed);
    p += sizeof c->seed;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++, p += 8) put_u64(p, more[i]);
    put_u64(header + HEADER_BYTES - SUM_BYTES, guira__checksum(header, HEADER_BYTES - SUM_BYTES));
}

static guira_config header_decode(const uint8_t header[HEADER_BYTES]) {
    const uint8_t *seed = header + 72, *more = seed + 16;
    guira_config c;
    guira_config_init(&c);
    c.kind = (guira_kind)get_u64(header + 16);
    c.capacity = get_u64(header + 32);
    c.fpr = double_of(get_u64(header + 40));
    c.slot_bits = (unsigned)get_u64(header + 48);
    c.max_load = double_of(get_u64(header + 56));
    c.min_load = double_of(get_u64(header + 64));
    memcpy(c.seed, seed, sizeof c.seed);
    c.max_kicks = (unsigned)get_u64(more);
    c.bucket_slots = (unsigned)get_u64(more + 8);
    if (c.kind == GUIRA_CUCKOO && c.bucket_slots == 0) c.bucket_slots = layout_of_width(c.slot_bits).slots;
    c.buckets = get_u64(more + 16);
    c.max_filters = (unsigned)get_u64(more + 24);
    c.factor = (unsigned)get_u64(more + 32);
    c.candidates = (unsigned)get_u64(more + 40);
    c.virtual_nodes = (unsigned)get_u64(more + 48);
    c.ring = get_u64(more + 56);
    c.policy = (guira_policy)get_u64(more + 64);
    c.growth = double_of(get_u64(more + 72));
    return c;
}

/* Format 1 has fields that cuckoo filters did not use then, but saved as they were in the configuration: bucket_slots,
 * buckets and factor. They mean nothing there. */
static void header_normalize(const uint8_t header[HEADER_BYTES], uint8_t out[HEADER_BYTES]) {
    static const unsigned ignored[] = {96, 104, 120};
    memcpy(out, header, HEADER_BYTES);
    if (get_u64(header + 8) != 1 || get_u64(header + 16) != GUIRA_CUCKOO) return;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) put_u64(out + ignored[i], 0);
}

guira_status guira__header_peek(const uint8_t header[HEADER_BYTES], struct header *out) {
    uint8_t known[HEADER_BYTES];
    const uint8_t *sum = header + HEADER_BYTES - SUM_BYTES;
    uint64_t format = get_u64(header + 8);
    if (memcmp(header, magic, sizeof magic) != 0 || format < 1 || format > NEWEST_FORMAT) return GUIRA_EFORMAT;
    if (get_u64(sum) != guira__checksum(header, HEADER_BYTES - SUM_BYTES)) return GUIRA_ECORRUPT;
    if (get_u64(header + 16) > GUIRA_CONSISTENT) return GUIRA_EFORMAT;
    header_normalize(header, known);
    *out = (struct header){header_decode(known), get_u64(header + 24), (unsigned)format};
    return out->total < HEADER_BYTES ? GUIRA_ECORRUPT : GUIRA_OK;
}

/* The configuration of a saved filter has every default filled in. So a header is good if filling in changes nothing and
 * encoding it again gives the same bytes, which also finds numbers too large for their fields and padding that is not 0. */
guira_status guira__header_read(const uint8_t header[HEADER_BYTES], guira__resolve_fn *resolve, struct header *out) {
    uint8_t known[HEADER_BYTES], again[HEADER_BYTES];
    guira_status s = guira__header_peek(header, out);
    if (s != GUIRA_OK) return s;
    s = resolve(&out->config);
    if (s != GUIRA_OK) return s == GUIRA_EFORMAT || s == GUIRA_EUNSUPPORTED ? s : GUIRA_ECORRUPT;
    unsigned format = guira__config_format(&out->config);
    bool depends =
        out->config.kind == GUIRA_TIDAL && window_key_bits(out->config.slot_bits) == 0; /* on what is in it */
    if (out->format < format || (out->format > format && !depends)) return GUIRA_ECORRUPT;
    guira__header_encode(again, &out->config, out->format, out->total);
    header_normalize(header, known); /* its checksum is that of the file, and has been compared */
    return memcmp(known, again, HEADER_BYTES - SUM_BYTES) == 0 ? GUIRA_OK : GUIRA_ECORRUPT;
}
