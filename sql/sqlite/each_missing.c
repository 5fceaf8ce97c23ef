/* The table-valued function guira_each_missing(filter, list): the elements of a JSON array or object that are not in the
 * filter, with their position. For clients that have a list of keys and want to know which of them are new:
 *
 *     SELECT value FROM guira_each_missing(:filter, '["ana","bob"]');
 *
 * SQLite's own json_each reads the list. Elements are looked up in batches, which hides the latency of memory:
 *
 *     json_each -> 256 elements -> their hashes -> guira_contains_hash_many -> the rows that are not in the filter
 */
#include <string.h>

#include "sqlite/extension.h"

SQLITE_EXTENSION_INIT3

enum { BATCH = 256 };
enum { COLUMN_KEY, COLUMN_VALUE, COLUMN_FILTER, COLUMN_LIST };

struct missing_table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct connection *connection;
};

struct missing_cursor {
    sqlite3_vtab_cursor base;
    struct held *filter;  /* NULL: an argument is NULL, and there are no rows */
    sqlite3_stmt *list;   /* NULL: read to its end */
    sqlite3_int64 number; /* of the row */
    size_t n, at;         /* elements in the batch, the present one */
    sqlite3_value *key[BATCH], *value[BATCH];
    bool present[BATCH];
};

static struct missing_table *table_of(struct missing_cursor *c) { return (struct missing_table *)c->base.pVtab; }

/* ---------------------------------------------------------------------------------------------------------- the table */

static int connect(sqlite3 *db, void *aux, int n, const char *const *argument, sqlite3_vtab **out, char **message) {
    (void)n;
    (void)argument;
    (void)message;
    int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(key, value, guira_filter HIDDEN, guira_list HIDDEN)");
    struct missing_table *t = rc == SQLITE_OK ? sqlite3_malloc64(sizeof *t) : NULL;
    if (t == NULL) return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
    memset(t, 0, sizeof *t);
    t->db = db;
    t->connection = aux;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    *out = &t->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *t) {
    sqlite3_free(t);
    return SQLITE_OK;
}

/* Both arguments are needed. A plan that cannot provide one is no plan, for example in a join in the wrong order. */
static int best_index(sqlite3_vtab *t, sqlite3_index_info *info) {
    int at[2] = {-1, -1};
    bool unusable = false;
    for (int i = 0; i < info->nConstraint; i++) {
        int argument = info->aConstraint[i].iColumn - COLUMN_FILTER;
        if (argument < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (info->aConstraint[i].usable) at[argument] = i;
        else unusable = true;
    }
    if (at[0] < 0 || at[1] < 0) {
        if (unusable) return SQLITE_CONSTRAINT;
        sqlite3_free(t->zErrMsg);
        t->zErrMsg = sqlite3_mprintf("guira_each_missing requires two arguments: a filter and a JSON array");
        return SQLITE_ERROR;
    }
    for (int i = 0; i < 2; i++) {
        info->aConstraintUsage[at[i]].argvIndex = i + 1;
        info->aConstraintUsage[at[i]].omit = 1;
    }
    info->estimatedCost = 1000;
    info->estimatedRows = 100;
    return SQLITE_OK;
}

/* --------------------------------------------------------------------------------------------------------- the cursor */

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out) {
    (void)t;
    struct missing_cursor *c = sqlite3_malloc64(sizeof *c);
    if (c == NULL) return SQLITE_NOMEM;
    memset(c, 0, sizeof *c);
    *out = &c->base;
    return SQLITE_OK;
}

static void drop_batch(struct missing_cursor *c) {
    for (size_t i = 0; i < c->n; i++) {
        sqlite3_value_free(c->key[i]);
        sqlite3_value_free(c->value[i]);
    }
    c->n = c->at = 0;
}

