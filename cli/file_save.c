/* See file_save.h. */
#include "file_save.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "any_shared.h"
#include "filter_file.h"
#include "report.h"

static int lock_fd = -1; /* the lock that this process holds; released when it exits */

/* ----------------------------------------------------------------------------------------------------------- locking */

/* Is fd still the file at this path, or has it been replaced meanwhile? */
static bool is_current(int fd, const char *path) {
    struct stat here, there;
    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* A process that was killed while it saved has left its temporary file. It is removed if no process has it locked, and if it is a
 * minute old: a new one is locked a moment after it was created. */
static void remove_if_left(const char *name) {
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return;
    bool old = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mtime + 60 < time(NULL);
    if (old && flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(name);
    close(fd);
}

static void remove_leftovers(const char *link) {
    glob_t found;
    char pattern[4096], *path = link_target(link);
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
    int n = snprintf(pattern, sizeof pattern, "%.*s%.200s.guira-??????", (int)(base - path), path, base);
    bool usable = n >= 0 && (size_t)n < sizeof pattern && strpbrk(path, "*?[\\") == NULL;
    free(path);
    if (!usable || glob(pattern, GLOB_NOSORT, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) remove_if_left(found.gl_pathv[i]);
    globfree(&found);
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
            remove_leftovers(path);
            return true;
        }
        close(fd);
    }
}

void file_lock(const char *path, bool wait) {
    if (lock(path, false)) return;
    if (!wait) trouble("%s: in use by another guira process; use a different file for each", path);
    note("%s: locked by another guira process; waiting", path);
    lock(path, true);
}

/* ------------------------------------------------------------------------------------------------------------ saving */

/* Blocks SIGINT and SIGTERM while a file is saved, so that no incomplete temporary file is left behind. */
static sigset_t block_signals(void) {
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    return before;
}

/* A file under a temporary name. */
struct temporary {
    char *path; /* where it will be: the target of a link, see link_target */
    char name[4096];
    int fd;
};

/* Exits after removing the temporary file. */
static _Noreturn void give_up(const struct temporary *t, const char *path, const char *reason) {
    if (t->fd >= 0) unlink(t->name);
    trouble("%s: cannot be written: %s%s", path, reason,
            file_exists(path) ? "; the previous content is unchanged" : "; nothing was saved");
}

static bool give_to(int fd, uid_t owner, gid_t group) { return fchown(fd, owner, group) == 0; }

/* A new file can be read only by its owner; a file that is replaced passes its owner, group and permissions on. Only root can
 * give a file to another owner. If it cannot have the same group, no group may read it. */
static void inherit_permissions(int fd, const struct stat *old) {
    (void)give_to(fd, old->st_uid, (gid_t)-1);
    bool same_group = give_to(fd, (uid_t)-1, old->st_gid);
    (void)fchmod(fd, old->st_mode & (same_group ? 0777U : 0707U));
}

/* In the same directory, with a part of the name of the file. */
static void temporary_open(struct temporary *t, const char *link) {
    struct stat old;
    const char *path = t->path = link_target(link), *slash = strrchr(path, '/'),
               *base = slash == NULL ? path : slash + 1;
    int n = snprintf(t->name, sizeof t->name, "%.*s%.200s.guira-XXXXXX", (int)(base - path), path, base);
    t->fd = -1;
    if (n < 0 || (size_t)n >= sizeof t->name) give_up(t, link, strerror(ENAMETOOLONG));
    t->fd = mkostemp(t->name, O_CLOEXEC);
    if (t->fd < 0) give_up(t, link, system_error());
    if (stat(path, &old) == 0 && S_ISREG(old.st_mode)) inherit_permissions(t->fd, &old);
}

static guira_status save_fd(struct saved_content what, int fd) {
    if (what.shared != NULL) return any_shared_save_fd(what.shared, fd);
    return what.window != NULL ? guira_window_save_fd(what.window, fd) : guira_save_fd(what.filter, fd);
}

static void temporary_write(struct temporary *t, const char *path, struct saved_content what) {
    if (flock(t->fd, LOCK_EX | LOCK_NB) != 0) give_up(t, path, system_error());
    guira_status s = save_fd(what, t->fd);
    if (s != GUIRA_OK) give_up(t, path, guira_strerror(s));
    if (fsync(t->fd) != 0) give_up(t, path, system_error());
}

/* The new name has to survive a crash, too. */
static void sync_directory(const char *path) {
    char *directory = directory_of(path);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        if (fsync(fd) != 0 && errno == EIO) note("%s: %s", path, system_error());
        close(fd);
    }
    free(directory);
}

/* Gives the file its name if there is no other one. Some file systems have no links: then it is checked first. */
static bool publish_new(const struct temporary *t, const char *path) {
    if (link(t->name, t->path) == 0) {
        unlink(t->name);
        return true;
    }
    bool no_links = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
    if (no_links && !file_exists(path)) return rename(t->name, t->path) == 0;
    if (!no_links && errno != EEXIST) give_up(t, path, system_error());
    return false;
}

static void keep_lock_of(struct temporary *t, const sigset_t *signals) {
    sync_directory(t->path);
    free(t->path);
    if (lock_fd >= 0) close(lock_fd);
    lock_fd = t->fd;
    pthread_sigmask(SIG_SETMASK, signals, NULL);
}

bool file_create(const char *path, struct saved_content what) {
    struct temporary t;
    if (file_exists(path)) return false;
    sigset_t signals = block_signals();
    temporary_open(&t, path);
    temporary_write(&t, path, what);
    if (!publish_new(&t, path)) {
        unlink(t.name);
        close(t.fd);
        free(t.path);
        pthread_sigmask(SIG_SETMASK, &signals, NULL);
        return false;
    }
    keep_lock_of(&t, &signals);
    return true;
}

/* Is the file that was locked still there? If it was removed, it is created again. */
static bool may_replace(const struct temporary *t, const char *path) {
    if (lock_fd < 0 || is_current(lock_fd, path)) return rename(t->name, t->path) == 0;
    errno = EEXIST;
    return !file_exists(path) && publish_new(t, path);
}

void file_replace(const char *path, struct saved_content what) {
    struct temporary t;
    must_be_regular(path);
    sigset_t signals = block_signals();
    temporary_open(&t, path);
    temporary_write(&t, path, what);
    if (!may_replace(&t, path)) {
        if (errno != EEXIST) give_up(&t, path, system_error());
        unlink(t.name);
        trouble("%s: another program has replaced it; changes since it was last saved here are not saved", path);
    }
    keep_lock_of(&t, &signals);
}

void target_check(const char *path, bool force) {
    must_be_regular(path);
    if (!force && file_exists(path)) trouble("%s: already exists; --force replaces it", path);
    must_be_writable(path);
    if (force && file_exists(path)) file_lock(path, true);
}

void target_save(const char *path, struct saved_content what, bool force) {
    if (force) file_replace(path, what);
    else if (!file_create(path, what))
        trouble("%s: was created by another program meanwhile; --force replaces it", path);
}
