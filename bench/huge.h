/* Huge pages for every filter, and how much of a filter has them. */
#ifndef GUIRA_BENCH_HUGE_H
#define GUIRA_BENCH_HUGE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes malloc use huge pages in this process, which starts again for that: call it with the arguments of main, before
 * anything was done. Returns true in the new process. False: not possible here; a message was printed to stderr. */
bool huge_pages_request(char **argv);

/* Bytes of this process that are on huge pages now; 0 also if the system does not tell. */
uint64_t huge_pages_bytes(void);

/* At least so much of a filter is on huge pages, in percent: what was added to `before` when it was made and filled, or what
 * is left of its bytes if all small pages of the process were its own, whichever is more. NAN: unknown, or the filter is
 * smaller than a huge page. */
double huge_pages_percent(uint64_t before, uint64_t bytes);

#endif
