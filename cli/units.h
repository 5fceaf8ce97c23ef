/* Quantities as people write them, read and written.
 *
 *     count       1000  100M  2.5k             powers of 1000
 *     size        4096  64K  1.5GiB  10MB      K and KiB are 1024, KB is 1000, as with other tools
 *     duration    90  10m  1h30m  250ms  2d    in milliseconds; a bare number is seconds
 *     rate        0.001  0.1%  1e-6  1/1000    between 0 and 1
 *     factor      10  1000x                    from 1 on
 *     time        1700000000  1700000000.25  1700000000123  2023-11-14T22:13:20Z
 *
 * Readers take the whole text or say false. */
#ifndef GUIRA_CLI_UNITS_H
#define GUIRA_CLI_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool read_count(const char *text, uint64_t *out);
bool read_size(const char *text, uint64_t *out);
bool read_duration(const char *text, uint64_t *out);
bool read_rate(const char *text, double *out);
bool read_factor(const char *text, double *out);

/* A moment, in milliseconds since 1970: seconds (with or without a fraction), milliseconds (whatever is 10^11 or more:
 * as seconds that would be the year 5138) or RFC 3339. The text need not end with a NUL. */
bool read_time(const char *text, size_t n, int64_t *out);

enum { UNIT_TEXT = 32 };

/* Each writes into `to`, which has UNIT_TEXT bytes, and returns it. */
const char *write_count(double n, char *to);       /* 1234 -> 1.23k */
const char *write_size(double bytes, char *to);    /* 1536 -> 1.50 KiB */
const char *write_span(double seconds, char *to);  /* 75 -> 1:15 */
const char *write_rate(double fraction, char *to); /* 0.001 -> 0.10% */

#endif
