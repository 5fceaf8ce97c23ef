/* See key_fields.h. */
#include "key_fields.h"

#include <stdlib.h>
#include <string.h>

#include "csv.h"

/* ------------------------------------------------------------------------------------------------------------- lists */

/* A field number; *text moves behind it. */
static bool read_field(const char **text, uint64_t *out) {
    size_t n = strspn(*text, "0123456789");
    if (n == 0 || n > 9) return false;
    *out = strtoull(*text, NULL, 10);
    *text += n;
    return *out > 0;
}

/* "2", "3-5", "4-" or "-2". */
static bool read_range(const char **text, struct field_range *r) {
    bool has_from = **text != '-';
    r->from = 1;
    if (has_from && !read_field(text, &r->from)) return false;
    r->to = r->from;
    if (**text != '-') return true;
    ++*text;
    r->to = 0;
    bool has_to = **text >= '0' && **text <= '9';
    return has_to ? read_field(text, &r->to) && r->to >= r->from : has_from;
}

bool field_list_read(const char *text, struct field_list *list) {
    for (;; text++) {
        if (list->n == MAX_RANGES || !read_range(&text, &list->range[list->n])) return false;
        list->n++;
        if (*text == '\0') return true;
        if (*text != ',') return false;
    }
}

/* ------------------------------------------------------------------------------------------------------------ fields */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

struct field_cursor field_first(struct field_rule rule, struct slice line) {
    return (struct field_cursor){rule, line.data, line.data + line.size, 0};
}

/* Any number of blanks separates two fields, as in awk. */
static bool next_by_blanks(struct field_cursor *c, struct slice *out) {
    const char *p = c->at;
    while (p < c->end && is_blank(*p)) p++;
    const char *start = p;
    while (p < c->end && !is_blank(*p)) p++;
    *out = (struct slice){start, (size_t)(p - start)};
    c->at = p;
    return p > start;
}

static const char *find_delimiter(const struct field_cursor *c) {
    size_t left = (size_t)(c->end - c->at), n = strlen(c->rule.delimiter);
    if (n == 1) return memchr(c->at, *c->rule.delimiter, left);
    return memmem(c->at, left, c->rule.delimiter, n);
}

/* Every delimiter ends a field, so fields can be empty: "a,,b" has three. */
static bool next_by_delimiter(struct field_cursor *c, struct slice *out) {
    if (c->at == NULL) return false;
    const char *stop = c->rule.csv ? csv_field_end(c->at, c->end, c->rule.delimiter) : find_delimiter(c);
    bool last = stop == NULL || stop == c->end;
    if (last) stop = c->end;
    *out = (struct slice){c->at, (size_t)(stop - c->at)};
    c->at = last ? NULL : stop + strlen(c->rule.delimiter);
    return true;
}

bool field_next(struct field_cursor *c, struct slice *out) {
    bool found = c->rule.delimiter == NULL ? next_by_blanks(c, out) : next_by_delimiter(c, out);
    c->number += found;
    return found;
}

bool field_find(struct field_rule rule, struct slice line, uint64_t n, struct slice *out) {
    struct field_cursor c = field_first(rule, line);
    while (field_next(&c, out))
        if (c.number == n) return true;
    return false;
}
