/* See filter_file.h. Files are read through a memory mapping. */
#include "filter_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

/* Also the choices of --kind, so the first one is the default. */
const char *const kind_names[] = {"tidal", "cuckoo", "dynamic", "elastic", "consistent", NULL};

/* Reads the start of a file. False: it is not a guira file. */
static bool read_file_info(const char *path, guira_file *out) {
    char start[GUIRA_FILE_START];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, start, sizeof start, 0);
    if (fd >= 0) close(fd);
    return n > 0 && guira_file_info(start, (size_t)n, out, NULL) == GUIRA_OK;
}

/* Exits: the file cannot be used here. Says what it is, if it is known. */
static _Noreturn void wrong_content(const char *path) {
    guira_file file = GUIRA_FILE_INIT;
    if (read_file_info(path, &file)) {
        if (file.content == GUIRA_FILE_WINDOW)
            trouble("%s: is a window (a state of 'guira uniq --window'), not a filter", path);
        if (file.content == GUIRA_FILE_SHARED)
            trouble("%s: is a filter of guira_shared, which this command does not accept", path);
    }
    trouble("%s: not a guira filter file, or written by a newer version", path);
}

void filter_trouble(const char *path, guira_status s) {
    switch (s) {
    case GUIRA_ENOENT: trouble("%s: no such file; 'guira build %s' creates it", path, path);
    case GUIRA_EFORMAT: wrong_content(path);
    case GUIRA_ECORRUPT: trouble("%s: damaged; restore it from a backup or rebuild it with 'guira build'", path);
    case GUIRA_ENOMEM:
        trouble("%s: not enough memory to load it; 'guira test' and 'guira info' work without loading", path);
    default: trouble("%s: %s", path, guira_strerror(s));
    }
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

void must_be_writable(const char *path) {
    char *target = link_target(path), *directory = directory_of(target);
    if (access(directory, W_OK | X_OK) != 0) trouble("%s: cannot be written: %s: %s", path, directory, system_error());
    free(directory);
    free(target);
}

/* For a directory or a device the library returns only GUIRA_EIO. */
void must_be_regular(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) trouble("%s: not a regular file", path);
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
    if (s == GUIRA_EFORMAT) trouble("%s: is not a window; it may be a state that was saved without --window", path);
    if (s != GUIRA_OK) filter_trouble(path, s);
    return w;
}
