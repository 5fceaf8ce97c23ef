/* See sections.h. */
#define XXH_INLINE_ALL
#include "format/sections.h"

#include <string.h>
#include <xxhash.h>

enum {
    SUM_BYTES = 8,
    TAG_BYTES = 8,
    SECTION_HEAD = SECTION_ALIGNMENT,
    SMALL = 64 << 10 /* a lazy reader skips the checksums of longer sections; this one takes a few microseconds */
};

uint64_t guira__checksum(const void *bytes, uint64_t n) { return XXH3_64bits(bytes, (size_t)n); }

/* Payload, zeros and sum together. */
static uint64_t body_bytes(uint64_t length) {
    return (length + SUM_BYTES + SECTION_ALIGNMENT - 1) / SECTION_ALIGNMENT * SECTION_ALIGNMENT;
}

static void tag_put(uint8_t to[TAG_BYTES], const char *tag) {
    size_t n = strlen(tag);
    memset(to, 0, TAG_BYTES);
    memcpy(to, tag, n < TAG_BYTES ? n : (size_t)TAG_BYTES);
}

static bool all_zero(const uint8_t *p, uint64_t n) {
    uint8_t any = 0;
    for (uint64_t i = 0; i < n; i++) any |= p[i];
    return any == 0;
}

/* ------------------------------------------------------------------------------------------------------------- writing */

struct guira__writer {
    guira_write_fn *write; /* NULL: only count */
    void *to;
    uint64_t total;     /* bytes of all sections so far */
    uint64_t at;        /* where in the file it has come to */
    uint64_t from, end; /* what is wanted of it: the rest is walked through, which takes a step for each segment */
    uint64_t left;      /* of the payload */
    uint64_t zeros;     /* that follow it */
    size_t gathered;
    bool failed;
    XXH3_state_t sum;     /* of what is wanted of the payload, and of what came before it */
    uint8_t buffer[8192]; /* what comes in small pieces is gathered here */
};

/* The part of the next n bytes that is wanted. */
static size_t wanted(const struct guira__writer *w, const uint8_t **bytes, size_t n) {
    uint64_t skip = w->at < w->from ? w->from - w->at : 0;
    if (w->failed || skip >= n || w->at + skip >= w->end) return 0;
    *bytes += skip;
    uint64_t most = w->end - w->at - skip;
    return n - skip < most ? n - (size_t)skip : (size_t)most;
}

static void add_to_sum(struct guira__writer *w, const uint8_t *bytes, size_t n) {
    n = wanted(w, &bytes, n);
    if (n > 0) XXH3_64bits_update(&w->sum, bytes, n);
}

static void flush(struct guira__writer *w) {
    if (w->gathered > 0 && !w->failed) w->failed = !w->write(w->to, w->buffer, w->gathered);
    w->gathered = 0;
}

static void emit(struct guira__writer *w, const uint8_t *bytes, size_t all) {
    size_t n = wanted(w, &bytes, all);
    w->at += all;
    if (n > sizeof w->buffer - w->gathered) flush(w);
    if (n > sizeof w->buffer) {
        if (!w->failed) w->failed = !w->write(w->to, bytes, n);
        return;
    }
    if (n > 0) memcpy(w->buffer + w->gathered, bytes, n);
    w->gathered += n;
}

static void section_end(struct guira__writer *w) {
    const uint8_t zero[SECTION_ALIGNMENT] = {0};
    uint8_t sum[SUM_BYTES];
    add_to_sum(w, zero, (size_t)w->zeros);
    emit(w, zero, (size_t)w->zeros);
    put_u64(sum, XXH3_64bits_digest(&w->sum));
    emit(w, sum, sizeof sum);
}

void guira__section_start(struct guira__writer *w, const char *tag, uint64_t length) {
    uint8_t head[SECTION_HEAD] = {0};
    w->total += SECTION_HEAD + body_bytes(length);
    if (w->write == NULL) return;
    tag_put(head, tag);
    put_u64(head + TAG_BYTES, length);
    put_u64(head + SECTION_HEAD - SUM_BYTES, guira__checksum(head, SECTION_HEAD - SUM_BYTES));
    emit(w, head, sizeof head);
    if (w->from <= w->at && w->at < w->end) XXH3_64bits_reset(&w->sum);
    w->left = length;
    w->zeros = body_bytes(length) - SUM_BYTES - length;
    if (length == 0) section_end(w);
}

void guira__section_put(struct guira__writer *w, const void *bytes, size_t n) {
    if (w->write == NULL || n == 0) return;
    add_to_sum(w, (const uint8_t *)bytes, n);
    emit(w, (const uint8_t *)bytes, n);
    w->left -= n;
    if (w->left == 0) section_end(w);
}

