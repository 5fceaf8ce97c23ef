/* See format.h. */
#define XXH_INLINE_ALL
#include "format.h"

#include <string.h>
#include <xxhash.h>

#include "alloc.h"
#include "geometry.h"
#include "isa.h"
#include "mapped.h"

/* The bytes after the name are changed by whoever takes the file for text. */
static const uint8_t magic[8] = {'G', 'U', 'I', 'R', 'A', '\r', '\n', 0x1a};

enum {
    VERSION = 1,
    SUM_BYTES = 8,
    TAG_BYTES = 8,
    SECTION_HEAD = SECTION_ALIGNMENT,
    HEAD_NUMBERS = 8,
    SMALL = 64 << 10 /* sums of longer sections can wait: it takes a few microseconds */
};

static uint64_t sum_of(const uint8_t *bytes, uint64_t n) { return XXH3_64bits(bytes, (size_t)n); }

/* Payload, zeros and sum together. */
static uint64_t body_bytes(uint64_t length) {
    return (length + SUM_BYTES + SECTION_ALIGNMENT - 1) / SECTION_ALIGNMENT * SECTION_ALIGNMENT;
}

static void tag_put(uint8_t to[TAG_BYTES], const char *tag) {
    size_t n = strlen(tag);
    memset(to, 0, TAG_BYTES);
    memcpy(to, tag, n < TAG_BYTES ? n : TAG_BYTES);
}

static bool all_zero(const uint8_t *p, uint64_t n) {
    uint8_t any = 0;
    for (uint64_t i = 0; i < n; i++) any |= p[i];
    return any == 0;
}

/* -------------------------------------------------------------------------------------------------------------- header */

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

static void header_encode(uint8_t header[HEADER_BYTES], const guira_config *c, uint64_t total) {
    const uint64_t number[] = {VERSION,
                               (uint64_t)c->kind,
                               total,
                               c->capacity,
                               bits_of(c->fpr),
                               c->slot_bits,
                               bits_of(c->max_load),
                               bits_of(c->min_load)};
    const uint64_t more[] = {c->max_kicks,  c->bucket_slots,  c->buckets, c->max_filters,     c->factor,
                             c->candidates, c->virtual_nodes, c->ring,    (uint64_t)c->policy};
    uint8_t *p = header;
    memset(header, 0, HEADER_BYTES);
    memcpy(p, magic, sizeof magic);
    p += sizeof magic;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++, p += 8) put_u64(p, number[i]);
    memcpy(p, c->seed, sizeof c->seed);
    p += sizeof c->seed;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++, p += 8) put_u64(p, more[i]);
    put_u64(header + HEADER_BYTES - SUM_BYTES, sum_of(header, HEADER_BYTES - SUM_BYTES));
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
    c.buckets = get_u64(more + 16);
    c.max_filters = (unsigned)get_u64(more + 24);
    c.factor = (unsigned)get_u64(more + 32);
    c.candidates = (unsigned)get_u64(more + 40);
    c.virtual_nodes = (unsigned)get_u64(more + 48);
    c.ring = get_u64(more + 56);
    c.policy = (guira_policy)get_u64(more + 64);
    return c;
}

/* A filter's configuration has every default filled in. So a header is good if filling in changes nothing and writing it
 * again gives the same bytes, which also tells of numbers too large for their fields and of zeros that are none. */
