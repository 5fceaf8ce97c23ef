/* Lines from stdin, in batches.
 *
 *     buffer   [ ...done... | line\n line\n line\n ... line\n | half a li ]
 *                             ^ a batch, up to BATCH of them     ^ moved to the front before the next read
 *
 * The input is read in large blocks and a batch points into them, so a line is not copied, may have any bytes in it and
 * be as long as memory allows. Lines of a batch lie one after the other. */
#ifndef GUIRA_CLI_LINES_H
#define GUIRA_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCH = 512 };

struct piece {
    const char *at;
    size_t n;
};

struct batch {
    size_t n;
    struct piece line[BATCH]; /* without what ends them */
    uint64_t first;           /* the number of line[0], from 1 */
    bool open_end;            /* the last one is the input's last and nothing ends it */
};

struct lines {
    char end;                   /* what ends a line */
    uint64_t count;             /* lines so far */
    uint64_t bytes;             /* of input so far */
    uint64_t size;              /* of the whole input; 0: nobody knows */
    int (*idle)(void *context); /* before waiting for input; returns the milliseconds after which to be called again, or
                                   -1. May be NULL. */
    void *context;
    char *buffer;
    size_t room, from, to;
    bool ended;
};

void lines_open(struct lines *in, char end);

/* The next lines, valid until the next call. False: there are no more, or a stop was asked for. */
bool lines_next(struct lines *in, struct batch *b);

void lines_close(struct lines *in);

#endif
