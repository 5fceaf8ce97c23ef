/* Decompression of gzip and zstd, by zlib and libzstd. Each is optional at build time. */
#ifndef GUIRA_CLI_DECODE_H
#define GUIRA_CLI_DECODE_H

#include <stdbool.h>
#include <stddef.h>

enum format { PLAIN, GZIP, ZSTD, UNDECIDED };

/* What the first n bytes of a file say. UNDECIDED: more bytes are needed. */
enum format decoder_format(const char *start, size_t n);

const char *decoder_name(enum format format);

/* One kind of decoder: decode_gzip.c, decode_zstd.c. */
struct decoder {
    /* See decoder_run. */
    const char *(*run)(struct decoder *d, const void *in, size_t *used, void *out, size_t *made);
    void (*close)(struct decoder *d);
    void *state;
    bool complete; /* the last byte was the end of a member or frame */
};

/* NULL: built without the library. Exits if there is no memory. */
struct decoder *decoder_open(enum format format);
struct decoder *decoder_open_gzip(void);
struct decoder *decoder_open_zstd(void);

/* Decodes: *used bytes of `in` are available and *made bytes of `out` are free; both are set to what was used and made.
 * Several compressed streams may follow each other. Returns NULL, or what is wrong with the data. */
const char *decoder_run(struct decoder *d, const void *in, size_t *used, void *out, size_t *made);

/* Were all streams complete so far? */
bool decoder_is_complete(const struct decoder *d);

/* d may be NULL. */
void decoder_close(struct decoder *d);

#endif
