/* guira uniq: drops duplicate lines; the order of the lines is kept.
 *
 *     lines --batch--> hashes --seen_set_add--> new? --> stdout
 *                                   |
 *                                   +--> the state file, after the output was written
 *
 * WHAT IF IT IS KILLED? Output is written before the state is saved, so the state never contains a line that was not
 * printed. The next run may print lines after the last checkpoint again, but loses none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "filter_file.h"
#include "line_time.h"
#include "output.h"
#include "progress.h"
#include "redis.h"
#include "report.h"
#include "seen_set.h"
#include "signals.h"
#include "uniq_times.h"
#include "units.h"

/* As text, because they are also part of --help. */
#define DEFAULT_FPR "1e-6"
#define DEFAULT_CHECKPOINT "1m"

struct uniq {
    struct key_options keys;
    struct time_options times;
    struct seen_set set;
    struct lines in;
    bool repeated, totals, progress;
    uint64_t jobs;
    int64_t latest; /* time of a line so far, in milliseconds; TIME_NONE: no line yet */
    uint64_t time;  /* the time of the window */
    struct fault_count fault[TIME_FAULTS];
    const char *state, *output;
    uint64_t checkpoint; /* milliseconds */
    double save_at;      /* clock_seconds() of the next checkpoint */
    uint64_t saved;      /* lines read at the last save */
    uint64_t printed;
    bool reported_full;
};

/* ----------------------------------------------------------------------------------------------------------- saving */

/* Writes the output, then the state: see the top of this file. */
static void save(struct uniq *u) {
    output_flush();
    seen_set_save(&u->set, u->state);
    u->saved = u->in.count;
    u->save_at = clock_seconds() + (double)u->checkpoint / 1000;
}

/* Saves if the checkpoint is due. Returns the milliseconds until it is, or -1 if there is nothing to save. */
static int save_if_due(struct uniq *u) {
    if (u->state == NULL || u->saved == u->in.count) return -1;
    double left = u->save_at - clock_seconds();
    if (left > 0) return left > 1e6 ? 1000000000 : (int)(1000 * left) + 1;
    save(u);
    return -1;
}

/* ------------------------------------------------------------------------------------------------------------ times */

/* The current time, rounded to the steps of the window. It never goes back, even if the clock does. */
static uint64_t time_of_arrival(const struct uniq *u) { return seen_set_time(&u->set, time_now(), u->time); }

/* Sets now[i] for each line, and index[] to the lines that have a time: see line_time.h. Returns how many there are; with
 * --bad-time stop, only those before the first one without. */
static size_t times_of(struct uniq *u, const struct batch *b, uint64_t *now, size_t *index, size_t *end) {
    size_t n = 0;
    int64_t clock = 0;
    *end = b->n;
    if (u->set.window_ms > 0 && u->times.field == NULL) u->time = time_of_arrival(u);
    else if (u->times.field != NULL) clock = time_now();
    for (size_t i = 0; i < b->n; i++) {
        if (u->times.field != NULL) {
            enum time_fault fault = time_judge(b->time[i], u->latest, clock, u->times.max_skew);
            if (fault != TIME_GOOD) {
                count_fault(&u->fault[fault], b, i);
                if (u->times.bad != BAD_TIME_STOP) continue;
                *end = i;
                break;
            }
            if (b->time[i] > u->latest) u->latest = b->time[i];
            u->time = seen_set_time(&u->set, u->latest, u->time);
        }
        now[n] = u->time;
        index[n++] = i;
    }
    return n;
}

/* Called when the input pauses: writes the output, lets entries of a window expire, and saves if due. */
static int idle(void *context) {
    struct uniq *u = context;
    output_flush();
    if (u->set.window_ms > 0 && u->times.field == NULL) seen_set_tick(&u->set, u->time = time_of_arrival(u));
    int save_in = save_if_due(u), tick_in = u->set.window_ms > 0 ? 1000 : -1;
    return save_in >= 0 && (tick_in < 0 || save_in < tick_in) ? save_in : tick_in;
}

