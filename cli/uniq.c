/* guira uniq: each line only the first time, in order, in bounded memory.
 *
 *     lines --batch--> hashes --memory_seen--> first time? --> stdout
 *                                   |
 *                                   +--> the state file, after the lines it has seen are with the reader
 *
 * WHAT IF IT IS KILLED? Output is written before state is saved. So the state never has a line that was not passed on: a
 * run that goes on from it may pass on again what came after the last save, and loses nothing. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "memory.h"
#include "out.h"
#include "progress.h"
#include "redis.h"
#include "report.h"
#include "stop.h"
#include "units.h"

struct uniq {
    struct key_options keys;
    struct memory memory;
    struct lines in;
    bool repeated, totals, progress;
    uint64_t time_field; /* 0: by arrival */
    uint64_t time;       /* the window's latest */
    const char *state;
    uint64_t checkpoint; /* milliseconds */
    double save_at;      /* when the next one is due */
    uint64_t saved;      /* lines that the state file knows of */
    uint64_t passed;
    bool said_full;
};

/* -------------------------------------------------------------------------------------------------------------- saving */

static void save(struct uniq *u) {
    out_flush();
    memory_save(&u->memory, u->state);
    u->saved = u->in.count;
    u->save_at = clock_seconds() + (double)u->checkpoint / 1000;
}

/* Saves when it is time. Returns the milliseconds until it is, -1 for never. */
static int save_if_due(struct uniq *u) {
    if (u->state == NULL || u->saved == u->in.count) return -1;
    double left = u->save_at - clock_seconds();
    if (left > 0) return left > 1e6 ? 1000000000 : (int)(1000 * left) + 1;
    save(u);
    return -1;
}

/* --------------------------------------------------------------------------------------------------------------- times */

static uint64_t time_of_arrival(const struct uniq *u) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return memory_time(&u->memory, t.tv_sec * 1000 + t.tv_nsec / 1000000, u->time);
}

static bool time_in_line(struct uniq *u, struct piece line) {
    struct piece field;
    int64_t ms;
    if (!key_field(&u->keys, line, u->time_field, &field) || !read_time(field.at, field.n, &ms)) return false;
    u->time = memory_time(&u->memory, ms, u->time);
    return true;
}

/* The times of the lines. Returns how many have one. */
static size_t times_of(struct uniq *u, const struct batch *b, uint64_t *now) {
    if (u->memory.length > 0 && u->time_field == 0) u->time = time_of_arrival(u);
    for (size_t i = 0; i < b->n; i++) {
        if (u->time_field > 0 && !time_in_line(u, b->line[i])) return i;
        now[i] = u->time;
    }
    return b->n;
}

/* A pause in the input: what is done should not wait here, and a window should go on. */
static int idle(void *context) {
    struct uniq *u = context;
    out_flush();
    if (u->memory.length > 0 && u->time_field == 0) memory_tick(&u->memory, u->time = time_of_arrival(u));
    int save_in = save_if_due(u), tick_in = u->memory.length > 0 ? 1000 : -1;
    return save_in >= 0 && (tick_in < 0 || save_in < tick_in) ? save_in : tick_in;
}

/* --------------------------------------------------------------------------------------------------------------- lines */

/* Another hash for the same key: under it, the memory keeps that a line was seen twice. Not merely a constant away, which
 * a filter's own arithmetic on addresses might undo. */
