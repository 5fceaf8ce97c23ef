/* gzip, see decode.h. A file may have several members, as the logs of many tools that append do. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "decode.h"
#include "report.h"

static const char *run(struct decoder *d, const void *in, size_t *used, void *out, size_t *made) {
    z_stream *z = d->state;
    size_t available = *used, room = *made;
    const unsigned char *bytes = in;
    z->next_in = (z_const Bytef *)(uintptr_t)in;
    z->avail_in = (uInt)available;
    z->next_out = out;
    z->avail_out = room > 1 << 30 ? 1 << 30 : (uInt)room;
    uInt before = z->avail_out;
    /* Zeros behind the last member are padding, as on tapes. */
    while (d->complete && z->avail_in > 0 && *z->next_in == 0) {
        z->next_in++;
        z->avail_in--;
    }
    if (d->complete && z->avail_in > 0) {
        inflateReset(z);
        d->complete = false;
    }
    int s = z->avail_in > 0 || !d->complete ? inflate(z, Z_NO_FLUSH) : Z_BUF_ERROR;
    *used = (size_t)(z->next_in - bytes);
    *made = before - z->avail_out;
    if (s == Z_STREAM_END) d->complete = true;
    if (s == Z_OK || s == Z_STREAM_END || s == Z_BUF_ERROR) return NULL;
    return z->msg != NULL ? z->msg : "gzip data is corrupt";
}

static void close_gzip(struct decoder *d) {
    inflateEnd(d->state);
    free(d->state);
}

struct decoder *decoder_open_gzip(void) {
    struct decoder *d = alloc_or_die(NULL, sizeof *d);
    z_stream *z = alloc_or_die(NULL, sizeof *z);
    memset(z, 0, sizeof *z);
    if (inflateInit2(z, 16 + MAX_WBITS) != Z_OK) trouble("out of memory"); /* 16: gzip, not zlib */
    *d = (struct decoder){run, close_gzip, z, false};
    return d;
}
