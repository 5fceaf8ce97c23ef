/* Lines that are asked about together: as many as the servers are sent before the first answer is waited for.
 *
 *     stdin --batches--> block, up to BLOCK lines or a pause in the input --> servers --> answers, in the order of lines
 */
#ifndef GUIRA_CLI_REDIS_BLOCK_H
#define GUIRA_CLI_REDIS_BLOCK_H

#include "redis.h"

enum { BLOCK = 8192 };

/* What there is to say of a line. */
enum answer {
    NO,      /* it was there already (or was not there: test, remove) */
    YES,     /* it was not, and is now; it was removed; it is there */
    REFUSED, /* there is no room for it */
    UNSURE,  /* the answer was lost, and asking again does not tell */
    UNASKED, /* no server was reached that has its key */
};

struct block {
    uint64_t first; /* the number of line[0], from 1 */
    size_t n;
    struct piece line[BLOCK];
    struct piece item[BLOCK]; /* what it is known by */
    enum answer answer[BLOCK];
    char end; /* what ends a line */
    char *bytes;
    size_t used, room;
};

/* The lines of stdin, block by block. `take` has a block whose lines and items are set, and answers are to come; it
 * returns false if no more are wanted. */
void blocks_read(const struct redis_job *job, bool (*take)(void *context, struct block *b), void *context);

/* The line to stdout. */
void block_print(const struct block *b, size_t i);

/* How many have this answer. */
uint64_t block_count(const struct block *b, enum answer answer);

#endif