static uint64_t twice(uint64_t hash) {
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

/* Of those seen before, those that now are seen for the second time. Returns how many lines were done. */
static size_t second_time(struct uniq *u, const uint64_t *hash, size_t n, uint64_t now, bool *pick) {
    uint64_t again[BATCH];
    size_t index[BATCH], m = 0;
    bool seen[BATCH];
    for (size_t i = 0; i < n; i++)
        if (pick[i]) {
            again[m] = twice(hash[i]);
            index[m++] = i;
        }
    size_t done = m == 0 ? 0 : memory_seen(&u->memory, again, m, now, seen);
    for (size_t i = 0; i < done && i < m; i++) pick[index[i]] = !seen[i];
    return done < m ? index[done] : n;
}

/* Which lines are the ones, at most n and as far as the time stays the same. Returns how many lines were done. */
static size_t choose(struct uniq *u, const uint64_t *hash, const uint64_t *now, size_t n, bool *seen) {
    size_t same = u->memory.length == 0 ? n : 1;
    while (same < n && now[same] == now[0]) same++;
    size_t done = memory_seen(&u->memory, hash, same, now[0], seen);
    return u->repeated ? second_time(u, hash, done, now[0], seen) : done;
}

/* The lines of b that are to be passed on. Returns how many lines were done. */
static size_t pass_on(struct uniq *u, struct batch *b, const uint64_t *now) {
    uint64_t hash[BATCH];
    bool seen[BATCH];
    size_t all = b->n, done = 0, more = 1;
    memory_hash(&u->memory, &u->keys, b, hash);
    for (; done < all && more > 0; done += more) more = choose(u, hash + done, now + done, all - done, seen + done);
    b->n = done;
    b->open_end = b->open_end && done == all;
    out_lines(b, seen, u->repeated, u->in.end);
    for (size_t i = 0; i < done; i++) u->passed += seen[i] == u->repeated;
    return done;
}

/* The lines before `line` are done, and there is no going on. */
static void stop_before(struct uniq *u, uint64_t line) {
    u->in.count = line - 1;
    out_flush();
    if (u->state != NULL) save(u);
}

static void say_full(struct uniq *u, uint64_t line) {
    char size[UNIT_TEXT];
    write_size((double)memory_stats(&u->memory).bytes, size);
    if (!u->memory.pass_when_full) {
        stop_before(u, line);
        trouble("stdin, line %llu: no memory for more (%s are in use); raise --max-memory, or say --on-full pass",
                (unsigned long long)line, size);
    }
    if (!u->said_full)
        note("stdin, about line %llu: no memory for more (%s are in use); new lines are passed on each time they come",
             (unsigned long long)line, size);
    u->said_full = true;
}

static _Noreturn void say_no_time(struct uniq *u, struct piece line, uint64_t number) {
    struct piece field = {"", 0};
    char text[41];
    size_t n = 0;
    bool there = key_field(&u->keys, line, u->time_field, &field);
    for (; n < field.n && n < sizeof text - 1; n++) text[n] = (char)(field.at[n] < ' ' ? '?' : field.at[n]);
    text[n] = '\0';
    stop_before(u, number);
    if (!there)
        trouble("stdin, line %llu: there is no field %llu to take the time from", (unsigned long long)number,
                (unsigned long long)u->time_field);
    trouble(
        "stdin, line %llu, field %llu: '%s' is no time (seconds or milliseconds since 1970, or 2026-01-31T12:00:00Z)",
        (unsigned long long)number, (unsigned long long)u->time_field, text);
}

static void take(struct uniq *u, struct batch *b) {
    uint64_t now[BATCH];
    size_t all = b->n, timed = times_of(u, b, now);
    b->n = timed;
    b->open_end = b->open_end && timed == all;
    size_t done = pass_on(u, b, now);
    if (done < timed || u->memory.full) say_full(u, b->first + done);
    if (timed < all) say_no_time(u, b->line[timed], b->first + timed);
}

/* --------------------------------------------------------------------------------------------------------------- whole */

static void print_totals(const struct uniq *u) {
    guira_stats s = memory_stats(&u->memory);
    char size[UNIT_TEXT], rate[UNIT_TEXT];
    note("%llu lines in, %llu out, %llu held back", (unsigned long long)u->in.count, (unsigned long long)u->passed,
         (unsigned long long)(u->in.count - u->passed));
    note("%llu remembered in %s; chance of taking a new line for an old one %s", (unsigned long long)s.items,
         write_size((double)s.bytes, size), write_rate(s.fpr, rate));
}

static void run(struct uniq *u) {
    struct batch b;
    stop_catch();
    memory_open(&u->memory, u->state);
    u->time = memory_last_time(&u->memory);
    lines_open(&u->in, key_line_end(&u->keys));
    u->in.idle = idle;
    u->in.context = u;
    u->save_at = clock_seconds() + (double)u->checkpoint / 1000;
    progress_begin(u->progress);
    while (lines_next(&u->in, &b)) {
        take(u, &b);
        progress_tick(&u->in);
        if (u->state != NULL) save_if_due(u);
    }
    out_flush();
    if (u->state != NULL) save(u);
    progress_end(&u->in);
    if (u->totals) print_totals(u);
    if (stop_asked()) stop_now();
    lines_close(&u->in);
    memory_close(&u->memory);
}

/* What is remembered in, where nothing was said. A filter is filled to 0.8 only, for speed: a new line then mostly finds
 * a free slot at once. 6 million lines, half of them new, took 0.57 s of processor time; filled to 0.93, the library's
 * default, it was 1.15 s and 14 % less memory. */
static void fill_in(struct memory *m) {
    if (m->length > 0) return;
    m->wish.load = 0.8;
    if (m->wish.fpr == 0) m->wish.fpr = 1e-6;
}

/* Where the server remembers, it keeps the time, too, and saves by itself. */
static int run_on_redis(struct uniq *u, const struct redis_options *redis, const char *name) {
    redis_refuse(redis, u->time_field > 0, "time-field");
    redis_refuse(redis, u->repeated, "repeated");
    redis_refuse(redis, u->memory.most > 0, "max-memory");
    redis_refuse(redis, u->state != NULL, "state");
    redis_refuse(redis, u->checkpoint > 0, "checkpoint");
    struct redis_job job = {.redis = *redis, .name = name, .keys = u->keys, .wish = u->memory.wish};
    job.window = u->memory.length;
    job.pass_when_full = u->memory.pass_when_full;
    job.count = u->totals;
    job.progress = u->progress;
    return redis_uniq(&job);
}

static int uniq_run(int argc, char **argv) {
    static struct uniq u;
    struct redis_options redis = {0};
    static const char *const when_full[] = {"stop", "pass", NULL};
    unsigned on_full = 0;
    const struct opt table[] = {
        {'w', "window", OPT_DURATION, &u.memory.length, "TIME", "hold back only what was passed on in the last TIME",
         NULL},
        {0, "time-field", OPT_COUNT, &u.time_field, "N", "the time is in field N of the line, not when it comes", NULL},
        {'d', "repeated", OPT_FLAG, &u.repeated, NULL, "only lines that come again, the second time they come", NULL},
        {'c', "count", OPT_FLAG, &u.totals, NULL, "totals on stderr at the end", NULL},
        KEY_OPTIONS(&u.keys),
        {'p', "fpr", OPT_RATE, &u.memory.wish.fpr, "RATE", "most new lines to be taken for old ones (default: 1e-6)",
         NULL},
        {'n', "items", OPT_COUNT, &u.memory.wish.items, "N", "make room for N different lines at once", NULL},
        {'m', "max-memory", OPT_SIZE, &u.memory.most, "SIZE", "most memory to remember lines in", NULL},
        {0, "on-full", OPT_CHOICE, &on_full, "WHAT", "when that is used up: stop (default) or pass", when_full},
        {'s', "state", OPT_TEXT, &u.state, "FILE", "go on from FILE, and save there at the end and now and then", NULL},
        {0, "checkpoint", OPT_DURATION, &u.checkpoint, "TIME", "how often to save (default: 1m)", NULL},
        REDIS_OPTIONS(&redis),
        PROGRESS_OPTION(&u.progress),
        OPT_END,
    };
    options_read(&command_uniq, table, &argc, argv, 0, 1);
    redis_check_options(&redis);
    if (argc > 1 && redis.url == NULL) trouble("'%s' is too much; a name is for --redis", argv[1]);
    if (argc == 1 && redis.url != NULL) trouble("--redis: which key? usage: guira uniq --redis URL NAME");
    if (u.time_field > 0 && u.memory.length == 0) trouble("--time-field: for what? say how long with --window");
    u.memory.pass_when_full = on_full == 1;
    fill_in(&u.memory);
    if (redis.url != NULL) return run_on_redis(&u, &redis, argv[1]);
    if (u.checkpoint == 0) u.checkpoint = 60000;
    run(&u);
    return EXIT_YES;
}

const struct command command_uniq = {
    "uniq", "[options] [NAME] <lines >lines", "pass each line on only the first time it comes",
    "Lines need not be sorted and stay in order. About 5 bytes are kept for each different line, whatever its "
    "length\n"
    "(2.6 with --fpr 1%). One new line in a million (--fpr) is taken for an old one and held back.\n"
    "\n"
    "With --window, a line is passed on again when it was not passed on for that long (up to a sixteenth longer), and\n"
    "memory follows the traffic; the rate is then 1e-5. Times in lines are seconds or milliseconds since 1970 or RFC "
    "3339;\n"
    "one that goes back counts as the latest so far.\n"
    "\n"
    "With --state, a run that ends or is killed is gone on with by the next: lines it has passed on are held back. "
    "After\n"
    "a kill, lines since the last save may come twice; none is lost. Ctrl-C and SIGTERM save first.\n"
    "With --on-full pass, lines that there is no memory for are passed on each time they come; with stop, the command\n"
    "ends with status 2 before the first of them. Exit status: 0, or 2 for trouble.\n"
    "\n"
    "With --redis, the key NAME of that server or cluster remembers the lines, for all who use it: each is passed on "
    "by\n"
    "one of them, once. It is made if it is not there. If a server is lost, lines that were in flight are passed on,\n"
    "perhaps for the second time.\n"
    "\n"
    "examples:\n"
    "  guira uniq <events.log >once.log\n"
    "  guira uniq -t, -k1 <orders.csv                       the first order of each customer\n"
    "  guira uniq -c -d <urls.txt >repeated.txt\n"
    "  tail -f app.log | guira uniq --window 10m -k 3       each alert at most every ten minutes\n"
    "  guira uniq --window 1h --time-field 1 -k 2 <events.log\n"
    "  collect | guira uniq --state seen.gf --checkpoint 10s | deliver\n"
    "  guira uniq --max-memory 500M --on-full pass <huge.log\n"
    "  find . -print0 | guira uniq -z\n"
    "  collect | guira uniq --redis redis://cache.example.org --shards 8 seen | deliver\n",
    uniq_run};
