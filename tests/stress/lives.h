/* Processes that are killed. A run has several lives: child processes, one after the other, that continue with the file that
 * the one before has left. What they expect is in memory that they share with the run, which survives them. */
#ifndef GUIRA_STRESS_LIVES_H
#define GUIRA_STRESS_LIVES_H

#include "stress.h"

/* Memory that is shared with child processes; zero at first. */
void *kept_make(size_t size);

/* Sends SIGKILL to this process in so many microseconds. */
void kill_in(uint64_t microseconds);

/* Runs life() in a child process. True: it was killed; false: it has ended. If it has found something wrong, this process
 * exits, too. Removes temporary files that saving `name` left behind, and checks that there is one at most. */
bool live(void (*life)(struct rng *r), struct rng *r, const char *name);

#endif
