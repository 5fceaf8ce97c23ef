/* Time stamps in lines, for uniq --time-field. */
#ifndef GUIRA_CLI_TIMESTAMP_H
#define GUIRA_CLI_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a time as milliseconds since 1970. Accepted forms:
 *
 *     1700000000, 1700000000.25     seconds
 *     1700000000123                 milliseconds: numbers of 10^11 or more, which as seconds would be the year 5138
 *     2023-11-14T22:13:20Z          RFC 3339
 *
 * The text has n bytes and need not end with a NUL. False: it is not a time. */
bool timestamp_read(const char *text, size_t n, int64_t *out);

#endif
