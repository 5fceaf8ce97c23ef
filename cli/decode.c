/* See decode.h. */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

/* The first bytes of each format. 08 is the only compression method that gzip files have. */
static const struct {
    const char *magic;
    size_t n;
    enum format format;
} formats[] = {{"\x1f\x8b\x08", 3, GZIP}, {"\x28\xb5\x2f\xfd", 4, ZSTD}};

enum format decoder_format(const char *start, size_t n) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t both = n < formats[i].n ? n : formats[i].n;
        if (memcmp(start, formats[i].magic, both) == 0) return n < formats[i].n ? UNDECIDED : formats[i].format;
    }
    return PLAIN;
}

const char *decoder_name(enum format format) { return format == GZIP ? "gzip" : "zstd"; }

#ifndef HAVE_ZLIB
struct decoder *decoder_open_gzip(void) {
    return NULL;
}
#endif
#ifndef HAVE_ZSTD
struct decoder *decoder_open_zstd(void) {
    return NULL;
}
#endif

struct decoder *decoder_open(enum format format) {
    return format == GZIP ? decoder_open_gzip() : decoder_open_zstd();
}

const char *decoder_run(struct decoder *d, const void *in, size_t *used, void *out, size_t *made) {
    return d->run(d, in, used, out, made);
}

bool decoder_is_complete(const struct decoder *d) { return d->complete; }

void decoder_close(struct decoder *d) {
    if (d == NULL) return;
    d->close(d);
    free(d);
}
