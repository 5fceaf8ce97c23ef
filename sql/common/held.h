/* A filter that answers from a copy of its bytes, kept from row to row. To open it takes time in proportion to its size, to
 * ask it does not: 2,000 questions to a filter of 759 KB that is opened each time take seconds.
 *
 * WHEN IS IT THE SAME FILTER? A database hands over the bytes again for every row. To compare them all would cost as much
 * as to copy them. But a filter in a file has a checksum for each section (docs/format.md), so two that are intact and agree
 * in size, header and all these checksums are the same:
 *
 *     [ header  sum ][ head  sum ][ payload ............ sum ][ head  sum ][ payload ... sum ]
 *               ^            ^                            ^            ^                 ^
 *
 * Checksums of 64 bits can be forged. So they decide only between bytes at the same address, where the database would have had
 * to put another filter; bytes at another address are compared in full. */
#ifndef GUIRA_SQL_HELD_H
#define GUIRA_SQL_HELD_H

#include <guira.h>

enum { HELD_MARKS = 40 }; /* a tidal filter has at most 11 sections, with 2 checksums each */

struct held {
    guira *filter;  /* a view of bytes */
    uint8_t *bytes; /* aligned to 64 */
    size_t n;
    const void *from; /* where the bytes were copied from; only to be compared */
    size_t marks;     /* 0: too many sections */
    uint64_t mark[HELD_MARKS];
    unsigned users;
};

/* Room for n bytes, which the caller writes to (*out)->bytes before held_open. The caller is its only user. ENOMEM. */
guira_status held_new(size_t n, struct held **out);

/* Makes the filter. validate: read everything and check it; else only what is needed to be safe. On failure h is released. */
guira_status held_open(struct held *h, const void *from, bool validate);

/* Both at once, for bytes in memory. On failure *out is NULL. */
guira_status held_copy(const void *bytes, size_t n, bool validate, struct held **out);

/* Whether these bytes are the filter that h holds. h must have been validated, or its bytes must be trusted. */
bool held_is(const struct held *h, const void *bytes, size_t n);

/* One user less; the last one frees it. h may be NULL. */
void held_release(struct held *h);

#endif
