/* Bytes that are put together, in memory that is used again. */
#ifndef GUIRA_CLI_TEXT_BUFFER_H
#define GUIRA_CLI_TEXT_BUFFER_H

#include <string.h>

#include "report.h"

struct text_buffer {
    char *data;
    size_t size, capacity;
};

/* Makes room for n more bytes and returns where they go. */
static inline char *text_room(struct text_buffer *t, size_t n) {
    if (t->size + n > t->capacity) {
        t->capacity = 2 * (t->size + n);
        t->data = alloc_or_die(t->data, t->capacity);
    }
    return t->data + t->size;
}

static inline void text_append(struct text_buffer *t, const char *bytes, size_t n) {
    if (n > 0) memcpy(text_room(t, n), bytes, n);
    t->size += n;
}

#endif
