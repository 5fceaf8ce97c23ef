/* The scalar functions: guira_has, guira_open, guira_union, guira_add, guira_info,
 * guira_seed. NULL in any argument gives NULL. */
#include "sqlite/extension.h"

SQLITE_EXTENSION_INIT3

static bool has_null(int n, sqlite3_value **value) {
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(value[i]) == SQLITE_NULL) return true;
    return false;
}

/* ---------------------------------------------------------------------------------------------------------- guira_has
 *
 * Two ways to the filter of the row before. If the argument is a constant or a parameter, SQLite keeps what we give it
 * (auxiliary data), and not a byte is compared. If it is something else, for example a subquery, the connection has it.
 *
 * But SQLite copies the value of a subquery for every row before it calls us: 18 us for 759 KB. So guira_open gives a short
 * blob to be copied instead. */

static void release(void *h) { held_release(h); }

/* SQLite may throw auxiliary data away at once, so *out has a user of its own, here. */
static guira_status filter_of_argument(sqlite3_context *ctx, sqlite3_value *value, struct held **out) {
    *out = sqlite3_get_auxdata(ctx, 0);
    if (*out != NULL) {
        (*out)->users++;
        return GUIRA_OK;
    }
    guira_status s = connection_filter(sqlite3_user_data(ctx), value, out);
    if (s != GUIRA_OK) return s;
    (*out)->users++;
    sqlite3_set_auxdata(ctx, 0, *out, release);
    return GUIRA_OK;
}

static void has(sqlite3_context *ctx, int n, sqlite3_value **value) {
    struct held *h;
    struct key key;
    if (has_null(n, value)) return;
    guira_status s = filter_of_argument(ctx, value[0], &h);
    if (s != GUIRA_OK) {
        result_error(ctx, sql_error(s), s);
        return;
    }
    if (key_of_value(value[1], &key)) sqlite3_result_int(ctx, guira_contains(h->filter, key.bytes, key.length));
    else sqlite3_result_error_nomem(ctx);
    held_release(h);
}

static void open_filter(sqlite3_context *ctx, int n, sqlite3_value **value) {
    struct held *h;
    struct handle handle;
    if (has_null(n, value)) return;
    guira_status s = connection_filter(sqlite3_user_data(ctx), value[0], &h);
    if (s != GUIRA_OK) {
        result_error(ctx, sql_error(s), s);
        return;
    }
    connection_handle(sqlite3_user_data(ctx), h, &handle);
    sqlite3_result_blob(ctx, &handle, sizeof handle, SQLITE_TRANSIENT);
    held_release(h);
}

/* ------------------------------------------------------------------------------------------------------------- others */

static void unite(sqlite3_context *ctx, int n, sqlite3_value **value) {
    guira *into = NULL, *from = NULL;
    if (has_null(n, value)) return;
    guira_status s = load_value(value[0], &into);
    if (s == GUIRA_OK) s = load_value(value[1], &from);
    if (s == GUIRA_OK) s = sql_unite(&into, from);
    if (s == GUIRA_OK) result_filter(ctx, into);
    else result_error(ctx, sql_union_error(s), s);
    guira_destroy(into);
    guira_destroy(from);
}

static void add(sqlite3_context *ctx, int n, sqlite3_value **value) {
    guira *f = NULL;
    struct key key;
    if (has_null(n, value)) return;
    guira_status s = load_value(value[0], &f);
    if (s == GUIRA_OK) s = key_of_value(value[1], &key) ? sql_insert(f, key.bytes, key.length) : GUIRA_ENOMEM;
    if (s == GUIRA_OK) result_filter(ctx, f);
    else result_error(ctx, sql_error(s), s);
    guira_destroy(f);
}

/* The subtype J tells SQLite's JSON functions that this text is JSON. */
static void info(sqlite3_context *ctx, int n, sqlite3_value **value) {
    struct held *h;
    guira_stats stats = GUIRA_STATS_INIT;
    guira_config config;
    if (has_null(n, value)) return;
    guira_status s = connection_filter(sqlite3_user_data(ctx), value[0], &h);
    if (s != GUIRA_OK) {
        result_error(ctx, sql_error(s), s);
        return;
    }
    guira_config_init(&config);
    (void)guira_stats_get(h->filter, &stats);
    (void)guira_config_get(h->filter, &config);
    char *json = sqlite3_mprintf("{\"kind\":\"%s\",\"items\":%llu,\"bytes\":%llu,\"slot_bits\":%u,\"load\":%.4f,"
                                 "\"fpr\":%.6g,\"fpr_kept\":%.6g}",
                                 sql_kind_name(config.kind), (unsigned long long)stats.items, (unsigned long long)h->n,
                                 config.slot_bits, stats.load, stats.fpr, stats.fpr_kept);
    held_release(h);
    if (json == NULL) sqlite3_result_error_nomem(ctx);
    else sqlite3_result_text(ctx, json, -1, sqlite3_free);
    sqlite3_result_subtype(ctx, 'J');
}

static void seed(sqlite3_context *ctx, int n, sqlite3_value **value) {
    struct connection *c = sqlite3_user_data(ctx);
    struct key key;
    if (has_null(n, value)) return;
    guira_status s = key_of_value(value[0], &key) ? sql_seed(key.bytes, key.length, c->seed) : GUIRA_ENOMEM;
    if (s != GUIRA_OK) result_error(ctx, sql_error(s), s);
}

int register_scalars(sqlite3 *db, struct connection *c) {
    static const struct {
        const char *name;
        int arguments, flags;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } scalar[] = {
        {"guira_has", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, has},
        {"guira_open", 1, SQLITE_INNOCUOUS, open_filter},
        {"guira_union", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, unite},
        {"guira_add", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, add},
        {"guira_info", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, info},
        {"guira_seed", 1, SQLITE_DIRECTONLY, seed}, /* it changes the connection, so no view or trigger may call it */
    };
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof scalar / sizeof *scalar && rc == SQLITE_OK; i++) {
        c->users++; /* SQLite calls the destructor also if it fails */
        rc = sqlite3_create_function_v2(db, scalar[i].name, scalar[i].arguments, SQLITE_UTF8 | scalar[i].flags, c,
                                        scalar[i].function, NULL, NULL, connection_release);
    }
    return rc;
}
