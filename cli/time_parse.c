/* See time_parse.h. Parsed by hand because logs have millions of lines: strptime needs a copy with a NUL at the end and
 * knows neither fractions nor local offsets. It is used only for --time-format. */
#include "time_parse.h"

#include <string.h>
#include <time.h>

/* The part of the text that is not parsed yet. Each function below parses one item and moves `at` behind it; it returns
 * false if the item is not there. */
struct cursor {
    const char *at, *end;
};

/* A time as it is written. */
struct civil {
    int64_t year, month, day, h, m, s, ms;
    bool has_zone;
    int64_t offset; /* minutes */
};

/* ------------------------------------------------------------------------------------------------------------- items */

/* Exactly n digits. */
static bool digits(struct cursor *c, unsigned n, int64_t *out) {
    if ((size_t)(c->end - c->at) < n) return false;
    for (*out = 0; n-- > 0; c->at++) {
        if (*c->at < '0' || *c->at > '9') return false;
        *out = *out * 10 + (*c->at - '0');
    }
    return true;
}

/* One character: a or b. */
static bool letter(struct cursor *c, char a, char b) {
    if (c->at == c->end || (*c->at != a && *c->at != b)) return false;
    c->at++;
    return true;
}

static bool word(struct cursor *c, const char *text) {
    size_t n = strlen(text);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, text, n) != 0) return false;
    c->at += n;
    return true;
}

/* Is the time over here? */
static bool at_boundary(const struct cursor *c) {
    return c->at == c->end || (*c->at != '\0' && strchr(" \t\r]\"',;|)", *c->at) != NULL);
}

/* An optional fraction of a second (".25"), in milliseconds; digits behind the third are ignored. A comma without digits
 * is not a part of the time. */
static void fraction(struct cursor *c, int64_t *ms) {
    struct cursor next = *c;
    int64_t digit;
    *ms = 0;
    if (!letter(&next, '.', ',')) return;
    for (int64_t unit = 100; digits(&next, 1, &digit); unit /= 10) {
        *ms += digit * unit;
        *c = next;
    }
}

/* "22:13:20" and a fraction. */
static bool clock_time(struct cursor *c, struct civil *t) {
    bool found =
        digits(c, 2, &t->h) && letter(c, ':', ':') && digits(c, 2, &t->m) && letter(c, ':', ':') && digits(c, 2, &t->s);
    fraction(c, &t->ms);
    return found;
}

/* "Nov" */
static bool month_name(struct cursor *c, int64_t *month) {
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (*month = 1; *month <= 12; ++*month) {
        struct cursor next = *c;
        char name[4] = {names[*month * 3 - 3], names[*month * 3 - 2], names[*month * 3 - 1], '\0'};
        if (!word(&next, name)) continue;
        *c = next;
        return true;
    }
    return false;
}

/* "+05:30", "+0530" or "+05". */
static bool numeric_zone(struct cursor *c, int64_t *minutes) {
    int64_t h, m = 0;
    bool negative = c->at < c->end && *c->at == '-';
    if (!letter(c, '+', '-') || !digits(c, 2, &h)) return false;
    bool colon = letter(c, ':', ':');
    bool more = colon || (c->at < c->end && *c->at >= '0' && *c->at <= '9');
    if ((more && !digits(c, 2, &m)) || h > 23 || m > 59) return false;
    *minutes = negative ? -(h * 60 + m) : h * 60 + m;
    return true;
}

/* An optional zone, which may follow a blank. What is not a zone is left for the check of the boundary. */
static void zone(struct cursor *c, struct civil *t) {
    struct cursor next = *c;
    t->offset = 0;
    bool found = letter(&next, 'Z', 'z');
    if (!found) {
        (void)letter(&next, ' ', ' ');
        found = word(&next, "UTC") || word(&next, "GMT") || numeric_zone(&next, &t->offset);
    }
    t->has_zone = found && at_boundary(&next);
    if (t->has_zone) *c = next;
}

/* -------------------------------------------------------------------------------------------------------------- values */

/* Days since 1970-01-01. Years are counted from March, so that the leap day is the last day of its year. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static int64_t days_in(int64_t year, int64_t month) {
    if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static bool is_valid(const struct civil *t) {
    return t->month >= 1 && t->month <= 12 && t->day >= 1 && t->day <= days_in(t->year, t->month) && t->h <= 23 &&
           t->m <= 59 && t->s <= 60;
}

/* Seconds that local time is ahead of UTC, at a local time in seconds. mktime is slow, and the result rarely changes. */
static int64_t local_offset(struct time_parser *p, const struct civil *t, int64_t seconds) {
    int64_t quarter = seconds - t->m % 15 * 60 - t->s;
    if (p->cached && p->quarter == quarter) return p->offset;
    struct tm tm = {.tm_year = (int)(t->year - 1900), .tm_mon = (int)t->month - 1, .tm_mday = (int)t->day};
    tm.tm_hour = (int)t->h;
    tm.tm_min = (int)(t->m / 15 * 15);
    tm.tm_isdst = -1;
    time_t there = mktime(&tm);
    p->offset = there == (time_t)-1 ? 0 : quarter - there;
    p->quarter = quarter;
    p->cached = true;
    return p->offset;
}

static int64_t value_of(struct time_parser *p, const struct civil *t) {
    int64_t seconds = ((days_of(t->year, t->month, t->day) * 24 + t->h) * 60 + t->m) * 60 + t->s;
    seconds -= t->has_zone ? t->offset * 60 : local_offset(p, t, seconds);
    return seconds * 1000 + t->ms;
}

