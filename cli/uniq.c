/* guira uniq: drops duplicate lines; the order of the lines is kept.
 *
 *     lines --batch--> hashes --seen_set_add--> new? --> stdout
 *                                   |
 *                                   +--> the state file, after the output was written
 *
 * WHAT IF IT IS KILLED? Output is written before the state is saved, so the state never contains a line that was not
 * printed. The next run may print lines after the last checkpoint again, but loses none. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "seen_set.h"
#include "output.h"
#include "progress.h"
#include "redis.h"
#include "report.h"
#include "signals.h"
#include "timestamp.h"
#include "units.h"

/* As text, because they are also part of --help. */
#define DEFAULT_FPR "1e-6"
#define DEFAULT_CHECKPOINT "1m"

struct uniq {
    struct key_options keys;
    struct seen_set set;
    struct lines in;
    bool repeated, totals, progress;
    uint64_t time_field; /* 0: the time of arrival */
    uint64_t time;       /* the latest time of the window */
    const char *state;
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
static uint64_t time_of_arrival(const struct uniq *u) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return seen_set_time(&u->set, t.tv_sec * 1000 + t.tv_nsec / 1000000, u->time);
}

/* Sets u->time from the line. False: the line has no valid time. */
static bool read_line_time(struct uniq *u, struct slice line) {
    struct slice field;
    int64_t ms;
    if (!key_field(&u->keys, line, u->time_field, &field) || !timestamp_read(field.data, field.size, &ms)) return false;
    u->time = seen_set_time(&u->set, ms, u->time);
    return true;
}

/* Sets now[i] for each line. Returns how many lines there are before the first one without a valid time. */
static size_t times_of(struct uniq *u, const struct batch *b, uint64_t *now) {
    if (u->set.window_ms > 0 && u->time_field == 0) u->time = time_of_arrival(u);
    for (size_t i = 0; i < b->n; i++) {
        if (u->time_field > 0 && !read_line_time(u, b->line[i])) return i;
        now[i] = u->time;
    }
    return b->n;
}

