/* guira build, add and remove: create and change filter files.
 *
 *     lines --hash--> [ filter in memory ] --guira_save--> FILE
 *
 * The filter is changed in memory. FILE keeps its old content until the new one is completely written. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "file_save.h"
#include "filter_file.h"
#include "filter_new.h"
#include "line_work.h"
#include "progress.h"
#include "redis.h"
#include "report.h"
#include "units.h"

/* A change of a filter file: options, and the counts for the summary. */
struct change {
    const char *path;
    guira *filter;
    struct key_options keys;
    struct operands files;
    bool copies; /* add lines that the filter contains once more */
    bool remove;
    bool created;           /* FILE is there and locked; build creates it at the end */
    bool replace;           /* build --force */
    uint64_t reserved;      /* lines of the input that the filter was made for; 0: it was made without counting them */
    uint64_t checkpoint;    /* milliseconds; 0: save only at the end */
    uint64_t done, skipped; /* skipped: already in the filter, or not found (remove) */
    bool progress, quiet;
};

#define CHECKPOINT_OPTION(to) \
    { 0, "checkpoint", OPT_DURATION, to, "TIME", "save every TIME, not only at the end", NULL }
#define QUIET_OPTION(to) \
    { 'q', "quiet", OPT_FLAG, to, NULL, "print no summary at the end", NULL }
#define COPIES_OPTION(to) \
    { 0, "count-copies", OPT_FLAG, to, NULL, "add a line every time it occurs, not only once", NULL }

/* What to do about a full filter of this kind. Those of a list do not all follow from --items, and a fixed one with --buckets has
 * exactly so many. */
static const char *advice_if_full(const guira *f) {
    guira_config config = {0};
    guira_config_get(f, &config);
    if (config.kind == GUIRA_DYNAMIC)
        return "the filter is full; build one with more --max-filters or --buckets, or use --kind tidal";
    if (config.kind == GUIRA_CONSISTENT)
        return "the filter is full; build one with more --max-filters or a larger --ring, or use --kind tidal";
    if (config.kind == GUIRA_CUCKOO && config.buckets > 0)
        return "the filter is full; build one with more --buckets, or use --kind tidal";
    return "the filter is full; build a larger one with --items, or use --kind tidal";
}

/* Exits because line i could not be added. */
static void report_failed_line(const struct change *c, const struct batch *b, size_t i, guira_status s) {
    const char *advice = "out of memory; lines after the last save are not in the file";
    if (s == GUIRA_EDUPLICATE) advice = "too many copies of one line for the filter; omit --count-copies";
    if (s == GUIRA_EFULL) advice = advice_if_full(c->filter);
    trouble("%s: %s, line %llu: %s", c->path, b->name, (unsigned long long)(b->first + i), advice);
}

/* The batch lookup overlaps cache misses. Its negative results are checked again, because an equal line of the same
 * batch may have been inserted since. */
static void insert_once(struct change *c, const struct batch *b) {
    bool found[BATCH];
    guira_contains_hash_many(c->filter, b->hash, b->n, found);
    for (size_t i = 0; i < b->n; i++) {
        if (found[i] || guira_contains_hash(c->filter, b->hash[i])) continue;
        guira_status s = guira_insert_hash(c->filter, b->hash[i]);
        if (s != GUIRA_OK) report_failed_line(c, b, i, s);
        c->done++;
    }
}

static void insert_copies(struct change *c, const struct batch *b) {
    guira_status status[BATCH];
    size_t n = guira_insert_hash_many(c->filter, b->hash, b->n, status);
    for (size_t i = 0; n < b->n && i < b->n; i++)
        if (status[i] != GUIRA_OK) report_failed_line(c, b, i, status[i]);
    c->done += n;
}

/* A line that is not found is not an error; it is counted by apply. */
static void remove_lines(struct change *c, const struct batch *b) {
    guira_status status[BATCH];
    c->done += guira_remove_hash_many(c->filter, b->hash, b->n, status);
    for (size_t i = 0; i < b->n; i++)
        if (status[i] != GUIRA_OK && status[i] != GUIRA_ENOTFOUND) filter_trouble(c->path, status[i]);
}