static void reset(struct missing_cursor *c) {
    drop_batch(c);
    sqlite3_finalize(c->list);
    held_release(c->filter);
    c->list = NULL;
    c->filter = NULL;
    c->number = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    reset((struct missing_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int fail(struct missing_cursor *c, const char *message, int rc) {
    struct missing_table *t = table_of(c);
    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = sqlite3_mprintf("guira_each_missing: %s", message);
    return rc;
}

/* Copies the next element into the batch, unless it is NULL. */
static int take_element(struct missing_cursor *c, uint64_t hash[BATCH]) {
    struct key key;
    sqlite3_value *value = sqlite3_column_value(c->list, 1);
    if (sqlite3_value_type(value) == SQLITE_NULL) return SQLITE_OK;
    c->key[c->n] = sqlite3_value_dup(sqlite3_column_value(c->list, 0));
    c->value[c->n] = sqlite3_value_dup(value);
    bool copied = c->key[c->n] != NULL && c->value[c->n] != NULL;
    c->n++;
    if (!copied || !key_of_value(c->value[c->n - 1], &key)) return SQLITE_NOMEM;
    hash[c->n - 1] = guira_hash(c->filter->filter, key.bytes, key.length);
    return SQLITE_OK;
}

static int read_batch(struct missing_cursor *c) {
    uint64_t hash[BATCH];
    drop_batch(c);
    while (c->n < BATCH) {
        int rc = sqlite3_step(c->list);
        if (rc == SQLITE_ROW) rc = take_element(c, hash);
        else if (rc != SQLITE_DONE) return fail(c, sqlite3_errmsg(table_of(c)->db), rc);
        else {
            sqlite3_finalize(c->list);
            c->list = NULL;
            break;
        }
        if (rc != SQLITE_OK) return rc;
    }
    guira_contains_hash_many(c->filter->filter, hash, c->n, c->present);
    return SQLITE_OK;
}

/* From the present element on, if that is not in the filter. */
static int skip_present(struct missing_cursor *c) {
    for (;;) {
        while (c->at < c->n && c->present[c->at]) c->at++;
        if (c->at < c->n || c->list == NULL) return SQLITE_OK;
        int rc = read_batch(c);
        if (rc != SQLITE_OK) return rc;
    }
}

static int next(sqlite3_vtab_cursor *base) {
    struct missing_cursor *c = (struct missing_cursor *)base;
    c->at++;
    c->number++;
    return skip_present(c);
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *name, int n, sqlite3_value **value) {
    (void)plan;
    (void)name;
    (void)n;
    struct missing_cursor *c = (struct missing_cursor *)base;
    struct missing_table *t = table_of(c);
    reset(c);
    if (sqlite3_value_type(value[0]) == SQLITE_NULL || sqlite3_value_type(value[1]) == SQLITE_NULL) return SQLITE_OK;
    guira_status s = connection_filter(t->connection, value[0], &c->filter);
    if (s != GUIRA_OK) return fail(c, sql_error(s), s == GUIRA_ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR);
    int rc = sqlite3_prepare_v2(t->db, "SELECT key, value FROM json_each(?1)", -1, &c->list, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_value(c->list, 1, value[1]);
    return rc == SQLITE_OK ? skip_present(c) : fail(c, sqlite3_errmsg(t->db), rc);
}

static int at_end(sqlite3_vtab_cursor *base) {
    const struct missing_cursor *c = (const struct missing_cursor *)base;
    return c->at >= c->n;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i) {
    const struct missing_cursor *c = (const struct missing_cursor *)base;
    if (i == COLUMN_KEY) sqlite3_result_value(ctx, c->key[c->at]);
    if (i == COLUMN_VALUE) sqlite3_result_value(ctx, c->value[c->at]);
    return SQLITE_OK; /* the arguments are NULL */
}

static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    *out = ((const struct missing_cursor *)base)->number;
    return SQLITE_OK;
}

int register_each_missing(sqlite3 *db, struct connection *c) {
    static const sqlite3_module module = {
        .iVersion = 0,
        .xConnect = connect,
        .xBestIndex = best_index,
        .xDisconnect = disconnect,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = filter,
        .xNext = next,
        .xEof = at_end,
        .xColumn = column,
        .xRowid = row_number,
    };
    c->users++; /* SQLite calls the destructor also if it fails */
    return sqlite3_create_module_v2(db, "guira_each_missing", &module, c, connection_release);
}
