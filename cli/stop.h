/* Ctrl-C and kill, turned into a question that is asked between two blocks of input. */
#ifndef GUIRA_CLI_STOP_H
#define GUIRA_CLI_STOP_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM only make stop_asked() true. The second one ends the process as ever. */
void stop_catch(void);

bool stop_asked(void);

/* Readable once a stop was asked for, so that nobody waits for input through it; -1 before stop_catch. */
int stop_fd(void);

/* Ends the process by the signal that asked, for the shell to see. */
void stop_now(void);

#endif
