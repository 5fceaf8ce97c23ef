/* What is done with each line before it is looked up: finding its key, hashing it, and reading its time. Several threads
 * can do it, each with a worker of its own. */
#ifndef GUIRA_CLI_LINE_WORK_H
#define GUIRA_CLI_LINE_WORK_H

#include <guira.h>
#include <guira_window.h>

#include "keys.h"
#include "line_time.h"
#include "lines.h"

/* The hash function of a filter or window. It must not be changed by one thread while another one hashes, so with several
 * jobs this is an empty twin, see hasher_twin. */
struct hasher {
    uint64_t (*hash)(const void *what, const void *key, size_t n);
    const void *what;
};

struct hasher hasher_of_filter(const guira *f);
struct hasher hasher_of_window(const guira_window *w);

/* An empty filter or window with the same seed, for use by other threads. */
struct hasher hasher_twin_of_filter(const guira *f);
struct hasher hasher_twin_of_window(const guira_window *w);

/* The configuration for lines_open. `time` may be NULL: no times. All arguments have to live as long as the lines. */
struct lines_config line_work(const struct key_options *k, struct operands files, struct hasher h,
                              const struct time_options *time, unsigned jobs);

/* The positional arguments from `first` on. */
static inline struct operands operands_from(int argc, char **argv, int first) {
    return (struct operands){argv + first, argc > first ? (size_t)(argc - first) : 0};
}

#endif
