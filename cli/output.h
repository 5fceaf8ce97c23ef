/* Buffered output to stdout: a line costs one copy, and no system call until the buffer is full. */
#ifndef GUIRA_CLI_OUTPUT_H
#define GUIRA_CLI_OUTPUT_H

#include "lines.h"

/* Appends n bytes to the output. */
void output_write(const void *bytes, size_t n);

/* Writes the lines i of b with selected[i] == wanted, each followed by the byte `end`. */
void output_lines(const struct batch *b, const bool *selected, bool wanted, char end);

/* Writes everything in the buffer. Exits with status 2 if that fails; without a message if the reader of a pipe has
 * closed it. */
void output_flush(void);

#endif
