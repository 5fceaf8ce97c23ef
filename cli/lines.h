/* Reads stdin as lines, in batches.
 *
 *     buffer   [ ...done... | line\n line\n line\n ... line\n | half a li ]
 *                             ^ a batch of up to BATCH lines    ^ moved to the front before the next read
 *
 * The input is read in large blocks and a batch points into the buffer. So lines are not copied, can contain any bytes,
 * and can be as long as memory allows. The lines of a batch are adjacent in memory. */
#ifndef GUIRA_CLI_LINES_H
#define GUIRA_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCH = 512 };

/* A part of a buffer, not terminated by NUL. */
struct slice {
    const char *data;
    size_t size;
};

struct batch {
    size_t n;
    struct slice line[BATCH]; /* without the line ends */
    uint64_t first;           /* number of line[0] in the input, from 1 */
    bool unterminated;        /* the last line is the end of the input and has no line end */
};

struct lines {
    char end;       /* the byte that ends a line: newline or NUL */
    uint64_t count; /* lines read so far */
    uint64_t bytes; /* bytes read so far */
    uint64_t size;  /* bytes of the whole input; 0: unknown (a pipe) */

    /* Called before waiting for input, so that output does not stay in a buffer. Returns the number of milliseconds
     * after which to be called again if there is still no input, or -1. May be NULL. */
    int (*idle)(void *context);
    void *context;

    /* private */
    char *buffer;
    size_t capacity, from, to; /* buffer[from ... to - 1] is not yet split into lines */
    bool ended;
};

void lines_open(struct lines *in, char end);

/* Reads the next batch, which is valid until the next call. False: end of input, or a signal was received. */
bool lines_next(struct lines *in, struct batch *b);

void lines_close(struct lines *in);

#endif
