/* Fields of a line: which ones (-k 1,3-5) and how they are separated. */
#ifndef GUIRA_CLI_KEY_FIELDS_H
#define GUIRA_CLI_KEY_FIELDS_H

#include "lines.h"

enum { MAX_RANGES = 32 };

/* Fields from `from` to `to`; to 0: to the end of the line. */
struct field_range {
    uint64_t from, to;
};

struct field_list {
    struct field_range range[MAX_RANGES];
    size_t n;
};

/* Appends "2", "1,3-5", "4-" or "-2" to the list. False: the text has another form, or there are too many ranges. */
bool field_list_read(const char *text, struct field_list *list);

/* How fields are separated. */
struct field_rule {
    const char *delimiter; /* NULL: any number of blanks */
    bool csv;
};

/* Goes through the fields of a line. */
struct field_cursor {
    struct field_rule rule;
    const char *at, *end; /* at: NULL behind the last field */
    uint64_t number;      /* of the field that was returned last; 0: none yet */
};

struct field_cursor field_first(struct field_rule rule, struct slice line);

/* The next field as it stands in the line, quotes included. False: there are no more. */
bool field_next(struct field_cursor *c, struct slice *out);

/* Field number n, from 1. */
bool field_find(struct field_rule rule, struct slice line, uint64_t n, struct slice *out);

#endif
