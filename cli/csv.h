/* CSV as in RFC 4180: a field that starts with a quote ends with a quote, and may contain delimiters, line ends and doubled
 * quotes. Quotes elsewhere are ordinary characters. */
#ifndef GUIRA_CLI_CSV_H
#define GUIRA_CLI_CSV_H

#include <stddef.h>

#include "lines.h"

/* The line end that ends the record at p. NULL: there is none before `end`. */
const char *csv_record_end(const char *p, const char *end, char line_end, const char *delimiter);

/* Finds the end of records in a buffer that more bytes are appended to: each byte is looked at once, however long a record
 * is. All zero: at the start of a record. */
struct csv_scan {
    size_t at;                                                           /* bytes before it have been looked at */
    size_t complete;                                                     /* so many bytes are complete records */
    enum { CSV_FIELD_START, CSV_UNQUOTED, CSV_QUOTED, CSV_QUOTE } state; /* QUOTE: the last, or the first of two */
};

/* Goes on to the end of n bytes. */
void csv_scan_to(struct csv_scan *s, const char *bytes, size_t n, char line_end, const char *delimiter);

/* A line as a record: a carriage return before the line end is a part of that, not of the last field. */
struct slice csv_record(struct slice line, char line_end);

/* The end of the field at p: its delimiter, or `end`. */
const char *csv_field_end(const char *p, const char *end, const char *delimiter);

/* The value of a field: without its quotes, and with single quotes for doubled ones. `to` has room for field.size bytes.
 * Returns the size of the value. */
size_t csv_value(struct slice field, char *to);

/* Puts n bytes into quotes, in place; there is room for 2 * n + 2. Returns the new size. */
size_t csv_quote(char *value, size_t n);

#endif
