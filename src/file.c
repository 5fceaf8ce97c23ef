/* Saving and loading: to a file that is either the old one or the new one, to whatever can be written to, and back.
 *
 *     guira_save("seen.guira")     seen.guira.guira-k3XvQz     written, fsync
 *                                  -> seen.guira               rename, fsync of the directory
 *
 * A crash before the rename leaves the old file, and perhaps the new one under its other name; after it, the new file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "format.h"
#include "mapped.h"

/* -------------------------------------------------------------------------------------------------------------- saving */

uint64_t guira_saved_size(const guira *f) {
    size_t n;
    if (f == NULL) return 0;
    return guira__mapped_file(f, &n) != NULL ? n : guira__format_size(f);
}

/* A mapped filter's file goes as it is: new sums would make what is broken in it look right. */
guira_status guira_save_to(const guira *f, guira_write_fn *write, void *to) {
    size_t n;
    if (f == NULL || write == NULL) return GUIRA_EINVAL;
    const uint8_t *file = guira__mapped_file(f, &n);
    bool done = file != NULL ? write(to, file, n) : guira__format_write(f, write, to);
    return done ? GUIRA_OK : GUIRA_EIO;
}

bool guira__write_fd(void *to, const void *bytes, size_t n) {
    int fd = *(const int *)to;
    for (const uint8_t *p = bytes; n > 0;) {
        ssize_t written = write(fd, p, n);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        p += written;
        n -= (size_t)written;
    }
    return true;
}

guira_status guira_save_fd(const guira *f, int fd) { return guira_save_to(f, guira__write_fd, &fd); }

/* The file's name with the other name's ending, to be freed by the caller. */
static char *other_name(const char *path) {
    static const char ending[] = ".guira-XXXXXX";
    size_t n = strlen(path);
    char *name = guira__alloc(n + sizeof ending);
    if (name == NULL) return NULL;
    memcpy(name, path, n);
    memcpy(name + n, ending, sizeof ending);
    return name;
}

/* Makes a rename in the directory of path last. */
static bool sync_directory(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *directory = guira__alloc(n + 2);
    if (directory == NULL) return false;
    memcpy(directory, path, n);
    memcpy(directory + n, ".", 2);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    guira__free(directory);
    if (fd < 0) return false;
    bool done = fsync(fd) == 0 || errno == EINVAL; /* EINVAL: a file system that has nothing of the kind */
    close(fd);
    return done;
}

/* What is to be written, and how. */
struct saving {
    guira__save_fd *save;
    const void *what;
};

/* Writes to fd, which is closed in any case. */
static guira_status write_out(struct saving in, int fd, mode_t mode) {
    guira_status s = fchmod(fd, mode) == 0 ? in.save(in.what, fd) : GUIRA_EIO;
    if (s == GUIRA_OK && fsync(fd) != 0) s = GUIRA_EIO;
    return close(fd) == 0 || s != GUIRA_OK ? s : GUIRA_EIO;
}

static guira_status save_by_name(struct saving in, const char *path, char *name, mode_t mode) {
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) return GUIRA_EIO;
    guira_status s = write_out(in, fd, mode);
    if (s == GUIRA_OK && rename(name, path) != 0) s = GUIRA_EIO;
    if (s != GUIRA_OK) {
        unlink(name);
        return s;
    }
    return sync_directory(path) ? GUIRA_OK : GUIRA_EIO;
}

guira_status guira__save(const char *path, guira__save_fd *save, const void *what) {
    struct stat old;
    mode_t mode = S_IRUSR | S_IWUSR; /* the seed is in it */
    if (what == NULL || path == NULL) return GUIRA_EINVAL;
    if (stat(path, &old) == 0) {
        if (!S_ISREG(old.st_mode)) return GUIRA_EINVAL; /* no rename over /dev/null */
        mode = old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    }
    char *name = other_name(path);
    if (name == NULL) return GUIRA_ENOMEM;
    guira_status s = save_by_name((struct saving){save, what}, path, name, mode);
    guira__free(name);
    return s;
}

static guira_status save_filter(const void *f, int fd) { return guira_save_fd(f, fd); }

guira_status guira_save(const guira *f, const char *path) { return guira__save(path, save_filter, f); }

/* ------------------------------------------------------------------------------------------------------------- loading */

/* A view of all the bytes, every sum compared; then a filter of its own; then its structure. Not that of the view: to look
 * for the elders is to ask, and bytes that may lie anywhere cannot be asked. */
guira_status guira__load_from(const void *bytes, size_t n, enum content content, guira **out) {
    guira *view;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (bytes == NULL) return GUIRA_EINVAL;
    guira_status s = guira__format_view(bytes, n, content, false, &view);
    if (s != GUIRA_OK) return s;
    s = view->ops->clone(view, out);
    guira_destroy(view);
    if (s != GUIRA_OK || (*out)->ops->check(*out) == NULL) return s;
    guira_destroy(*out);
    *out = NULL;
    return GUIRA_ECORRUPT;
}

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

/* How many bytes fd can be expected to have, those at its front already read: all of them if it is a file that says so,
 * else not many more than have come. */
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

/* Reads on until there are total bytes, of which *bytes has the first `come`. No promise of the header is believed
 * until the bytes are there. */
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

static guira_status read_header(int fd, enum content content, uint8_t *header, uint64_t *total) {
    guira_config c;
    guira_status s = guira__read_fd(fd, header, HEADER_BYTES);
    if (s != GUIRA_OK) return s == GUIRA_ECORRUPT ? GUIRA_EFORMAT : s;
    s = guira__header_read(header, content, total, &c);
    return s == GUIRA_OK && *total > SIZE_MAX / 2 ? GUIRA_ECORRUPT : s;
}

guira_status guira__load_fd(int fd, enum content content, guira **out) {
    uint64_t total;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    uint8_t *bytes = guira__alloc(HEADER_BYTES);
    if (bytes == NULL) return GUIRA_ENOMEM;
    guira_status s = read_header(fd, content, bytes, &total);
    if (s == GUIRA_OK) s = read_rest(fd, HEADER_BYTES, (size_t)total, &bytes);
    if (s == GUIRA_OK) s = guira__load_from(bytes, (size_t)total, content, out);
    guira__free(bytes);
    return s;
}

/* A file has one filter and nothing else. */
static bool at_end(int fd) {
    uint8_t more;
    return guira__read_fd(fd, &more, 1) != GUIRA_OK;
}

guira_status guira__load(const char *path, enum content content, guira **out) {
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (path == NULL) return GUIRA_EINVAL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return GUIRA_EIO;
    guira_status s = guira__load_fd(fd, content, out);
    if (s == GUIRA_OK && !at_end(fd)) {
        guira_destroy(*out);
        *out = NULL;
        s = GUIRA_ECORRUPT;
    }
    close(fd);
    return s;
}

guira_status guira_load(const char *path, guira **out) { return guira__load(path, A_FILTER, out); }

guira_status guira_load_fd(int fd, guira **out) { return guira__load_fd(fd, A_FILTER, out); }

guira_status guira_load_from(const void *bytes, size_t n, guira **out) {
    return guira__load_from(bytes, n, A_FILTER, out);
}
