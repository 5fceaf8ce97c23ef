/* guira build, add and remove: filter files from lines.
 *
 *     lines --hash--> [ filter in memory ] --guira_save--> FILE
 *
 * All the work is done in memory; FILE is the old one until the new one is whole. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "filter_file.h"
#include "filter_new.h"
#include "keys.h"
#include "progress.h"
#include "redis.h"
#include "report.h"
#include "units.h"

struct change {
    const char *path;
    guira *filter;
    struct key_options keys;
    bool unique; /* add: not what seems to be there */
    bool remove;
    uint64_t checkpoint;    /* milliseconds; 0: only at the end */
    uint64_t done, skipped; /* skipped: there already, or not there to be removed */
    bool progress, quiet;
};

#define CHECKPOINT_OPTION(to) \
    { 0, "checkpoint", OPT_DURATION, to, "TIME", "save every TIME, not only at the end", NULL }
#define QUIET_OPTION(to) \
    { 'q', "quiet", OPT_FLAG, to, NULL, "no summary at the end", NULL }
#define UNIQUE_OPTION(to) \
    { 'u', "unique", OPT_FLAG, to, NULL, "leave out lines that seem to be in it already", NULL }

static void refuse(const struct change *c, uint64_t line, guira_status s) {
    const char *advice = "no memory for more; nothing since the last save was kept";
    if (s == GUIRA_EDUPLICATE) advice = "more copies of one line than a filter can count; --unique adds each only once";
    if (s == GUIRA_EFULL) advice = "the filter is full; build a larger one with --items, or one of --kind tidal";
    trouble("%s: stdin, line %llu: %s", c->path, (unsigned long long)line, advice);
}

static void insert_unique(struct change *c, const struct batch *b, const uint64_t *hash) {
    bool there[BATCH];
    guira_contains_hash_many(c->filter, hash, b->n, there);
    for (size_t i = 0; i < b->n; i++) {
        if (there[i] || guira_contains_hash(c->filter, hash[i])) continue;
        guira_status s = guira_insert_hash(c->filter, hash[i]);
        if (s != GUIRA_OK) refuse(c, b->first + i, s);
        c->done++;
    }
}

static void insert(struct change *c, const struct batch *b, const uint64_t *hash) {
    guira_status status[BATCH];
    size_t n = guira_insert_hash_many(c->filter, hash, b->n, status);
    for (size_t i = 0; n < b->n && i < b->n; i++)
        if (status[i] != GUIRA_OK) refuse(c, b->first + i, status[i]);
    c->done += n;
}

static void take_out(struct change *c, const struct batch *b, const uint64_t *hash) {
    guira_status status[BATCH];
    c->done += guira_remove_hash_many(c->filter, hash, b->n, status);
    for (size_t i = 0; i < b->n; i++)
        if (status[i] != GUIRA_OK && status[i] != GUIRA_ENOTFOUND) filter_trouble(c->path, status[i]);
}

static void apply(struct change *c, const struct batch *b) {
    uint64_t hash[BATCH];
    keys_hash(&c->keys, c->filter, b, hash);
    if (c->remove) take_out(c, b, hash);
    else if (c->unique) insert_unique(c, b, hash);
    else insert(c, b, hash);
    c->skipped = b->first + b->n - 1 - c->done;
}

static void read_and_save(struct change *c) {
    struct lines in;
    struct batch b;
    double period = (double)c->checkpoint / 1000, next = clock_seconds() + period;
    lines_open(&in, key_line_end(&c->keys));
    progress_begin(c->progress);
    while (lines_next(&in, &b)) {
        apply(c, &b);
        progress_tick(&in);
        if (c->checkpoint == 0 || clock_seconds() < next) continue;
        filter_save(c->filter, c->path);
        filter_lock_again(c->path);
        next = clock_seconds() + period;
    }
    filter_save(c->filter, c->path);
    progress_end(&in);
    lines_close(&in);
}