/* Called when the input pauses: writes the output, lets entries of a window expire, and saves if due. */
static int idle(void *context) {
    struct uniq *u = context;
    output_flush();
    if (u->set.window_ms > 0 && u->time_field == 0) seen_set_tick(&u->set, u->time = time_of_arrival(u));
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

/* Prints the new lines of b (with --repeated, the second copies). Returns how many lines were handled; fewer than b->n
 * if there is no memory for the next one. */
static size_t print_new(struct uniq *u, struct batch *b, const uint64_t *now) {
    uint64_t hash[BATCH];
    bool seen[BATCH];
    size_t all = b->n, done = 0, more = 1;
    seen_set_hash(&u->set, &u->keys, b, hash);
    for (; done < all && more > 0; done += more) more = look_up(u, hash + done, now + done, all - done, seen + done);
    b->n = done;
    b->unterminated = b->unterminated && done == all;
    output_lines(b, seen, u->repeated, u->in.end);
    for (size_t i = 0; i < done; i++) u->printed += seen[i] == u->repeated;
    return done;
}

/* Before an error exit: writes the output and the state for the lines before `line`. */
static void stop_before(struct uniq *u, uint64_t line) {
    u->in.count = line - 1;
    output_flush();
    if (u->state != NULL) save(u);
}

/* There is no memory for the line: exits, or prints a message the first time. */
static void report_full(struct uniq *u, uint64_t line) {
    char size[UNIT_TEXT];
    write_size((double)seen_set_stats(&u->set).bytes, size);
    if (!u->set.pass_when_full) {
        stop_before(u, line);
        trouble("stdin, line %llu: no memory for more lines (%s in use); raise --max-memory or use --on-full pass",
                (unsigned long long)line, size);
    }
    if (!u->reported_full)
        note(
            "stdin, about line %llu: no memory for more lines (%s in use); new lines are printed every time they occur",
            (unsigned long long)line, size);
    u->reported_full = true;
}

/* Exits with the part of the line that is not a time; control characters are replaced and long fields are cut. */
static _Noreturn void report_bad_time(struct uniq *u, struct slice line, uint64_t number) {
    struct slice field = {"", 0};
    char text[41];
    size_t n = 0;
    bool found = key_field(&u->keys, line, u->time_field, &field);
    for (; n < field.size && n < sizeof text - 1; n++) text[n] = (char)(field.data[n] < ' ' ? '?' : field.data[n]);
    text[n] = '\0';
    stop_before(u, number);
    if (!found)
        trouble("stdin, line %llu: has no field %llu for --time-field", (unsigned long long)number,
                (unsigned long long)u->time_field);
    trouble("stdin, line %llu, field %llu: '%s' is not a time (seconds or milliseconds since 1970, or "
            "2026-01-31T12:00:00Z)",
            (unsigned long long)number, (unsigned long long)u->time_field, text);
}

/* Lines with a valid time are handled even if a later line of the batch has none. */
static void handle_batch(struct uniq *u, struct batch *b) {
    uint64_t now[BATCH];
    size_t all = b->n, timed = times_of(u, b, now);
    b->n = timed;
    b->unterminated = b->unterminated && timed == all;
    size_t done = print_new(u, b, now);
    if (done < timed || u->set.full) report_full(u, b->first + done);
    if (timed < all) report_bad_time(u, b->line[timed], b->first + timed);
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

static void run(struct uniq *u) {
    struct batch b;
    signals_catch();
    seen_set_open(&u->set, u->state);
    u->time = seen_set_last_time(&u->set);
    lines_open(&u->in, key_line_end(&u->keys));
    u->in.idle = idle;
    u->in.context = u;
    u->save_at = clock_seconds() + (double)u->checkpoint / 1000;
    progress_begin(u->progress);
    while (lines_next(&u->in, &b)) {
        handle_batch(u, &b);
        progress_tick(&u->in);
        if (u->state != NULL) save_if_due(u);
    }
    output_flush();
    if (u->state != NULL) save(u);
    progress_end(&u->in);
    if (u->totals) print_totals(u);
    if (signal_received()) signal_reraise();
    lines_close(&u->in);
    seen_set_close(&u->set);
}

/* Sets what the options did not. A filter is filled only to a load of 0.8, for speed: a new line then usually finds a
 * free slot at once. 6 million lines, half of them new, took 0.57 s of CPU time; with 0.93, the default of the library,
 * 1.15 s and 14 % less memory. A window has its own default rate, in the library. */
static void set_defaults(struct seen_set *set) {
    if (set->window_ms > 0) return;
    set->spec.parameters.max_load = 0.8;
    if (set->spec.fpr == 0) read_rate(DEFAULT_FPR, &set->spec.fpr);
}

/* A server keeps the time and saves by itself, so the options for that are rejected. */
static int run_on_redis(struct uniq *u, const struct redis_options *redis, const char *name) {
    redis_reject_option(redis, u->time_field > 0, "time-field");
    redis_reject_option(redis, u->repeated, "repeated");
    redis_reject_option(redis, u->set.max_bytes > 0, "max-memory");
    redis_reject_option(redis, u->state != NULL, "state");
    redis_reject_option(redis, u->checkpoint > 0, "checkpoint");
    struct redis_job job = {.redis = *redis, .name = name, .keys = u->keys, .spec = u->set.spec};
    job.window = u->set.window_ms;
    job.pass_when_full = u->set.pass_when_full;
    job.count = u->totals;
    job.progress = u->progress;
    return redis_uniq(&job);
}

/* Exits if options or arguments cannot be combined. */
static void check_options(const struct uniq *u, const struct redis_options *redis, int argc, char **argv) {
    redis_require_url(redis);
    if (argc > 1 && redis->url == NULL) trouble("unexpected argument '%s'; NAME requires --redis", argv[1]);
    if (argc == 1 && redis->url != NULL) trouble("missing argument NAME; usage: guira uniq --redis URL NAME");
    if (u->time_field > 0 && u->set.window_ms == 0) trouble("--time-field requires --window");
    if (u->checkpoint > 0 && u->state == NULL && redis->url == NULL) trouble("--checkpoint requires --state");
}

static int uniq_run(int argc, char **argv) {
    static struct uniq u;
    struct redis_options redis = {0};
    enum { STOP, PASS, NOT_GIVEN };
    static const char *const when_full[] = {[STOP] = "stop", [PASS] = "pass", NULL};
    unsigned on_full = NOT_GIVEN;
    const struct opt table[] = {
        {'w', "window", OPT_DURATION, &u.set.window_ms, "TIME", "drop only duplicates of the last TIME", NULL},
        {0, "time-field", OPT_FIELD, &u.time_field, "N", "take the time from field N, not from the clock", NULL},
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
        REDIS_OPTIONS(&redis),
        PROGRESS_OPTION(&u.progress),
        OPT_END,
    };
    options_read(&command_uniq, table, &argc, argv, 0, 1);
    check_options(&u, &redis, argc, argv);
    if (on_full != NOT_GIVEN && u.set.max_bytes == 0 && redis.url == NULL) trouble("--on-full requires --max-memory");
    u.set.pass_when_full = on_full == PASS;
    set_defaults(&u.set);
    if (redis.url != NULL) return run_on_redis(&u, &redis, argv[1]);
    if (u.checkpoint == 0) read_duration(DEFAULT_CHECKPOINT, &u.checkpoint);
    run(&u);
    return EXIT_YES;
}

const struct command command_uniq = {
    "uniq", "[options] [NAME] <lines >lines", "print each line only the first time it occurs",
    "Lines need not be sorted, and their order is kept. Each different line takes about 5 bytes of memory, whatever\n"
    "its length (2.6 with --fpr 1%). A new line is mistaken for a duplicate and dropped with the probability of\n"
    "--fpr.\n"
    "\n"
    "With --window, a line is printed again if its last printed copy is older than TIME, at the latest TIME plus\n"
    "1/16. Old lines are forgotten, so memory depends on the traffic. The default of --fpr is then 1e-5. With\n"
    "--time-field, times are seconds or milliseconds since 1970 or RFC 3339; a time before an earlier one counts as\n"
    "that one.\n"
    "\n"
    "With --state, the next run continues where this one stopped. After a crash or kill -9, lines since the last\n"
    "checkpoint may be printed twice; none is lost. Ctrl-C and SIGTERM save the state first.\n"
    "With --on-full stop, the command ends with status 2 before the first line that does not fit into --max-memory.\n"
    "With pass, such lines are printed every time they occur. Exit status: 0, or 2 for an error.\n"
    "\n"
    "With --redis, the seen lines are in the key NAME of a server or cluster, which is created if needed. All\n"
    "processes that use the key together print each line once. If a connection is lost, the lines in flight are\n"
    "printed, possibly for the second time.\n"
    "\n"
    "examples:\n"
    "  guira uniq <events.log >once.log\n"
    "  guira uniq -t, -k1 <orders.csv                       the first order of each customer\n"
    "  guira uniq -c -d <urls.txt >repeated.txt\n"
    "  tail -f app.log | guira uniq --window 10m -k 3       each alert at most once in 10 minutes\n"
    "  guira uniq --window 1h --time-field 1 -k 2 <events.log\n"
    "  collect | guira uniq --state seen.gf --checkpoint 10s | deliver\n"
    "  guira uniq --max-memory 500M --on-full pass <huge.log\n"
    "  find . -print0 | guira uniq -z\n"
    "  collect | guira uniq --redis redis://cache.example.org --shards 8 seen | deliver\n",
    uniq_run};
