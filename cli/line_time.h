/* The time of a line, for uniq --time-field, and what to do with a line that has none.
 *
 * A window needs times that do not go back, and logs are not that orderly. So a line counts as written at the latest time
 * so far, if its own is not more than --max-skew before that. What is outside of
 *
 *     latest - skew  <=  time of the line  <=  clock + skew
 *
 * is not believed: one line from the year 2100 would otherwise make all later ones old. Such lines are treated like lines
 * without a time, by --bad-time, and counted. */
#ifndef GUIRA_CLI_LINE_TIME_H
#define GUIRA_CLI_LINE_TIME_H

#include "keys.h"

#define TIME_NONE INT64_MIN

/* As text, because it is also part of --help. */
#define DEFAULT_SKEW "5m"

enum bad_time { BAD_TIME_PASS, BAD_TIME_DROP, BAD_TIME_STOP };

struct time_options {
    const char *field; /* a field number, or a path in JSON; NULL: the time of arrival */
    const char *format;
    uint64_t max_skew; /* milliseconds; 0: not given */
    unsigned bad;      /* enum bad_time */
};

extern const char *const bad_time_names[];

#define TIME_OPTIONS(t)                                                                                          \
    {0, "time-field", OPT_TEXT, &(t)->field, "N", "take the time from field N, or from .path in JSON", NULL},    \
        {0, "time-format", OPT_TEXT, &(t)->format, "FORMAT", "how that time is written, as for strptime", NULL}, \
        {0,                                                                                                      \
         "max-skew",                                                                                             \
         OPT_DURATION,                                                                                           \
         &(t)->max_skew,                                                                                         \
         "TIME",                                                                                                 \
         "how far times may go back or be ahead of the clock (default: " DEFAULT_SKEW ")",                       \
         NULL},                                                                                                  \
    {                                                                                                            \
        0, "bad-time", OPT_CHOICE, &(t)->bad, "ACTION", "what to do with a line without a time", bad_time_names  \
    }

/* Exits if an option is not valid. Sets the default of max_skew. */
void time_options_check(struct time_options *t);

/* For one thread. */
struct time_reader;
struct time_reader *time_reader_new(const struct time_options *t, const struct key_options *k);

/* To be called from time to time, for times without a year. */
void time_reader_tick(struct time_reader *r);

/* The text where the time of a line should be; empty: there is no such field. Valid until the next call. */
struct slice time_text(struct time_reader *r, struct slice line);

/* Milliseconds since 1970, or TIME_NONE. */
int64_t time_of_line(struct time_reader *r, struct slice line);

/* Milliseconds since 1970. */
int64_t time_now(void);

/* Why a time is not used, in the order of enum time_fault. */
enum time_fault { TIME_GOOD, TIME_MISSING, TIME_AHEAD, TIME_BACK, TIME_FAULTS };

enum time_fault time_judge(int64_t time, int64_t latest, int64_t now, uint64_t max_skew);

#endif
