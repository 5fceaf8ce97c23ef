/* Views of files: see view.c. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"

static void unmap(uint8_t *bytes, size_t n) { munmap(bytes, n); }

static guira_status map_fd(int fd, guira **out) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return GUIRA_EIO;
    if (info.st_size < HEADER_BYTES) return GUIRA_EFORMAT; /* an empty file cannot be mapped */
    size_t n = (size_t)info.st_size;
    void *bytes = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);
    return bytes == MAP_FAILED ? GUIRA_EIO : guira__view_open((uint8_t *)bytes, n, unmap, out);
}

guira_status guira_map(const char *path, guira **out) {
    int fd;
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    guira_status s = path == NULL ? GUIRA_EINVAL : guira__open_path(path, &fd);
    if (s != GUIRA_OK) return s;
    s = map_fd(fd, out);
    close(fd);
    return s;
}
