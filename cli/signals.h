/* SIGINT and SIGTERM end a command cleanly: it finishes the current batch, writes its output and saves its state. */
#ifndef GUIRA_CLI_SIGNALS_H
#define GUIRA_CLI_SIGNALS_H

#include <stdbool.h>

/* From now on the first SIGINT or SIGTERM only makes signal_received() true. A second one ends the process at once. */
void signals_catch(void);

bool signal_received(void);

/* A file descriptor that becomes readable when a signal arrives, to be polled together with stdin. -1 before
 * signals_catch. */
int signals_fd(void);

/* Ends the process with the signal that was received, so that the shell sees it in the exit status. */
void signal_reraise(void);

#endif
