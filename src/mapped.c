/* Filters read from a mapped file, without being read in.
 *
 * A kind's view (format.h) answers from the file's bytes. What is left is to keep everybody from changing it, at no cost
 * to filters that can change: a mapped filter has a table of functions of its own, a copy of its kind's in which those
 * that change say no. The table lies in front of what else there is to know of the mapping:
 *
 *     f->ops ----> [ ops: insert = no, ... | the kind's own ops | file, n ]
 *
 * Opening believes what is small and has been checked: header, section heads, counters. What is large may hold anything,
 * and a lookup in it goes nowhere else; guira_validate looks at it in full, and so does guira_clone, because what can be
 * changed must be right. */
#define _GNU_SOURCE
#include "mapped.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "format.h"

struct mapping {
    struct guira__ops ops; /* first, so that f->ops leads here */
    const struct guira__ops *kind;
    void *file;
    size_t n;
};

static const struct mapping *mapping_of(const guira *f) { return (const struct mapping *)f->ops; }

/* ------------------------------------------------------------------------------------------- what says no, and what not */

static guira_status no_hash(guira *f, uint64_t hash) {
    (void)f;
    (void)hash;
    return GUIRA_EUNSUPPORTED;
}

static guira_status no_change(guira *f) {
    (void)f;
    return GUIRA_EUNSUPPORTED;
}

static void mapped_destroy(guira *f) {
    struct mapping *m = (struct mapping *)(uintptr_t)f->ops;
    f->ops = m->kind;
    f->ops->destroy(f);
    munmap(m->file, m->n);
    guira__free(m);
}

static const char *mapped_check(const guira *f) {
    const struct mapping *m = mapping_of(f);
    if (!guira__format_intact(m->file, m->n)) return "file: a checksum is wrong";
    return m->kind->check(f);
}

static guira_status mapped_clone(const guira *f, guira **out) {
    if (mapped_check(f) != NULL) return GUIRA_ECORRUPT;
    guira_status s = mapping_of(f)->kind->clone(f, out);
    if (s == GUIRA_OK) (*out)->ops = mapping_of(f)->kind;
    return s;
}

const uint8_t *guira__mapped_file(const guira *f, size_t *n) {
    if (f->ops->destroy != mapped_destroy) return NULL;
    *n = mapping_of(f)->n;
    return mapping_of(f)->file;
}

/* --------------------------------------------------------------------------------------------------------------- opening */

/* Turns a view of the file into a mapped filter. */
static guira_status seal(guira *f, void *file, size_t n) {
    struct mapping *m = guira__alloc(sizeof *m);
    if (m == NULL) return GUIRA_ENOMEM;
    *m = (struct mapping){*f->ops, f->ops, file, n};
    m->ops.insert = m->ops.remove = no_hash;
    m->ops.reserve = no_hash;
    m->ops.shrink_to_fit = m->ops.clear = no_change;
    m->ops.destroy = mapped_destroy;
    m->ops.check = mapped_check;
    m->ops.clone = mapped_clone;
    m->ops.merge = NULL;
    f->ops = &m->ops;
    f->bytes += guira__alloc_cost(sizeof *m);
    return GUIRA_OK;
}

static guira_status map_bytes(void *file, size_t n, guira **out) {
    guira_status s = guira__format_view(file, n, A_FILTER, true, out);
    if (s != GUIRA_OK) return s;
    s = seal(*out, file, n);
    if (s != GUIRA_OK) {
        guira_destroy(*out);
        *out = NULL;
    }
    return s;
}

static guira_status map_fd(int fd, guira **out) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return GUIRA_EIO;
    if (info.st_size < HEADER_BYTES) return GUIRA_EFORMAT; /* nothing is no filter, and cannot be mapped either */
    size_t n = (size_t)info.st_size;
    void *file = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) return GUIRA_EIO;
    guira_status s = map_bytes(file, n, out);
    if (s != GUIRA_OK) munmap(file, n);
    return s;
}

guira_status guira_map(const char *path, guira **out) {
    if (out == NULL) return GUIRA_EINVAL;
    *out = NULL;
    if (path == NULL) return GUIRA_EINVAL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return GUIRA_EIO;
    guira_status s = map_fd(fd, out);
    close(fd);
    return s;
}
