/* An invented stream of events with duplicates, as a system with at-least-once delivery produces it. */
#ifndef GUIRA_CLI_DEMO_EVENTS_H
#define GUIRA_CLI_DEMO_EVENTS_H

#include <stdint.h>

/* Prints n lines, always the same ones. On average every second line repeats the order of an earlier one. */
void demo_events_print(uint64_t n);

#endif
