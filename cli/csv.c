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

size_t csv_complete_part(const char *bytes, size_t n, char line_end, const char *delimiter) {
    const char *p = bytes, *stop;
    while ((stop = csv_record_end(p, bytes + n, line_end, delimiter)) != NULL) p = stop + 1;
    return (size_t)(p - bytes);
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
