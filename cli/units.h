/* Reads and writes quantities in a form that is convenient for people.
 *
 *     count       1000  100M  2.5k             powers of 1000; the result is whole: 0.5 is not a count
 *     size        4096  64K  1.5GiB  10MB      in bytes; K and KiB are 1024, KB is 1000, as in dd and head
 *     duration    90  10m  1h30m  250ms  2d    in milliseconds; a number without unit is seconds
 *     rate        0.001  0.1%  1e-6  1/1000    between 0 and 1
 *     factor      10  1000x                    1 or more */
#ifndef GUIRA_CLI_UNITS_H
#define GUIRA_CLI_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each reads the whole text and returns false if it has any other form. A count, size or duration that is too large is
 * refused, too; then *out is TOO_LARGE. */
#define TOO_LARGE UINT64_MAX
bool read_count(const char *text, uint64_t *out);
bool read_size(const char *text, uint64_t *out);
bool read_duration(const char *text, uint64_t *out);
bool read_rate(const char *text, double *out);
bool read_factor(const char *text, double *out);

enum { UNIT_TEXT = 48 };

/* Each writes into `to`, which has UNIT_TEXT bytes, and returns it. */
const char *write_count(double n, char *to);                      /* 1234 -> 1.23k */
const char *write_number(uint64_t n, const char *noun, char *to); /* 1, "line" -> 1 line; 1234 -> 1234 lines */
const char *write_size(double bytes, char *to);                   /* 1536 -> 1.50 KiB */
const char *write_elapsed(double seconds, char *to);              /* 75 -> 1:15 */
const char *write_duration(uint64_t ms, char *to);                /* 5400000 -> 1h30m; at most two units */
const char *write_rate(double fraction, char *to);                /* 0.001 -> 0.1% */

#endif
