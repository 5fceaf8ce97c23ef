/* See filter_file.h. Files are read through a memory mapping; the library replaces them in one step when it saves. */
#include "filter_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

/* Also the choices of --kind, so the first one is the default. */
const char *const kind_names[] = {"tidal", "cuckoo", "dynamic", "elastic", "consistent", NULL};

void filter_trouble(const char *path, guira_status s) {
    switch (s) {
    case GUIRA_ENOENT: trouble("%s: no such file; 'guira build %s' creates it", path, path);
    case GUIRA_EFORMAT: trouble("%s: not a guira filter file, or written by a newer version", path);
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

void must_be_writable(const char *path) {
    const char *slash = strrchr(path, '/');
    char *directory = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    if (directory == NULL) trouble("out of memory");
    if (access(directory, W_OK | X_OK) != 0) trouble("%s: cannot be written: %s: %s", path, directory, system_error());
    free(directory);
}

/* For a directory or a device the library returns only GUIRA_EIO. */
void must_be_regular(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) trouble("%s: not a regular file", path);
}

void filter_or_window(const char *path, guira **f, guira_window **w) {
    *w = NULL;
    must_be_regular(path);
    guira_status s = guira_map(path, f);
    if (s == GUIRA_EFORMAT) s = guira_window_load(path, w);
    if (s != GUIRA_OK && s != GUIRA_ECORRUPT) filter_trouble(path, s);
}

guira *filter_map_if_intact(const char *path) {
    guira *f;
    must_be_regular(path);
    guira_status s = guira_map(path, &f);
    if (s != GUIRA_OK && s != GUIRA_ECORRUPT) filter_trouble(path, s);
    return f;
}

guira *filter_map(const char *path) {
    guira *f = filter_map_if_intact(path);
    if (f == NULL) filter_trouble(path, GUIRA_ECORRUPT);
    return f;
}

void filter_check(const guira *f, const char *path) {
    if (guira_validate(f, NULL) != GUIRA_OK) filter_trouble(path, GUIRA_ECORRUPT);
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
    if (s == GUIRA_EFORMAT)
        trouble("%s: not a guira window file; it may be a state that was saved without --window", path);
    if (s != GUIRA_OK) filter_trouble(path, s);
    return w;
}

/* Blocks SIGINT and SIGTERM while a file is saved, so that no incomplete temporary file is left behind. */
static sigset_t block_signals(void) {
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    return before;
}

/* After saving: unblocks the signals and exits if saving failed. */
static void check_saved(guira_status s, const char *path, const sigset_t *before) {
    sigprocmask(SIG_SETMASK, before, NULL);
    if (s == GUIRA_EINVAL) trouble("%s: cannot be written: not a regular file", path);
    if (s != GUIRA_OK) trouble("%s: cannot be written: %s; the previous content is unchanged", path, guira_strerror(s));
}

void filter_save(const guira *f, const char *path) {
    sigset_t before = block_signals();
    check_saved(guira_save(f, path), path, &before);
}

void window_save(const guira_window *w, const char *path) {
    sigset_t before = block_signals();
    check_saved(guira_window_save(w, path), path, &before);
}

/* ---------------------------------------------------------------------------------------------------------- locking */

static int lock_fd = -1; /* the lock that this process holds; released when it exits */

/* Is fd still the file at this path, or has it been replaced meanwhile? */
static bool is_current(int fd, const char *path) {
    struct stat here, there;
    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* Takes the lock. False: another process has it (only if `wait` is false). */
static bool lock(const char *path, bool wait) {
    for (;;) {
        must_be_regular(path);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 && !file_exists(path)) filter_trouble(path, GUIRA_ENOENT);
        if (fd < 0) trouble("%s: %s", path, system_error());
        int failed = flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
        if (failed != 0 && errno == EWOULDBLOCK) {
            close(fd);
            return false;
        }
        if (failed != 0 && errno != EINTR) trouble("%s: cannot be locked: %s", path, system_error());
        if (failed == 0 && is_current(fd, path)) {
            lock_fd = fd;
            return true;
        }
        close(fd);
    }
}

void filter_lock(const char *path, bool wait) {
    if (lock(path, false)) return;
    if (!wait) trouble("%s: in use by another guira process; use a different file for each", path);
    note("%s: locked by another guira process; waiting", path);
    lock(path, true);
}

/* Another process may take the lock between the rename and this call. Then this one must not save again, because it
 * would overwrite the changes of the other. */
void filter_lock_again(const char *path) {
    int old = lock_fd;
    if (!lock(path, false))
        trouble("%s: another guira process has locked it; lines after the last checkpoint are not saved", path);
    close(old);
}