static void sum_up(const struct change *c) {
    guira_stats s;
    char size[UNIT_TEXT], rate[UNIT_TEXT];
    guira_stats_get(c->filter, &s);
    if (!c->quiet) {
        note("%s: %llu lines %s, %llu in it now; %s, wrong answers %s", c->path, (unsigned long long)c->done,
             c->remove ? "removed" : "added", (unsigned long long)s.items,
             write_size((double)guira_saved_size(c->filter), size), write_rate(s.fpr, rate));
        if (c->unique) note("%llu lines were there already", (unsigned long long)c->skipped);
    }
    if (c->remove && c->skipped > 0) note("%llu lines were not there to be removed", (unsigned long long)c->skipped);
    guira_destroy(c->filter);
}

/* --------------------------------------------------------------------------------------------------------------- build */

/* An empty filter with the seed and shape of the one in the file, so that both can be merged. */
static guira *filter_like(const char *path) {
    guira *model = filter_map(path), *f;
    guira_config config;
    guira_config_get(model, &config);
    guira_destroy(model);
    guira_status s = guira_create(&config, &f);
    if (s != GUIRA_OK) filter_trouble(path, s);
    return f;
}

static int build_run(int argc, char **argv) {
    struct change c = {0};
    struct wish wish = {0};
    const char *like = NULL;
    bool force = false;
    const struct opt table[] = {
        {'n', "items", OPT_COUNT, &wish.items, "N", "make room for N lines at once: smaller rate, faster", NULL},
        {'p', "fpr", OPT_RATE, &wish.fpr, "RATE", "most wrong answers to accept (default: 0.045% when fresh)", NULL},
        {0, "kind", OPT_CHOICE, &wish.kind, "KIND", "tidal (default), cuckoo, dynamic, elastic, consistent",
         kind_names},
        {0, "like", OPT_TEXT, &like, "OTHER", "same seed and shape as OTHER, to be merged with it", NULL},
        UNIQUE_OPTION(&c.unique),
        {'f', "force", OPT_FLAG, &force, NULL, "replace FILE if it exists", NULL},
        KEY_OPTIONS(&c.keys),
        QUIET_OPTION(&c.quiet),
        PROGRESS_OPTION(&c.progress),
        OPT_END,
    };
    options_read(&command_build, table, &argc, argv, 1, 1);
    c.path = argv[1];
    if (like != NULL && (wish.items != 0 || wish.fpr != 0 || wish.kind != 0))
        trouble("--like takes everything from %s: leave out --items, --fpr and --kind", like);
    if (!force && file_exists(c.path)) trouble("%s exists; 'guira add' adds to it, --force replaces it", c.path);
    must_be_writable(c.path);
    c.filter = like != NULL ? filter_like(like) : filter_new(&wish);
    read_and_save(&c);
    sum_up(&c);
    return EXIT_YES;
}

const struct command command_build = {
    "build", "[options] FILE <lines", "make a filter file from lines",
    "Each line is added once for each time it comes, and has to be removed as often. Lines with more than some 20\n"
    "copies need --unique; from a file made so, do not remove.\n"
    "FILE holds the seed that hides its lines: keep it as secret as they are. Exit status: 0, or 2 for trouble.\n"
    "\n"
    "examples:\n"
    "  guira build words.gf </usr/share/dict/words\n"
    "  guira build --items 10M --fpr 0.1% users.gf <users.txt\n"
    "  cut -d, -f1 sales.csv | guira build --unique customers.gf\n"
    "  guira build --like monday.gf tuesday.gf <tuesday.log && guira merge week.gf monday.gf tuesday.gf\n",
    build_run};

/* ------------------------------------------------------------------------------------------------------ add and remove */

static void change_file(struct change *c) {
    filter_lock(c->path, true);
    must_be_writable(c->path);
    c->filter = filter_load(c->path);
    read_and_save(c);
    sum_up(c);
}

