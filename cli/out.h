/* Lines on their way to stdout: gathered in a large buffer, so that a line costs a copy and no system call. */
#ifndef GUIRA_CLI_OUT_H
#define GUIRA_CLI_OUT_H

#include "lines.h"

void out_write(const void *bytes, size_t n);

/* The lines of b for which pick is `wanted`, each with `end` behind it. */
void out_lines(const struct batch *b, const bool *pick, bool wanted, char end);

/* Everything written so far is with the reader, or the command ends: quietly if nobody reads any more. */
void out_flush(void);

#endif
