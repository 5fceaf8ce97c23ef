/* A made-up stream of events that are delivered at least once. */
#ifndef GUIRA_CLI_EVENTS_H
#define GUIRA_CLI_EVENTS_H

#include <stdint.h>

/* n lines on stdout; every other one on average has an identity that came before, within the last minutes. */
void events_print(uint64_t n);

#endif
