/* uniq, add, remove and test with --redis: see redis.h.
 *
 * WHAT IF A CONNECTION IS LOST? It is unknown whether the commands in flight were executed. Each command handles their
 * lines in a safe way and prints their number:
 *
 *     uniq     prints them: a line may be printed twice, none is lost
 *     add      adds them again: a line may be in the filter twice, none is missing
 *     remove   does not try again: a second removal could remove the entry of another line
 *     test     looks them up again */
#include <stdio.h>

#include "output.h"
#include "redis_filter.h"
#include "report.h"
#include "signals.h"
#include "units.h"

/* A command in progress, with the number of lines by answer. */
struct redis_run {
    struct redis_filter filter;
    const struct redis_job *job;
    uint64_t yes, no, unsure, lines;
    bool reported_full;
};

typedef unsigned long long ull;

/* Adds the answers of the block to the totals. */
static void count_answers(struct redis_run *run, const struct block *b) {
    run->yes += block_count(b, YES);
    run->no += block_count(b, NO);
    run->unsure += block_count(b, UNSURE);
}

/* At the end: reports keys that disappeared, and lines whose result is uncertain. */
static void report_uncertain(const struct redis_run *run, const char *consequence) {
    const struct redis_filter *f = &run->filter;
    char text[UNIT_TEXT];
    if (f->recreated > 0)
        note("%s: disappeared %s and was created again, empty", run->job->name,
             write_number(f->recreated, "time", text));
    if (f->uncertain > 0)
        note("%s in flight when a connection was lost: %s", write_number(f->uncertain, "line", text), consequence);
}

/* The number of the first line with this answer. */
static uint64_t first_with(const struct block *b, enum answer answer) {
    size_t i = 0;
    while (i < b->n && b->answer[i] != answer) i++;
    return b->first + i;
}

static uint64_t last_line(const struct block *b) { return b->first + b->n - 1; }

/* ------------------------------------------------------------------------------------------------------------- uniq */

/* Lines after the first refused one may have been added; they are printed, because they are in the filter now. So a
 * second run that continues at the first refused line loses none. */
static void report_full(struct redis_run *run, const struct block *b) {
    uint64_t refused = block_count(b, REFUSED), line = first_with(b, REFUSED);
    if (refused == 0) return;
    if (!run->job->pass_when_full)
        trouble("%s: line %llu of the input: no room for more on the server; of the lines from there to line %llu, "
                "%llu were not "
                "printed (--on-full pass prints all)",
                run->job->name, (ull)line, (ull)last_line(b), (ull)refused);
    if (!run->reported_full)
        note("%s: line %llu of the input: no room for more on the server; new lines are printed every time they occur",
             run->job->name, (ull)line);
    run->reported_full = true;
}

/* Handles a block of uniq. Prints all lines that must be printed before it exits because of an error. */
static bool print_new(void *context, struct block *b) {
    struct redis_run *run = context;
    const char *error;
    bool all = redis_filter_execute(&run->filter, b, &error);
    for (size_t i = 0; i < b->n; i++) {
        bool print =
            b->answer[i] == YES || b->answer[i] == UNSURE || (b->answer[i] == REFUSED && run->job->pass_when_full);
        if (print) block_print(b, i);
        run->yes += print;
    }
    run->lines = last_line(b);
    output_flush(); /* the server has the lines now; if this process is killed, at most one block is lost */
    if (!all)
        trouble(
            "%s; of the lines %llu to %llu, %llu were not processed and %llu were printed without a reply; continue "
            "from line %llu",
            error, (ull)b->first, (ull)last_line(b), (ull)block_count(b, UNANSWERED), (ull)block_count(b, UNSURE),
            (ull)b->first);
    report_full(run, b);
    return true;
}

