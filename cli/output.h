/* Buffered output to stdout: a line costs one copy, and no system call until the buffer is full. */
#ifndef GUIRA_CLI_OUTPUT_H
#define GUIRA_CLI_OUTPUT_H

#include "lines.h"

#define OUTPUT_OPTION(to) \
    { 'o', "output", OPT_TEXT, to, "FILE", "write to FILE, not to stdout", NULL }

/* From now on stdout is the file at path, which is created or emptied. NULL: no change. Exits if it cannot be written, or
 * if it is one of the input files, which would be lost. */
void output_open(const char *path, struct operands inputs);

/* Appends n bytes to the output. */
void output_write(const void *bytes, size_t n);

/* Writes the lines i of b with selected[i] == wanted, each followed by the byte `end`. */
void output_lines(const struct batch *b, const bool *selected, bool wanted, char end);

/* Writes everything in the buffer. Exits with status 2 if that fails; without a message if the reader of a pipe has
 * closed it. */
void output_flush(void);

#endif
