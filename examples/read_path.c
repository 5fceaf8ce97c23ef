/* A filter before a store: reads of keys that do not exist never reach the store. The store is SQLite.
 *
 *     get(key) --> [ filter ] -- absent --> no store read
 *                      |
 *                      +-- present --> [ store ] --> the value, or nothing: a false positive
 *
 * WHEN IS A KEY REMOVED FROM THE FILTER? In the same step as from the store, after the commit. Without that the filter goes
 * on saying "present" for keys that are gone: the program measures this drift. Only keys that the store has deleted are
 * removed, because the store alone knows which keys there were; the filter cannot tell a member from a false positive.
 *
 * WHAT IF THE PROCESS DIES BETWEEN THE COMMIT AND THE FILTER? The store has a flag `clean`, which is true only while no process
 * uses it and the filter is saved. A process that starts clears it, in a transaction; the last thing it does is to save the
 * filter and to set it. Who finds it cleared rebuilds the filter from the store.
 *
 * Exit status: 1 if a key of the store was not found, which must never happen, or if a call failed. */
#include <guira.h>
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 20000, READS = 50000, EVICTIONS = 10000, BATCH = 100 };

struct path {
    sqlite3 *db;
    sqlite3_stmt *get, *put, *delete;
    guira *filter;
    char filter_file[64];
    uint64_t asked, store_reads, found, false_positives;
    bool rebuilt;
};

static _Noreturn void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void must(guira_status s, const char *what) {
    if (s != GUIRA_OK) die("%s: %s", what, guira_strerror(s));
}

/* ------------------------------------------------------------------------------------------------------------ the store */

static void sql(sqlite3 *db, const char *statement) {
    char *message;
    if (sqlite3_exec(db, statement, NULL, NULL, &message) != SQLITE_OK) die("%s: %s", statement, message);
}

static sqlite3_stmt *prepared(sqlite3 *db, const char *statement) {
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, statement, -1, &s, NULL) != SQLITE_OK) die("%s: %s", statement, sqlite3_errmsg(db));
    return s;
}

/* Runs a statement with a key. True: it returned a row. */
static bool run(sqlite3_stmt *s, int64_t key) {
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, key);
    int result = sqlite3_step(s);
    sqlite3_reset(s);
    if (result != SQLITE_ROW && result != SQLITE_DONE) die("the store refuses a statement");
    return result == SQLITE_ROW;
}

static int64_t number(sqlite3 *db, const char *query) {
    sqlite3_stmt *s = prepared(db, query);
    int64_t n = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
    sqlite3_finalize(s);
    return n;
}

/* ----------------------------------------------------------------------------------------------------- opening, closing */

static void insert(guira *f, int64_t key) { must(guira_insert(f, &key, sizeof key), "guira_insert"); }

static void rebuild(struct path *p) {
    guira_config c = {.fpr = 0.001};
    must(guira_create(&c, &p->filter), "guira_create");
    sqlite3_stmt *all = prepared(p->db, "SELECT key FROM item");
    while (sqlite3_step(all) == SQLITE_ROW) insert(p->filter, sqlite3_column_int64(all, 0));
    sqlite3_finalize(all);
    p->rebuilt = true;
}

static void path_open(struct path *p, const char *directory) {
    char file[64];
    *p = (struct path){.db = NULL};
    snprintf(file, sizeof file, "%s/store.db", directory);
    snprintf(p->filter_file, sizeof p->filter_file, "%s/store.gf", directory);
    if (sqlite3_open(file, &p->db) != SQLITE_OK) die("%s: cannot be opened", file);
    sql(p->db,
        "PRAGMA synchronous = OFF"); /* only for the speed of this example: it survives a process, not a power cut */
    sql(p->db, "CREATE TABLE IF NOT EXISTS item (key INTEGER PRIMARY KEY, value TEXT);"
               "CREATE TABLE IF NOT EXISTS state (clean INTEGER)");
    p->get = prepared(p->db, "SELECT value FROM item WHERE key = ?");
    p->put = prepared(p->db, "INSERT INTO item VALUES (?, 'value')");
    p->delete = prepared(p->db, "DELETE FROM item WHERE key = ? RETURNING key");
    if (number(p->db, "SELECT clean FROM state") != 1 || guira_load(p->filter_file, &p->filter) != GUIRA_OK) rebuild(p);
    sql(p->db, "BEGIN; DELETE FROM state; INSERT INTO state VALUES (0); COMMIT");
}

