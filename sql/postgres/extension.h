/* The parts of the extension for PostgreSQL. docs/sql.md explains its functions, guira--0.1.sql declares them.
 *
 * MEMORY. The library takes memory from malloc, and errors of PostgreSQL leave functions by longjmp. So every filter belongs to
 * a memory context: a callback frees it when the context is reset, after an error too. */
#ifndef GUIRA_POSTGRES_EXTENSION_H
#define GUIRA_POSTGRES_EXTENSION_H

#include <postgres.h>

#include <fmgr.h>

#include "common/filter.h"
#include "common/held.h"
#include "common/key.h"

#pragma GCC visibility push(hidden) /* PostgreSQL loads all extensions into one name space */

/* A filter that is freed with its memory context. */
struct owned {
    guira *filter; /* NULL: none */
    MemoryContextCallback at_reset;
};

struct owned *owned_new(MemoryContext context);
void owned_free(struct owned *o); /* now, not at the end of the context */

/* Ends the function with an error, unless s is GUIRA_OK. */
void check_status(guira_status s, const char *(*message)(guira_status));

/* The filter in a value, as one that can be changed. */
struct owned *load_value(const void *bytes, size_t n, MemoryContext context);

/* A value of the type guira, or of bytea, with the bytes of f. */
bytea *save_value(const guira *f);

/* An empty filter with the seed of the setting guira.seed. */
void create_filter(struct owned *o, double rate, uint64_t items, unsigned slot_bits);
void define_settings(void);

/* ---------------------------------------------------------------------------------------------------------------- keys */

/* How the values of a type become keys; kept from row to row. */
struct key_type {
    Oid type, collation; /* of the argument */
    int form;
    FmgrInfo function; /* that gives the text or the hash of a value */
};

struct key {
    const void *bytes;
    size_t length;
    char number[KEY_NUMBER_BYTES];
};

/* Errors: PostgreSQL has no hash function for the type; the collation is nondeterministic. */
void key_prepare(struct key_type *t, Oid type, Oid collation, MemoryContext context);
void key_of_datum(struct key_type *t, Datum value, struct key *out);

/* The type of an argument of this call. */
void key_prepare_argument(struct key_type *t, FunctionCallInfo fcinfo, int argument);

#pragma GCC visibility pop

#endif
