/* Shared by the tests of files: a filter as bytes in memory, and a temporary directory. */
#ifndef GUIRA_TEST_FILE_SUPPORT_H
#define GUIRA_TEST_FILE_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

struct bytes {
    uint8_t *at;
    size_t n, room;
};

static inline bool into_bytes(void *to, const void *bytes, size_t n) {
    struct bytes *b = to;
    if (b->room - b->n < n) {
        b->room = 2 * b->room + n;
        b->at = realloc(b->at, b->room);
        if (b->at == NULL) abort();
    }
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return true;
}

/* To be freed by the caller. */
static inline struct bytes saved(const guira *f) {
    struct bytes b = {0};
    assert_int_equal(guira_save_to(f, into_bytes, &b), GUIRA_OK);
    assert_int_equal(guira_saved_size(f), b.n);
    assert_int_equal(b.n % 64, 0);
    return b;
}

static inline guira *loaded(struct bytes b) {
    guira *f;
    assert_int_equal(guira_load_from(b.at, b.n, &f), GUIRA_OK);
    return f;
}

static inline bool same_bytes(struct bytes a, struct bytes b) { return a.n == b.n && memcmp(a.at, b.at, a.n) == 0; }

static char test_directory[] = "/tmp/guira-test-XXXXXX";

/* For cmocka_run_group_tests: create and remove a temporary directory for this program. */
static inline int directory_make(void **state) {
    (void)state;
    return mkdtemp(test_directory) == NULL ? -1 : 0;
}
static inline int directory_remove(void **state) {
    (void)state;
    return rmdir(test_directory); /* fails if a test has left anything there */
}

/* The path of a file in it; good until the fourth call after. */
static inline const char *file_named(const char *name) {
    static char path[4][512];
    static unsigned next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", test_directory, name);
    return path[next];
}

static inline void file_put(const char *path, struct bytes b) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b.at, 1, b.n, file), b.n);
    assert_int_equal(fclose(file), 0);
}

/* To be freed by the caller. */
static inline struct bytes file_get(const char *path) {
    struct bytes b = {0};
    uint8_t piece[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) into_bytes(&b, piece, n);
    fclose(file);
    return b;
}

#endif
