/* The aggregates: guira(value, rate, items) makes a filter of the values of a column, guira_union(filter) one of the filters.
 *
 * SQLite calls `finish` for every group, also after an error, so what `step` allocates is always freed. */
#include "sqlite/extension.h"

SQLITE_EXTENSION_INIT3

struct state {
    guira *filter; /* NULL: no row yet */
};

/* A rate that is NULL or not given is 0, which means the default. */
static const char *read_rate(sqlite3_value *value, double *out) {
    if (sqlite3_value_type(value) == SQLITE_NULL) return NULL;
    *out = sqlite3_value_double(value);
    bool number = sqlite3_value_numeric_type(value) == SQLITE_FLOAT;
    return number && *out > 0 && *out < 1 ? NULL : "the rate must be a number between 0 and 1";
}

static const char *read_items(sqlite3_value *value, uint64_t *out) {
    if (sqlite3_value_type(value) == SQLITE_NULL) return NULL;
    sqlite3_int64 items = sqlite3_value_int64(value);
    *out = (uint64_t)items;
    bool number = sqlite3_value_numeric_type(value) == SQLITE_INTEGER;
    return number && items >= 0 ? NULL : "the number of items must be an integer of at least 0";
}

/* The first row decides on rate and items. False: there is an error in ctx. */
static bool start(sqlite3_context *ctx, struct state *state, int n, sqlite3_value **value) {
    const struct connection *c = sqlite3_user_data(ctx);
    double rate = 0;
    uint64_t items = 0;
    const char *wrong = n > 1 ? read_rate(value[1], &rate) : NULL;
    if (wrong == NULL && n > 2) wrong = read_items(value[2], &items);
    guira_status s = wrong == NULL ? sql_create(c->seed, rate, items, 0, &state->filter) : GUIRA_EINVAL;
    if (s != GUIRA_OK) result_error(ctx, wrong != NULL ? wrong : sql_error(s), s);
    return s == GUIRA_OK;
}

static void step(sqlite3_context *ctx, int n, sqlite3_value **value) {
    struct state *state = sqlite3_aggregate_context(ctx, sizeof *state);
    struct key key;
    if (state == NULL) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (state->filter == NULL && !start(ctx, state, n, value)) return;
    if (sqlite3_value_type(value[0]) == SQLITE_NULL) return;
    guira_status s = key_of_value(value[0], &key) ? sql_insert(state->filter, key.bytes, key.length) : GUIRA_ENOMEM;
    if (s != GUIRA_OK) result_error(ctx, sql_error(s), s);
}

static void union_step(sqlite3_context *ctx, int n, sqlite3_value **value) {
    (void)n;
    struct state *state = sqlite3_aggregate_context(ctx, sizeof *state);
    if (state == NULL) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (sqlite3_value_type(value[0]) == SQLITE_NULL) return;
    guira *f = NULL;
    guira_status s = load_value(value[0], &f);
    if (s == GUIRA_OK && state->filter == NULL) {
        state->filter = f;
        return;
    }
    if (s == GUIRA_OK) s = sql_unite(&state->filter, f);
    guira_destroy(f);
    if (s != GUIRA_OK) result_error(ctx, sql_union_error(s), s);
}

/* Of no rows: an empty filter, so that NOT guira_has(...) is true for every value. */
static void finish(sqlite3_context *ctx) {
    const struct connection *c = sqlite3_user_data(ctx);
    struct state empty = {NULL}, *state = sqlite3_aggregate_context(ctx, 0);
    if (state == NULL) state = &empty;
    guira_status s = state->filter == NULL ? sql_create(c->seed, 0, 0, 0, &state->filter) : GUIRA_OK;
    if (s == GUIRA_OK) result_filter(ctx, state->filter);
    else result_error(ctx, sql_error(s), s);
    guira_destroy(state->filter);
    state->filter = NULL;
}

static int add(sqlite3 *db, struct connection *c, const char *name, int arguments,
               void (*step_function)(sqlite3_context *, int, sqlite3_value **)) {
    c->users++; /* SQLite calls the destructor also if it fails */
    return sqlite3_create_function_v2(db, name, arguments, SQLITE_UTF8 | SQLITE_INNOCUOUS, c, NULL, step_function,
                                      finish, connection_release);
}

int register_aggregates(sqlite3 *db, struct connection *c) {
    int rc = SQLITE_OK;
    for (int arguments = 1; arguments <= 3 && rc == SQLITE_OK; arguments++) rc = add(db, c, "guira", arguments, step);
    return rc == SQLITE_OK ? add(db, c, "guira_union", 1, union_step) : rc;
}
