/* uniq, add, remove and test on keys of Redis: see redis.h.
 *
 * WHAT IF A SERVER IS LOST? Lines in flight were carried out or not; nobody can tell. Each command has its own way to be on
 * the safe side:
 *
 *     uniq     passes them on: a line may come twice, none is lost
 *     add      adds them again: a line may be in the filter twice, none is missing
 *     remove   leaves them: a second removal could take away another line's entry
 *     test     asks again
 *
 * and says how many there were. */
#include <stdio.h>

#include "out.h"
#include "redis_filter.h"
#include "report.h"
#include "stop.h"

struct work {
    struct redis_filter filter;
    const struct redis_job *job;
    uint64_t yes, no, unsure, lines;
    bool said_full;
};

typedef unsigned long long ull;

static void count(struct work *w, const struct block *b) {
    w->yes += block_count(b, YES);
    w->no += block_count(b, NO);
    w->unsure += block_count(b, UNSURE);
}

/* What has to be known in the end, and is not in the answers. */
static void tell_doubts(const struct work *w, const char *what) {
    const struct redis_filter *f = &w->filter;
    if (f->made_again > 0) note("%s: was gone %llu times and was made again, empty", w->job->name, (ull)f->made_again);
    if (f->unsure > 0) note("%llu lines were in flight when a connection was lost: %s", (ull)f->unsure, what);
}

static uint64_t first_with(const struct block *b, enum answer answer) {
    size_t i = 0;
    while (i < b->n && b->answer[i] != answer) i++;
    return b->first + i;
}

static uint64_t last_of(const struct block *b) { return b->first + b->n - 1; }

/* ---------------------------------------------------------------------------------------------------------------- uniq */

/* Lines behind the first one that found no room may have found some: they are passed on, too, because they are known now.
 * So those who go on from that line again lose none. */
static void say_full(struct work *w, const struct block *b) {
    uint64_t refused = block_count(b, REFUSED), line = first_with(b, REFUSED);
    if (refused == 0) return;
    if (!w->job->pass_when_full)
        trouble(
            "%s: stdin, line %llu: no room for more on the server; %llu lines from there to line %llu were not passed "
            "on, the others were (--on-full pass passes on all)",
            w->job->name, (ull)line, (ull)refused, (ull)last_of(b));
    if (!w->said_full)
        note("%s: stdin, line %llu: no room for more on the server; new lines are passed on each time they come",
             w->job->name, (ull)line);
    w->said_full = true;
}

static bool pass_on(void *context, struct block *b) {
    struct work *w = context;
    const char *why;
    bool all = redis_filter_ask(&w->filter, b, &why);
    for (size_t i = 0; i < b->n; i++) {
        bool pass =
            b->answer[i] == YES || b->answer[i] == UNSURE || (b->answer[i] == REFUSED && w->job->pass_when_full);
        if (pass) block_print(b, i);
        w->yes += pass;
    }
    w->lines = last_of(b);
    out_flush(); /* they are known now: whoever ends us should take no more than one block with us */
    if (!all)
        trouble("%s; of the lines %llu to %llu, %llu were not decided and %llu passed on without an answer: go on from "
                "line %llu",
                why, (ull)b->first, (ull)last_of(b), (ull)block_count(b, UNASKED), (ull)block_count(b, UNSURE),
                (ull)b->first);
    say_full(w, b);
    return true;
}

int redis_uniq(const struct redis_job *job) {
    static struct work w;
    w.job = job;
    redis_filter_open(&w.filter, job, job->window > 0 ? SEE : INSERT_NEW);
    stop_catch(); /* not before: nobody should have to wait for a server that hangs */
    blocks_read(job, pass_on, &w);
    ull in = w.lines, out = w.yes;
    if (job->count) note("%llu lines in, %llu out, %llu held back", in, out, in - out);
    tell_doubts(&w, "they were passed on, some perhaps for the second time");
    if (stop_asked()) stop_now();
    return EXIT_YES;
}

/* ------------------------------------------------------------------------------------------------------- add and remove */

static bool change(void *context, struct block *b) {
    struct work *w = context;
    const char *why;
    bool all = redis_filter_ask(&w->filter, b, &why);
    count(w, b);
    if (!all)
        trouble("%s; of the lines %llu to %llu, %llu were not done and of %llu it is not known", why, (ull)b->first,
                (ull)last_of(b), (ull)block_count(b, UNASKED), (ull)block_count(b, UNSURE));
    if (block_count(b, REFUSED) > 0)
        trouble(
            "%s: stdin, line %llu: refused, and so were %llu lines from there to line %llu: the filter is full, the "
            "server has no memory, or there are too many copies of one line (--unique adds each only once)",
            w->job->name, (ull)first_with(b, REFUSED), (ull)block_count(b, REFUSED), (ull)last_of(b));
    return true;
}

static void read_all(struct work *w, const struct redis_job *job, enum verb verb) {
    w->job = job;
    redis_filter_open(&w->filter, job, verb);
    blocks_read(job, change, w);
}

int redis_add(const struct redis_job *job) {
    static struct work w;
    read_all(&w, job, job->unique ? INSERT_NEW : INSERT);
    if (!job->quiet) note("%s: %llu lines added", job->name, (ull)w.yes);
    ull old = w.no + w.unsure;
    if (!job->quiet && job->unique) note("%llu lines were there already", old);
    tell_doubts(&w, job->unique ? "they were added again, once" : "they were added again, some perhaps a second time");
    return EXIT_YES;
}

int redis_remove(const struct redis_job *job) {
    static struct work w;
    read_all(&w, job, REMOVE);
    if (!job->quiet) note("%s: %llu lines removed", job->name, (ull)w.yes);
    if (w.no > 0) note("%llu lines were not there to be removed", (ull)w.no);
    tell_doubts(&w, "they were removed or not, and this was not tried again");
    return w.no + w.unsure == 0 ? EXIT_YES : EXIT_NO;
}

/* ---------------------------------------------------------------------------------------------------------------- test */

static bool find(void *context, struct block *b) {
    struct work *w = context;
    const char *why;
    if (!redis_filter_ask(&w->filter, b, &why)) {
        out_flush();
        trouble("%s; lines from %llu on were not looked for", why, (ull)b->first);
    }
    count(w, b);
    for (size_t i = 0; !w->job->quiet && i < b->n; i++)
        if ((b->answer[i] == YES) != w->job->invert) block_print(b, i);
    return !(w->job->stop_at_no && w->no > 0);
}

int redis_test(const struct redis_job *job) {
    static struct work w;
    w.job = job;
    redis_filter_open(&w.filter, job, FIND);
    blocks_read(job, find, &w);
    if (job->count) printf("present %llu\nabsent %llu\n", (ull)w.yes, (ull)w.no);
    return w.no == 0 ? EXIT_YES : EXIT_NO;
}
