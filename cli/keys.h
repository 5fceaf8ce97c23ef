/* The key of a line, which decides whether two lines are equal: the whole line or one of its fields. */
#ifndef GUIRA_CLI_KEYS_H
#define GUIRA_CLI_KEYS_H

#include <guira.h>

#include "lines.h"

struct key_options {
    bool zero;      /* lines end with a NUL */
    uint64_t field; /* number of the field, from 1; 0: the whole line */
    int delimiter;  /* the byte between fields; 0: any number of blanks */
};

#define KEY_OPTIONS(k)                                                                                           \
    {'z', "zero-terminated", OPT_FLAG, &(k)->zero, NULL, "lines end with NUL instead of newline", NULL},         \
        {'k', "key-field", OPT_FIELD, &(k)->field, "N", "compare only field N of each line, from 1", NULL}, {    \
        't', "delimiter", OPT_BYTE, &(k)->delimiter, "C", "fields are separated by the byte C, not blanks", NULL \
    }

/* The byte that ends a line. */
static inline char key_line_end(const struct key_options *k) { return k->zero ? '\0' : '\n'; }

/* Finds field number `field` of the line. False: the line has fewer fields. */
bool key_field(const struct key_options *k, struct slice line, uint64_t field, struct slice *out);

/* The key of a line. A line without the field is its own key, so that all such lines do not count as equal. */
struct slice key_of(const struct key_options *k, struct slice line);

/* Computes the hashes, for filter f, of the keys of all lines of the batch. */
void keys_hash(const struct key_options *k, const guira *f, const struct batch *b, uint64_t *hash);

#endif