static void path_close(struct path *p) {
    must(guira_save(p->filter, p->filter_file), "guira_save");
    sql(p->db, "UPDATE state SET clean = 1");
    sqlite3_finalize(p->get);
    sqlite3_finalize(p->put);
    sqlite3_finalize(p->delete);
    sqlite3_close(p->db);
    guira_destroy(p->filter);
}

/* ------------------------------------------------------------------------------------------------------------- the path */

/* The filter first: if the process dies in between, it has a key too many, which is harmless, and is rebuilt anyway. */
static void put(struct path *p, int64_t key) {
    insert(p->filter, key);
    run(p->put, key);
}

/* The store first, a batch in one transaction, and from the filter only what the store had. crash: dies after the commit. */
static void evict(struct path *p, int64_t first, bool propagate, bool crash) {
    bool existed[BATCH];
    sql(p->db, "BEGIN");
    for (int64_t i = 0; i < BATCH; i++) existed[i] = run(p->delete, first + i);
    sql(p->db, "COMMIT");
    if (crash) raise(SIGKILL);
    for (int64_t i = 0, key = first; propagate && i < BATCH; i++, key++)
        if (existed[i]) must(guira_remove(p->filter, &key, sizeof key), "guira_remove");
}

static bool get(struct path *p, int64_t key) {
    p->asked++;
    if (!guira_contains(p->filter, &key, sizeof key)) return false;
    p->store_reads++;
    bool found = run(p->get, key);
    p->found += found;
    p->false_positives += !found;
    return found;
}

/* ---------------------------------------------------------------------------------------------------------- the program */

/* One read in ten is for a key of the first KEYS, the others are for keys that never were. */
static void read_some(struct path *p, const char *when) {
    p->asked = p->store_reads = p->found = p->false_positives = 0;
    for (int64_t i = 0; i < READS; i++) get(p, i % 10 == 0 ? i / 10 % KEYS : 1000000 + i);
    printf("%-34s %" PRIu64 " of %" PRIu64 " reads reach the store, %" PRIu64 " find nothing there\n", when,
           p->store_reads, p->asked, p->false_positives);
}

static void check_all(struct path *p) {
    sqlite3_stmt *all = prepared(p->db, "SELECT key FROM item");
    while (sqlite3_step(all) == SQLITE_ROW) {
        int64_t key = sqlite3_column_int64(all, 0);
        if (!guira_contains(p->filter, &key, sizeof key))
            die("key %" PRId64 " is in the store and not in the filter", key);
    }
    sqlite3_finalize(all);
}

static void evict_half(struct path *p, bool propagate) {
    for (int64_t key = 0; key < EVICTIONS; key += BATCH) evict(p, key, propagate, false);
}

static void put_all(struct path *p, int64_t n) {
    sql(p->db, "BEGIN");
    for (int64_t key = 0; key < n; key++) put(p, key);
    sql(p->db, "COMMIT");
}

static void crash(const char *directory) {
    pid_t child = fork();
    int status;
    if (child == 0) {
        struct path p;
        path_open(&p, directory);
        evict(&p, KEYS - BATCH, true, true);
        exit(1); /* not reached */
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) die("no crash");
}

static void start(struct path *p, const char *directory, const char *when, bool rebuilds) {
    path_open(p, directory);
    printf("%-34s filter %s, %" PRId64 " keys in the store\n", when, p->rebuilt ? "rebuilt from the store" : "loaded",
           number(p->db, "SELECT count(*) FROM item"));
    if (p->rebuilt != rebuilds) die("that is not what should have happened");
    check_all(p);
}

int main(void) {
    char directory[] = "/tmp/guira-read-path-XXXXXX", command[64];
    struct path p;
    if (mkdtemp(directory) == NULL) die("no temporary directory");
    path_open(&p, directory);
    put_all(&p, KEYS);
    read_some(&p, "with the filter:");
    evict_half(&p, true);
    read_some(&p, "half evicted, filter told:");
    put_all(&p, EVICTIONS);
    evict_half(&p, false);
    read_some(&p, "half evicted, filter not told:");
    guira_destroy(p.filter); /* what drift leaves behind only a rebuild removes */
    rebuild(&p);
    read_some(&p, "rebuilt:");
    path_close(&p);
    start(&p, directory, "started again:", false);
    path_close(&p);
    crash(directory);
    start(&p, directory, "after a crash behind a commit:", true);
    path_close(&p);
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) == 0 ? 0 : 1;
}
