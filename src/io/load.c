/* Loading: from a file, a descriptor, or bytes in memory.
 *
 *     bytes -> header -> a view of the sections -> a clone of it -> every invariant of the clone
 *
 * The clone is checked and not the view, because checking the elders means looking them up, and that needs memory that
 * is aligned. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "format/contents.h"
#include "io/io.h"
#include "kinds/kinds.h"

/* -------------------------------------------------------------------------------------------------------------- filters */

static guira_status load_filter(const guira_config *c, struct guira__reader *r, void **out) {
    const struct guira__ops *ops = guira__kind_ops(ISA_BEST, c);
    guira *view, *f;
    if (ops == NULL) return GUIRA_EUNSUPPORTED;
    guira_status s = ops->view(ops, c, r, &view);
    if (s != GUIRA_OK) return s;
    s = ops->clone(view, &f);
    ops->destroy(view);
    if (s != GUIRA_OK) return s;
    if (guira__filter_format(f) != r->format || ops->check(f) != NULL) {
        ops->destroy(f);
        return GUIRA_ECORRUPT;
    }
    *out = f;
    return GUIRA_OK;
}

static void destroy_filter(void *f) { guira_destroy(f); }

/* A window has the configuration of a tidal filter with slots that no filter has. */
guira_status guira__filter_resolve(guira_config *c) {
    bool window = c->kind == GUIRA_TIDAL && window_key_bits(c->slot_bits) != 0;
    return window ? GUIRA_EFORMAT : guira__config_resolve(c);
}

const struct content guira__content_filter = {guira__filter_resolve, load_filter, destroy_filter};

/* ---------------------------------------------------------------------------------------------------------- from memory */

/* The sections after a header that has been read. */
static guira_status load_sections(const struct content *what, const struct header *h, const uint8_t *bytes,
                                  void **out) {
    struct guira__reader r = {bytes + HEADER_BYTES, h->total - HEADER_BYTES, false, h->format};
    guira_status s = what->load(&h->config, &r, out);
    if (s != GUIRA_OK || r.left == 0) return s;
    what->destroy(*out);
    *out = NULL;
    return GUIRA_ECORRUPT;
}

guira_status guira__load_prefix(const struct content *what, const void *bytes, size_t n, size_t *used, void **out) {
    struct header h;
    *out = NULL;
    if (n < HEADER_BYTES) return GUIRA_EFORMAT;
    guira_status s = guira__header_read(bytes, what->resolve, &h);
    if (s != GUIRA_OK) return s;
    if (h.total > n) return GUIRA_ECORRUPT;
    *used = (size_t)h.total;
    return load_sections(what, &h, bytes, out);
}

guira_status guira__load_bytes(const struct content *what, const void *bytes, size_t n, void **out) {
    size_t used;
    *out = NULL;
    if (bytes == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_prefix(what, bytes, n, &used, out);
    if (s != GUIRA_OK || used == n) return s;
    what->destroy(*out);
    *out = NULL;
    return GUIRA_ECORRUPT;
}

/* -------------------------------------------------------------------------------------------------- from a descriptor */

guira_status guira__read_fd(int fd, uint8_t *to, size_t n) {
    while (n > 0) {
        ssize_t got = read(fd, to, n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return GUIRA_EIO;
        if (got == 0) return GUIRA_ECORRUPT;
        to += got;
        n -= (size_t)got;
    }
    return GUIRA_OK;
}

/* How many bytes fd can be expected to give in all: up to its end if it is a regular file, else not many more than have
 * come so far. */
static size_t expected(int fd, size_t come, size_t total) {
    struct stat info;
    size_t twice = 2 * come < 65536 ? 65536 : 2 * come;
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        size_t rest = info.st_size > at ? (size_t)(info.st_size - at) : 0;
        twice = rest > SIZE_MAX - come ? SIZE_MAX : come + rest;
    }
    return twice < total ? twice : total;
}

/* Reads on until there are total bytes, of which *bytes has the first `come`. Memory is allocated for what is there, not
 * for what the header says. */
static guira_status read_rest(int fd, size_t come, size_t total, uint8_t **bytes) {
    while (come < total) {
        size_t next = expected(fd, come, total);
        if (next <= come) return GUIRA_ECORRUPT;
        uint8_t *more = guira__memory_has((double)next) ? guira__alloc(next) : NULL;
        if (more == NULL) return GUIRA_ENOMEM;
        memcpy(more, *bytes, come);
        guira__free(*bytes);
        *bytes = more;
        guira_status s = guira__read_fd(fd, more + come, next - come);
        if (s != GUIRA_OK) return s;
        come = next;
    }
    return GUIRA_OK;
}

static guira_status read_header(const struct content *what, int fd, uint8_t *bytes, struct header *h) {
    guira_status s = guira__read_fd(fd, bytes, HEADER_BYTES);
    if (s != GUIRA_OK) return s == GUIRA_ECORRUPT ? GUIRA_EFORMAT : s;
    s = guira__header_read(bytes, what->resolve, h);
    return s == GUIRA_OK && h->total > SIZE_MAX / 2 ? GUIRA_ECORRUPT : s;
}

guira_status guira__load_fd(const struct content *what, int fd, void **out) {
    struct header h;
    *out = NULL;
    uint8_t *bytes = guira__alloc(HEADER_BYTES);
    if (bytes == NULL) return GUIRA_ENOMEM;
    guira_status s = read_header(what, fd, bytes, &h);
    if (s == GUIRA_OK) s = read_rest(fd, HEADER_BYTES, (size_t)h.total, &bytes);
    if (s == GUIRA_OK) s = load_sections(what, &h, bytes, out);
    guira__free(bytes);
    return s;
}

/* --------------------------------------------------------------------------------------------------------- from a path */

guira_status guira__open_path(const char *path, int *fd) {
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    return *fd >= 0 ? GUIRA_OK : guira__status_of_errno(errno);
}

/* A file has one filter and nothing else. */
static bool at_end(int fd) {
    uint8_t more;
    return guira__read_fd(fd, &more, 1) != GUIRA_OK;
}

guira_status guira__load_path(const struct content *what, const char *path, void **out) {
    int fd;
    *out = NULL;
    guira_status s = path == NULL ? GUIRA_EINVAL : guira__open_path(path, &fd);
    if (s != GUIRA_OK) return s;
    s = guira__load_fd(what, fd, out);
    if (s == GUIRA_OK && !at_end(fd)) {
        what->destroy(*out);
        *out = NULL;
        s = GUIRA_ECORRUPT;
    }
    close(fd);
    return s;
}

guira_status guira_load(const char *path, guira **out) {
    void *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_path(&guira__content_filter, path, &f);
    *out = f;
    return s;
}

guira_status guira_load_fd(int fd, guira **out) {
    void *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_fd(&guira__content_filter, fd, &f);
    *out = f;
    return s;
}

guira_status guira_load_from(const void *bytes, size_t n, guira **out) {
    void *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_bytes(&guira__content_filter, bytes, n, &f);
    *out = f;
    return s;
}