/* ------------------------------------------------------------------------------------------------------------ lines */

/* A second hash of the same key: if it is in the set, the line was seen twice. It is mixed (multiply and shift), not
 * just changed by a constant, which the address computation of the filter could undo. */
static uint64_t second_hash(uint64_t hash) {
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

/* For --repeated: of the lines that were seen before, keeps those that occur for the second time. Returns how many
 * lines were handled. */
static size_t keep_second(struct uniq *u, const uint64_t *hash, size_t n, uint64_t now, bool *selected) {
    uint64_t again[BATCH];
    size_t index[BATCH], m = 0;
    bool seen[BATCH];
    for (size_t i = 0; i < n; i++)
        if (selected[i]) {
            again[m] = second_hash(hash[i]);
            index[m++] = i;
        }
    size_t done = m == 0 ? 0 : seen_set_add(&u->set, again, m, now, seen);
    for (size_t i = 0; i < done && i < m; i++) selected[index[i]] = !seen[i];
    return done < m ? index[done] : n;
}

/* Looks up and adds the first lines that have the same time, at most n. Returns how many were handled. */
static size_t look_up(struct uniq *u, const uint64_t *hash, const uint64_t *now, size_t n, bool *seen) {
    size_t same = u->set.window_ms == 0 ? n : 1;
    while (same < n && now[same] == now[0]) same++;
    size_t done = seen_set_add(&u->set, hash, same, now[0], seen);
    return u->repeated ? keep_second(u, hash, done, now[0], seen) : done;
}

/* Looks up n lines and sets seen[] for them. Returns how many were handled; fewer if there is no memory for the next
 * one. */
static size_t look_up_all(struct uniq *u, const uint64_t *hash, const uint64_t *now, size_t n, bool *seen) {
    size_t done = 0, more = 1;
    for (; done < n && more > 0; done += more) more = look_up(u, hash + done, now + done, n - done, seen + done);
    return done;
}

/* Prints the first n lines of the batch that are selected. */
static void print_lines(struct uniq *u, const struct batch *b, size_t n, const bool *seen) {
    struct batch part = *b;
    part.n = n;
    part.unterminated = b->unterminated && n == b->n;
    output_lines(&part, seen, u->repeated, u->in.config.end);
    for (size_t i = 0; i < n; i++) u->printed += seen[i] == u->repeated;
}

/* Before an error exit: writes the output and the state for the lines before line i of the batch. */
static void stop_before(struct uniq *u, const struct batch *b, size_t i) {
    u->in.count -= b->n - i;
    output_flush();
    if (u->state != NULL) save(u);
}

/* There is no memory for line i: exits, or prints a message the first time. */
static void report_full(struct uniq *u, const struct batch *b, size_t i) {
    char size[UNIT_TEXT];
    unsigned long long line = b->first + i;
    write_size((double)seen_set_stats(&u->set).bytes, size);
    if (!u->set.pass_when_full) {
        stop_before(u, b, i);
        trouble("%s, line %llu: no memory for more lines (%s in use)%s", b->name, line, size,
                u->set.max_bytes > 0 ? "; raise --max-memory or use --on-full pass" : "");
    }
    if (!u->reported_full)
        note("%s, about line %llu: no memory for more lines (%s in use); new lines are printed every time they occur",
             b->name, line, size);
    u->reported_full = true;
}

/* Without a state, window or limit, the threads of --jobs look lines up themselves: see lines.h. A state has to be saved when all of
 * its lines were printed and no others, so it is left to one thread. */
static bool is_divided(const struct uniq *u) {
    return u->jobs > 1 && u->state == NULL && u->set.window_ms == 0 && u->set.max_bytes == 0 && !u->repeated;
}

/* Chance gives one part more lines than another: of N lines in n parts, by more than 4 sqrt(N / n) hardly ever. */
static uint64_t items_of_part(uint64_t items, unsigned parts) {
    uint64_t share = items / parts + 1;
    return items == 0 ? 0 : share + (uint64_t)(4 * sqrt((double)share));
}

static void look_up_part(void *context, unsigned part, struct chunk *c) {
    seen_set_look_up(&((struct uniq *)context)->set, part, c);
}

static void print_batch(struct uniq *u, const struct batch *b) {
    print_lines(u, b, b->answered, b->seen);
    if (b->answered == b->n) return;
    output_flush();
    trouble("%s, line %llu: no memory for more lines", b->name, (unsigned long long)(b->first + b->answered));
}

/* Handles a batch of lines. Most often all of them have a time, or need none. */
static void handle_batch(struct uniq *u, const struct batch *b) {
    uint64_t now[BATCH], hash[BATCH];
    size_t index[BATCH], end;
    bool seen[BATCH], found[BATCH];
    size_t n = times_of(u, b, now, index, &end);
    bool all = n == b->n;
    for (size_t i = 0; !all && i < n; i++) hash[i] = b->hash[index[i]];
    size_t done = look_up_all(u, all ? b->hash : hash, now, n, all ? seen : found);
    if (!all) { /* lines without a time are printed, or not, whatever was seen */
        for (size_t i = 0; i < end; i++) seen[i] = (u->times.bad == BAD_TIME_PASS) == u->repeated;
        for (size_t i = 0; i < done; i++) seen[index[i]] = found[i];
    }
    if (done < n) end = index[done];
    print_lines(u, b, end, seen);
    if (done < n || u->set.full) report_full(u, b, end);
    if (end < b->n) {
        stop_before(u, b, end);
        trouble_bad_time(&u->times, &u->keys, u->fault, b->line[end]);
    }
}

/* ---------------------------------------------------------------------------------------------------------- command */

static void print_totals(const struct uniq *u) {
    guira_stats s = seen_set_stats(&u->set);
    char lines[UNIT_TEXT], items[UNIT_TEXT], size[UNIT_TEXT], rate[UNIT_TEXT];
    note("%s in, %llu out, %llu dropped", write_number(u->in.count, "line", lines), (unsigned long long)u->printed,
         (unsigned long long)(u->in.count - u->printed));
    note("%s in %s; false-positive rate %s", write_number(s.items, "item", items), write_size((double)s.bytes, size),
         write_rate(s.fpr, rate));
}

static void run(struct uniq *u, struct operands files) {
    struct batch b;
    signals_catch();
    input_check(files);
    if (u->state != NULL) input_must_not_include(files, u->state);
    unsigned parts = is_divided(u) ? (unsigned)(u->jobs < MAX_PARTS ? u->jobs : MAX_PARTS) : 0;
    if (parts > 0) u->set.spec.items = items_of_part(u->set.spec.items, parts);
    seen_set_open(&u->set, u->state);
    if (u->state != NULL && u->output != NULL && is_same_file(u->state, u->output))
        trouble("%s: is given as --state and as --output; use two files", u->output);
    if (parts > 0) seen_set_divide(&u->set, parts);
    u->time = seen_set_last_time(&u->set);
    u->latest = u->time > 0 ? (int64_t)u->time : TIME_NONE / 2; /* half: a skew can be subtracted */
    struct lines_config config =
        line_work(&u->keys, files, seen_set_hasher(&u->set, (unsigned)u->jobs), &u->times, (unsigned)u->jobs);
    config.idle = idle;
    config.context = u;
    config.parts = parts;
    if (parts > 0) config.look_up = look_up_part;
    u->save_at = clock_seconds() + (double)u->checkpoint / 1000;
    lines_open(&u->in, &config);
    output_open(u->output, files);
    progress_begin(u->progress);
    while (lines_next(&u->in, &b)) {
        if (parts > 0) print_batch(u, &b);
        else handle_batch(u, &b);
        progress_tick(&u->in);
        if (u->state != NULL) save_if_due(u);
    }
    output_flush();
    if (u->state != NULL) save(u);
    progress_end(&u->in);
    if (u->totals) print_totals(u);
    report_bad_times(&u->times, u->fault);
    if (signal_received()) signal_reraise();
    lines_check(&u->in);
    lines_close(&u->in);
    seen_set_close(&u->set);
}

/* Sets what the options did not. A filter is filled only to a load of 0.75, for speed: a new line then usually finds a
 * free slot at once. 10 million lines, half of them new, took 0.83 s of CPU time; with 0.8, 0.93 s and 5 % less memory; with 0.93,
 * the default of the library, about twice as much and 19 % less memory. A window has its own default rate, in the library. */
static void set_defaults(struct seen_set *set) {
    if (set->window_ms > 0) return;
    set->spec.parameters.max_load = 0.75;
    if (set->spec.fpr == 0) read_rate(DEFAULT_FPR, &set->spec.fpr);
}

/* A server keeps the time and saves by itself, so the options for that are rejected. */
static int run_on_redis(struct uniq *u, const struct redis_options *redis, const char *name, struct operands files) {
    redis_reject_option(redis, u->times.field != NULL, "time-field");
    redis_reject_option(redis, u->jobs > 1, "jobs");
    redis_reject_option(redis, u->repeated, "repeated");
    redis_reject_option(redis, u->set.max_bytes > 0, "max-memory");
    redis_reject_option(redis, u->state != NULL, "state");
    redis_reject_option(redis, u->checkpoint > 0, "checkpoint");
    struct redis_job job = {.redis = *redis, .name = name, .keys = u->keys, .spec = u->set.spec, .files = files};
    output_open(u->output, files);
    job.window = u->set.window_ms;
    job.pass_when_full = u->set.pass_when_full;
    job.count = u->totals;
    job.progress = u->progress;
    return redis_uniq(&job);
}

/* Exits if options or arguments cannot be combined. */
static void check_options(struct uniq *u, const struct redis_options *redis, int argc) {
    redis_require_url(redis);
    key_options_check(&u->keys, u->times.field != NULL);
    time_options_check(&u->times);
    if (argc == 1 && redis->url != NULL)
        trouble("missing argument NAME; usage: guira uniq --redis URL NAME [INPUT...]");
    if (u->times.field != NULL && u->set.window_ms == 0) trouble("--time-field requires --window");
    if (u->checkpoint > 0 && u->state == NULL && redis->url == NULL) trouble("--checkpoint requires --state");
    if (u->jobs > MAX_JOBS) trouble("--jobs: the maximum is %d", MAX_JOBS);
}

static int uniq_run(int argc, char **argv) {
    static struct uniq u;
    struct redis_options redis = {0};
    enum { STOP, PASS, NOT_GIVEN };
    static const char *const when_full[] = {[STOP] = "stop", [PASS] = "pass", NULL};
    unsigned on_full = NOT_GIVEN;
    const struct opt table[] = {
        {'w', "window", OPT_DURATION, &u.set.window_ms, "TIME", "drop only duplicates of the last TIME", NULL},
        TIME_OPTIONS(&u.times),
        {'d', "repeated", OPT_FLAG, &u.repeated, NULL, "print only duplicates, each once", NULL},
        {'c', "count", OPT_FLAG, &u.totals, NULL, "print totals on stderr at the end", NULL},
        KEY_OPTIONS(&u.keys),
        {'p', "fpr", OPT_RATE, &u.set.spec.fpr, "RATE", "highest false-positive rate (default: " DEFAULT_FPR ")", NULL},
        {'n', "items", OPT_COUNT, &u.set.spec.items, "N", "reserve room for N different lines", NULL},
        {'m', "max-memory", OPT_SIZE, &u.set.max_bytes, "SIZE", "limit of the memory for seen lines", NULL},
        {0, "on-full", OPT_CHOICE, &on_full, "ACTION", "what to do at that limit", when_full},
        {'s', "state", OPT_TEXT, &u.state, "FILE", "load FILE if it exists; save to it at checkpoints and the end",
         NULL},
        {0, "checkpoint", OPT_DURATION, &u.checkpoint, "TIME",
         "interval of saving the state (default: " DEFAULT_CHECKPOINT ")", NULL},
        OUTPUT_OPTION(&u.output),
        {'j', "jobs", OPT_COUNT, &u.jobs, "N", "use N processor cores (default: 1)", NULL},
        REDIS_OPTIONS(&redis),
        PROGRESS_OPTION(&u.progress),
        OPT_END,
    };
    options_read(&command_uniq, table, &argc, argv, 0, MAX_OPERANDS);
    check_options(&u, &redis, argc);
    if (on_full != NOT_GIVEN && u.set.max_bytes == 0 && redis.url == NULL) trouble("--on-full requires --max-memory");
    u.set.pass_when_full = on_full == PASS;
    set_defaults(&u.set);
    if (redis.url != NULL) return run_on_redis(&u, &redis, argv[1], operands_from(argc, argv, 2));
    if (u.checkpoint == 0) read_duration(DEFAULT_CHECKPOINT, &u.checkpoint);
    run(&u, operands_from(argc, argv, 1));
    return EXIT_YES;
}

const struct command command_uniq = {
    "uniq", "[options] [INPUT...]", "print each line only the first time it occurs",
    "Lines need not be sorted, and their order is kept. Each different line takes 5.4 bytes of memory, whatever\n"
    "its length (2.7 with --fpr 1%). A new line is mistaken for a duplicate and dropped with the probability of\n"
    "--fpr.\n"
    "\n"
    "With --window, a line is printed again if its last printed copy is older than TIME, at the latest TIME plus\n"
    "1/16. Old lines are forgotten, so memory depends on the traffic. The default of --fpr is then 1e-5.\n"
    "\n"
    "With --time-field, times are as logs write them: since 1970 in seconds, ms, us or ns; 2026-01-31T12:00:00Z and\n"
    "its relatives; [31/Jan/2026:12:00:00 +0000]; Jan 31 12:00:00; or --time-format. A time that is up to --max-skew\n"
    "before the latest one counts as the latest. Earlier times, times ahead of the clock by more than --max-skew, and\n"
    "lines without a time are bad: 'pass' prints such lines without looking them up, 'drop' drops them, and 'stop'\n"
    "ends the command with status 2. Their number is printed at the end.\n"
    "\n"
    "With --state, the next run continues where this one stopped. After a crash or kill -9, lines since the last\n"
    "checkpoint may be printed twice; none is lost. Ctrl-C and SIGTERM save the state first.\n"
    "With --on-full stop, the command ends with status 2 before the first line that does not fit into --max-memory.\n"
    "With pass, such lines are printed every time they occur. Exit status: 0, or 2 for an error.\n"
    "\n"
    "With --redis, the first argument is NAME; the seen lines are in the key NAME of a server or cluster, which is\n"
    "created if needed. All processes that use the key together print each line once. If a connection is lost, the\n"
    "lines in flight are printed, possibly for the second time.\n"
    "\n"
    "examples:\n"
    "  guira uniq monday.log tuesday.log.gz -o once.log\n"
    "  guira uniq --csv -k 1,3 orders.csv                   the first order of each customer and product\n"
    "  guira uniq --json-key .user.id events.json\n"
    "  guira uniq -c -d <urls.txt >repeated.txt\n"
    "  tail -f app.log | guira uniq --window 10m -k 3       each alert at most once in 10 minutes\n"
    "  guira uniq --window 1h --time-field 4 -k 1 access.log\n"
    "  collect | guira uniq --state seen.gf --checkpoint 10s | deliver\n"
    "  guira uniq --max-memory 500M --on-full pass <huge.log\n"
    "  find . -print0 | guira uniq -z\n"
    "  collect | guira uniq --redis redis://cache.example.org --shards 8 seen | deliver\n",
    uniq_run};
