/* The bytes that a command reads: stdin or files, one after the other.
 *
 *     guira uniq a.log b.log.gz -          a.log, then b.log.gz decompressed, then stdin
 *
 * Compressed input (gzip, zstd) is recognised by its first bytes, so it may also come from stdin. A file whose name ends
 * in .gz or .zst and that does not start like that is an error: it is damaged, and its bytes are not lines.
 *
 * Nothing here exits: reading may happen in a thread of its own, and what was read before an error is still used. */
#ifndef GUIRA_CLI_INPUT_H
#define GUIRA_CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of files; "-" is stdin. No names: stdin alone. */
struct operands {
    char **name;
    size_t n;
};

struct decoder;

struct input {
    struct operands files;
    size_t next;      /* index of the next file */
    const char *name; /* of the current file, for messages */
    uint64_t bytes;   /* read so far from all files, as they are stored */
    uint64_t size;    /* of all files; 0: not known, for example a pipe */
    char error[256];  /* empty: none */

    /* Called before waiting for input, so that output does not stay in a buffer. Returns the number of milliseconds
     * after which to be called again if there is still no input, or -1. May be NULL. */
    int (*idle)(void *context);
    void *context;

    /* private */
    int fd; /* -1: no file is open */
    struct decoder *decoder;
    unsigned char *raw;
    size_t raw_from, raw_to; /* raw[raw_from ... raw_to - 1] was read and not used */
    bool raw_ended;
};

/* Exits if one of the files cannot be opened: better before anything is done than after hours of reading. */
void input_check(struct operands files);

/* Exits like input_check. */
void input_open(struct input *in, struct operands files);

/* Opens the next file. False: there is none, or in->error is set. */
bool input_next(struct input *in);

/* Reads up to n bytes of the current file. 0: its end, or a signal was received, or in->error is set. */
size_t input_read(struct input *in, char *to, size_t n);

/* Closes the current file. */
void input_end(struct input *in);

void input_close(struct input *in);

/* Counts the bytes `end` of the whole input. False: it has to be read to know that, because a part of it is a pipe or
 * compressed. Positions are unchanged. */
bool input_count_lines(struct operands files, char end, uint64_t *out);

/* Exits if one of the files is the one at `path`, which is going to be written. */
void input_must_not_include(struct operands files, const char *path);

#endif
