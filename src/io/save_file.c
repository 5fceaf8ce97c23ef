/* Saving to a descriptor, and to a file that is either the old one or the new one.
 *
 *     guira_save("seen.guira")     seen.guira.guira-k3XvQz     written, fsync
 *                                  -> seen.guira               rename, fsync of the directory
 *
 * A crash before the rename leaves the old file, and perhaps the new one under its temporary name; after it, the new
 * file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/io.h"

/* -------------------------------------------------------------------------------------------------------- a descriptor */

guira_status guira__status_of_errno(int error) {
    switch (error) {
    case ENOENT:
    case ENOTDIR: return GUIRA_ENOENT;
    case EACCES:
    case EPERM:
    case EROFS: return GUIRA_EACCES;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return GUIRA_ENOSPC;
    default: return GUIRA_EIO;
    }
}

bool guira__write_fd(void *to, const void *bytes, size_t n) {
    struct fd_writer *w = (struct fd_writer *)to;
    for (const uint8_t *p = (const uint8_t *)bytes; n > 0;) {
        ssize_t written = write(w->fd, p, n);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            w->error = written < 0 ? errno : EIO;
            return false;
        }
        p += written;
        n -= (size_t)written;
    }
    return true;
}

guira_status guira__fd_status(guira_status s, const struct fd_writer *w) {
    return s == GUIRA_EIO && w->error != 0 ? guira__status_of_errno(w->error) : s;
}

guira_status guira_save_fd(const guira *f, int fd) {
    struct fd_writer w = {fd, 0};
    return guira__fd_status(guira_save_to(f, guira__write_fd, &w), &w);
}

/* -------------------------------------------------------------------------------------------------------------- a path */

/* The name under which a file is written first; the caller frees it. A long name is cut, because file systems allow 255
 * bytes. */
static char *temporary_name(const char *path) {
    static const char ending[] = ".guira-XXXXXX";
    enum { MAX_NAME = 255 };
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
    size_t directory = (size_t)(base - path), n = strlen(base), most = MAX_NAME - (sizeof ending - 1);
    if (n > most) n = most;
    char *name = (char *)guira__alloc(directory + n + sizeof ending);
    if (name == NULL) return NULL;
    memcpy(name, path, directory + n);
    memcpy(name + directory + n, ending, sizeof ending);
    return name;
}

/* Makes a rename in the directory of path durable. */
static bool sync_directory(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *directory = (char *)guira__alloc(n + 2);
    if (directory == NULL) return false;
    memcpy(directory, path, n);
    memcpy(directory + n, ".", 2);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    guira__free(directory);
    if (fd < 0) return false;
    bool done = fsync(fd) == 0 || errno == EINVAL; /* EINVAL: a file system that cannot sync directories */
    close(fd);
    return done;
}

/* What is to be written, and how. */
struct saving {
    guira__save_fd_fn *save;
    const void *what;
};

/* Writes to fd, and closes it in any case. */
static guira_status write_out(struct saving in, int fd, mode_t mode) {
    guira_status s = fchmod(fd, mode) == 0 ? in.save(in.what, fd) : guira__status_of_errno(errno);
    if (s == GUIRA_OK && fsync(fd) != 0) s = guira__status_of_errno(errno);
    return close(fd) == 0 || s != GUIRA_OK ? s : guira__status_of_errno(errno);
}

static guira_status save_by_name(struct saving in, const char *path, char *name, mode_t mode) {
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0) return guira__status_of_errno(errno);
    guira_status s = write_out(in, fd, mode);
    if (s == GUIRA_OK && rename(name, path) != 0) s = guira__status_of_errno(errno);
    if (s != GUIRA_OK) {
        unlink(name);
        return s;
    }
    return sync_directory(path) ? GUIRA_OK : GUIRA_EIO;
}

guira_status guira__save_path(const char *path, guira__save_fd_fn *save, const void *what) {
    struct stat old;
    mode_t mode = S_IRUSR | S_IWUSR; /* the file contains the seed */
    if (what == NULL || path == NULL) return GUIRA_EINVAL;
    if (lstat(path, &old) == 0 && !S_ISLNK(old.st_mode)) {
        if (!S_ISREG(old.st_mode)) return GUIRA_EINVAL; /* no rename over /dev/null */
        mode = old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    }
    char *name = temporary_name(path);
    if (name == NULL) return GUIRA_ENOMEM;
    guira_status s = save_by_name((struct saving){save, what}, path, name, mode);
    guira__free(name);
    return s;
}

static guira_status save_filter(const void *f, int fd) { return guira_save_fd((const guira *)f, fd); }

guira_status guira_save(const guira *f, const char *path) { return guira__save_path(path, save_filter, f); }
