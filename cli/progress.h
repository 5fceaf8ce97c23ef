/* Progress of a command on stderr: lines, bytes, rate, and the remaining time if the size of the input is known.
 *
 *     12.4M lines, 401 MiB, 2.31M lines/s, 37%, 0:09 left
 *
 * It is shown if stderr is a terminal, or if --progress is given. */
#ifndef GUIRA_CLI_PROGRESS_H
#define GUIRA_CLI_PROGRESS_H

#include <stdbool.h>

#include "lines.h"

#define PROGRESS_OPTION(to) \
    { 0, "progress", OPT_FLAG, to, NULL, "show progress even if stderr is not a terminal", NULL }

void progress_begin(bool forced);

/* To be called once per batch: cheap, it reads the clock and rarely prints. */
void progress_tick(const struct lines *in);

/* Removes the progress line from a terminal; elsewhere prints the final numbers. */
void progress_end(const struct lines *in);

/* Removes the progress line from a terminal, before a message is printed. */
void progress_hide(void);

/* Seconds of the monotonic clock. */
double clock_seconds(void);

#endif
