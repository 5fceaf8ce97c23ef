/* The key of a line, which decides whether two lines are equal: the whole line, fields of it, values in JSON, or what a
 * regular expression captures.
 *
 *     -k 2              "7 ana x"             -> ana
 *     -k 1,3            "7 ana x"             -> 7 \n x \n       each part is followed by the byte that ends lines
 *     -k 4              "7 ana x"             -> \n 7 ana x =    a line without the field
 *
 * CAN DIFFERENT KEYS BECOME EQUAL? No. A key of one part is the part itself, so a filter can also be built from a list of
 * such parts. A part does not contain the byte that ends lines (values of CSV and JSON that do are written in quotes), so
 * keys of several parts can be taken apart again. A line without the field is compared as a whole; its key starts with
 * that byte and does not end with it, which no other key does. */
#ifndef GUIRA_CLI_KEYS_H
#define GUIRA_CLI_KEYS_H

#include <guira.h>

#include "key_fields.h"
#include "lines.h"
#include "options.h"

struct key_options {
    bool zero; /* lines end with a NUL */
    bool csv, ignore_case;
    struct field_list fields; /* none: the whole line */
    const char *delimiter;    /* NULL: any number of blanks, or a comma with csv */
    struct text_list json;    /* paths */
    const char *regex;
};

#define KEY_OPTIONS(k)                                                                                               \
    {'z', "zero-terminated", OPT_FLAG, &(k)->zero, NULL, "lines end with NUL instead of newline", NULL},             \
        {'k', "key-field", OPT_FIELDS, &(k)->fields, "LIST", "compare only these fields: 2, 1,3-5, 4-", NULL},       \
        {'t', "delimiter", OPT_TEXT, &(k)->delimiter, "TEXT", "fields are separated by TEXT, not blanks", NULL},     \
        {0, "csv", OPT_FLAG, &(k)->csv, NULL, "fields are those of CSV, with quotes", NULL},                         \
        {0, "json-key", OPT_TEXTS, &(k)->json, "PATH", "compare only this value of a line of JSON: .user.id", NULL}, \
        {0, "regex-key", OPT_TEXT, &(k)->regex, "RE", "compare only what the groups of RE capture", NULL}, {         \
        'i', "ignore-case", OPT_FLAG, &(k)->ignore_case, NULL, "A to Z are the same as a to z", NULL                 \
    }

/* The byte that ends a line. */
static inline char key_line_end(const struct key_options *k) { return k->zero ? '\0' : '\n'; }

/* How fields are separated. */
struct field_rule key_field_rule(const struct key_options *k);

/* Exits if the options cannot be combined. time_field: fields are also needed for the time of a line. */
void key_options_check(struct key_options *k, bool time_field);

/* Finds keys, for one thread. */
struct key_reader;

/* Exits if a path or the regular expression is not valid. */
struct key_reader *key_reader_new(const struct key_options *k);

/* The key of a line, valid until the next call. */
struct slice key_of(struct key_reader *r, struct slice line);

#endif
