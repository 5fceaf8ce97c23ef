/* guira-stress: filters under random operations, faults, threads and kill -9, against an exact model.
 *
 * One seed gives any number of runs. A run is a process of its own and depends on the seed and its number alone, so
 *
 *     guira-stress --seed S --run N
 *
 * does the same again. (Threads and kills by time are as repeatable as the machine.) What a run expects is kept outside the
 * code under test: a model beside the filter, and for processes that are killed, memory that they share with their parent.
 *
 *     main.c           options, processes, counts
 *     config.c         random configurations
 *     faults.c         allocations, mmap and disk calls that fail, and kill -9 at one of them
 *     tally.h          the exact multiset
 *     run_filter.c     every kind of filter; whole_filter.c: clones, files, views, merges, unions
 *     run_window.c     windows
 *     run_threads.c    shared filters and real threads
 *     run_lives.c      a filter or a window that survives kill -9 in its file
 *     run_storm.c      a shared filter with threads that survives kill -9 in its file */
#ifndef GUIRA_STRESS_H
#define GUIRA_STRESS_H

#include "support.h"

/* Added up over all processes, in memory that they share. */
struct counts {
    uint64_t runs, changes, lookups, refusals, faults, kills, files, threads;
};

/* What this process is doing. */
struct job {
    uint64_t seed, number;
    const char *program, *directory;
    struct counts *total;
    char what[200]; /* the configuration, for messages */
};
extern struct job job;
extern struct counts counts; /* of this process; added to job.total at its end */

/* Adds counts to job.total and clears them. */
void counts_add(void);

/* Prints what is wrong and how to repeat it in one line, and exits. */
_Noreturn void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define EXPECT(condition, ...)                 \
    do {                                       \
        if (!(condition)) broken(__VA_ARGS__); \
    } while (0)

enum { EXIT_BROKEN = 3 };

static inline bool chance(struct rng *r, uint64_t one_in) { return rng_below(r, one_in) == 0; }

/* 1 << from .. 1 << to, every power of two as likely. */
static inline uint64_t rng_scaled(struct rng *r, unsigned from, unsigned to) {
    uint64_t high = UINT64_C(1) << (from + rng_below(r, to - from + 1));
    return high + rng_below(r, high);
}

static inline uint64_t mix(uint64_t x) { return rng_next(&(struct rng){x}); }

/* The file of this process that is called so. */
const char *file_in(const char *name);

/* Random, and accepted by guira_create. Describes it in job.what. */
guira_config config_draw(guira_kind kind, struct rng *r);
guira_window_config window_config_draw(struct rng *r);
void describe(const guira_config *c);

void run_filter(struct rng *r);
void run_window(struct rng *r);
void run_lives(struct rng *r);
#ifdef GUIRA_TEST_SHARED
void run_threads(struct rng *r);
void run_storm(struct rng *r);
#endif

#endif