int redis_uniq(const struct redis_job *job) {
    static struct redis_run run;
    run.job = job;
    redis_filter_open(&run.filter, job, job->window > 0 ? WINDOW_SEEN : INSERT_NEW);
    signals_catch(); /* not earlier, so that Ctrl-C ends a connection attempt at once */
    blocks_read(job, print_new, &run);
    char lines[UNIT_TEXT];
    ull in = run.lines, out = run.yes;
    if (job->count) note("%s in, %llu out, %llu dropped", write_number(in, "line", lines), out, in - out);
    report_uncertain(&run, "printed, possibly for the second time");
    if (signal_received()) signal_reraise();
    return EXIT_YES;
}

/* --------------------------------------------------------------------------------------------------- add and remove */

/* Handles a block of add or remove. */
static bool add_or_remove(void *context, struct block *b) {
    struct redis_run *run = context;
    const char *error;
    bool all = redis_filter_execute(&run->filter, b, &error);
    count_answers(run, b);
    if (!all)
        trouble("%s; of the lines %llu to %llu, %llu were not processed and for %llu the result is unknown", error,
                (ull)b->first, (ull)last_line(b), (ull)block_count(b, UNANSWERED), (ull)block_count(b, UNSURE));
    if (block_count(b, REFUSED) > 0)
        trouble("%s: line %llu of the input: refused, like %llu of the lines from there to line %llu: the filter is "
                "full, the "
                "server has no memory, or there are too many copies of one line (omit --count-copies)",
                run->job->name, (ull)first_with(b, REFUSED), (ull)block_count(b, REFUSED), (ull)last_line(b));
    return true;
}

static void read_all(struct redis_run *run, const struct redis_job *job, enum operation operation) {
    run->job = job;
    redis_filter_open(&run->filter, job, operation);
    blocks_read(job, add_or_remove, run);
}

/* "2 lines were not in the filter" */
static void report_lines(uint64_t n, const char *where) {
    char lines[UNIT_TEXT];
    note("%s %s %s", write_number(n, "line", lines), n == 1 ? "was" : "were", where);
}

int redis_add(const struct redis_job *job) {
    static struct redis_run run;
    read_all(&run, job, job->unique ? INSERT_NEW : INSERT);
    char lines[UNIT_TEXT];
    if (!job->quiet) note("%s: %s added", job->name, write_number(run.yes, "line", lines));
    if (!job->quiet && job->unique && run.no + run.unsure > 0)
        report_lines(run.no + run.unsure, "already in the filter");
    report_uncertain(&run, job->unique ? "sent again, and added once" : "added again, possibly for the second time");
    return EXIT_YES;
}

int redis_remove(const struct redis_job *job) {
    static struct redis_run run;
    read_all(&run, job, REMOVE);
    char lines[UNIT_TEXT];
    if (!job->quiet) note("%s: %s removed", job->name, write_number(run.yes, "line", lines));
    if (run.no > 0) report_lines(run.no, "not in the filter");
    report_uncertain(&run, "possibly removed, possibly not");
    return run.no + run.unsure == 0 ? EXIT_YES : EXIT_NO;
}

/* ------------------------------------------------------------------------------------------------------------- test */

/* Handles a block of test. */
static bool look_up(void *context, struct block *b) {
    struct redis_run *run = context;
    const char *error;
    if (!redis_filter_execute(&run->filter, b, &error)) {
        output_flush();
        trouble("%s; lines from %llu on were not tested", error, (ull)b->first);
    }
    count_answers(run, b);
    for (size_t i = 0; !run->job->quiet && i < b->n; i++)
        if ((b->answer[i] == YES) != run->job->invert) block_print(b, i);
    uint64_t wanted = run->job->invert ? run->no : run->yes, other = run->job->invert ? run->yes : run->no;
    return !(run->job->stop_early && (run->job->all ? other > 0 : wanted > 0));
}

int redis_test(const struct redis_job *job) {
    static struct redis_run run;
    run.job = job;
    redis_filter_open(&run.filter, job, CONTAINS);
    blocks_read(job, look_up, &run);
    if (job->count) printf("present %llu\nabsent %llu\n", (ull)run.yes, (ull)run.no);
    uint64_t wanted = job->invert ? run.no : run.yes, other = job->invert ? run.yes : run.no;
    return (job->all ? other == 0 : wanted > 0) ? EXIT_YES : EXIT_NO;
}
