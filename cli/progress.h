/* How far a command has come, on stderr: lines, bytes, rate, and when it will end if that can be known.
 *
 *     12.4M lines, 401 MiB, 2.31M lines/s, 37%, 0:09 left
 *
 * Shown when stderr is a terminal that nothing else is written to, or when asked for. */
#ifndef GUIRA_CLI_PROGRESS_H
#define GUIRA_CLI_PROGRESS_H

#include <stdbool.h>

#include "lines.h"

#define PROGRESS_OPTION(to) \
    { 0, "progress", OPT_FLAG, to, NULL, "say how far it is, even if stderr is no terminal", NULL }

void progress_begin(bool forced);

/* Once per batch or less; it looks at the clock and seldom does more. */
void progress_tick(const struct lines *in);

/* The last word, where there were others. */
void progress_end(const struct lines *in);

/* Takes the line away before something else is said. */
void progress_hide(void);

/* Seconds that pass evenly, from some moment on. */
double clock_seconds(void);

#endif