/* Adds or removes the lines of a batch; `count` lines were read so far. */
static void apply(struct change *c, const struct batch *b, uint64_t count) {
    if (c->remove) remove_lines(c, b);
    else if (c->copies) insert_copies(c, b);
    else insert_once(c, b);
    c->skipped = count - c->done;
}

static void save(struct change *c) {
    struct saved_content what = {.filter = c->filter};
    if (c->created || c->replace) file_replace(c->path, what);
    else if (!file_create(c->path, what))
        trouble("%s: was created by another program meanwhile; --force replaces it", c->path);
    c->created = true;
}

/* Reads all lines, changes the filter, and saves it at checkpoints. If the input cannot be read to its end, the file
 * stays as it was at the last checkpoint. */
static void read_lines(struct change *c) {
    struct lines in;
    struct batch b;
    struct lines_config config = line_work(&c->keys, c->files, hasher_of_filter(c->filter), NULL, 1);
    double period = (double)c->checkpoint / 1000, next = clock_seconds() + period;
    lines_open(&in, &config);
    progress_begin(c->progress);
    while (lines_next(&in, &b)) {
        apply(c, &b, in.count);
        progress_tick(&in);
        if (c->checkpoint == 0 || clock_seconds() < next) continue;
        save(c);
        next = clock_seconds() + period;
    }
    progress_end(&in);
    lines_check(&in);
    lines_close(&in);
}

/* The room that was made for the lines of the input is too much if many of them are equal: copies are counted, and take no
 * slots. A fixed filter stays as it is. */
static void free_unused_room(struct change *c) {
    guira_stats s = GUIRA_STATS_INIT;
    guira_stats_get(c->filter, &s);
    if (s.load * (double)s.slots < 0.8 * (double)c->reserved) (void)guira_shrink_to_fit(c->filter);
}

static void read_and_save(struct change *c) {
    read_lines(c);
    free_unused_room(c);
    save(c);
}

enum { WIDEST_SLOT = 32 };

/* The rate that was requested holds up to the number of items that the filter was built for, unless no slot is wide enough
 * for it: then making it for more items does not help. */
static void warn_of_high_rate(const struct change *c, const guira_stats *s) {
    guira_config config = {.size = sizeof config};
    char requested[UNIT_TEXT], items[UNIT_TEXT];
    guira_config_get(c->filter, &config);
    if (config.fpr == 0 || s->fpr <= config.fpr) return;
    write_rate(config.fpr, requested);
    bool made_for_all = config.capacity >= s->items || c->reserved >= s->items;
    if (config.slot_bits == WIDEST_SLOT && made_for_all)
        note("%s: the rate is higher than requested (%s), and no slots are wider; request a higher rate", c->path,
             requested);
    else
        note("%s: the rate is higher than requested (%s); rebuild it with --items %s or more", c->path, requested,
             write_count((double)s->items, items));
}

static void print_summary(const struct change *c) {
    guira_stats s = GUIRA_STATS_INIT;
    char done[UNIT_TEXT], items[UNIT_TEXT], skipped[UNIT_TEXT], size[UNIT_TEXT], rate[UNIT_TEXT];
    const char *were = c->skipped == 1 ? "was" : "were";
    write_number(c->skipped, "line", skipped);
    guira_stats_get(c->filter, &s);
    if (!c->quiet) {
        note("%s: %s %s, %s in total; %s, false-positive rate %s", c->path, write_number(c->done, "line", done),
             c->remove ? "removed" : "added", write_number(s.items, "item", items),
             write_size((double)guira_saved_size(c->filter), size), write_rate(s.fpr, rate));
        if (!c->remove && c->skipped > 0) note("%s %s already in the filter", skipped, were);
        warn_of_high_rate(c, &s);
    }
    if (c->remove && c->skipped > 0) note("%s %s not in the filter", skipped, were);
    guira_destroy(c->filter);
}

/* ------------------------------------------------------------------------------------------------------------ build */

/* An empty filter with the seed and configuration of the one in the file, so that both can be merged. */
static guira *filter_like(const char *path) {
    guira *model = filter_map(path), *f;
    guira_config config = {.size = sizeof config};
    guira_config_get(model, &config);
    guira_destroy(model);
    guira_status s = guira_create(&config, &f);
    if (s != GUIRA_OK) filter_trouble(path, s);
    return f;
}