guira_status guira__header_read(const uint8_t header[HEADER_BYTES], enum content content, uint64_t *total,
                                guira_config *c) {
    uint8_t again[HEADER_BYTES];
    if (memcmp(header, magic, sizeof magic) != 0 || get_u64(header + 8) != VERSION) return GUIRA_EFORMAT;
    if (get_u64(header + HEADER_BYTES - SUM_BYTES) != sum_of(header, HEADER_BYTES - SUM_BYTES)) return GUIRA_ECORRUPT;
    if (get_u64(header + 16) > GUIRA_CONSISTENT) return GUIRA_EFORMAT;
    *total = get_u64(header + 24);
    *c = header_decode(header);
    if ((content == A_WINDOW) != (c->kind == GUIRA_TIDAL && c->slot_bits == AGED)) return GUIRA_EFORMAT;
    if ((content == A_WINDOW ? guira__config_resolve_aged(c) : guira__config_resolve(c)) != GUIRA_OK)
        return GUIRA_ECORRUPT;
    header_encode(again, c, *total);
    if (memcmp(header, again, HEADER_BYTES) != 0 || *total < HEADER_BYTES) return GUIRA_ECORRUPT;
    return GUIRA_OK;
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
    put_u64(head + SECTION_HEAD - SUM_BYTES, sum_of(head, SECTION_HEAD - SUM_BYTES));
    emit(w, head, sizeof head);
    if (w->from <= w->at && w->at < w->end) XXH3_64bits_reset(&w->sum);
    w->left = length;
    w->zeros = body_bytes(length) - SUM_BYTES - length;
    if (length == 0) section_end(w);
}

void guira__section_put(struct guira__writer *w, const void *bytes, size_t n) {
    if (w->write == NULL || n == 0) return;
    add_to_sum(w, bytes, n);
    emit(w, bytes, n);
    w->left -= n;
    if (w->left == 0) section_end(w);
}

void guira__section_put_u64(struct guira__writer *w, uint64_t v) {
    uint8_t bytes[8];
    put_u64(bytes, v);
    guira__section_put(w, bytes, sizeof bytes);
}

void guira__head_write(struct guira__writer *w, const guira *f) {
    const uint64_t number[HEAD_NUMBERS] = {f->items,    f->weight, f->rng,     f->kicks,
                                           f->failures, f->grows,  f->shrinks, f->stash.n};
    guira__section_start(w, "head", 8 * HEAD_NUMBERS + UINT64_C(16) * f->stash.n);
    for (size_t i = 0; i < HEAD_NUMBERS; i++) guira__section_put_u64(w, number[i]);
    for (size_t i = 0; i < f->stash.n; i++) {
        guira__section_put_u64(w, f->stash.entry[i].where);
        guira__section_put_u64(w, f->stash.entry[i].what);
    }
}

uint64_t guira__format_size(const guira *f) {
    struct guira__writer w;
    w.write = NULL;
    w.total = HEADER_BYTES;
    f->ops->save(f, &w);
    return w.total;
}

/* w knows where to, and what is wanted. */
static bool write_wanted(const guira *f, struct guira__writer *w) {
    uint8_t header[HEADER_BYTES];
    w->total = HEADER_BYTES;
    w->at = 0;
    w->gathered = 0;
    w->failed = false;
    header_encode(header, &f->config, guira__format_size(f));
    emit(w, header, sizeof header);
    f->ops->save(f, w);
    flush(w);
    return !w->failed;
}

bool guira__format_write(const guira *f, guira_write_fn *write, void *to) {
    struct guira__writer w;
    w.write = write;
    w.to = to;
    w.from = 0;
    w.end = UINT64_MAX;
    return write_wanted(f, &w);
}

/* ---------------------------------------------------------------------------------------------------------- in parts */

/* What a part needs of those before it is the sum of the payload that it begins in the middle of. */
struct guira_saving {
    const guira *f;
    uint64_t at;
    XXH3_state_t sum;
};

guira_status guira_saving_start(const guira *f, guira_saving **out) {
    if (f == NULL || out == NULL) return GUIRA_EINVAL;
    *out = guira__zalloc(sizeof **out);
    if (*out == NULL) return GUIRA_ENOMEM;
    (*out)->f = f;
    return GUIRA_OK;
}

static bool to_memory(void *to, const void *bytes, size_t n) {
    uint8_t **p = to;
    memcpy(*p, bytes, n);
    *p += n;
    return true;
}

