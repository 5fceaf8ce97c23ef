/* Lines without a usable time in uniq --time-field: counting and reporting them. See line_time.h. */
#ifndef GUIRA_CLI_UNIQ_TIMES_H
#define GUIRA_CLI_UNIQ_TIMES_H

#include "line_time.h"

/* How many lines have a fault, and the first one. */
struct fault_count {
    uint64_t n;
    const char *name; /* of the file */
    uint64_t line;
};

/* Counts line i of the batch. */
void count_fault(struct fault_count *f, const struct batch *b, size_t i);

/* At the end: a message for each fault that occurred. f has TIME_FAULTS elements. */
void report_bad_times(const struct time_options *t, const struct fault_count *f);

/* --bad-time stop: exits because of this line, the only one that was counted. */
_Noreturn void trouble_bad_time(const struct time_options *t, const struct key_options *k, const struct fault_count *f,
                                struct slice line);

#endif
