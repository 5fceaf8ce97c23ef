/* See filter_file.h. Files are read through a memory mapping. */
#include "filter_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

/* Also the choices of --kind, so the first one is the default. */
const char *const kind_names[] = {"tidal", "cuckoo", "dynamic", "elastic", "consistent", NULL};

bool is_regular(const char *path) {
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

bool file_info_read(const char *path, guira_file *out, guira_config *config) {
    char start[GUIRA_FILE_START];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, start, sizeof start, 0);
    if (fd >= 0) close(fd);
    return n > 0 && guira_file_info(start, (size_t)n, out, config) == GUIRA_OK;
}

/* A file of another content: says what it is, if it is known. */
static const char *wrong_content(const char *path) {
    guira_file file = GUIRA_FILE_INIT;
    struct stat st;
    if (stat(path, &st) == 0 && st.st_size == 0) return "an empty file is not a filter; remove it";
    if (file_info_read(path, &file, NULL)) {
        if (file.content == GUIRA_FILE_WINDOW) return "is a window (a state of 'guira uniq --window'), not a filter";
        if (file.content == GUIRA_FILE_SHARED) return "is a filter of guira_shared, which this command does not accept";
    }
    return "not a guira filter file, or written by a newer version";
}

/* The library returns only GUIRA_EIO for a file that may not be read. */
static const char *io_error(const char *path) {
    if (!is_regular(path)) return "not a regular file";
    return access(path, R_OK) != 0 ? system_error() : guira_strerror(GUIRA_EIO);
}

/* What is wrong, and what to do about it. */
static const char *describe(const char *path, guira_status s, char *to, size_t n) {
    switch (s) {
    case GUIRA_ENOENT: snprintf(to, n, "no such file; 'guira build %s' creates it", path); return to;
    case GUIRA_EFORMAT: return wrong_content(path);
    case GUIRA_ECORRUPT: return "damaged; restore it from a backup or rebuild it with 'guira build'";
    case GUIRA_ENOMEM: return "not enough memory to load it; 'guira test' and 'guira info' work without loading";
    case GUIRA_EIO: return io_error(path);
    default: return guira_strerror(s);
    }
}

void filter_note(const char *path, guira_status s) {
    char text[4096];
    note("%s: %s", path, describe(path, s, text, sizeof text));
}

void filter_trouble(const char *path, guira_status s) {
    filter_note(path, s);
    exit(EXIT_TROUBLE);
}

bool is_same_file(const char *a, const char *b) {
    struct stat here, there;
    return stat(a, &here) == 0 && stat(b, &there) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

bool file_exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *directory = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    if (directory == NULL) trouble("out of memory");
    return directory;
}

char *link_target(const char *path) {
    struct stat st;
    bool is_link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
    char *target = is_link ? realpath(path, NULL) : strdup(path);
    if (target == NULL) trouble("%s: cannot find what this symbolic link leads to: %s", path, system_error());
    return target;
}

/* In a directory such as /tmp, only the owner of a file or of the directory can replace the file. */
static bool is_protected(const char *path, const char *directory) {
    struct stat file, dir;
    uid_t me = geteuid();
    if (me == 0 || stat(path, &file) != 0 || stat(directory, &dir) != 0) return false;
    return (dir.st_mode & S_ISVTX) != 0 && file.st_uid != me && dir.st_uid != me;
}

void must_be_writable(const char *path) {
    char *target = link_target(path), *directory = directory_of(target);
    if (access(directory, W_OK | X_OK) != 0) trouble("%s: cannot be written: %s: %s", path, directory, system_error());
    if (is_protected(target, directory))
        trouble("%s: cannot be replaced: it belongs to another user, and %s is sticky", path, directory);
    free(directory);
    free(target);
}

void must_be_regular(const char *path) {
    if (!is_regular(path)) trouble("%s: not a regular file", path);
}

guira *filter_map(const char *path) {
    guira *f;
    must_be_regular(path);
    guira_status s = guira_map(path, &f);
    if (s != GUIRA_OK) filter_trouble(path, s);
    return f;
}

/* Cloning a mapping needs half the memory of guira_load. */
guira *filter_load(const char *path) {
    guira *mapped = filter_map(path), *f;
    guira_status s = guira_clone(mapped, &f);
    if (s != GUIRA_OK) filter_trouble(path, s);
    guira_destroy(mapped);
    return f;
}

guira_window *window_load(const char *path) {
    guira_window *w;
    must_be_regular(path);
    guira_status s = guira_window_load(path, &w);
    guira_file file = GUIRA_FILE_INIT;
    if (s == GUIRA_EFORMAT && file_info_read(path, &file, NULL))
        trouble("%s: is not a window; it may be a state that was saved without --window", path);
    if (s != GUIRA_OK) filter_trouble(path, s);
    return w;
}
