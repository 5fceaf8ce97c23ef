/* guira test: prints the lines that are in a filter file, or those that are not. */
#include <stdio.h>

#include "any_filter.h"
#include "commands.h"
#include "filter_file.h"
#include "line_work.h"
#include "output.h"
#include "progress.h"
#include "redis.h"
#include "report.h"

struct test {
    struct key_options keys;
    bool invert, quiet, count, all, trust, progress;
    const char *output;
    uint64_t present, absent;
};

/* Before waiting for input: results for the lines so far must not stay in the buffer. */
static int flush_when_idle(void *context) {
    (void)context;
    output_flush();
    return -1;
}

/* With --quiet: is the exit status known before the end? */
static bool is_decided(const struct test *t) {
    uint64_t wanted = t->invert ? t->absent : t->present, other = t->invert ? t->present : t->absent;
    return t->quiet && (t->all ? other > 0 : wanted > 0);
}

/* As grep: 0 if a line was selected, or with --all, if all were. */
static int exit_status(const struct test *t) {
    uint64_t wanted = t->invert ? t->absent : t->present, other = t->invert ? t->present : t->absent;
    return (t->all ? other == 0 : wanted > 0) ? EXIT_YES : EXIT_NO;
}

/* Reads the input, counts present and absent lines, and prints those that were requested. */
static void read_and_test(struct test *t, const struct any_filter *f, struct operands files) {
    struct lines in;
    struct batch b;
    bool found[BATCH];
    struct lines_config config = line_work(&t->keys, files, any_hasher(f), NULL, 1);
    config.idle = flush_when_idle;
    lines_open(&in, &config);
    output_open(t->output, files);
    progress_begin(t->progress);
    while (!is_decided(t) && lines_next(&in, &b)) {
        t->present += any_contains(f, b.hash, b.n, found);
        if (!t->quiet && !t->count) output_lines(&b, found, !t->invert, in.config.end);
        progress_tick(&in);
        t->absent = in.count - t->present;
    }
    output_flush();
    progress_end(&in);
    lines_check(&in);
    lines_close(&in);
}

/* --quiet implies no output at all, even with --count. */
static int run_on_redis(const struct test *t, const struct redis_options *redis, const char *name,
                        struct operands files) {
    redis_reject_option(redis, t->trust, "trust");
    output_open(t->output, files);
    struct redis_job job = {.redis = *redis, .name = name, .keys = t->keys, .progress = t->progress, .files = files};
    job.invert = t->invert;
    job.count = t->count && !t->quiet;
    job.quiet = t->count || t->quiet;
    job.stop_early = t->quiet;
    job.all = t->all;
    return redis_test(&job);
}

static void check_file(const struct any_filter *f) {
    if (any_damage(f) != NULL) filter_trouble(f->path, GUIRA_ECORRUPT);
}

static int test_run(int argc, char **argv) {
    struct test t = {0};
    struct redis_options redis = {0};
    struct any_filter f;
    const struct opt table[] = {
        {'v', "invert", OPT_FLAG, &t.invert, NULL, "print the lines that are not in it", NULL},
        {'c', "count", OPT_FLAG, &t.count, NULL, "print only the numbers of present and absent lines", NULL},
        {'q', "quiet", OPT_FLAG, &t.quiet, NULL, "print nothing, stop when the exit status is known", NULL},
        {'a', "all", OPT_FLAG, &t.all, NULL, "status 0 only if all lines are present (with -v: absent)", NULL},
        {0, "trust", OPT_FLAG, &t.trust, NULL, "do not verify FILE first; a large one opens faster", NULL},
        KEY_OPTIONS(&t.keys),
        OUTPUT_OPTION(&t.output),
        PROGRESS_OPTION(&t.progress),
        REDIS_OPTIONS(&redis),
        OPT_END,
    };
    options_read(&command_test, table, &argc, argv, 1, MAX_OPERANDS);
    redis_require_url(&redis);
    key_options_check(&t.keys, false);
    struct operands files = operands_from(argc, argv, 2);
    if (redis.url != NULL) return run_on_redis(&t, &redis, argv[1], files);
    any_open_intact(&f, argv[1]);
    if (!t.trust) check_file(&f);
    read_and_test(&t, &f, files);
    any_close(&f);
    if (t.count && !t.quiet)
        printf("present %llu\nabsent %llu\n", (unsigned long long)t.present, (unsigned long long)t.absent);
    return exit_status(&t);
}

const struct command command_test = {
    "test", "[options] FILE|NAME [INPUT...]", "print the lines that are (probably) in a filter file",
    "Lines printed with -v are certainly not in FILE. Lines printed without -v are in it, except for false\n"
    "positives at the rate that 'guira info' prints. FILE is mapped, not loaded: many processes can share it, and\n"
    "it can be replaced meanwhile. FILE can also be a state of 'guira uniq'; that of a window is looked up at the "
    "time\n"
    "of its last line. With --redis, NAME is a key of the server.\n"
    "Exit status, as that of grep: 0 some line is present (with -v: absent), 1 none is, 2 error. With --all: 0 all\n"
    "are, 1 some are not.\n"
    "\n"
    "examples:\n"
    "  guira test known.gf candidates.txt                   known candidates\n"
    "  guira test -v known.gf candidates.txt                unknown candidates\n"
    "  echo alice | guira test -q users.gf && echo 'probably a user'\n"
    "  guira test -q --all known.gf *.log.gz || echo 'some are missing'\n"
    "  guira test -c -t, -k2 known.gf orders.csv\n"
    "  guira test -v --redis redis://localhost known candidates.txt\n",
    test_run};
