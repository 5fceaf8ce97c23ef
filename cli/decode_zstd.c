/* zstd, see decode.h. A file may have several frames. */
#include <stdlib.h>
#include <zstd.h>

#include "decode.h"
#include "report.h"

static const char *run(struct decoder *d, const void *in, size_t *used, void *out, size_t *made) {
    ZSTD_inBuffer from = {in, *used, 0};
    ZSTD_outBuffer to = {out, *made, 0};
    size_t left = ZSTD_decompressStream(d->state, &to, &from);
    if (ZSTD_isError(left) != 0) return ZSTD_getErrorName(left);
    if (from.pos > 0 || to.pos > 0) d->complete = left == 0;
    *used = from.pos;
    *made = to.pos;
    return NULL;
}

static void close_zstd(struct decoder *d) { ZSTD_freeDStream(d->state); }

struct decoder *decoder_open_zstd(void) {
    struct decoder *d = alloc_or_die(NULL, sizeof *d);
    ZSTD_DStream *z = ZSTD_createDStream();
    if (z == NULL) trouble("out of memory");
    *d = (struct decoder){run, close_zstd, z, false};
    return d;
}
