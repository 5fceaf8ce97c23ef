/* Saving: the bytes of a filter, to a function or part by part. save_file.c writes them to files. */
#include <string.h>

#include "base/alloc.h"
#include "io/io.h"

/* ------------------------------------------------------------------------------------------------------------ the bytes */

uint64_t guira__saved_size(struct saved s) { return HEADER_BYTES + guira__sections_size(s.save, s.what); }

static void header_of(struct saved s, uint8_t header[HEADER_BYTES]) {
    unsigned format = guira__config_format(&s.config);
    guira__header_encode(header, &s.config, s.format > format ? s.format : format, guira__saved_size(s));
}

guira_status guira__save_to(struct saved s, guira_write_fn *write, void *to) {
    uint8_t header[HEADER_BYTES];
    header_of(s, header);
    return guira__sections_write(header, HEADER_BYTES, s.save, s.what, write, to) ? GUIRA_OK : GUIRA_EIO;
}

static void save_sections(const void *what, struct guira__writer *w) {
    const guira *f = (const guira *)what;
    f->ops->save(f, w);
}

unsigned guira__filter_format(const guira *f) {
    guira_config c = guira__config_of(f);
    unsigned config = guira__config_format(&c), contents = f->ops->format == NULL ? 1 : f->ops->format(f);
    return contents > config ? contents : config;
}

static struct saved saved_filter(const guira *f) {
    return (struct saved){guira__config_of(f), guira__filter_format(f), save_sections, f};
}

uint64_t guira_saved_size(const guira *f) {
    size_t n;
    if (f == NULL) return 0;
    return guira__view_bytes(f, &n) != NULL ? n : guira__saved_size(saved_filter(f));
}

/* The bytes of a view are written as they are: new checksums would make what is broken in them look right. */
guira_status guira_save_to(const guira *f, guira_write_fn *write, void *to) {
    size_t n;
    if (f == NULL || write == NULL) return GUIRA_EINVAL;
    const uint8_t *bytes = guira__view_bytes(f, &n);
    if (bytes != NULL) return write(to, bytes, n) ? GUIRA_OK : GUIRA_EIO;
    return guira__save_to(saved_filter(f), write, to);
}

/* -------------------------------------------------------------------------------------------------------- part by part */

struct guira_saving {
    const guira *f;
    uint64_t at;
    uint8_t header[HEADER_BYTES];
    uint8_t sum[] __attribute__((aligned(64)));
};

guira_status guira_saving_start(const guira *f, guira_saving **out) {
    if (f == NULL || out == NULL) return GUIRA_EINVAL;
    *out = (guira_saving *)guira__zalloc(sizeof **out + guira__sum_state_bytes());
    if (*out == NULL) return GUIRA_ENOMEM;
    (*out)->f = f;
    header_of(saved_filter(f), (*out)->header);
    return GUIRA_OK;
}

size_t guira_saving_next(guira_saving *s, void *to, size_t n) {
    size_t whole;
    const uint8_t *bytes = guira__view_bytes(s->f, &whole);
    if (bytes == NULL) {
        n = guira__sections_write_part(s->header, HEADER_BYTES, save_sections, s->f, s->at, s->sum, to, n);
    } else {
        n = s->at >= whole ? 0 : whole - s->at < n ? (size_t)(whole - s->at) : n;
        memcpy(to, bytes + s->at, n);
    }
    s->at += n;
    return n;
}

void guira_saving_end(guira_saving *s) { guira__free(s); }