static bool finish(struct time_parser *p, const struct cursor *c, const struct civil *t, int64_t *out) {
    if (!at_boundary(c) || !is_valid(t)) return false;
    *out = value_of(p, t);
    return true;
}

/* Sets the year to the latest one that makes a time of at most a day in the future. Four years back there is a leap
 * day, except around 1900 and 2100. */
static bool finish_without_year(struct time_parser *p, const struct cursor *c, struct civil *t, int64_t *out) {
    const int64_t day = 86400000;
    time_t now = (time_t)(p->now / 1000);
    struct tm tm;
    if (localtime_r(&now, &tm) == NULL) return false;
    for (int64_t year = tm.tm_year + 1901, tries = 0; tries < 10; year--, tries++) {
        t->year = year;
        if (finish(p, c, t, out) && *out <= p->now + day) return true;
    }
    return false;
}

/* --------------------------------------------------------------------------------------------------------------- forms */

static bool rfc3339(struct time_parser *p, struct cursor c, int64_t *out) {
    struct civil t;
    if (!digits(&c, 4, &t.year) || !letter(&c, '-', '/') || !digits(&c, 2, &t.month) || !letter(&c, '-', '/') ||
        !digits(&c, 2, &t.day) || (!letter(&c, 'T', 't') && !letter(&c, ' ', ' ')) || !clock_time(&c, &t))
        return false;
    zone(&c, &t);
    return finish(p, &c, &t, out);
}

static bool apache(struct time_parser *p, struct cursor c, int64_t *out) {
    struct civil t;
    if (!digits(&c, 2, &t.day) || !letter(&c, '/', '/') || !month_name(&c, &t.month) || !letter(&c, '/', '/') ||
        !digits(&c, 4, &t.year) || !letter(&c, ':', ':') || !clock_time(&c, &t))
        return false;
    zone(&c, &t);
    return finish(p, &c, &t, out);
}

/* The day has a blank instead of a leading zero. */
static bool syslog(struct time_parser *p, struct cursor c, int64_t *out) {
    struct civil t = {.has_zone = false};
    if (!month_name(&c, &t.month) || !letter(&c, ' ', ' ')) return false;
    bool short_day = letter(&c, ' ', ' ');
    if (!digits(&c, short_day ? 1 : 2, &t.day) || !letter(&c, ' ', ' ') || !clock_time(&c, &t)) return false;
    return finish_without_year(p, &c, &t, out);
}

/* Seconds, milliseconds, microseconds or nanoseconds since 1970. */
static bool epoch(struct cursor c, int64_t *out) {
    const int64_t first_milliseconds = 100000000000;
    int64_t n = 0, digit, ms = 0;
    const char *start = c.at;
    while (digits(&c, 1, &digit)) {
        if (n > (INT64_MAX - 9) / 10) return false;
        n = n * 10 + digit;
    }
    if (c.at == start) return false;
    bool seconds = n < first_milliseconds;
    if (seconds) fraction(&c, &ms);
    if (!at_boundary(&c)) return false;
    if (seconds) n *= 1000;
    else
        while (n >= first_milliseconds * 1000) n /= 1000;
    *out = n + ms;
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- strptime */

static bool by_format(struct time_parser *p, struct cursor c, int64_t *out) {
    char text[128];
    size_t n = (size_t)(c.end - c.at) < sizeof text - 1 ? (size_t)(c.end - c.at) : sizeof text - 1;
    enum { NOT_SET = -1000000 };
    struct tm tm = {.tm_year = NOT_SET, .tm_mon = 0};
    memcpy(text, c.at, n);
    text[n] = '\0';
    const char *rest = strptime(text, p->format, &tm);
    if (rest == NULL || tm.tm_mday == 0) return false;
    struct civil t = {.year = tm.tm_year + 1900, .month = tm.tm_mon + 1, .day = tm.tm_mday, .h = tm.tm_hour};
    t.m = tm.tm_min;
    t.s = tm.tm_sec;
    t.has_zone = strstr(p->format, "%z") != NULL;
    t.offset = tm.tm_gmtoff / 60;
    c.at += rest - text;
    fraction(&c, &t.ms);
    return tm.tm_year == NOT_SET ? finish_without_year(p, &c, &t, out) : finish(p, &c, &t, out);
}

bool time_format_is_valid(const char *format) {
    char text[256];
    time_t day = 86400;
    struct tm tm;
    if (gmtime_r(&day, &tm) == NULL || strftime(text, sizeof text, format, &tm) == 0) return false;
    const char *rest = strptime(text, format, &tm);
    return rest != NULL && *rest == '\0' && strchr(format, '%') != NULL;
}

bool time_format_has_date(const char *format) {
    const struct tm day = {.tm_year = 101, .tm_mon = 10, .tm_mday = 23, .tm_yday = 326, .tm_wday = 5}; /* 2001-11-23 */
    struct tm tm = {.tm_mday = 0};
    char text[256];
    return strftime(text, sizeof text, format, &day) > 0 && strptime(text, format, &tm) != NULL &&
           tm.tm_mon == day.tm_mon && tm.tm_mday == day.tm_mday;
}

bool time_parse(struct time_parser *p, const char *text, size_t n, int64_t *out) {
    struct cursor c = {text, text + n};
    if (p->format != NULL) return by_format(p, c, out);
    (void)letter(&c, '[', '"');
    if (c.at == c.end) return false;
    if (*c.at >= 'A' && *c.at <= 'Z') return syslog(p, c, out);
    n = (size_t)(c.end - c.at);
    if (n > 4 && (c.at[4] == '-' || c.at[4] == '/')) return rfc3339(p, c, out);
    return n > 2 && c.at[2] == '/' ? apache(p, c, out) : epoch(c, out);
}
