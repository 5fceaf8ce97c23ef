/* Reads the input as lines, in batches, and does the work that a line needs before it is looked up.
 *
 *     input --fill--> chunk of whole lines --split, prepare--> [ line | hash | time ] --lines_next--> batch
 *                     ^ half a line at its end goes to the front of the next chunk
 *
 * Lines are not copied, can contain any bytes, and can be as long as memory allows. The lines of a batch are adjacent in
 * memory and belong to one file.
 *
 * JOBS. With one job, the caller of lines_next does everything. With n jobs, n threads take turns: one fills a chunk (only
 * one at a time, so that chunks are in the order of the input), then splits it and prepares its lines while the next thread
 * fills the next chunk. The caller gets the chunks in order. See lines_ahead.c.
 *
 * PARTS. The threads can also look lines up, in several parts that have nothing to do with each other: part p of chunk i is
 * looked up after part p of chunk i - 1, so that each part sees its lines in order, while other threads are at other parts.
 *
 *     thread 1   fill 0, split 0   part 0 of 0   part 1 of 0   fill 2, split 2   part 0 of 2  ...
 *     thread 2                     fill 1, split 1   part 0 of 1   part 1 of 1   fill 3, split 3  ... */
#ifndef GUIRA_CLI_LINES_H
#define GUIRA_CLI_LINES_H

#include "input.h"

enum { BATCH = 512, MAX_JOBS = 64, MAX_PARTS = 16 };

struct chunk;

/* A part of a buffer, not terminated by NUL. */
struct slice {
    const char *data;
    size_t size;
};

struct batch {
    size_t n;
    const struct slice *line; /* without the line ends */
    const uint64_t *hash;     /* of the lines' keys; only if lines_config.prepare sets it, like time */
    const int64_t *time;
    const bool *seen;  /* the answers of look_up; NULL without it */
    size_t answered;   /* so many of them; fewer than n: there was no memory for the next line */
    const char *name;  /* of the file, for messages */
    uint64_t first;    /* number of line[0] in the file, from 1 */
    bool unterminated; /* the last line is the end of the file and has no line end */
};

struct lines_config {
    struct operands files;
    char end;        /* the byte that ends a line: newline or NUL */
    const char *csv; /* NULL, or the delimiter of CSV records: a line end inside quotes does not end the record */
    unsigned jobs;   /* 0 and 1: no threads */

    /* Computes hash[i] and time[i] of n lines. Is called by several threads, each with a `worker` of its own. */
    void (*prepare)(void *worker, const struct slice *line, size_t n, uint64_t *hash, int64_t *time);
    void *worker[MAX_JOBS];

    /* With several jobs: sets seen[] for the lines of the chunk that belong to the part, and lowers `answered` if there is no
     * memory. NULL: the caller looks lines up. */
    void (*look_up)(void *context, unsigned part, struct chunk *c);
    unsigned parts;

    /* See struct input. */
    int (*idle)(void *context);
    void *context;
};

/* A part of the input that ends where a line ends. */
struct chunk {
    char *bytes;
    size_t size, capacity;
    size_t split; /* bytes that are split into lines so far */
    struct slice *line;
    uint64_t *hash;
    int64_t *time;
    bool *seen;
    size_t n, room;  /* lines; room for so many */
    size_t answered; /* lines before the first one that could not be looked up */
    const char *name;
    bool unterminated, first_of_file;
    uint64_t read; /* bytes of input read so far */
};

struct lines {
    struct lines_config config;
    uint64_t count; /* lines returned so far */
    uint64_t bytes; /* bytes read so far */
    uint64_t size;  /* bytes of the whole input; 0: unknown (a pipe) */

    /* private */
    struct input input;
    char *carry; /* half a line, for the next chunk */
    size_t carried, carry_capacity;
    struct chunk chunk; /* with one job */
    const struct chunk *current;
    size_t at;           /* lines of the current chunk that were returned */
    uint64_t line;       /* number of the next line in its file */
    struct ahead *ahead; /* with several */
};

/* Exits if a file cannot be opened. */
void lines_open(struct lines *in, const struct lines_config *config);

/* Reads the next batch, which is valid until the next call. False: end of input, an error, or a signal was received. */
bool lines_next(struct lines *in, struct batch *b);

/* Exits if the input could not be read to its end. To be called after the last batch: before a filter is saved that must
 * have all lines, or after the results of the lines before the error are safe. */
void lines_check(const struct lines *in);

void lines_close(struct lines *in);

/* For lines_ahead.c. Fills a chunk; false: there is no more. */
bool chunk_fill(struct lines *in, struct chunk *c);

/* Splits and prepares up to `most` more lines of the chunk. Lines before are kept if `keep`. */
void chunk_split(const struct lines *in, void *worker, struct chunk *c, size_t most, bool keep);

void chunk_free(struct chunk *c);

/* Starts the threads; takes the next chunk from them (NULL: no more); ends them. */
struct ahead *ahead_start(struct lines *in);
const struct chunk *ahead_next(struct ahead *a);
void ahead_stop(struct ahead *a);

#endif
