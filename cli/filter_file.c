/* See filter_file.h. */
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

const char *const kind_names[] = {"tidal", "cuckoo", "dynamic", "elastic", "consistent", NULL};

void filter_trouble(const char *path, guira_status s) {
    switch (s) {
    case GUIRA_EFORMAT: trouble("%s: not a filter file of guira, or one of a newer version", path);
    case GUIRA_ECORRUPT: trouble("%s: damaged; restore it from a copy, or build it anew from its lines", path);
    case GUIRA_ENOMEM: trouble("%s: no memory to load it; 'guira test' and 'guira info' do without loading", path);
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
    if (directory == NULL) trouble("no memory");
    if (access(directory, W_OK | X_OK) != 0) trouble("%s: cannot be written: %s: %s", path, directory, system_error());
    free(directory);
}

/* The library says EIO and no more; the system knows why. */
static void must_be_readable(const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) trouble("%s: no such file; 'guira build %s' makes one", path, path);
    if (fd < 0 || fstat(fd, &st) != 0) trouble("%s: %s", path, system_error());
    close(fd);
    if (!S_ISREG(st.st_mode)) trouble("%s: not a regular file", path);
}

void filter_or_window(const char *path, guira **f, guira_window **w) {
    *w = NULL;
    must_be_readable(path);
    guira_status s = guira_map(path, f);
    if (s == GUIRA_EFORMAT) s = guira_window_load(path, w);
    if (s != GUIRA_OK && s != GUIRA_ECORRUPT) filter_trouble(path, s);
}

guira *filter_map_if_whole(const char *path) {
    guira *f;
    must_be_readable(path);
    guira_status s = guira_map(path, &f);
    if (s != GUIRA_OK && s != GUIRA_ECORRUPT) filter_trouble(path, s);
    return f;
}

guira *filter_map(const char *path) {
    guira *f = filter_map_if_whole(path);
    if (f == NULL) filter_trouble(path, GUIRA_ECORRUPT);
    return f;
}

void filter_check(const guira *f, const char *path) {
    if (guira_validate(f, NULL) != GUIRA_OK) filter_trouble(path, GUIRA_ECORRUPT);
}

/* By way of a mapping, which takes half the memory that guira_load does. */
guira *filter_load(const char *path) {
    guira *mapped = filter_map(path), *f;
    guira_status s = guira_clone(mapped, &f);
    if (s != GUIRA_OK) filter_trouble(path, s);
    guira_destroy(mapped);
    return f;
}

guira_window *window_load(const char *path) {
    guira_window *w;
    must_be_readable(path);
    guira_status s = guira_window_load(path, &w);
    if (s == GUIRA_EFORMAT) trouble("%s: not a window file of guira; a state made without --window is none", path);
    if (s != GUIRA_OK) filter_trouble(path, s);
    return w;
}

/* Ctrl-C waits until the file is in place, so that no half of one is left beside it. */
static sigset_t hold_signals(void) {
    sigset_t hold, before;
    sigemptyset(&hold);
    sigaddset(&hold, SIGINT);
    sigaddset(&hold, SIGTERM);
    sigprocmask(SIG_BLOCK, &hold, &before);
    errno = 0;
    return before;
}

static void saved(guira_status s, const char *path, const sigset_t *before) {
    int why = errno; /* the library says EIO and no more */
    sigprocmask(SIG_SETMASK, before, NULL);
    if (s == GUIRA_EINVAL) trouble("%s: cannot be written: it is no regular file", path);
    if (s != GUIRA_OK)
        trouble("%s: cannot be written: %s; what was there is unchanged", path,
                why != 0 ? strerror(why) : guira_strerror(s));
}

void filter_save(const guira *f, const char *path) {
    sigset_t before = hold_signals();
    saved(guira_save(f, path), path, &before);
}

void window_save(const guira_window *w, const char *path) {
    sigset_t before = hold_signals();
    saved(guira_window_save(w, path), path, &before);
}

/* ------------------------------------------------------------------------------------------------------------- locking */

static int held = -1;

/* Is fd still the file that the path leads to? */
static bool is_current(int fd, const char *path) {
    struct stat here, there;
    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* False: somebody else has it. */
static bool lock(const char *path, bool wait) {
    for (;;) {
        must_be_readable(path);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) trouble("%s: %s", path, system_error());
        int failed = flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
        if (failed != 0 && errno == EWOULDBLOCK) {
            close(fd);
            return false;
        }
        if (failed != 0 && errno != EINTR) trouble("%s: cannot be locked: %s", path, system_error());
        if (failed == 0 && is_current(fd, path)) {
            held = fd;
            return true;
        }
        close(fd);
    }
}

void filter_lock(const char *path, bool wait) {
    if (lock(path, false)) return;
    if (!wait) trouble("%s: in use by another guira; give each its own file", path);
    note("%s: waiting for another guira to be done with it", path);
    lock(path, true);
}

/* Between the rename and this, another may have been faster: then it is theirs, and what is not saved yet cannot be. */
void filter_lock_again(const char *path) {
    int old = held;
    if (!lock(path, false))
        trouble("%s: another guira has taken it over; what came since the last save is not in it", path);
    close(old);
}