/* Without --items, the lines of the input are counted, if it consists of files that are not compressed. The kinds of the
 * papers start small unless they are told otherwise. */
static void size_by_input(struct change *c, struct filter_spec *spec) {
    bool by_size = spec->kind == GUIRA_TIDAL || spec->kind == GUIRA_CUCKOO;
    if (spec->items > 0 || !by_size || !input_count_lines(c->files, key_line_end(&c->keys), &spec->items)) return;
    spec->items++; /* the last line may have no end */
    spec->may_grow = true;
    c->reserved = spec->items;
}

static int build_run(int argc, char **argv) {
    struct change c = {0};
    struct filter_spec spec = {0};
    const char *like = NULL;
    const struct opt table[] = {
        {'n', "items", OPT_COUNT, &spec.items, "N", "make room for N lines (default: the lines of the input, if known)",
         NULL},
        {'p', "fpr", OPT_RATE, &spec.fpr, "RATE", "highest false-positive rate (default: 1%)", NULL},
        {0, "kind", OPT_CHOICE, &spec.kind, "KIND", "kind of filter", kind_names},
        PARAMETER_OPTIONS(&spec.parameters),
        {0, "like", OPT_TEXT, &like, "OTHER", "same seed and configuration as OTHER, so that both can be merged", NULL},
        COPIES_OPTION(&c.copies),
        {'f', "force", OPT_FLAG, &c.replace, NULL, "replace FILE if it exists", NULL},
        KEY_OPTIONS(&c.keys),
        QUIET_OPTION(&c.quiet),
        PROGRESS_OPTION(&c.progress),
        OPT_END,
    };
    options_read(&command_build, table, &argc, argv, 1, MAX_OPERANDS);
    key_options_check(&c.keys, false);
    c.path = argv[1];
    c.files = operands_from(argc, argv, 2);
    if (like != NULL && (spec.items != 0 || spec.fpr != 0 || spec.kind != 0 || parameters_given(&spec.parameters)))
        trouble("--like copies the configuration of %s and cannot be combined with options that set it", like);
    must_be_regular(c.path);
    input_must_not_include(c.files, c.path);
    if (!c.replace && file_exists(c.path))
        trouble("%s: already exists; 'guira add' adds to it, --force replaces it", c.path);
    must_be_writable(c.path);
    if (c.replace && file_exists(c.path)) file_lock(c.path, true);
    if (like == NULL) size_by_input(&c, &spec);
    c.filter = like != NULL ? filter_like(like) : filter_new(&spec);
    read_and_save(&c);
    print_summary(&c);
    return EXIT_YES;
}

const struct command command_build = {
    "build", "[options] FILE [INPUT...]", "create a filter file from lines",
    "A line that occurs several times is added once. If lines will be removed later, use --count-copies: then a line\n"
    "is added every time it occurs, and has to be removed as often. Without it a new line may be taken for a line "
    "that\n"
    "is there already, by a false positive, and would disappear together with that one.\n"
    "Without --items the filter is made for the lines of the input if those are files, and grows if it is a pipe or\n"
    "compressed. The rate that is printed is that of the finished file.\n"
    "FILE contains the seed of the hash function: protect it like the lines. Exit status: 0, or 2 for an error.\n"
    "\n"
    "examples:\n"
    "  guira build words.gf /usr/share/dict/words\n"
    "  guira build --fpr 0.1% users.gf users-*.txt.gz\n"
    "  guira build --csv -k 1 customers.gf sales.csv\n"
    "  guira build --kind consistent --candidates 4 --bucket-slots 3 ring.gf <flows.txt\n"
    "  guira build --like monday.gf tuesday.gf tuesday.log && guira merge week.gf monday.gf tuesday.gf\n",
    build_run};

/* --------------------------------------------------------------------------------------------------- add and remove */

/* Holds the lock on the file from loading to saving, see file_save.h. */
static void change_file(struct change *c) {
    input_must_not_include(c->files, c->path);
    file_lock(c->path, true);
    must_be_writable(c->path);
    c->filter = filter_load(c->path);
    c->created = true;
    read_and_save(c);
    print_summary(c);
}

