/* See timestamp.h. Parsed by hand because logs have millions of lines: strptime would need a copy with a NUL at the end
 * and depends on the locale. */
#include "timestamp.h"

#include <stdint.h>

/* The part of the text that is not parsed yet. Each function below parses one item and moves `at` behind it; it returns
 * false if the item is not there. */
struct cursor {
    const char *at, *end;
};

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

/* An optional fraction of a second (".25"), in milliseconds. Digits behind the third are checked and ignored. */
static bool fraction(struct cursor *c, int64_t *ms) {
    int64_t digit, unit = 100;
    *ms = 0;
    if (!letter(c, '.', ',')) return true;
    if (!digits(c, 1, &digit)) return false;
    do {
        *ms += digit * unit;
        unit /= 10;
    } while (digits(c, 1, &digit));
    return true;
}

/* Days since 1970-01-01. Years are counted from March, so that the leap day is the last day of its year. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static int64_t days_in(int64_t year, int64_t month) {
    if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* "Z" or an offset from UTC such as "+05:30", in minutes. */
static bool zone(struct cursor *c, int64_t *minutes) {
    int64_t h, m;
    *minutes = 0;
    if (letter(c, 'Z', 'z')) return true;
    bool negative = c->at < c->end && *c->at == '-';
    if (!letter(c, '+', '-') || !digits(c, 2, &h) || !letter(c, ':', ':') || !digits(c, 2, &m)) return false;
    if (h > 23 || m > 59) return false;
    *minutes = negative ? -(h * 60 + m) : h * 60 + m;
    return true;
}

static bool rfc3339(struct cursor c, int64_t *out) {
    int64_t year, month, day, h, m, s, ms, offset;
    if (!digits(&c, 4, &year) || !letter(&c, '-', '-') || !digits(&c, 2, &month) || !letter(&c, '-', '-') ||
        !digits(&c, 2, &day) || (!letter(&c, 'T', 't') && !letter(&c, ' ', ' ')))
        return false;
    if (!digits(&c, 2, &h) || !letter(&c, ':', ':') || !digits(&c, 2, &m) || !letter(&c, ':', ':') ||
        !digits(&c, 2, &s) || !fraction(&c, &ms) || !zone(&c, &offset) || c.at != c.end)
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in(year, month) || h > 23 || m > 59 || s > 60) return false;
    *out = (((days_of(year, month, day) * 24 + h) * 60 + m - offset) * 60 + s) * 1000 + ms;
    return true;
}

/* Seconds or milliseconds since 1970, see timestamp.h. */
static bool epoch(struct cursor c, int64_t *out) {
    const int64_t first_milliseconds = 100000000000, too_large = 100000000000000;
    int64_t n = 0, digit, ms = 0;
    const char *start = c.at;
    while (digits(&c, 1, &digit)) {
        n = n * 10 + digit;
        if (n >= too_large) return false;
    }
    if (c.at == start) return false;
    bool seconds = n < first_milliseconds;
    if ((seconds && !fraction(&c, &ms)) || c.at != c.end) return false;
    *out = seconds ? n * 1000 + ms : n;
    return true;
}

bool timestamp_read(const char *text, size_t n, int64_t *out) {
    struct cursor c = {text, text + n};
    return n > 4 && text[4] == '-' ? rfc3339(c, out) : epoch(c, out);
}
