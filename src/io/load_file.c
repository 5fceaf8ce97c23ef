/* Loading from a descriptor or a path: the bytes are read into memory, then load.c makes a filter of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/io.h"

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
        uint8_t *more = guira__memory_has((double)next) ? (uint8_t *)guira__alloc(next) : NULL;
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
    uint8_t *bytes = (uint8_t *)guira__alloc(HEADER_BYTES);
    if (bytes == NULL) return GUIRA_ENOMEM;
    guira_status s = read_header(what, fd, bytes, &h);
    if (s == GUIRA_OK) s = read_rest(fd, HEADER_BYTES, (size_t)h.total, &bytes);
    if (s == GUIRA_OK) s = guira__load_sections(what, &h, bytes, out);
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
    *out = (guira *)f;
    return s;
}

guira_status guira_load_fd(int fd, guira **out) {
    void *f = NULL;
    if (out == NULL) return GUIRA_EINVAL;
    guira_status s = guira__load_fd(&guira__content_filter, fd, &f);
    *out = (guira *)f;
    return s;
}
