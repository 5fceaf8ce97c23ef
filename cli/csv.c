/* See csv.h. */
#include "csv.h"

#include <string.h>

/* Behind the quote that ends a quoted field at p; `end` if there is none. */
static const char *skip_quoted(const char *p, const char *end) {
    for (;;) {
        p = memchr(p + 1, '"', (size_t)(end - p - 1));
        if (p == NULL) return end;
        if (++p == end || *p != '"') return p; /* else a doubled quote: go on behind it */
    }
}

const char *csv_field_end(const char *p, const char *end, const char *delimiter) {
    if (p < end && *p == '"') p = skip_quoted(p, end);
    const char *stop = memmem(p, (size_t)(end - p), delimiter, strlen(delimiter));
    return stop == NULL ? end : stop;
}

const char *csv_record_end(const char *p, const char *end, char line_end, const char *delimiter) {
    size_t n = strlen(delimiter);
    while (p < end) {
        if (*p == '"') p = skip_quoted(p, end); /* p is the start of a field */
        while (p < end && *p != line_end && !((size_t)(end - p) >= n && memcmp(p, delimiter, n) == 0)) p++;
        if (p == end) return NULL;
        if (*p == line_end) return p;
        p += n;
    }
    return NULL;
}

/* Inside quotes: goes to the next quote. */
static void scan_quoted(struct csv_scan *s, const char *bytes, size_t n) {
    const char *quote = memchr(bytes + s->at, '"', n - s->at);
    if (quote != NULL) s->state = CSV_QUOTE;
    s->at = quote == NULL ? n : (size_t)(quote - bytes) + 1;
}

/* Outside quotes: goes behind the next delimiter or line end. False: the last bytes may be the beginning of a delimiter. */
static bool scan_unquoted(struct csv_scan *s, const char *bytes, size_t n, char line_end, const char *delimiter) {
    size_t size = strlen(delimiter);
    for (; s->at < n && bytes[s->at] != line_end; s->at++) {
        size_t left = n - s->at;
        if (bytes[s->at] != *delimiter || memcmp(bytes + s->at, delimiter, left < size ? left : size) != 0) continue;
        if (left < size) return false;
        s->at += size;
        s->state = CSV_FIELD_START;
        return true;
    }
    if (s->at == n) return true;
    s->complete = ++s->at;
    s->state = CSV_FIELD_START;
    return true;
}

void csv_scan_to(struct csv_scan *s, const char *bytes, size_t n, char line_end, const char *delimiter) {
    while (s->at < n) {
        bool quote = bytes[s->at] == '"';
        if (s->state == CSV_QUOTED) {
            scan_quoted(s, bytes, n);
        } else if (quote && s->state != CSV_UNQUOTED) {
            s->state = CSV_QUOTED; /* the first quote of a field, or the second of a doubled one */
            s->at++;
        } else {
            s->state = CSV_UNQUOTED;
            if (!scan_unquoted(s, bytes, n, line_end, delimiter)) return;
        }
    }
}

struct slice csv_record(struct slice line, char line_end) {
    bool ends_with_cr = line_end == '\n' && line.size > 0 && line.data[line.size - 1] == '\r';
    return (struct slice){line.data, line.size - ends_with_cr};
}

size_t csv_value(struct slice field, char *to) {
    size_t n = 0;
    bool quoted = field.size > 0 && field.data[0] == '"';
    for (size_t i = quoted ? 1 : 0; i < field.size; i++) {
        if (quoted && field.data[i] == '"') {
            if (i + 1 < field.size && field.data[i + 1] == '"') i++;
            else quoted = false; /* text behind the last quote is kept as it is */
            if (!quoted) continue;
        }
        to[n++] = field.data[i];
    }
    return n;
}

size_t csv_quote(char *value, size_t n) {
    size_t quotes = 0;
    for (size_t i = 0; i < n; i++) quotes += value[i] == '"';
    char *to = value + n + quotes + 2;
    size_t size = n + quotes + 2;
    *--to = '"';
    while (n-- > 0) { /* from the end, because the result is longer */
        char c = value[n];
        *--to = c;
        if (c == '"') *--to = '"';
    }
    *--to = '"';
    return size;
}
