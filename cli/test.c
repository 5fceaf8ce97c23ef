/* guira test: prints the lines that are in a filter file, or those that are not. */
#include <stdio.h>

#include "commands.h"
#include "filter_file.h"
#include "keys.h"
#include "output.h"
#include "progress.h"
#include "redis.h"
#include "report.h"

struct test {
    struct key_options keys;
    bool invert, quiet, count, trust, progress;
    uint64_t present, absent;
};

/* Before waiting for input: results for the lines so far must not stay in the buffer. */
static int flush_when_idle(void *context) {
    (void)context;
    output_flush();
    return -1;
}

/* Reads stdin, counts present and absent lines, and prints those that were requested. */
static void read_and_test(struct test *t, const guira *f) {
    struct lines in;
    struct batch b;
    uint64_t hash[BATCH];
    bool found[BATCH];
    lines_open(&in, key_line_end(&t->keys));
    in.idle = flush_when_idle;
    progress_begin(t->progress);
    while (lines_next(&in, &b)) {
        keys_hash(&t->keys, f, &b, hash);
        t->present += guira_contains_hash_many(f, hash, b.n, found);
        if (!t->quiet && !t->count) output_lines(&b, found, !t->invert, in.end);
        progress_tick(&in);
        t->absent = in.count - t->present;
        if (t->quiet && t->absent > 0) break; /* the exit status is known */
    }
    output_flush();
    progress_end(&in);
    lines_close(&in);
}

/* --quiet implies no output at all, even with --count. */
static int run_on_redis(const struct test *t, const struct redis_options *redis, const char *name) {
    redis_reject_option(redis, t->trust, "trust");
    struct redis_job job = {.redis = *redis, .name = name, .keys = t->keys, .progress = t->progress};
    job.invert = t->invert;
    job.count = t->count && !t->quiet;
    job.quiet = t->count || t->quiet;
    job.stop_at_absent = t->quiet;
    return redis_test(&job);
}

static int test_run(int argc, char **argv) {
    struct test t = {0};
    struct redis_options redis = {0};
    const struct opt table[] = {
        {'v', "invert", OPT_FLAG, &t.invert, NULL, "print the lines that are not in it", NULL},
        {'c', "count", OPT_FLAG, &t.count, NULL, "print only the numbers of present and absent lines", NULL},
        {'q', "quiet", OPT_FLAG, &t.quiet, NULL, "print nothing, stop at the first absent line", NULL},
        {0, "trust", OPT_FLAG, &t.trust, NULL, "do not verify FILE first; a large one opens faster", NULL},
        KEY_OPTIONS(&t.keys),
        PROGRESS_OPTION(&t.progress),
        REDIS_OPTIONS(&redis),
        OPT_END,
    };
    options_read(&command_test, table, &argc, argv, 1, 1);
    redis_require_url(&redis);
    if (redis.url != NULL) return run_on_redis(&t, &redis, argv[1]);
    guira *f = filter_map(argv[1]);
    if (!t.trust) filter_check(f, argv[1]);
    read_and_test(&t, f);
    guira_destroy(f);
    if (t.count && !t.quiet)
        printf("present %llu\nabsent %llu\n", (unsigned long long)t.present, (unsigned long long)t.absent);
    return t.absent == 0 ? EXIT_YES : EXIT_NO;
}

const struct command command_test = {
    "test", "[options] FILE|NAME <lines", "print the lines that are (probably) in a filter file",
    "Lines printed with -v are certainly not in FILE. Lines printed without -v are in it, except for false\n"
    "positives at the rate that 'guira info' prints. FILE is mapped, not loaded: many processes can share it, and\n"
    "it can be replaced meanwhile. With --redis, NAME is a key of the server.\n"
    "Exit status: 0 all lines are present, 1 some are absent, 2 error.\n"
    "\n"
    "examples:\n"
    "  guira test known.gf <candidates.txt                  known candidates\n"
    "  guira test -v known.gf <candidates.txt               unknown candidates\n"
    "  echo alice | guira test -q users.gf && echo 'probably a user'\n"
    "  guira test -c -t, -k2 known.gf <orders.csv\n"
    "  guira test -v --redis redis://localhost known <candidates.txt\n",
    test_run};
