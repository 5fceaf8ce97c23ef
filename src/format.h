/* A filter as bytes: a header, then sections. docs/format.md has it byte by byte.
 *
 *     [ header: 256 bytes ][ section ][ section ] ...
 *
 *     section   [ tag | length | 0 ... | sum ]   64 bytes
 *               [ payload ... | 0 ... | sum ]    a multiple of 64, so that every payload starts on one
 *
 * HOW DOES A KIND WRITE ITSELF? By ops->save, section by section, the same ones each time for the same filter, because it
 * is called twice: once to learn how long the file will be, which the header says, and once in earnest.
 *
 * HOW IS IT READ? By ops->view, which makes a filter on top of the bytes, for asking only. What is large stays where it
 * is. A file that is mapped is such a view; loading takes a view, checks it and clones it. So a view must
 *   - believe nothing: whatever the bytes, neither asking nor ops->check may go astray. ops->check is what decides
 *     about the rest, and whatever it lets pass no operation on a clone may choke on;
 *   - carry the ops it was given, and have ops->destroy, clone, check, dump and stats work on it;
 *   - be cloned by a clone that undoes a failure without f->ops->destroy, which for a mapped filter ends the mapping;
 *   - not own the bytes. They start on a multiple of 64 in a file that is mapped; in one that is loaded, anywhere. */
#ifndef GUIRA_FORMAT_H
#define GUIRA_FORMAT_H

#include "bytes.h"
#include "kind.h"

enum { HEADER_BYTES = 256, SECTION_ALIGNMENT = 64 };

/* ------------------------------------------------------------------------------------------------------------- writing */

struct guira__writer;

/* Starts a section; its bytes, just as many as its length, follow by guira__section_put. The tag has up to 8 letters. */
void guira__section_start(struct guira__writer *w, const char *tag, uint64_t length);
void guira__section_put(struct guira__writer *w, const void *bytes, size_t n);
void guira__section_put_u64(struct guira__writer *w, uint64_t v);

/* The section of what all kinds have: counters, stash. The secret comes from the seed, which is in the header. */
void guira__head_write(struct guira__writer *w, const guira *f);

/* The whole file, in order. False: `write` has failed. */
bool guira__format_write(const guira *f, guira_write_fn *write, void *to);
uint64_t guira__format_size(const guira *f);

/* ------------------------------------------------------------------------------------------------------------- reading */

struct guira__reader {
    const uint8_t *at;
    uint64_t left;
    bool lazy; /* leave the sums of large sections for later */
};

/* The payload of the next section; NULL: it has another tag, or it is not intact. */
const uint8_t *guira__section_get(struct guira__reader *r, const char *tag, uint64_t *length);
/* The same if it has just this length, else NULL. */
const uint8_t *guira__section_expect(struct guira__reader *r, const char *tag, uint64_t length);

/* Makes f, all of it, a head with these ops and configuration and the counters and stash that follow. False: they are
 * not intact. What is in the stash is for the kind to check. */
bool guira__head_read(struct guira__reader *r, const struct guira__ops *ops, const guira_config *c, guira *f);

/* A window's file is a filter's, of slots that filters cannot have, with a section more (window_file.c). Who wants the one
 * and gets the other is told EFORMAT. */
enum content { A_FILTER, A_WINDOW };

/* What the header says: how many bytes the file has, and the configuration. EFORMAT, ECORRUPT. */
guira_status guira__header_read(const uint8_t header[HEADER_BYTES], enum content content, uint64_t *total,
                                guira_config *c);

/* A view of a file that has n bytes. EFORMAT, ECORRUPT, ENOMEM. */
guira_status guira__format_view(const uint8_t *bytes, uint64_t n, enum content content, bool lazy, guira **out);

/* Whether all the sections between header and end are intact. */
bool guira__format_intact(const uint8_t *bytes, uint64_t n);

/* Puts what `save` writes into the file at path, as guira_save does (file.c). */
typedef guira_status guira__save_fd(const void *what, int fd);
guira_status guira__save(const char *path, guira__save_fd *save, const void *what);

/* All n bytes to a file; `to` is a pointer to its number. False: writing failed. */
bool guira__write_fd(void *to, const void *bytes, size_t n);
/* And n bytes from one. EIO; ECORRUPT: there are fewer. */
guira_status guira__read_fd(int fd, uint8_t *to, size_t n);

/* guira_load, guira_load_fd and guira_load_from for either content (file.c). */
guira_status guira__load(const char *path, enum content content, guira **out);
guira_status guira__load_fd(int fd, enum content content, guira **out);
guira_status guira__load_from(const void *bytes, size_t n, enum content content, guira **out);

#endif
