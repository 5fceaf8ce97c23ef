/* See held.h. */
#define _POSIX_C_SOURCE 200809L
#include "common/held.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 256, SECTION = 64, SMALL = 1024 };

static uint64_t number_at(const uint8_t *bytes, size_t at) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) value |= (uint64_t)bytes[at + i] << 8 * i;
    return value;
}

/* The checksums of header and sections. 0: there are too many, or these bytes are not a filter. */
static size_t marks_of(const uint8_t *bytes, size_t n, uint64_t mark[HELD_MARKS]) {
    if (n < HEADER) return 0;
    size_t marks = 1, at = HEADER;
    mark[0] = number_at(bytes, HEADER - 8);
    while (at < n) {
        if (n - at < SECTION || marks + 2 > HELD_MARKS) return 0;
        uint64_t length = number_at(bytes, at + 8);
        if (length > n) return 0;
        size_t payload = ((size_t)length + 8 + SECTION - 1) / SECTION * SECTION;
        if (payload > n - at - SECTION) return 0;
        mark[marks++] = number_at(bytes, at + SECTION - 8);
        at += SECTION + payload;
        mark[marks++] = number_at(bytes, at - 8);
    }
    return marks;
}

guira_status held_new(size_t n, struct held **out) {
    struct held *h = calloc(1, sizeof *h);
    void *bytes;
    if (h != NULL && posix_memalign(&bytes, 64, n > 0 ? n : 1) == 0) {
        h->bytes = bytes;
        h->n = n;
        h->users = 1;
        *out = h;
        return GUIRA_OK;
    }
    free(h);
    return GUIRA_ENOMEM;
}

guira_status held_open(struct held *h, const void *from, bool validate) {
    h->from = from;
    guira_status s = guira_view(h->bytes, h->n, &h->filter);
    if (s == GUIRA_OK && validate) s = guira_validate(h->filter, NULL);
    if (s == GUIRA_OK) h->marks = marks_of(h->bytes, h->n, h->mark);
    else held_release(h);
    return s;
}

guira_status held_copy(const void *bytes, size_t n, bool validate, struct held **out) {
    guira_file info = GUIRA_FILE_INIT;
    struct held *h;
    *out = NULL;
    guira_status s = n == 0 ? GUIRA_EFORMAT : guira_file_info(bytes, n, &info, NULL);
    if (s != GUIRA_OK) return s; /* before memory is taken for bytes that are something else */
    s = held_new(n, &h);
    if (s != GUIRA_OK) return s;
    memcpy(h->bytes, bytes, n);
    s = held_open(h, bytes, validate);
    if (s == GUIRA_OK) *out = h;
    return s;
}

bool held_is(const struct held *h, const void *bytes, size_t n) {
    uint64_t mark[HELD_MARKS];
    if (h == NULL || h->n != n) return false;
    if (h->from != bytes || h->marks == 0 || n <= SMALL) return memcmp(h->bytes, bytes, n) == 0;
    return marks_of(bytes, n, mark) == h->marks && memcmp(mark, h->mark, h->marks * sizeof *mark) == 0;
}

void held_release(struct held *h) {
    if (h == NULL || --h->users > 0) return;
    guira_destroy(h->filter);
    free(h->bytes);
    free(h);
}