/* The same change on a key of a server. */
static struct redis_job job_of(const struct change *c, const struct redis_options *redis) {
    redis_reject_option(redis, c->checkpoint > 0, "checkpoint");
    return (struct redis_job){.redis = *redis,
                              .name = c->path,
                              .keys = c->keys,
                              .files = c->files,
                              .unique = !c->copies,
                              .quiet = c->quiet,
                              .progress = c->progress};
}

static int add_run(int argc, char **argv) {
    struct change c = {0};
    struct redis_options redis = {0};
    struct filter_spec spec = {0};
    const struct opt table[] = {
        COPIES_OPTION(&c.copies),
        KEY_OPTIONS(&c.keys),
        CHECKPOINT_OPTION(&c.checkpoint),
        QUIET_OPTION(&c.quiet),
        PROGRESS_OPTION(&c.progress),
        REDIS_OPTIONS(&redis),
        {'n', "items", OPT_COUNT, &spec.items, "N", "with --redis: reserve room for N lines in a new key", NULL},
        {'p', "fpr", OPT_RATE, &spec.fpr, "RATE", "with --redis: highest false-positive rate of a new key", NULL},
        OPT_END,
    };
    options_read(&command_add, table, &argc, argv, 1, MAX_OPERANDS);
    redis_require_url(&redis);
    key_options_check(&c.keys, false);
    c.path = argv[1];
    c.files = operands_from(argc, argv, 2);
    struct redis_job job = job_of(&c, &redis);
    job.spec = spec;
    if (redis.url != NULL) return redis_add(&job);
    if (spec.items > 0 || spec.fpr > 0)
        trouble("--items and --fpr require --redis; for a file they are set by 'guira build'");
    change_file(&c);
    return EXIT_YES;
}

const struct command command_add = {
    "add", "[options] FILE|NAME [INPUT...]", "add lines to a filter file",
    "A line that is in the filter already is not added again, unless --count-copies is given.\n"
    "FILE is replaced in one step at the end: after status 0 the lines are in it and on the disk, before that it is\n"
    "unchanged. With --checkpoint it is replaced regularly. Commands that change the same file wait for each other.\n"
    "Exit status: 0, or 2 for an error.\n"
    "\n"
    "With --redis, NAME is a key of the server, which is created if needed. If a connection is lost, the lines in\n"
    "flight are added again, possibly for the second time.\n"
    "\n"
    "examples:\n"
    "  guira add users.gf new-users.txt\n"
    "  tail -n +2 huge.csv | guira add --checkpoint 1m -t, -k1 customers.gf\n"
    "  guira add --redis redis://localhost --items 1M --fpr 0.1% users <users.txt\n",
    add_run};

static int remove_run(int argc, char **argv) {
    struct change c = {.remove = true};
    struct redis_options redis = {0};
    const struct opt table[] = {KEY_OPTIONS(&c.keys),   CHECKPOINT_OPTION(&c.checkpoint),
                                QUIET_OPTION(&c.quiet), PROGRESS_OPTION(&c.progress),
                                REDIS_OPTIONS(&redis),  OPT_END};
    options_read(&command_remove, table, &argc, argv, 1, MAX_OPERANDS);
    redis_require_url(&redis);
    key_options_check(&c.keys, false);
    c.path = argv[1];
    c.files = operands_from(argc, argv, 2);
    struct redis_job job = job_of(&c, &redis);
    if (redis.url != NULL) return redis_remove(&job);
    change_file(&c);
    return c.skipped == 0 ? EXIT_YES : EXIT_NO;
}

const struct command command_remove = {
    "remove", "[options] FILE|NAME [INPUT...]", "remove lines from a filter file",
    "Remove only lines that were added. A filter cannot distinguish a member from a false positive, so removing a\n"
    "line that was never added can remove another one. Lines that are not in the filter are counted.\n"
    "Exit status: 0 all lines were found, 1 some were not, 2 error.\n"
    "\n"
    "With --redis, NAME is a key of the server. If a connection is lost, the lines in flight are not removed again,\n"
    "because a second removal could remove another line; they are counted, and the status is 1.\n"
    "\n"
    "examples:\n"
    "  guira remove users.gf closed-accounts.txt\n"
    "  guira remove --redis redis://localhost users <closed-accounts.txt\n",
    remove_run};
