/* A filter as bytes is a header, then sections. Here are the sections; io/header.h has the header, docs/format.md both.
 *
 *     section   [ tag | length | 0 ... | checksum ]   64 bytes
 *               [ payload ... | 0 ... | checksum ]    a multiple of 64, so that every payload starts on one
 *
 * HOW DOES A KIND WRITE ITSELF? By ops->save, section by section, the same ones each time for the same filter, because it
 * is called twice: once to learn how long the file will be, which the header says, and once to write.
 *
 * HOW IS IT READ? By ops->view, which makes a read-only filter on top of the bytes. What is large stays where it is. A
 * file that is mapped is such a view; loading makes a view, clones it and checks the clone. So a view must
 *   - trust nothing: whatever the bytes are, neither lookups nor ops->check may read outside them. What ops->check
 *     accepts must be safe for every operation on a clone;
 *   - have the ops it was given, and have ops->destroy, clone, check, dump and stats work on it;
 *   - not own the bytes. In a file that is mapped they start on a multiple of 64; in one that is loaded, anywhere. */
#ifndef GUIRA_FORMAT_SECTIONS_H
#define GUIRA_FORMAT_SECTIONS_H

#include <stdbool.h>

#include "base/bytes.h"
#include "guira.h"

enum { SECTION_ALIGNMENT = 64 };

/* The checksum of headers and sections. */
uint64_t guira__checksum(const void *bytes, uint64_t n);

/* ------------------------------------------------------------------------------------------------------------- writing */

struct guira__writer;

/* Starts a section; its bytes, exactly as many as its length, follow by guira__section_put. The tag has up to 8 letters. */
void guira__section_start(struct guira__writer *w, const char *tag, uint64_t length);
void guira__section_put(struct guira__writer *w, const void *bytes, size_t n);
void guira__section_put_u64(struct guira__writer *w, uint64_t v);

/* A section of n numbers. */
void guira__section_put_numbers(struct guira__writer *w, const char *tag, const uint64_t *number, size_t n);

/* What writes all sections of something. */
typedef void guira__save_sections(const void *what, struct guira__writer *w);

/* How many bytes the sections take. */
uint64_t guira__sections_size(guira__save_sections *save, const void *what);

/* Header and sections, in order. False: `write` has failed. */
bool guira__sections_write(const uint8_t *header, size_t header_bytes, guira__save_sections *save, const void *what,
                           guira_write_fn *write, void *to);

/* The same part by part: the n bytes from `at` on, or as many as there are, to `to`; returns how many. sum: the state
 * between the parts, of guira__sum_state_bytes() bytes, at first all zero. */
size_t guira__sections_write_part(const uint8_t *header, size_t header_bytes, guira__save_sections *save,
                                  const void *what, uint64_t at, void *sum, void *to, size_t n);
size_t guira__sum_state_bytes(void);

/* ------------------------------------------------------------------------------------------------------------- reading */

struct guira__reader {
    const uint8_t *at;
    uint64_t left;
    bool lazy;       /* skip the checksums of large sections */
    unsigned format; /* of the file */
};

/* The payload of the next section; NULL: it has another tag, or it is not intact. */
const uint8_t *guira__section_get(struct guira__reader *r, const char *tag, uint64_t *length);
/* The same if it has exactly this length, else NULL. */
const uint8_t *guira__section_expect(struct guira__reader *r, const char *tag, uint64_t length);

/* Whether all sections that r has are intact. */
bool guira__sections_intact(struct guira__reader r);

#endif
