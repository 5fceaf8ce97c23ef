/* What the functions of SQLite and PostgreSQL do with filters.
 *
 * Filters made in SQL are sets: a value is inserted if the filter does not contain it yet, and two filters are combined by
 * their union. So duplicates in a column take no room, and the filters of several workers or days become one.
 *
 * A union needs filters with the same seed. So the seed is not drawn at random here: it is computed from a text, which the
 * user can choose and keep secret. */
#ifndef GUIRA_SQL_FILTER_H
#define GUIRA_SQL_FILTER_H

#include <guira.h>

enum { SQL_SEED_BYTES = 16 };

/* The seed that belongs to a text. ENOMEM. */
guira_status sql_seed(const char *text, size_t length, uint8_t out[SQL_SEED_BYTES]);

/* An empty filter. rate 0: the default; items: how many to make room for, 0: not known; slot_bits 0: from the rate. */
guira_status sql_create(const uint8_t seed[SQL_SEED_BYTES], double rate, uint64_t items, unsigned slot_bits,
                        guira **out);

/* GUIRA_OK also if the filter contains the key already. */
guira_status sql_insert(guira *f, const void *key, size_t length);

/* *into becomes its union with from. An empty filter is the neutral element, whatever its configuration: the aggregate of no
 * rows does not know which one the others have. On failure *into is unchanged. */
guira_status sql_unite(guira **into, const guira *from);

/* Writes the filter to `to`, which has guira_saved_size(f) bytes. */
guira_status sql_save(const guira *f, void *to);

const char *sql_kind_name(guira_kind kind);

/* What went wrong, for the user: more than guira_strerror where the remedy depends on SQL. */
const char *sql_error(guira_status s);
const char *sql_union_error(guira_status s);

#endif
