/* Times as logs write them.
 *
 *     1700000000  1700000000.25                seconds since 1970
 *     1700000000123  ...123456  ...123456789   milliseconds, microseconds, nanoseconds: told apart by the size, since
 *                                              seconds of 12 digits would be after the year 5138
 *     2023-11-14T22:13:20Z                     RFC 3339; also with a blank instead of T, with / instead of -, with a
 *     2023-11-14 22:13:20.123456 +0100         fraction of any length, and with the zone Z, UTC, GMT, +01, +0100,
 *                                              +01:00 or none
 *     [14/Nov/2023:22:13:20 +0000]             Apache and nginx
 *     Nov 14 22:13:20                          syslog; the latest such time that is not more than a day in the future
 *
 * A time without a zone is local time (TZ=UTC makes it UTC). A time may start with [ or a quote, and must be followed by a
 * blank, by one of ]"',;|) or by the end. */
#ifndef GUIRA_CLI_TIME_PARSE_H
#define GUIRA_CLI_TIME_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For one thread. All zero: the forms above. */
struct time_parser {
    const char *format; /* as for strptime, instead of the forms above; a fraction may follow what it describes */
    int64_t now;        /* milliseconds since 1970, for times without a year */

    /* private: the offset of local time in the quarter of an hour that was asked for last */
    int64_t quarter, offset;
    bool cached;
};

/* Reads the time at the start of n bytes, as milliseconds since 1970. False: there is none. */
bool time_parse(struct time_parser *p, const char *text, size_t n, int64_t *out);

/* Can this format be read back after it was written? */
bool time_format_is_valid(const char *format);

/* Does it have the day and the month? The year may be missing. */
bool time_format_has_date(const char *format);

#endif