size_t guira_saving_next(guira_saving *s, void *to, size_t n) {
    struct guira__writer w;
    uint8_t *p = to;
    size_t whole;
    const uint8_t *file = guira__mapped_file(s->f, &whole);
    w.write = to_memory;
    w.to = &p;
    w.from = s->at;
    w.end = n < UINT64_MAX - s->at ? s->at + n : UINT64_MAX;
    w.sum = s->sum;
    if (file == NULL) write_wanted(s->f, &w);
    else if (s->at < whole) to_memory(&p, file + s->at, whole - s->at < n ? whole - s->at : n);
    n = (size_t)(p - (uint8_t *)to);
    s->sum = w.sum;
    s->at += n;
    return n;
}

void guira_saving_end(guira_saving *s) { guira__free(s); }

/* ------------------------------------------------------------------------------------------------------------- reading */

/* The head of the section at r; false: not intact, or longer than what is left. */
static bool section_head(const struct guira__reader *r, uint64_t *length) {
    if (r->left < SECTION_HEAD) return false;
    const uint8_t *sum = r->at + SECTION_HEAD - SUM_BYTES, *zeros = r->at + TAG_BYTES + 8;
    uint64_t n = get_u64(r->at + TAG_BYTES), room = r->left - SECTION_HEAD;
    *length = n;
    return get_u64(sum) == sum_of(r->at, SECTION_HEAD - SUM_BYTES) && all_zero(zeros, (uint64_t)(sum - zeros)) &&
           n <= room && body_bytes(n) <= room;
}

static bool section_intact(const uint8_t *payload, uint64_t length) {
    uint64_t end = body_bytes(length) - SUM_BYTES;
    return all_zero(payload + length, end - length) && get_u64(payload + end) == sum_of(payload, end);
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

bool guira__head_read(struct guira__reader *r, const struct guira__ops *ops, const guira_config *c, guira *f) {
    uint64_t length;
    const uint8_t *p = guira__section_get(r, "head", &length);
    if (p == NULL || length < UINT64_C(8) * HEAD_NUMBERS) return false;
    memset(f, 0, sizeof *f);
    f->ops = ops;
    f->contains = ops->contains;
    f->config = *c;
    guira__secret_derive(c->seed, f->secret);
    uint64_t *const number[] = {&f->items, &f->weight, &f->rng, &f->kicks, &f->failures, &f->grows, &f->shrinks};
    for (size_t i = 0; i < HEAD_NUMBERS - 1; i++, p += 8) *number[i] = get_u64(p);
    uint64_t stashed = get_u64(p);
    if (stashed > STASH_LAST || length != 8 * HEAD_NUMBERS + 16 * stashed) return false;
    f->stash.n = (uint32_t)stashed;
    for (size_t i = 0; i < stashed; i++)
        f->stash.entry[i] = (struct entry){get_u64(p + 8 + 16 * i), get_u64(p + 16 + 16 * i)};
    return true;
}

guira_status guira__format_view(const uint8_t *bytes, uint64_t n, enum content content, bool lazy, guira **out) {
    guira_config c;
    uint64_t total;
    *out = NULL;
    if (n < HEADER_BYTES) return GUIRA_EFORMAT;
    guira_status s = guira__header_read(bytes, content, &total, &c);
    if (s != GUIRA_OK) return s;
    if (total != n) return GUIRA_ECORRUPT;
    const struct guira__ops *ops = guira__isa_ops(NULL, c.kind, c.slot_bits);
    if (ops == NULL) return GUIRA_EUNSUPPORTED;
    struct guira__reader r = {bytes + HEADER_BYTES, n - HEADER_BYTES, lazy};
    s = ops->view(ops, &c, &r, out);
    if (s == GUIRA_OK && r.left > 0) {
        guira_destroy(*out);
        *out = NULL;
        return GUIRA_ECORRUPT;
    }
    return s;
}

bool guira__format_intact(const uint8_t *bytes, uint64_t n) {
    struct guira__reader r = {bytes + HEADER_BYTES, n - HEADER_BYTES, false};
    while (r.left > 0) {
        uint64_t length;
        if (!section_head(&r, &length) || !section_intact(r.at + SECTION_HEAD, length)) return false;
        section_skip(&r, length);
    }
    return true;
}
