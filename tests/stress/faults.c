/* See faults.h. Two countdowns, one for memory and one for the disk; the call at which a countdown gets to 0 fails. They are
 * atomic because threads allocate, too. */
#define _GNU_SOURCE
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_long memory_left, disk_left, fired;
static atomic_bool memory_all;
static enum disk_fault disk_what;
static bool hooked;
static atomic_long blocks;

static _Thread_local bool unsynced; /* written since the last fsync */

void fault_memory(uint64_t n, bool all) {
    memory_all = all;
    memory_left = (long)n;
}

void fault_disk(uint64_t n, enum disk_fault what) {
    disk_what = what;
    disk_left = (long)n;
}

unsigned fault_end(void) {
    memory_left = disk_left = 0;
    memory_all = false;
    long n = atomic_exchange(&fired, 0);
    counts.faults += (uint64_t)n;
    return (unsigned)n;
}

static bool memory_is_due(void) {
    if (atomic_load_explicit(&memory_left, memory_order_relaxed) == 0) return false;
    long left = atomic_fetch_sub(&memory_left, 1);
    if (left > 1) return false;
    if (left == 1 && memory_all) memory_left = 1;
    if (left < 1) memory_left = 0; /* another thread had the last one */
    if (left == 1) fired++;
    return left == 1;
}

static bool disk_is_due(void) {
    if (disk_left == 0 || --disk_left > 0) return false;
    if (disk_what == DISK_KILLS) kill(getpid(), SIGKILL);
    fired++;
    return true;
}

/* --------------------------------------------------------------------------------------------------------------- memory */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) { return memory_is_due() ? NULL : __real_malloc(size); }

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return memory_is_due() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__real_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    if (!memory_is_due()) return __real_mmap(at, n, protection, flags, fd, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

static void *hook_alloc(size_t size) {
    void *p = malloc(size);
    if (p != NULL) blocks++;
    return p;
}

static void hook_release(void *p) {
    blocks--;
    free(p);
}

void faults_hook(void) {
    hooked = true;
    guira_set_allocator(&(guira_allocator){hook_alloc, hook_release});
}

bool faults_are_hooked(void) { return hooked; }

uint64_t faults_blocks(void) { return (uint64_t)blocks; }

/* ----------------------------------------------------------------------------------------------------------------- disk */

static int fail_with(int error) {
    errno = error;
    return -1;
}

int __real_mkostemp(char *name, int flags);
int __wrap_mkostemp(char *name, int flags);
int __wrap_mkostemp(char *name, int flags) {
    unsynced = false;
    return disk_is_due() && disk_what == DISK_FAILS ? fail_with(EACCES) : __real_mkostemp(name, flags);
}

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode) {
    return disk_is_due() && disk_what == DISK_FAILS ? fail_with(EPERM) : __real_fchmod(fd, mode);
}

ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n) {
    unsynced = true;
    if (!disk_is_due()) return __real_write(fd, bytes, n);
    if (disk_what == DISK_FAILS) return fail_with(n % 2 == 0 ? ENOSPC : EIO);
    ssize_t written = __real_write(fd, bytes, (n + 1) / 2);
    if (disk_what == DISK_KILLS_HALF_WAY) kill(getpid(), SIGKILL);
    return written;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    if (disk_is_due() && disk_what == DISK_FAILS) return fail_with(EIO);
    unsynced = false;
    return __real_fsync(fd);
}

/* kill -9 leaves what was written to the system, so it cannot show that a file is renamed before it is on the disk. */
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
    EXPECT(!unsynced, "a file is renamed to its name before fsync");
    return disk_is_due() && disk_what == DISK_FAILS ? fail_with(EXDEV) : __real_rename(from, to);
}
