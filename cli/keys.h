/* What a line is known by: all of it, or one of its fields; and the hashes of a batch. */
#ifndef GUIRA_CLI_KEYS_H
#define GUIRA_CLI_KEYS_H

#include <guira.h>

#include "lines.h"

struct key_options {
    bool zero;      /* lines end with a NUL */
    uint64_t field; /* 1 is the first; 0: the whole line */
    int delimiter;  /* between fields; 0: blanks, any number of them */
};

#define KEY_OPTIONS(k)                                                                                              \
    {'z', "zero-terminated", OPT_FLAG, &(k)->zero, NULL, "lines end with a NUL, not with a newline", NULL},         \
        {'k', "key-field", OPT_COUNT, &(k)->field, "N", "a line is known by its field N (the first is 1)", NULL}, { \
        't', "delimiter", OPT_BYTE, &(k)->delimiter, "C", "fields end at each C, not at blanks", NULL               \
    }

/* What ends a line. */
static inline char key_line_end(const struct key_options *k) { return k->zero ? '\0' : '\n'; }

/* Field number `field` of the line. False: it has fewer. */
bool key_field(const struct key_options *k, struct piece line, uint64_t field, struct piece *out);

/* The key of a line; one without the field is known by all of it, so that such lines are not taken for each other. */
struct piece key_of(const struct key_options *k, struct piece line);

/* The keys' hashes in f. */
void keys_hash(const struct key_options *k, const guira *f, const struct batch *b, uint64_t *hash);

#endif
