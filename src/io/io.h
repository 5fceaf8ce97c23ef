/* Saving and loading, for filters and for what is built on them (window/, shared/).
 *
 *     save.c     to a function, or part by part;  save_file.c   to a file or a descriptor
 *     load.c     back, from memory;               load_file.c   from a file or a descriptor
 *     view.c     read-only filters on bytes that are not ours;  map.c   on a mapped file
 *     header.c   the header;  format/sections.c has what follows it
 *
 * *_file.c and map.c are the only files that need a file system: without one, they are left out. */
#ifndef GUIRA_IO_IO_H
#define GUIRA_IO_IO_H

#include "filter/filter.h"
#include "io/header.h"

/* -------------------------------------------------------------------------------------------------------------- saving */

/* Something to save: its configuration for the header, and what writes its sections. */
struct saved {
    guira_config config;
    unsigned format; /* that it needs at least */
    guira__save_sections *save;
    const void *what;
};

uint64_t guira__saved_size(struct saved s);
guira_status guira__save_to(struct saved s, guira_write_fn *write, void *to);

/* Puts what `save` writes to a descriptor into the file at path, as guira_save does. */
typedef guira_status guira__save_fd_fn(const void *what, int fd);
guira_status guira__save_path(const char *path, guira__save_fd_fn *save, const void *what);

/* A guira_write_fn for a descriptor; `to` points to one of these. */
struct fd_writer {
    int fd;
    int error; /* errno if writing failed */
};
bool guira__write_fd(void *to, const void *bytes, size_t n);
/* s, or the reason if it is EIO because guira__write_fd failed. */
guira_status guira__fd_status(guira_status s, const struct fd_writer *w);

/* ------------------------------------------------------------------------------------------------------------- loading */

/* One sort of thing that can be in a file. */
struct content {
    guira__resolve_fn *resolve;
    /* Makes the thing from its sections, checked. ECORRUPT, ENOMEM. */
    guira_status (*load)(const guira_config *c, struct guira__reader *r, void **out);
    void (*destroy)(void *thing);
};

/* guira_load, guira_load_fd and guira_load_from for any content. On failure *out is NULL. */
guira_status guira__load_path(const struct content *what, const char *path, void **out);
guira_status guira__load_fd(const struct content *what, int fd, void **out);
guira_status guira__load_bytes(const struct content *what, const void *bytes, size_t n, void **out);

/* The sections after a header that has been read. */
guira_status guira__load_sections(const struct content *what, const struct header *h, const uint8_t *bytes, void **out);

/* guira__load_bytes from the first of n bytes; *used: how many of them it took. */
guira_status guira__load_prefix(const struct content *what, const void *bytes, size_t n, size_t *used, void **out);

/* Reads n bytes. EIO; ECORRUPT: there are fewer. */
guira_status guira__read_fd(int fd, uint8_t *to, size_t n);

/* The status for an errno. */
guira_status guira__status_of_errno(int error);

/* Opens a file for reading. ENOENT, EACCES, EIO. */
guira_status guira__open_path(const char *path, int *fd);

/* The format that a filter is saved in. */
unsigned guira__filter_format(const guira *f);

/* Fills in the configuration of a filter. EFORMAT: it is that of a window. */
guira_status guira__filter_resolve(guira_config *c);

extern const struct content guira__content_filter;

/* --------------------------------------------------------------------------------------------------------------- views */

/* The bytes a view is on, n of them; NULL: f is not a view. */
const uint8_t *guira__view_bytes(const guira *f, size_t *n);

/* A view of n bytes, which start on a multiple of 64. `release` is called when they are no longer needed, also on
 * failure. */
typedef void guira__release_fn(uint8_t *bytes, size_t n);
guira_status guira__view_open(uint8_t *bytes, size_t n, guira__release_fn *release, guira **out);

#endif