void guira__section_put_u64(struct guira__writer *w, uint64_t v) {
    uint8_t bytes[8];
    put_u64(bytes, v);
    guira__section_put(w, bytes, sizeof bytes);
}

void guira__section_put_numbers(struct guira__writer *w, const char *tag, const uint64_t *number, size_t n) {
    guira__section_start(w, tag, 8 * (uint64_t)n);
    for (size_t i = 0; i < n; i++) guira__section_put_u64(w, number[i]);
}

uint64_t guira__sections_size(guira__save_sections *save, const void *what) {
    struct guira__writer w;
    w.write = NULL;
    w.total = 0;
    save(what, &w);
    return w.total;
}

/* w knows where to, and which part is wanted. */
static bool write_wanted(const uint8_t *header, size_t header_bytes, guira__save_sections *save, const void *what,
                         struct guira__writer *w) {
    w->total = header_bytes;
    w->at = 0;
    w->gathered = 0;
    w->failed = false;
    emit(w, header, header_bytes);
    save(what, w);
    flush(w);
    return !w->failed;
}

bool guira__sections_write(const uint8_t *header, size_t header_bytes, guira__save_sections *save, const void *what,
                           guira_write_fn *write, void *to) {
    struct guira__writer w;
    w.write = write;
    w.to = to;
    w.from = 0;
    w.end = UINT64_MAX;
    return write_wanted(header, header_bytes, save, what, &w);
}

static bool to_memory(void *to, const void *bytes, size_t n) {
    uint8_t **p = (uint8_t **)to;
    memcpy(*p, bytes, n);
    *p += n;
    return true;
}

size_t guira__sum_state_bytes(void) { return sizeof(XXH3_state_t); }

/* What a part needs of those before it is the checksum of the payload that it begins in the middle of. */
size_t guira__sections_write_part(const uint8_t *header, size_t header_bytes, guira__save_sections *save,
                                  const void *what, uint64_t at, void *sum, void *to, size_t n) {
    struct guira__writer w;
    uint8_t *p = (uint8_t *)to;
    w.write = to_memory;
    w.to = &p;
    w.from = at;
    w.end = n < UINT64_MAX - at ? at + n : UINT64_MAX;
    memcpy(&w.sum, sum, sizeof w.sum);
    write_wanted(header, header_bytes, save, what, &w);
    memcpy(sum, &w.sum, sizeof w.sum);
    return (size_t)(p - (uint8_t *)to);
}

/* ------------------------------------------------------------------------------------------------------------- reading */

/* The head of the section at r; false: not intact, or longer than what is left. */
static bool section_head(const struct guira__reader *r, uint64_t *length) {
    if (r->left < SECTION_HEAD) return false;
    const uint8_t *sum = r->at + SECTION_HEAD - SUM_BYTES, *zeros = r->at + TAG_BYTES + 8;
    uint64_t n = get_u64(r->at + TAG_BYTES), room = r->left - SECTION_HEAD;
    *length = n;
    return get_u64(sum) == guira__checksum(r->at, SECTION_HEAD - SUM_BYTES) &&
           all_zero(zeros, (uint64_t)(sum - zeros)) && n <= room && body_bytes(n) <= room;
}

static bool section_intact(const uint8_t *payload, uint64_t length) {
    uint64_t end = body_bytes(length) - SUM_BYTES;
    return all_zero(payload + length, end - length) && get_u64(payload + end) == guira__checksum(payload, end);
}

static void section_skip(struct guira__reader *r, uint64_t length) {
    uint64_t n = SECTION_HEAD + body_bytes(length);
    r->at += n;
    r->left -= n;
}

const uint8_t *guira__section_get(struct guira__reader *r, const char *tag, uint64_t *length) {
    uint8_t wanted[TAG_BYTES];
    tag_put(wanted, tag);
    if (!section_head(r, length) || memcmp(r->at, wanted, TAG_BYTES) != 0) return NULL;
    const uint8_t *payload = r->at + SECTION_HEAD;
    if (!(r->lazy && *length > SMALL) && !section_intact(payload, *length)) return NULL;
    section_skip(r, *length);
    return payload;
}

const uint8_t *guira__section_expect(struct guira__reader *r, const char *tag, uint64_t length) {
    uint64_t found;
    const uint8_t *payload = guira__section_get(r, tag, &found);
    return payload != NULL && found == length ? payload : NULL;
}

bool guira__sections_intact(struct guira__reader r) {
    while (r.left > 0) {
        uint64_t length;
        if (!section_head(&r, &length) || !section_intact(r.at + SECTION_HEAD, length)) return false;
        section_skip(&r, length);
    }
    return true;
}
