/* Blocks of lines that are sent to the servers together, before the first reply is received.
 *
 *     stdin --batches--> block, up to BLOCK lines or until the input pauses --> servers --> answers, in input order
 */
#ifndef GUIRA_CLI_REDIS_BLOCK_H
#define GUIRA_CLI_REDIS_BLOCK_H

#include "redis.h"

enum { BLOCK = 8192 };

/* The result for a line. */
enum answer {
    NO,         /* uniq, add: it was already there; remove, test: it was not found */
    YES,        /* uniq, add: it was added; remove: it was removed; test: it was found */
    REFUSED,    /* there is no room for it */
    UNSURE,     /* the reply was lost, and sending the command again cannot tell the result */
    UNANSWERED, /* no server with its key could be reached */
};

struct block {
    uint64_t first; /* number of line[0] in the whole input, from 1 */
    size_t n;
    struct slice line[BLOCK];
    struct slice item[BLOCK]; /* the key of the line */
    char *copy[BLOCK];        /* the key if it is not a part of the line; NULL otherwise */
    enum answer answer[BLOCK];
    char end; /* the byte that ends a line */
    char *bytes;
    size_t used, capacity;
};

/* Reads the input and calls `handle` for each block, with lines and items set. `handle` sets the answers and returns false
 * to stop reading. */
void blocks_read(const struct redis_job *job, bool (*handle)(void *context, struct block *b), void *context);

/* Prints a line to stdout. */
void block_print(const struct block *b, size_t i);

/* The number of lines with this answer. */
uint64_t block_count(const struct block *b, enum answer answer);

#endif
