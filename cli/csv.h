/* CSV as in RFC 4180: a field that starts with a quote ends with a quote, and may contain delimiters, line ends and doubled
 * quotes. Quotes elsewhere are ordinary characters. */
#ifndef GUIRA_CLI_CSV_H
#define GUIRA_CLI_CSV_H

#include <stddef.h>

#include "lines.h"

/* The line end that ends the record at p. NULL: there is none before `end`. */
const char *csv_record_end(const char *p, const char *end, char line_end, const char *delimiter);

/* How many of n bytes are complete records. */
size_t csv_complete_part(const char *bytes, size_t n, char line_end, const char *delimiter);

/* The end of the field at p: its delimiter, or `end`. */
const char *csv_field_end(const char *p, const char *end, const char *delimiter);

/* The value of a field: without its quotes, and with single quotes for doubled ones. `to` has room for field.size bytes.
 * Returns the size of the value. */
size_t csv_value(struct slice field, char *to);

/* Puts n bytes into quotes, in place; there is room for 2 * n + 2. Returns the new size. */
size_t csv_quote(char *value, size_t n);

#endif
