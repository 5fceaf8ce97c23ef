/* The parts of the extension for SQLite. docs/sql.md explains its functions.
 *
 * Every function gets a struct connection as its user data: the seed of new filters, and the filters that were asked last.
 * SQLite holds the connection's mutex while it calls a function, so one connection needs no lock. */
#ifndef GUIRA_SQLITE_EXTENSION_H
#define GUIRA_SQLITE_EXTENSION_H

#include <sqlite3ext.h>

#include "common/filter.h"
#include "common/held.h"

enum { CONNECTION_HELD = 8 };

struct connection {
    unsigned users; /* functions and modules that have it as their user data */
    uint8_t seed[SQL_SEED_BYTES];
    struct held *held[CONNECTION_HELD]; /* the i-th filter is at i modulo CONNECTION_HELD, unless it was replaced */
    uint64_t filters;                   /* that were held so far */
    uint64_t id;                        /* random, so that a handle of another connection is not mistaken for ours */
};

/* What guira_open returns: a short blob that stands for a filter which the connection holds. */
struct handle {
    char magic[8];
    uint64_t connection, filter;
};

/* The bytes that stand for a value; see common/key.h. bytes points into the value or to the number. */
struct key {
    const void *bytes;
    size_t length;
    char number[24];
};

/* False: the value is NULL, or there is no memory for it. */
bool key_of_value(sqlite3_value *value, struct key *out);

/* The filter in a value, or that of a handle, validated, and kept by the connection for the next call. The caller is a user of
 * it and calls held_release. EFORMAT: the value is not a blob, or not a filter. ENOENT: a handle of a filter that is no longer
 * held. ECORRUPT, ENOMEM. */
guira_status connection_filter(struct connection *c, sqlite3_value *value, struct held **out);

/* The handle of a filter that connection_filter has just returned. */
void connection_handle(const struct connection *c, const struct held *h, struct handle *out);

/* The same with a filter that can be changed. The caller frees it with guira_destroy. */
guira_status load_value(sqlite3_value *value, guira **out);

/* How an SQL function ends. */
void result_error(sqlite3_context *ctx, const char *message, guira_status s);
void result_filter(sqlite3_context *ctx, const guira *f);

/* Each adds its part to a connection; *c gets more users. They return a status of SQLite. */
int register_aggregates(sqlite3 *db, struct connection *c);
int register_scalars(sqlite3 *db, struct connection *c);
int register_each_missing(sqlite3 *db, struct connection *c);

/* One user less, as the destructor of a function or module. */
void connection_release(void *c);

#endif
