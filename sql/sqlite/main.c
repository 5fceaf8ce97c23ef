/* The entry point of the extension for SQLite, and what all its functions use. */
#include "sqlite/extension.h"

#include <stdlib.h>
#include <string.h>

#include "common/key.h"

SQLITE_EXTENSION_INIT1

/* ------------------------------------------------------------------------------------------------------------- values */

bool key_of_value(sqlite3_value *value, struct key *out) {
    out->bytes = out->number;
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: out->length = key_of_integer(sqlite3_value_int64(value), out->number); return true;
    case SQLITE_FLOAT: out->length = key_of_real(sqlite3_value_double(value), out->number); return true;
    case SQLITE_TEXT: out->bytes = sqlite3_value_text(value); break;
    case SQLITE_BLOB: out->bytes = sqlite3_value_blob(value); break;
    default: return false;
    }
    out->length = (size_t)sqlite3_value_bytes(value);
    return out->bytes != NULL || out->length == 0;
}

static guira_status blob_of_value(sqlite3_value *value, const void **bytes, size_t *n) {
    if (sqlite3_value_type(value) != SQLITE_BLOB) return GUIRA_EFORMAT;
    *bytes = sqlite3_value_blob(value);
    *n = (size_t)sqlite3_value_bytes(value);
    return *n == 0 ? GUIRA_EFORMAT : *bytes == NULL ? GUIRA_ENOMEM : GUIRA_OK;
}

guira_status load_value(sqlite3_value *value, guira **out) {
    const void *bytes;
    size_t n;
    guira_status s = blob_of_value(value, &bytes, &n);
    return s == GUIRA_OK ? guira_load_from(bytes, n, out) : s;
}

/* ------------------------------------------------------------------------------------------------------------ results */

void result_error(sqlite3_context *ctx, const char *message, guira_status s) {
    if (s == GUIRA_ENOMEM) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    char *text = sqlite3_mprintf("guira: %s", message);
    if (text == NULL) sqlite3_result_error_nomem(ctx);
    else sqlite3_result_error(ctx, text, -1);
    sqlite3_free(text);
}

void result_filter(sqlite3_context *ctx, const guira *f) {
    uint64_t n = guira_saved_size(f);
    void *bytes = sqlite3_malloc64(n);
    if (bytes == NULL) { /* SQLite gives no block of 2 GiB or more */
        if (n > INT32_MAX) sqlite3_result_error_toobig(ctx);
        else sqlite3_result_error_nomem(ctx);
        return;
    }
    guira_status s = sql_save(f, bytes);
    if (s == GUIRA_OK) {
        sqlite3_result_blob64(ctx, bytes, n, sqlite3_free);
        return;
    }
    sqlite3_free(bytes);
    result_error(ctx, sql_error(s), s);
}

/* -------------------------------------------------------------------------------------------------------- connections */

static const char handle_magic[8] = "guira #";

void connection_handle(const struct connection *c, const struct held *h, struct handle *out) {
    memcpy(out->magic, handle_magic, sizeof out->magic);
    out->connection = c->id;
    for (uint64_t age = 1; age <= CONNECTION_HELD; age++) {
        out->filter = c->filters - age;
        if (c->held[out->filter % CONNECTION_HELD] == h) return;
    }
}

/* False: these bytes are something else. */
static bool is_handle(const void *bytes, size_t n, struct handle *out) {
    if (n != sizeof *out) return false;
    memcpy(out, bytes, n);
    return memcmp(out->magic, handle_magic, sizeof out->magic) == 0;
}

static struct held *by_handle(const struct connection *c, const struct handle *handle) {
    bool held =
        handle->connection == c->id && handle->filter < c->filters && c->filters - handle->filter <= CONNECTION_HELD;
    return held ? c->held[handle->filter % CONNECTION_HELD] : NULL;
}

static struct held *by_bytes(const struct connection *c, const void *bytes, size_t n) {
    for (unsigned i = 0; i < CONNECTION_HELD; i++)
        if (held_is(c->held[i], bytes, n)) {
            c->held[i]->from = bytes; /* next time it is probably there again */
            return c->held[i];
        }
    return NULL;
}

guira_status connection_filter(struct connection *c, sqlite3_value *value, struct held **out) {
    const void *bytes;
    size_t n;
    struct handle handle;
    guira_status s = blob_of_value(value, &bytes, &n);
    if (s != GUIRA_OK) return s;
    bool by_name = is_handle(bytes, n, &handle);
    *out = by_name ? by_handle(c, &handle) : by_bytes(c, bytes, n);
    if (by_name && *out == NULL) return GUIRA_ENOENT;
    if (*out == NULL) {
        s = held_copy(bytes, n, true, out);
        if (s != GUIRA_OK) return s;
        struct held **place = &c->held[c->filters++ % CONNECTION_HELD];
        held_release(*place);
        *place = *out;
    }
    (*out)->users++;
    return GUIRA_OK;
}

void connection_release(void *p) {
    struct connection *c = p;
    if (--c->users > 0) return;
    for (unsigned i = 0; i < CONNECTION_HELD; i++) held_release(c->held[i]);
    free(c);
}

/* SQLite derives the name from that of the file, guira.so. */
__attribute__((visibility("default"))) int sqlite3_guira_init(sqlite3 *db, char **message,
                                                              const sqlite3_api_routines *api) {
    SQLITE_EXTENSION_INIT2(api);
    (void)message;
    struct connection *c = calloc(1, sizeof *c);
    if (c == NULL) return SQLITE_NOMEM;
    c->users = 1;
    sqlite3_randomness(sizeof c->id, &c->id);
    int rc = sql_seed("", 0, c->seed) == GUIRA_OK ? SQLITE_OK : SQLITE_NOMEM;
    if (rc == SQLITE_OK) rc = register_aggregates(db, c);
    if (rc == SQLITE_OK) rc = register_scalars(db, c);
    if (rc == SQLITE_OK) rc = register_each_missing(db, c);
    connection_release(c);
    return rc;
}
