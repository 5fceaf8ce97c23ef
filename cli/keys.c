/* See keys.h. */
#include "keys.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Every delimiter ends a field, so fields can be empty: "a,,b" has three. */
static bool field_by_byte(char delimiter, struct slice line, uint64_t field, struct slice *out) {
    const char *p = line.data, *end = line.data + line.size;
    for (;; field--) {
        const char *stop = memchr(p, delimiter, (size_t)(end - p));
        if (field == 1) {
            *out = (struct slice){p, (size_t)((stop == NULL ? end : stop) - p)};
            return true;
        }
        if (stop == NULL) return false;
        p = stop + 1;
    }
}

/* Any number of blanks separates two fields, as in awk. */
static bool field_by_blanks(struct slice line, uint64_t field, struct slice *out) {
    const char *p = line.data, *end = line.data + line.size;
    for (;; field--) {
        while (p < end && is_blank(*p)) p++;
        const char *start = p;
        while (p < end && !is_blank(*p)) p++;
        if (p == start) return false;
        if (field > 1) continue;
        *out = (struct slice){start, (size_t)(p - start)};
        return true;
    }
}

bool key_field(const struct key_options *k, struct slice line, uint64_t field, struct slice *out) {
    if (k->delimiter == 0) return field_by_blanks(line, field, out);
    return field_by_byte((char)k->delimiter, line, field, out);
}

struct slice key_of(const struct key_options *k, struct slice line) {
    struct slice key;
    return k->field > 0 && key_field(k, line, k->field, &key) ? key : line;
}

void keys_hash(const struct key_options *k, const guira *f, const struct batch *b, uint64_t *hash) {
    for (size_t i = 0; i < b->n; i++) {
        struct slice key = key_of(k, b->line[i]);
        hash[i] = guira_hash(f, key.data, key.size);
    }
}