static struct redis_job job_of(const struct change *c, const struct redis_options *redis) {
    redis_refuse(redis, c->checkpoint > 0, "checkpoint");
    return (struct redis_job){.redis = *redis,
                              .name = c->path,
                              .keys = c->keys,
                              .unique = c->unique,
                              .quiet = c->quiet,
                              .progress = c->progress};
}

static int add_run(int argc, char **argv) {
    struct change c = {0};
    struct redis_options redis = {0};
    struct wish wish = {0};
    const struct opt table[] = {
        UNIQUE_OPTION(&c.unique),
        KEY_OPTIONS(&c.keys),
        CHECKPOINT_OPTION(&c.checkpoint),
        QUIET_OPTION(&c.quiet),
        PROGRESS_OPTION(&c.progress),
        REDIS_OPTIONS(&redis),
        {'n', "items", OPT_COUNT, &wish.items, "N", "with --redis: make room for N lines if there is no such key",
         NULL},
        {'p', "fpr", OPT_RATE, &wish.fpr, "RATE", "with --redis: most wrong answers, if there is no such key", NULL},
        OPT_END,
    };
    options_read(&command_add, table, &argc, argv, 1, 1);
    redis_check_options(&redis);
    c.path = argv[1];
    struct redis_job job = job_of(&c, &redis);
    job.wish = wish;
    if (redis.url != NULL) return redis_add(&job);
    if (wish.items > 0 || wish.fpr > 0)
        trouble("--items, --fpr: a file that exists has them already; 'guira build' makes one");
    change_file(&c);
    return EXIT_YES;
}

const struct command command_add = {
    "add", "[options] FILE|NAME <lines", "add lines to a filter file",
    "FILE is replaced in one step at the end: when the command has ended with status 0 the lines are in it and on the\n"
    "disk, and before that it is as it was. With --checkpoint it is replaced now and then as well. Two commands that\n"
    "change one file wait for each other. Exit status: 0, or 2 for trouble.\n"
    "\n"
    "With --redis, NAME is a key of the server, which is made if it is not there. Lines are added as they come. If a "
    "server\n"
    "is lost, lines that were in flight are added again, perhaps for the second time.\n"
    "\n"
    "examples:\n"
    "  guira add users.gf <new-users.txt\n"
    "  tail -n +2 huge.csv | guira add --checkpoint 1m -t, -k1 customers.gf\n"
    "  guira add --redis redis://localhost --items 1M --fpr 0.1% users <users.txt\n",
    add_run};

static int remove_run(int argc, char **argv) {
    struct change c = {.remove = true};
    struct redis_options redis = {0};
    const struct opt table[] = {KEY_OPTIONS(&c.keys),   CHECKPOINT_OPTION(&c.checkpoint),
                                QUIET_OPTION(&c.quiet), PROGRESS_OPTION(&c.progress),
                                REDIS_OPTIONS(&redis),  OPT_END};
    options_read(&command_remove, table, &argc, argv, 1, 1);
    redis_check_options(&redis);
    c.path = argv[1];
    struct redis_job job = job_of(&c, &redis);
    if (redis.url != NULL) return redis_remove(&job);
    change_file(&c);
    return c.skipped == 0 ? EXIT_YES : EXIT_NO;
}

const struct command command_remove = {
    "remove", "[options] FILE|NAME <lines", "remove lines from a filter file",
    "Remove only lines that were added: a filter cannot tell a member from a false positive, and removing what was\n"
    "never added may take away a line that was. Lines that surely are not there are counted and left.\n"
    "Exit status: 0 all were there, 1 some were not, 2 trouble.\n"
    "\n"
    "With --redis, NAME is a key of the server. If a server is lost, lines that were in flight are not tried again, "
    "because\n"
    "a second removal may take away another line; they are counted, and the status is 1.\n"
    "\n"
    "examples:\n"
    "  guira remove users.gf <closed-accounts.txt\n"
    "  guira remove --redis redis://localhost users <closed-accounts.txt\n",
    remove_run};
